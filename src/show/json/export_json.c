// SPDX-License-Identifier: Apache-2.0
/* The summary as one JSON object, doc/report-json.md. What is not known is null; fields are only ever added. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/remark/remarks.h"
#include "show/json/json_in.h"
#include "show/words/export.h"
#include "show/words/kernel_words.h"

static void put_verdict(struct json_summary *to)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (memory) {
		export_verdict(memory, to->report, false);
		fclose(memory);
	}
	if (text)
		*text = (char)toupper((unsigned char)*text);
	json_text(&to->json, "verdict", text);
	free(text);
}

static void put_halts(struct json_summary *to)
{
	json_array(&to->json, "halts");
	for (uint32_t i = 0; i < to->summary->n_halts; i++) {
		const struct summary_halt *halt = &to->summary->halts[i];
		bool has_ended = halt->end_ns != STORE_OPEN;

		json_object(&to->json, NULL);
		json_summary_process(to, halt->process);
		json_summary_name(to, "what", halt->what);
		json_summary_name(to, "tracer", halt->who);
		json_summary_time(to, "at_ns", halt->begin_ns);
		json_known(&to->json, "duration_ns", has_ended ? (int64_t)(halt->end_ns - halt->begin_ns) : -1);
		json_known(&to->json, "earlier_at_most_ns",
			   halt->from_ns ? (int64_t)(halt->begin_ns - halt->from_ns) : -1);
		json_known(&to->json, "longer_at_most_ns",
			   has_ended && halt->until_ns != STORE_OPEN ? (int64_t)(halt->until_ns - halt->end_ns) : -1);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_clock_changes(struct json_summary *to)
{
	json_array(&to->json, "clock_changes");
	for (uint32_t i = 0; i < to->summary->n_clock_changes; i++) {
		const struct summary_clock *change = &to->summary->clock_changes[i];

		json_object(&to->json, NULL);
		json_summary_name(to, "what", change->what);
		json_summary_time(to, "after_ns", change->from_ns);
		json_summary_time(to, "at_ns", change->to_ns);
		json_int(&to->json, "by_ns", change->by_ns);
		json_summary_name(to, "text", change->text);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

/* null: nothing was dropped. */
static void put_kept(struct json_summary *to)
{
	const struct summary_kept *kept = &to->summary->kept;

	if (!kept->limit) {
		json_text(&to->json, "kept", NULL);
		return;
	}
	json_object(&to->json, "kept");
	json_summary_name(to, "newest", kept->limit);
	json_count(&to->json, "segments_dropped", kept->segments);
	json_count(&to->json, "events_dropped", kept->events);
	json_count(&to->json, "dropped_ns", kept->ns);
	json_end(&to->json, '}');
}

/* null: no operators were left out. */
static void put_thinned(struct json_summary *to)
{
	const struct summary_thinned *thinned = &to->summary->thinned;

	if (!thinned->n_left_out && !thinned->n_sampled) {
		json_text(&to->json, "operators_thinned", NULL);
		return;
	}
	json_object(&to->json, "operators_thinned");
	json_known(&to->json, "least", thinned->least ? (int64_t)thinned->least : -1);
	json_known(&to->json, "most", thinned->least ? (int64_t)thinned->most : -1);
	json_count(&to->json, "inferences_sampled", thinned->n_sampled);
	json_count(&to->json, "inferences_slow_or_failed", thinned->n_apart);
	json_count(&to->json, "inferences_without_operators", thinned->n_left_out);
	json_end(&to->json, '}');
}

/* null: --sample and --rate left nothing out. */
static void put_sampled(struct json_summary *to)
{
	const struct summary *summary = to->summary;

	if (!summary->n_sampled_out) {
		json_null(&to->json, "sampled");
		return;
	}
	json_object(&to->json, "sampled");
	json_count(&to->json, "inferences", summary->n_all_inferences);
	json_count(&to->json, "recorded", summary->n_inferences);
	json_end(&to->json, '}');
}

