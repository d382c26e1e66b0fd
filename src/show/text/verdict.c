// SPDX-License-Identifier: Apache-2.0
/*
 * The recording in two or three sentences. The first has what matters most, in at most 25 words; the others list where
 * the time went, what failed and what is missing.
 */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/remark/halt_words.h"
#include "analyze/result/open_words.h"
#include "base/text/provider.h"
#include "show/text/page.h"
#include "show/words/generation_words.h"
#include "show/words/memory_words.h"
#include "show/words/operator_words.h"
#include "show/words/other_words.h"
#include "show/words/resource_words.h"
#include "show/words/time_words.h"
#include "show/words/training_words.h"

enum { NAME_COLUMNS = 40, MESSAGE_COLUMNS = 60, STATE_COLUMNS = 300 };

static const char unseen_because[] = " was not seen: ";

static const struct summary_model *main_model(const struct summary *summary)
{
	return summary->n_models ? &summary->models[0] : NULL;
}

/* What is not recorded of a runtime that is only partly supported; 0: there is none. */
static uint32_t runtime_in_part(const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->n_runtimes; i++)
		if (summary->runtimes[i].left_out)
			return summary->runtimes[i].left_out;
	return 0;
}

/* One of whose inferences none can be seen, and why not; NULL: there is none. */
static const struct summary_runtime *runtime_without_runs(const struct summary *summary, const char **why)
{
	for (uint32_t i = 0; i < summary->n_runtimes; i++) {
		uint32_t left_out = summary->runtimes[i].left_out;

		*why = event_why_no_runs(left_out ? names_text(summary->names, left_out) : NULL);
		if (*why)
			return &summary->runtimes[i];
	}
	return NULL;
}

/* The same without the reasons, which the line of the runtime has: "operators (built without ...)" is "operators". */
static struct printable without_reasons(const char *left_out)
{
	struct printable text = { "" };
	size_t n = 0, depth = 0;

	for (const char *at = left_out; *at && n + 1 < sizeof text.s; at++) {
		if (*at == '(' && !depth && n && text.s[n - 1] == ' ')
			n--;
		depth += *at == '(';
		if (!depth)
			text.s[n++] = *at;
		depth -= *at == ')' && depth;
	}
	text.s[n] = 0;
	return text;
}

/* A file of another program without inferences: what is in it, and what shows that. */
static void say_foreign(const struct page *page)
{
	const struct store_counts *counts = &page->summary->counts;
	struct operators_alone alone = operators_alone(page->summary);

	if (alone.n_types) {
		fprintf(page->out, "no inference in this file of another program: %s took %s, %s %s of it",
			printable_count(alone.n, "operator call").s, units_duration((double)alone.ns).s,
			page_name(page, alone.type->op_type, NAME_COLUMNS).s,
			units_percent((double)alone.type->self_ns / (double)alone.ns).s);
		fprintf(page->out, ". Latency is not known: the file does not say where an inference begins and ends");
		return;
	}
	fprintf(page->out, "no inference in this file of another program: %s",
		printable_count(counts->n_slices, "slice").s);
	fprintf(page->out, ", %s", printable_count(counts->n_instants, "instant").s);
	fprintf(page->out, ", %s of counters", printable_count(counts->n_samples, "sample").s);
	if (counts->n_slices || counts->n_instants || counts->n_samples)
		fprintf(page->out, ". To see them: inftrace view");
}

/*
 * Why the only one was not recorded. Sources write "what app did was not seen: it is statically linked", which is both
 * what happened and why.
 */
static void say_why_unseen(const struct page *page, uint32_t state)
{
	struct printable text = page_name(page, state, STATE_COLUMNS);
	char *reason = strstr(text.s, unseen_because);

	if (!reason) {
		fprintf(page->out, "no model was seen: %s", text.s);
		return;
	}
	reason += sizeof unseen_because - 1;
	fprintf(page->out, "%.*s. %c%s", (int)(reason - 2 - text.s), text.s, toupper((unsigned char)*reason),
		*reason ? reason + 1 : "");
}