static void put_merged(struct json_summary *to)
{
	const struct summary *summary = to->summary;

	json_array(&to->json, "merged");
	for (uint32_t i = 0; i < summary->n_merged; i++) {
		json_object(&to->json, NULL);
		json_summary_name(to, "file", summary->merged[i].path);
		json_summary_name(to, "placed_by", summary->merged[i].source);
		json_int(&to->json, "moved_by_ns", summary->merged[i].by_ns);
		json_known(&to->json, "error_ns", summary->merged[i].error_ns);
		json_known(&to->json, "common_inferences", summary->merged[i].n_runs);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_dumps(struct json_summary *to)
{
	const struct summary *summary = to->summary;

	json_array(&to->json, "dumps");
	for (uint32_t i = 0; i < summary->n_dumps; i++) {
		json_object(&to->json, NULL);
		json_summary_name(to, "path", summary->dumps[i].path);
		json_summary_name(to, "why", summary->dumps[i].why);
		json_summary_time(to, "at_ns", summary->dumps[i].time_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_count(&to->json, "dumps_not_made", summary->n_dumps_skipped);
}

static void put_parts(struct json_summary *to, const struct summary_time *time)
{
	json_count(&to->json, "wall_ns", time->wall_ns);
	json_count(&to->json, "inferences_ns", time->inferences_ns);
	json_count(&to->json, "first_ns", time->first_ns);
	json_count(&to->json, "waiting_ns", time->waiting_ns);
	json_count(&to->json, "creating_ns", time->creating_ns);
	json_count(&to->json, "outside_ns", time->outside_ns);
}

static void put_time(struct json_summary *to)
{
	static const char *const causes[N_CAUSES] = { "outside", "creating", "first", "waiting", "running" };
	const struct summary_time *time = &to->summary->time;

	if (!time->wall_ns) {
		json_null(&to->json, "time");
		return;
	}
	json_object(&to->json, "time");
	put_parts(to, time);
	json_text(&to->json, "largest", causes[summary_largest(time)]);
	json_end(&to->json, '}');
}

static void put_gaps(struct json_summary *to)
{
	const struct summary_gaps *gaps = &to->summary->gaps;

	json_object(&to->json, "gaps");
	json_count(&to->json, "count", gaps->n);
	json_count(&to->json, "total_ns", gaps->total_ns);
	json_count(&to->json, "creating_ns", gaps->creating_ns);
	json_array(&to->json, "lengths");
	for (int i = 0; i < SUMMARY_GAP_KINDS; i++) {
		json_object(&to->json, NULL);
		if (i + 1 < SUMMARY_GAP_KINDS)
			json_count(&to->json, "below_ns", summary_gap_limit_ns(i));
		else
			json_null(&to->json, "below_ns");
		json_count(&to->json, "count", gaps->kind[i].n);
		json_count(&to->json, "total_ns", gaps->kind[i].total_ns);
		json_count(&to->json, "creating_ns", gaps->kind[i].creating_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_array(&to->json, "longest");
	for (int i = 0; i < SUMMARY_LONGEST_GAPS && gaps->longest[i].end_ns; i++) {
		json_object(&to->json, NULL);
		json_summary_time(to, "begin_at_ns", gaps->longest[i].begin_ns);
		json_count(&to->json, "length_ns", gaps->longest[i].end_ns - gaps->longest[i].begin_ns);
		json_count(&to->json, "creating_ns", gaps->longest[i].creating_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_end(&to->json, '}');
}

static void put_callers(struct json_summary *to)
{
	const struct summary *summary = to->summary;

	json_array(&to->json, "callers");
	for (uint32_t i = 0; i < summary->n_callers; i++) {
		const struct summary_caller *caller = &summary->callers[i];

		json_object(&to->json, NULL);
		json_summary_process(to, caller->process);
		json_int(&to->json, "tid", caller->tid);
		json_bool(&to->json, "is_first_thread", caller->is_main);
		json_summary_time(to, "begin_at_ns", caller->begin_ns);
		json_count(&to->json, "inferences", caller->n_inferences);
		json_count(&to->json, "sessions", caller->n_sessions);
		put_parts(to, &caller->time);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_array(&to->json, "caller_groups");
	for (uint32_t i = 0; i < summary->n_caller_kinds; i++) {
		const struct summary_callers *kind = &summary->caller_kinds[i];

		json_object(&to->json, NULL);
		json_summary_name(to, "program", kind->program);
		json_bool(&to->json, "are_first_threads", kind->is_main);
		json_count(&to->json, "threads", kind->n);
		json_count(&to->json, "inferences", kind->n_inferences);
		json_count(&to->json, "sessions", kind->n_sessions);
		put_parts(to, &kind->time);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_recording(struct json_summary *to)
{
	const struct summary *summary = to->summary;
	const struct summary_recording *recording = &summary->recording;
	bool has_events = recording->begin_ns <= recording->end_ns;

	json_object(&to->json, "recording");
	json_bool(&to->json, "is_from_inftrace", recording->is_ours);
	json_summary_name(to, "command", recording->command);
	json_summary_name(to, "level", recording->level);
	json_bool(&to->json, "is_from_outside", recording->is_from_outside);
	json_summary_name(to, "version", recording->version);
	json_summary_name(to, "machine", recording->machine);
	json_known(&to->json, "cpus", recording->n_cpus);
	json_real(&to->json, "usable_cpus", recording_usable(summary));
	json_known(&to->json, "interval_ns", recording->interval_ns);
	json_known(&to->json, "start_realtime_ns", recording->start_realtime_ns);
	json_known(&to->json, "begin_monotonic_ns", has_events ? (int64_t)recording->begin_ns : -1);
	json_known(&to->json, "duration_ns", has_events ? (int64_t)(recording->end_ns - recording->begin_ns) : -1);
	json_summary_name(to, "clock_source", recording->clock_source);
	json_known(&to->json, "clock_error_ns", recording->clock_error_ns);
	put_halts(to);
	put_clock_changes(to);
	json_known(&to->json, "from_ns", summary->part.from_ns ? (int64_t)summary->part.from_ns : -1);
	json_known(&to->json, "to_ns", summary->part.to_ns ? (int64_t)summary->part.to_ns : -1);
	json_text(&to->json, "file", summary->file.path);
	json_count(&to->json, "file_bytes", summary->file.bytes);
	json_bool(&to->json, "file_is_cut", summary->file.is_cut);
	json_known(&to->json, "file_cut_at_byte", summary->file.is_cut ? (int64_t)summary->file.cut_at : -1);
	put_time(to);
	put_gaps(to);
	put_callers(to);
	put_kept(to);
	put_thinned(to);
	put_sampled(to);
	put_merged(to);
	put_dumps(to);
	json_array(&to->json, "stopped");
	for (uint32_t i = 0; i < summary->n_stops; i++) {
		json_object(&to->json, NULL);
		json_summary_name(to, "source", summary->stops[i].source);
		json_summary_name(to, "reason", summary->stops[i].reason);
		json_summary_time(to, "at_ns", summary->stops[i].time_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_end(&to->json, '}');
}

static void put_elsewhere(struct json_summary *to)
{
	static const char *const places[N_WHERE] = {
		[WHERE_INFERENCE] = "inference",
		[WHERE_APART] = "first_or_failed_inference",
		[WHERE_UNFINISHED] = "unfinished_inference",
		[WHERE_UNKNOWN] = "unknown_inference",
		[WHERE_CREATION] = "session_creation",
		[WHERE_OUTSIDE] = "outside",
	};

	json_array(&to->json, "operators_elsewhere");
	for (uint32_t i = 0; i < to->summary->n_elsewhere; i++) {
		const struct summary_operator *op = &to->summary->elsewhere[i];

		json_object(&to->json, NULL);
		json_summary_process(to, op->process);
		json_text(&to->json, "where", places[op->where]);
		json_summary_name(to, "op_type", op->op_type);
		json_summary_name(to, "provider", op->provider);
		json_count(&to->json, "calls", op->n);
		json_count(&to->json, "not_ended", op->n_open);
		json_count(&to->json, "halted", op->n_halted);
		json_count(&to->json, "self_ns", op->self_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_slices(struct json_summary *to)
{
	json_array(&to->json, "slices");
	for (uint32_t i = 0; i < to->summary->n_named; i++) {
		json_object(&to->json, NULL);
		json_summary_name(to, "name", to->summary->named[i].name);
		json_summary_spread(to, "duration", &to->summary->named[i].duration);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_count(&to->json, "slices_of_other_names", to->summary->n_named_left_out);
}

static void put_kernels(struct json_summary *to)
{
	const struct summary *summary = to->summary;
	double whole = summary->kernels_ns ? (double)summary->kernels_ns : 1;
	uint64_t so_far_ns = 0;

	json_array(&to->json, "kernels");
	for (uint32_t i = 0; i < summary->n_kernels; i++) {
		const struct summary_kernel *kernel = &summary->kernels[i];

		so_far_ns += kernel->duration.total_ns;
		json_object(&to->json, NULL);
		json_summary_name(to, "name", kernel->name);
		json_summary_name(to, "op_type", kernel->op_type);
		json_real(&to->json, "share", (double)kernel->duration.total_ns / whole);
		json_real(&to->json, "share_so_far", (double)so_far_ns / whole);
		json_summary_spread(to, "duration", &kernel->duration);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_count(&to->json, "kernels_of_other_names", summary->n_kernels_left_out);
	json_array(&to->json, "kernel_types");
	for (uint32_t i = 0; i < summary->n_kernel_types; i++) {
		const struct summary_kernel_type *type = &summary->kernel_types[i];
		uint64_t host_ns = kernel_host_ns(summary, type->op_type);

		json_object(&to->json, NULL);
		json_summary_name(to, "op_type", type->op_type);
		json_count(&to->json, "calls", type->n);
		json_count(&to->json, "total_ns", type->total_ns);
		json_known(&to->json, "host_ns", host_ns ? (int64_t)host_ns : -1);
		json_real(&to->json, "share", (double)type->total_ns / whole);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_cycles(struct json_summary *to)
{
	const struct summary *summary = to->summary;
	double whole = summary->all_cycles ? (double)summary->all_cycles : 1, so_far = 0;

	json_array(&to->json, "kernel_cycles");
	for (uint32_t i = 0; i < summary->n_cycles; i++) {
		const struct summary_cycles *node = &summary->cycles[i];

		so_far += (double)node->cycles;
		json_object(&to->json, NULL);
		json_summary_name(to, "name", node->name);
		json_summary_name(to, "op_type", node->op_type);
		json_count(&to->json, "calls", node->n);
		json_count(&to->json, "cycles", node->cycles);
		json_real(&to->json, "share", (double)node->cycles / whole);
		json_real(&to->json, "share_so_far", so_far / whole);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_count(&to->json, "kernel_cycles_of_other_names", summary->n_cycles_left_out);
}

static void put_streams(struct json_summary *to)
{
	json_array(&to->json, "streams");
	for (uint32_t i = 0; i < to->summary->n_streams; i++) {
		const struct summary_stream *stream = &to->summary->streams[i];

		json_object(&to->json, NULL);
		json_summary_process(to, stream->process);
		json_summary_name(to, "name", stream->name);
		json_count(&to->json, "kernels", stream->n);
		json_summary_time(to, "begin_at_ns", stream->begin_ns);
		json_summary_time(to, "end_at_ns", stream->end_ns);
		json_count(&to->json, "busy_ns", stream->busy_ns);
		json_count(&to->json, "copies_ns", stream->copies_ns);
		json_count(&to->json, "idle_ns", stream->end_ns - stream->begin_ns - stream->busy_ns);
		json_count(&to->json, "idle_within_inferences_ns", stream->idle_within_ns);
		json_count(&to->json, "gaps", stream->n_gaps);
		json_count(&to->json, "longest_gap_ns", stream->longest_gap_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

/* "gpu card1: amdgpu" in two. */
static void put_device(struct json_summary *to, uint32_t name)
{
	const char *text = names_text(to->summary->names, name), *colon = strstr(text, ": ");
	char device[80];

	snprintf(device, sizeof device, "%.*s", (int)strcspn(text, ":"), text);
	json_text(&to->json, "device", name ? device : NULL);
	json_text(&to->json, "device_description", colon ? colon + 2 : NULL);
}

static void put_resources(struct json_summary *to)
{
	json_array(&to->json, "resources");
	for (uint32_t i = 0; i < to->summary->n_resources; i++) {
		const struct summary_resource *resource = &to->summary->resources[i];

		json_object(&to->json, NULL);
		json_summary_process(to, resource->process);
		json_text(&to->json, "scope",
			  resource->process != SUMMARY_NONE ? "process"
			  : resource->device		    ? "device"
							    : "machine");
		put_device(to, resource->device);
		json_summary_name(to, "name", resource->name);
		json_summary_name(to, "unit", resource->unit);
		json_count(&to->json, "samples", resource->n);
		json_real(&to->json, "mean", resource->mean);
		json_real(&to->json, "min", resource->min);
		json_real(&to->json, "max", resource->max);
		json_real(&to->json, "first", resource->first);
		json_real(&to->json, "last", resource->last);
		json_real(&to->json, "peak", resource->peak);
		json_real(&to->json, "at_exit", resource->at_exit);
		json_real(&to->json, "growth_per_s", resource->growth_per_s);
		json_count(&to->json, "with_inferences_ns", resource->busy_ns);
		json_real(&to->json, "with_inferences_mean", resource->busy_mean);
		json_real(&to->json, "with_inferences_max", resource->busy_max);
		json_count(&to->json, "without_inferences_ns", resource->idle_ns);
		json_real(&to->json, "without_inferences_mean", resource->idle_mean);
		json_real(&to->json, "without_inferences_max", resource->idle_max);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_array(&to->json, "unreadable");
	for (uint32_t i = 0; i < to->summary->n_unreadable; i++) {
		json_object(&to->json, NULL);
		json_summary_process(to, to->summary->unreadable[i].process);
		json_summary_name(to, "path", to->summary->unreadable[i].path);
		json_summary_name(to, "reason", to->summary->unreadable[i].reason);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_array(&to->json, "left_out");
	for (uint32_t i = 0; i < to->summary->n_left_out; i++) {
		json_object(&to->json, NULL);
		json_summary_process(to, to->summary->left_out[i].process);
		json_count(&to->json, "count", to->summary->left_out[i].n);
		json_summary_name(to, "what", to->summary->left_out[i].what);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_findings(struct json_summary *to)
{
	uint32_t n = 0;

	json_array(&to->json, "insights");
	for (uint32_t i = 0; i < to->summary->n_models; i++)
		if (report_shows(to->report, i)) {
			json_findings(&to->json, &to->report->analysis[i], &n);
			n++;
		}
	json_end(&to->json, ']');
}

static void put_remarks(struct json_summary *to)
{
	const struct remarks remarks = { .summary = to->summary, .is_running = to->report->is_running };
	size_t n = remarks_count(to->summary);

	json_array(&to->json, "remarks");
	for (size_t i = 0; i < n; i++) {
		struct remark remark = remarks_at(&remarks, i);

		if (!*remark.text.s)
			continue;
		json_object(&to->json, NULL);
		json_text(&to->json, "kind", remark.kind);
		json_bool(&to->json, "is_loss", remark.is_loss);
		json_text(&to->json, "text", remark.text.s);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_losses(struct json_summary *to)
{
	const struct summary *summary = to->summary;
	const struct store_counts *counts = &summary->counts;

	json_object(&to->json, "losses");
	json_known(&to->json, "lost_events",
		   summary->recording.is_ours || summary->n_lost ? (int64_t)summary->n_lost : -1);
	json_count(&to->json, "processes_not_seen", summary->n_unseen);
	json_count(&to->json, "processes_left_running", summary->n_left);
	json_array(&to->json, "lost");
	for (uint32_t i = 0; i < summary->n_losses; i++) {
		json_object(&to->json, NULL);
		json_summary_process(to, summary->losses[i].process);
		json_summary_name(to, "where", summary->losses[i].where);
		json_count(&to->json, "events", summary->losses[i].n);
		json_summary_time(to, "first_at_ns", summary->losses[i].first_ns);
		json_summary_time(to, "last_at_ns", summary->losses[i].last_ns);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
	json_object(&to->json, "slices_not_ended");
	for (int kind = 0; kind < N_KINDS; kind++)
		if (summary->n_open[kind])
			json_count(&to->json, kind == KIND_NONE ? "other" : event_kind_name(kind),
				   summary->n_open[kind]);
	json_end(&to->json, '}');
	json_count(&to->json, "events_out_of_order", counts->n_disordered);
	json_count(&to->json, "events_moved_later",
		   summary->file.n_late + (summary->cost.moved > 0 ? (uint64_t)summary->cost.moved : 0));
	json_count(&to->json, "ends_without_begin", counts->n_unmatched);
	json_count(&to->json, "events_without_track", counts->n_untracked);
	json_count(&to->json, "slices_too_deep", counts->n_too_deep);
	json_count(&to->json, "arguments_cut", counts->n_args_cut);
	put_remarks(to);
	json_end(&to->json, '}');
}

static void put_cost(struct json_summary *to)
{
	const struct summary_cost *cost = &to->summary->cost;

	if (!cost->is_known) {
		json_null(&to->json, "cost");
		return;
	}
	json_object(&to->json, "cost");
	json_known(&to->json, "events", cost->events);
	json_real(&to->json, "event_ns", cost->event_ns);
	json_known(&to->json, "arm_ns", cost->arm_ns);
	json_known(&to->json, "recorder_cpu_ns", cost->recorder_cpu_ns);
	json_known(&to->json, "recorder_peak_bytes", cost->recorder_peak_bytes);
	json_known(&to->json, "lost_events", cost->lost);
	json_end(&to->json, '}');
}

void export_json(FILE *out, const struct report *report)
{
	struct json_summary to = { .summary = report->summary, .names = report->summary->names, .report = report };

	json_init(&to.json, out);
	json_object(&to.json, NULL);
	put_verdict(&to);
	put_recording(&to);
	json_whole_list(&to, "processes", &columns_processes);
	json_whole_list(&to, "runtimes", &columns_runtimes);
	json_whole_list(&to, "other_runtimes", &columns_other_runtimes);
	json_models(&to);
	put_findings(&to);
	json_whole_list(&to, "outside", &columns_outside);
	json_whole_list(&to, "requests", &columns_requests);
	json_whole_list(&to, "request_parts", &columns_request_parts);
	put_elsewhere(&to);
	put_kernels(&to);
	put_cycles(&to);
	put_streams(&to);
	json_whole_list(&to, "device_clocks", &columns_device_clocks);
	put_slices(&to);
	json_memory(&to);
	put_resources(&to);
	put_losses(&to);
	put_cost(&to);
	json_end(&to.json, '}');
	json_done(&to.json);
}