static void say_unseen(const struct page *page)
{
	const struct summary *summary = page->summary;
	uint32_t i = 0;

	while (i < summary->n_processes && !summary->processes[i].is_unseen)
		i++;
	if (summary->n_unseen == 1 && i < summary->n_processes && summary->processes[i].state)
		say_why_unseen(page, summary->processes[i].state);
	else
		fprintf(page->out, "no model was seen: what %s did was not recorded",
			summary->n_processes == 1 ? "the process" : printable_count(summary->n_unseen, "process").s);
}

/* The program uses another runtime, which may contain one that is recorded. */
static void say_not_recorded(const struct page *page)
{
	const struct summary *summary = page->summary;

	fprintf(page->out, "no inference was recorded: the program loaded %s, which inftrace does not record",
		other_words(summary, page->opts.is_ascii).s);
	if (summary->n_runtimes)
		fprintf(page->out, "; %s %s was loaded, too, and ran no model",
			page_name(page, summary->runtimes[0].runtime, NAME_COLUMNS).s,
			page_name(page, summary->runtimes[0].version, NAME_COLUMNS).s);
	fprintf(page->out, "; %sthe program's use of CPUs, memory and devices %s recorded",
		summary->n_outside ? "what its threads did, and " : "", summary->n_outside ? "were" : "was");
}

/* The runtime's message, without its kind in front of it: "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : " */
static struct printable message_of(const struct page *page, uint32_t name)
{
	static const char kind[] = "[ONNXRuntimeError] : ", next[] = " : ";
	const char *text = names_text(page->names, name), *at = text;
	size_t len = names_len(page->names, name);

	if (strncmp(text, kind, sizeof kind - 1))
		return page_name(page, name, MESSAGE_COLUMNS);
	at += sizeof kind - 1;
	for (int i = 0; i < 2 && at; i++)
		if ((at = strstr(at, next)))
			at += sizeof next - 1;
	return at && *at ? printable_text(at, len - (size_t)(at - text), MESSAGE_COLUMNS, page->opts.is_ascii)
			 : page_name(page, name, MESSAGE_COLUMNS);
}

/* No session of the program came to be. */
static bool has_no_session(const struct summary *summary)
{
	return summary->n_sessions && summary->n_sessions_failed == summary->n_all_sessions && !summary->n_inferences;
}

static uint32_t failure_of_creation(const struct summary *summary)
{
	uint32_t i = 0;

	while (i + 1 < summary->n_sessions && !summary->sessions[i].is_failed)
		i++;
	return summary->sessions[i].status;
}

/* What happened before an inference could. */
static void say_nothing_ran(const struct page *page)
{
	const struct summary *summary = page->summary;
	const char *why;
	const struct summary_runtime *unseen = runtime_without_runs(summary, &why);
	FILE *out = page->out;

	if (summary->n_sessions && !unseen) {
		fprintf(out, "no inference was run: %s of %s", printable_count(summary->n_all_sessions, "session").s,
			page_name(page, summary->sessions[0].name, NAME_COLUMNS).s);
		if (has_no_session(summary))
			fprintf(out, "%s could not be created (%s)", summary->n_models > 1 ? " and others" : "",
				message_of(page, failure_of_creation(summary)).s);
		else
			fprintf(out, summary->n_models > 1 ? " and others were created" : " %s created",
				summary->n_all_sessions == 1 ? "was" : "were");
	} else if (unseen) {
		fprintf(
		    out,
		    "whether a model was run is not known: inferences of %s %s, which was loaded, are not seen (%s)",
		    page_name(page, unseen->runtime, NAME_COLUMNS).s, page_name(page, unseen->version, NAME_COLUMNS).s,
		    printable_text(why, strcspn(why, ")"), MESSAGE_COLUMNS, false).s);
	} else if (summary->n_other_runtimes && summary->recording.is_ours) {
		say_not_recorded(page);
	} else if (summary->n_runtimes) {
		fprintf(out, "no model was run: %s %s was loaded, but no session was created or used",
			page_name(page, summary->runtimes[0].runtime, NAME_COLUMNS).s,
			page_name(page, summary->runtimes[0].version, NAME_COLUMNS).s);
	} else if (!summary->recording.is_ours) {
		say_foreign(page);
	} else if (summary->n_processes && summary->n_unseen) {
		say_unseen(page);
	} else if (summary->n_processes) {
		fprintf(out, "no model was run: no runtime that inftrace knows was loaded by the %s seen",
			summary->n_processes == 1 ? "process" : printable_count(summary->n_processes, "process").s);
	} else {
		fprintf(out, "no model was run: no process was seen");
	}
}

/* Instead of running models. */
static void say_what_it_did(const struct page *page)
{
	struct printable line[TIME_OUTSIDE];

	if (page->summary->recording.is_ours && time_outside(page->summary, line))
		fprintf(page->out, ". The program spent %s", line[0].s);
}

/* " on CPUExecutionProvider and CUDAExecutionProvider" */
static void say_providers(const struct page *page, const struct summary_model *model)
{
	const struct summary_provider *ran_on = page->summary->ran_on + model->ran_on.first;

	uint32_t n_named = 0;

	fprintf(page->out, "%s", training_count(model).s);
	for (uint32_t i = 0; i < model->ran_on.n && n_named < 3; i++)
		if (ran_on[i].provider)
			fprintf(page->out, "%s%s", n_named++ ? " and " : " on ",
				page_name(page, ran_on[i].provider, NAME_COLUMNS).s);
	if (!model->ran_on.n && model->providers)
		fprintf(page->out, " (asked for %s)", page_name(page, model->providers, 60).s);
}

static void say_latency(const struct page *page, const struct summary_runs *runs)
{
	const struct summary_spread *latency = &runs->latency;

	if (latency->n > 1)
		fprintf(page->out, ": %s",
			units_latency(latency->n, latency->p50_ns, latency->p99_ns, latency->max_ns).s);
	else if (latency->n && runs->first.n == 1)
		fprintf(page->out, ": the first took %s, the other one %s",
			units_duration((double)runs->first.p50_ns).s, units_duration((double)latency->p50_ns).s);
	else if (latency->n)
		fprintf(page->out, ": %s", units_duration((double)latency->p50_ns).s);
	else if (runs->first.n)
		fprintf(page->out, ": the first took %s", units_duration((double)runs->first.p50_ns).s);
}

/* Of fewer, and of less than half of all, one that lost the CPU is not as many as it seems. */
enum { LEAST_READ = 100 };

/* Of all models together: it is a machine that is busy, not one model. The longest wait may be a moment. */
static void say_waits(const struct page *page)
{
	const struct summary_time *time = &page->summary->time;
	uint64_t wall_ns = 0, waited_ns = 0, longest_ns = 0;

	for (uint32_t i = 0; i < page->summary->n_models; i++) {
		const struct summary_runs *runs = &page->summary->models[i].runs;

		if (isnan(summary_waited(runs)) && runs->n_waits < LEAST_READ)
			continue;
		wall_ns += runs->waits_wall_ns;
		waited_ns += runs->run_queue_ns;
		if (runs->longest_wait_ns > longest_ns && runs->n_waits > 1)
			longest_ns = runs->longest_wait_ns;
	}
	if (time->wall_ns && summary_largest(time) == CAUSE_WAITING) /* it was said first */
		return;
	if (wall_ns && waited_ns - longest_ns >= wall_ns / 10)
		fprintf(page->out, "; %sinferences waited for a CPU %.0f %% of their time",
			page->summary->n_models > 1 ? "all " : "", 100 * (double)waited_ns / (double)wall_ns);
}

static void say_what_ran(const struct page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_model *model = main_model(summary);
	uint64_t wall_ns = 0;

	for (uint32_t i = 0; i < summary->n_models; i++)
		wall_ns += summary_runs_ns(&summary->models[i].runs);
	if (model->generations.n && summary->n_models == 1)
		fprintf(page->out, "%s", printable_count(model->generations.n, "generation").s);
	else
		fprintf(page->out, "%s", printable_count(summary->n_all_inferences, "inference").s);
	if (summary->n_models > 1) {
		fprintf(page->out, " of %s; ", printable_count(summary->n_models, "model").s);
		fprintf(page->out, "%s has %s of their time", page_model(page, 0, NAME_COLUMNS).s,
			units_percent(wall_ns ? (double)summary_runs_ns(&model->runs) / (double)wall_ns : NAN).s);
	} else {
		fprintf(page->out, " of %s", page_model(page, 0, NAME_COLUMNS).s);
	}
	if (model->generations.n && summary->n_models > 1)
		fprintf(page->out, ", %s", printable_count(model->generations.n, "generation").s);
	if (model->generations.n)
		fprintf(page->out, "%s", generation_speed(&model->generations).s);
	else
		say_latency(page, &model->runs);
}

/* After what is said of the model itself: of how many sessions it is, and how the inferences came. */
static void say_how_it_ran(const struct page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_model *model = main_model(summary);

	fprintf(page->out, ". ");
	if (model->generations.n && summary->n_models == 1)
		fprintf(page->out, "%s in ", printable_count(summary->n_all_inferences, "inference").s);
	fprintf(page->out, "%s", printable_count(summary->n_all_sessions, "session").s);
	if (summary->n_models > 1)
		fprintf(page->out, "; %s", page_model(page, 0, NAME_COLUMNS).s);
	say_providers(page, model);
	if (isfinite(model->runs.rate))
		fprintf(page->out, ", %s", units_rate(model->runs.rate).s);
	if (summary->n_sampled_out)
		fprintf(page->out, "; %s of the inferences were recorded", units_count(summary->n_inferences).s);
	say_waits(page);
}

/* An operator of a device ends when its kernel is queued: the kernels are where the time goes. */
static bool say_kernels(const struct page *page, const struct summary_runs *runs)
{
	double share;

	if (!runs->device.wall_ns || 2 * runs->device.n_runs < runs->latency.n)
		return false;
	share = (double)runs->device.kernels_ns / (double)runs->device.wall_ns;
	if (share > 1.005)
		fprintf(page->out,
			"; kernels of the device take %.1f times as long as %s inferences: they run side by side, or "
			"after the call",
			share, page->summary->n_models > 1 ? "its" : "the");
	else
		fprintf(page->out, "; kernels of the device take %.0f %% of %s time", 100 * share,
			page->summary->n_models > 1 ? "its" : "the");
	return true;
}

/* Does no provider compute in the operator itself? */
static bool is_all_deferred(const struct page *page, const struct summary_model *model)
{
	const struct summary_provider *ran_on = page->summary->ran_on + model->ran_on.first;
	uint32_t n = 0;

	while (n < model->ran_on.n && provider_is_deferred(names_text(page->names, ran_on[n].provider)))
		n++;
	return n && n == model->ran_on.n;
}

static void say_operators(const struct page *page)
{
	const struct summary_model *model = main_model(page->summary);
	const struct summary_coverage *coverage = &model->coverage;
	const char *level = names_text(page->names, page->summary->recording.level);

	if (2 * coverage->operators_ns < coverage->wall_ns && say_kernels(page, &model->runs))
		return;
	if (operators_are_rare(model)) {
		fprintf(page->out, "; %s", operators_without(page->summary, model).s);
	} else if (coverage->n && is_all_deferred(page, model) && 100 * coverage->operators_ns < coverage->wall_ns) {
		fprintf(page->out, "; its operators only start work on the device, in less than 1 %% of the time");
	} else if (coverage->n && coverage->wall_ns && model->types.n) {
		const struct summary_operator *type = &page->summary->types[model->types.first];

		fprintf(page->out, "; %.0f %% of %s time is in operators%s",
			100 * (double)coverage->operators_ns / (double)coverage->wall_ns,
			page->summary->n_models > 1 ? "its" : "the",
			is_all_deferred(page, model) ? " that start work on the device" : "");
		if (type->op_type) /* not all formats have types */
			fprintf(page->out, ", %s takes %.0f %%", page_name(page, type->op_type, NAME_COLUMNS).s,
				100 * (double)type->share_ns / (double)coverage->wall_ns);
	} else if (!strcmp(level, "inference")) {
		fprintf(page->out, "; operators were not recorded (level inference)");
	} else if (page->summary->n_cycles && page->summary->n_models == 1) {
		const struct summary_cycles *node = page->summary->cycles;

		fprintf(page->out, "; %s takes %.0f %% of the cycles of its device",
			page_name(page, node->name, NAME_COLUMNS).s,
			page->summary->all_cycles ? 100 * (double)node->cycles / (double)page->summary->all_cycles : 0);
	} else {
		fprintf(page->out, "; no operators were seen");
	}
}

/* The silent fall back to another provider. */
static void say_idle(const struct page *page)
{
	struct printable idle;

	for (uint32_t i = 0; i < page->summary->n_models; i++) {
		idle = page_idle(page, i);
		if (!*idle.s)
			continue;
		fprintf(page->out, "; %s was asked for but ran nothing", idle.s);
		if (page->summary->n_models > 1)
			fprintf(page->out, " of %s", page_model(page, i, NAME_COLUMNS).s);
		return;
	}
}

static void say_memory(const struct page *page)
{
	const struct summary_resource *memory = resource_growing(page->summary);

	if (memory)
		fprintf(page->out, "; memory grew %s, by %s/s",
			resource_gave_back(memory) ? "before it was given back" : "to the end",
			units_bytes(memory->growth_per_s).s);
}

static const struct summary_tally *first_failure(const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->n_tallies; i++)
		if (summary->tallies[i].key == KEY_STATUS)
			return &summary->tallies[i];
	return NULL;
}

/* Whether one before it was killed by the same signal, too. */
static bool is_told(const struct summary *summary, uint32_t process)
{
	for (uint32_t i = 0; i < process; i++)
		if (summary->processes[i].signal == summary->processes[process].signal)
			return true;
	return false;
}

/* Workers are ended by SIGTERM as a rule: that is said of the program itself. */
static void say_killed(const struct page *page)
{
	const struct summary *summary = page->summary;

	for (uint32_t i = 0; i < summary->n_processes; i++) {
		int64_t signal = summary->processes[i].signal;
		uint32_t n = 0;

		if (signal <= 0 || (i && signal == SIGTERM) || is_told(summary, i))
			continue;
		for (uint32_t k = i; k < summary->n_processes; k++)
			n += summary->processes[k].signal == signal;
		if (n > 1)
			fprintf(page->out, "; %s were killed by %s", printable_count(n, "process").s,
				page_signal(signal).s);
		else
			fprintf(page->out, "; process %d was killed by %s", summary->processes[i].pid,
				page_signal(signal).s);
	}
}

/* Most inferences failed: that comes first. */
static bool has_mostly_failed(const struct summary *summary)
{
	return summary->n_inferences_failed && summary->n_inferences_failed * 2 >= summary->n_inferences;
}

static void say_mostly_failed(const struct page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_tally *failure = first_failure(summary);

	struct printable text = { "" };
	size_t len;

	if (failure)
		text = message_of(page, failure->text);
	len = strlen(text.s);
	while (len && text.s[len - 1] == '.')
		len--;
	fprintf(page->out, "%s of %s failed%s%.*s. ", units_count(summary->n_inferences_failed).s,
		printable_count(summary->n_inferences, "inference").s, len ? ": " : "", (int)len, text.s);
}

static void say_failures(const struct page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_tally *failure = first_failure(summary);

	if (summary->n_inferences_failed && !has_mostly_failed(summary)) {
		fprintf(page->out, "; %s failed", printable_count(summary->n_inferences_failed, "inference").s);
		if (failure)
			fprintf(page->out, " (%s)", message_of(page, failure->text).s);
	}
	if (summary->n_sessions && summary->n_sessions_failed && !has_no_session(summary))
		fprintf(page->out, "; %s could not be created (%s)",
			printable_count(summary->n_sessions_failed, "session").s,
			message_of(page, failure_of_creation(summary)).s);
	say_killed(page);
}

static void say_suspends(const struct page *page)
{
	const struct summary *summary = page->summary;
	double ns = 0;

	for (uint32_t i = 0; i < summary->n_clock_changes; i++)
		if (!strcmp(names_text(summary->names, summary->clock_changes[i].what), EVENT_CLOCK_SUSPENDED))
			ns += (double)summary->clock_changes[i].by_ns;
	if (ns > 0)
		fprintf(page->out, "; the machine was suspended for %s, which no duration contains",
			units_duration(ns).s);
}

static void say_losses(const struct page *page)
{
	const struct summary *summary = page->summary;

	if (summary->n_lost)
		fprintf(page->out, "; %s lost", printable_count(summary->n_lost, "event").s);
	if (summary->n_device_ends_unknown)
		fprintf(page->out, "; kernels may be missing at the end");
	if (summary->n_unseen && (summary->n_runtimes || summary->n_sessions || summary->n_inferences))
		fprintf(page->out, "; what %s did was not seen", printable_count(summary->n_unseen, "process").s);
	if (summary->n_inferences && runtime_in_part(summary))
		fprintf(page->out, "; not recorded: %s",
			without_reasons(page_name(page, runtime_in_part(summary), STATE_COLUMNS).s).s);
	if (summary->n_left)
		fprintf(page->out, "; %s that the program started went on, not recorded",
			printable_count(summary->n_left, "process").s);
	if (summary->kept.limit)
		fprintf(page->out, "; %s before the newest %s were dropped", units_duration((double)summary->kept.ns).s,
			page_name(page, summary->kept.limit, 40).s);
	for (uint32_t i = 0; i < summary->n_stops; i++)
		if (!summary->stops[i].source)
			fprintf(page->out, "; recording stopped before the program ended (%s)",
				page_name(page, summary->stops[i].reason, MESSAGE_COLUMNS).s);
	if (summary->file.is_cut)
		fprintf(page->out, "; the file is cut off at byte %s", units_count(summary->file.cut_at).s);
	else if (page->report->is_running)
		fprintf(page->out, "; still recording");
	else if (summary->recording.is_ours && !summary->cost.is_known)
		fprintf(page->out, "; the recorder was ended before it finished the file");
	else if (summary->recording.is_ours && !summary->n_lost && !summary->n_unseen && !summary->n_left &&
		 !summary->n_device_ends_unknown && !runtime_in_part(summary))
		fprintf(page->out, "; nothing lost");
}

/* Those of a list end it; else they are a sentence of their own. */
static void say_troubles(const struct page *page)
{
	struct page own = *page;
	char *text = NULL;
	size_t size;

	if (page->summary->n_inferences) {
		say_failures(page);
		say_suspends(page);
		say_losses(page);
		return;
	}
	own.out = open_memstream(&text, &size);
	if (!own.out)
		return;
	say_failures(&own);
	say_suspends(&own);
	say_losses(&own);
	fclose(own.out);
	if (text && strlen(text) > 2)
		fprintf(page->out, ". %c%s", toupper((unsigned char)text[2]), text + 3);
	free(text);
}

void export_verdict(FILE *out, const struct report *report, bool is_ascii)
{
	const struct summary *summary = report->summary;
	struct page page = { out, summary, summary->names, { .is_ascii = is_ascii, .width = 96 }, report };
	struct printable cause = time_cause(summary, is_ascii), open = open_words(summary, is_ascii);
	struct printable killed = memory_killed(summary, is_ascii), halted = halt_words(summary);

	if (*killed.s)
		fprintf(out, "%c%s. ", killed.s[0] - 'a' + 'A', killed.s + 1);
	if (*open.s)
		fprintf(out, "%s. ", open.s);
	if (has_mostly_failed(summary))
		say_mostly_failed(&page);
	if (*halted.s)
		fprintf(out, "%s. ", halted.s);
	if (*cause.s)
		fprintf(out, "%s. ", cause.s);
	if (summary->recording.begin_ns > summary->recording.end_ns) {
		fprintf(out, "the recording is empty");
	} else if (!summary->n_inferences && *report_range(summary).s) {
		fprintf(out, "no inference began in this part of the recording, which is %s long in all",
			units_duration((double)(summary->recording.end_ns - summary->recording.begin_ns)).s);
	} else if (!summary->n_inferences) {
		say_nothing_ran(&page);
		say_what_it_did(&page);
	} else {
		say_what_ran(&page);
		say_how_it_ran(&page);
		say_operators(&page);
		say_idle(&page);
		say_memory(&page);
	}
	say_troubles(&page);
}
