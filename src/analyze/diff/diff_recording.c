// SPDX-License-Identifier: Apache-2.0
/* The figures of a recording, from its summary (made with_typical). Compares nothing. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/diff/diff_run.h"
#include "analyze/result/joint_memory.h"
#include "analyze/result/model/model_join.h"
#include "analyze/result/model/recording_result.h"
#include "analyze/result/open_words.h"
#include "analyze/result/result_words.h"
#include "analyze/summary/summary.h"
#include "base/text/units.h"

enum { MAX_NOTES = 12, MAX_NODE_NAME = 512 };

struct reader {
	struct diff_run *to;
	const struct summary *from;
	struct arena *arena;
	bool is_out_of_memory;
};

static void *take(struct reader *reader, size_t n, size_t size)
{
	void *memory = arena_alloc(reader->arena, (n + 1) * size);

	reader->is_out_of_memory |= !memory;
	return memory;
}

static const char *keep(struct reader *reader, const char *text)
{
	const char *kept = text && *text ? arena_keep(reader->arena, text) : NULL;

	reader->is_out_of_memory |= text && *text && !kept;
	return kept;
}

static const char *name(struct reader *reader, uint32_t id)
{
	return id ? keep(reader, names_text(reader->from->names, id)) : NULL;
}

/* Without what the runtime has added; NULL: out of memory, or no name. */
static const char *node_of(struct reader *reader, const char *own)
{
	char plain[MAX_NODE_NAME];

	if (!own || strlen(own) >= sizeof plain)
		return own;
	strcpy(plain, own);
	return model_join_undecorate(plain) && *plain ? keep(reader, plain) : own;
}

static void take_operator(struct reader *reader, struct diff_operator *to, const struct summary_operator *from,
			  double n_inferences)
{
	*to = (struct diff_operator){
		.name = name(reader, from->name),
		.op_type = name(reader, from->op_type),
		.provider = name(reader, from->provider),
		.shapes = from->has_more_shapes ? NULL : name(reader, from->shapes),
		.calls = (double)from->n / n_inferences,
		.median_ns = (double)from->duration.p50_ns,
		.typical_ns = from->typical.n_blocks ? from->typical.quartile_ns : (double)from->duration.p50_ns,
		.device_ns = from->n_kernels ? (double)from->device_ns / n_inferences : NAN,
		.scatter = stats_typical_scatter(from->typical.block_quartile_ns, from->typical.n_blocks),
		.blocks = from->typical,
		.order = from->order,
	};
	to->node = node_of(reader, to->name);
}

static void take_operators(struct reader *reader, struct diff_model *to, const struct summary_model *from)
{
	to->operators = take(reader, from->nodes.n, sizeof *to->operators);
	for (uint32_t i = 0; to->operators && i < from->nodes.n; i++) {
		const struct summary_operator *op = &reader->from->nodes[from->nodes.first + i];

		if (op->n && op->duration.p50_ns)
			take_operator(reader, &to->operators[to->n_operators++], op, (double)from->coverage.n);
	}
	if (to->n_operators)
		diff_model_sum(to);
	else if (!from->runs.n)
		to->operators_missing = "it ran no inference";
	else if (reader->from->recording.level &&
		 !strcmp(names_text(reader->from->names, reader->from->recording.level), "inference"))
		to->operators_missing = "it was recorded at level inference; --level operator records them";
	else
		to->operators_missing = "the recording has none";
}

static struct diff_sizes take_sizes(struct reader *reader, const struct summary_size *from, uint32_t n)
{
	struct diff_sizes to = { take(reader, n, sizeof *to.size), 0 };

	for (; to.size && to.n < n; from++)
		to.size[to.n++] = (struct diff_size){ .shapes = name(reader, from->shapes),
						      .size = from->size,
						      .elements = (double)from->elements,
						      .p50_ns = (double)from->p50_ns,
						      .p90_ns = (double)from->p90_ns,
						      .wall_ns = (double)from->wall_ns,
						      .n = from->n };
	return to;
}

static void take_creation(struct diff_model *to, const struct summary_creation *from)
{
	double n = (double)from->duration.n;

	if (!from->duration.n)
		return;
	to->figure[DIFF_CREATION] = from->duration.mean_ns;
	for (int i = 0; i < N_PHASES; i++)
		if (from->phase_ns[i])
			to->figure[DIFF_PHASE + i] = (double)from->phase_ns[i] / n;
}

static void take_callers(struct reader *reader, struct diff_model *to, const struct summary_model *from)
{
	const struct summary_tally *tally = reader->from->tallies + from->tallies.first;

	for (uint32_t i = 0; i < from->tallies.n; i++)
		if (tally[i].key == KEY_CALLER && !to->n_callers++)
			to->caller = name(reader, tally[i].text);
}

static void take_generations(struct diff_model *to, const struct summary_generations *from)
{
	if (from->first.n)
		to->figure[DIFF_FIRST_TOKEN] = (double)from->first.p50_ns;
	if (from->between.n)
		to->figure[DIFF_PER_TOKEN] = from->between.mean_ns;
	if (from->n)
		to->figure[DIFF_TOKENS] = from->tokens_per_s;
}

static void take_model(struct reader *reader, struct diff_model *to, const struct summary_model *from)
{
	const struct summary_runs *runs = &from->runs;
	const struct summary_range *ran_on = &from->ran_on;

	diff_model_init(to);
	to->name = name(reader, from->name);
	to->name = to->name ? to->name : "(unknown)";
	to->provider =
	    ran_on->n ? name(reader, reader->from->ran_on[ran_on->first].provider) : name(reader, from->providers);
	to->runtime = name(reader, from->runtime);
	to->options = name(reader, from->options);
	to->n = runs->n;
	to->n_failed = runs->n_failed;
	to->n_open = runs->n_open;
	to->wall_ns = (double)runs->wall_ns;
	to->event_ns = reader->from->cost.is_known ? reader->from->cost.event_ns : NAN;
	if (runs->latency.n) {
		to->figure[DIFF_MEDIAN] = (double)runs->latency.p50_ns;
		to->figure[DIFF_MEAN] = runs->latency.mean_ns;
		to->figure[DIFF_P99] = runs->series.percentile[3].ns;
		to->scatter[DIFF_MEDIAN] = stats_typical_scatter(runs->typical.block_ns, runs->typical.n_blocks);
	}
	if (runs->first.n)
		to->figure[DIFF_FIRST] = (double)runs->first.p50_ns;
	to->figure[DIFF_RATE] = runs->rate;
	if (runs->n_usage)
		to->figure[DIFF_CPU] = (double)runs->thread_cpu_ns / (double)runs->n_usage;
	if (isfinite(summary_waited(runs)))
		to->figure[DIFF_WAIT] = (double)runs->run_queue_ns / (double)runs->n_waits;
	if (runs->device.n_runs) {
		to->figure[DIFF_DEVICE] = (double)runs->device.kernels_ns / (double)runs->device.n_runs;
		to->figure[DIFF_IDLE] = (double)runs->device.idle_ns / (double)runs->device.n_runs;
	}
	take_generations(to, &from->generations);
	take_creation(to, &from->creation);
	take_callers(reader, to, from);
	to->sizes = take_sizes(reader, reader->from->sizes + from->sizes.first, from->sizes.n);
	to->coarse_sizes =
	    take_sizes(reader, reader->from->coarse_sizes + from->coarse_sizes.first, from->coarse_sizes.n);
	to->are_sizes_mixed = from->are_sizes_mixed;
	take_operators(reader, to, from);
}

/* Memory adds up, and what processes of one name have at one time is what the program has. */
static bool does_add_up(const struct diff_resource *of)
{
	return of->unit && !strcmp(of->unit, "bytes");
}

/* Of several processes of one name, the one that has most stands for them. */
static bool is_another_process(const struct diff_run *run, const struct diff_resource *of)
{
	for (uint32_t i = 0; i < run->n_resources; i++) {
		struct diff_resource *row = &run->resources[i];

		if (strcmp(row->scope, of->scope) != 0 || strcmp(row->name, of->name) != 0)
			continue;
		if (of->max > row->max)
			*row = *of;
		return true;
	}
	return false;
}

/* Both are read now and then: what one has seen, the other was at least. */
static void join_peaks(struct diff_run *run)
{
	for (uint32_t i = 0; i < run->n_resources; i++)
		for (uint32_t k = 0; k < run->n_resources; k++) {
			struct diff_resource *a = &run->resources[i], *b = &run->resources[k];

			if (strcmp(a->scope, b->scope) != 0 || strcmp(a->name, "rss") != 0 ||
			    strcmp(b->name, "peak rss") != 0)
				continue;
			a->max = b->max = fmax(a->max, b->max);
			a->n = b->n = a->n > b->n ? a->n : b->n;
		}
}

static void join_processes(struct reader *reader)
{
	for (uint32_t i = 0; i < reader->to->n_resources; i++) {
		struct diff_resource *row = &reader->to->resources[i];
		struct joint_memory joint = { 0 };

		if (row->n_processes && does_add_up(row))
			joint = joint_memory_of(reader->from, row->name, row->scope);
		row->n_processes = joint.n_processes > 1 ? joint.n_processes : 1;
		if (joint.n_processes < 2)
			continue;
		row->max = joint.bytes;
		row->mean = row->last = NAN;
	}
}

static void take_resources(struct reader *reader)
{
	const struct summary *from = reader->from;
	struct diff_run *to = reader->to;

	to->resources = take(reader, from->n_resources, sizeof *to->resources);
	for (uint32_t i = 0; !reader->is_out_of_memory && i < from->n_resources; i++) {
		const struct summary_resource *own = &from->resources[i];
		struct diff_resource *row = &to->resources[to->n_resources];

		row->scope = own->process != SUMMARY_NONE ? name(reader, from->processes[own->process].name)
			     : own->device		  ? name(reader, own->device)
							  : "machine";
		row->scope = row->scope ? row->scope : "process";
		row->name = name(reader, own->name);
		row->unit = name(reader, own->unit);
		row->mean = own->mean;
		row->max = own->max;
		row->last = own->last;
		row->n = own->n;
		row->n_processes = own->process != SUMMARY_NONE;
		if (!row->name || !own->n || is_another_process(to, row))
			continue;
		to->n_resources++;
		if (own->process == SUMMARY_NONE && !strcmp(row->name, "cpu pressure"))
			to->busy = own->mean / 100;
	}
	join_processes(reader);
	join_peaks(to);
}

static void note(struct reader *reader, const char *text)
{
	if (reader->to->n_notes < MAX_NOTES && reader->to->notes)
		reader->to->notes[reader->to->n_notes++] = keep(reader, text);
}

static void take_notes(struct reader *reader)
{
	const struct summary *from = reader->from;
	struct printable text = open_words(from, false);

	reader->to->notes = take(reader, MAX_NOTES, sizeof *reader->to->notes);
	reader->to->not_ended = keep(reader, text.s);
	if (*text.s)
		note(reader, text.s);
	text = (struct printable){ "" };
	if (from->file.is_cut) {
		printable_add(&text, "it is cut off at byte %s; what came before is compared",
			      units_count(from->file.cut_at).s);
		note(reader, text.s);
	}
	if (from->n_lost) {
		text = printable_count(from->n_lost, "event");
		printable_add(&text, " lost: operators and inferences may be missing");
		note(reader, text.s);
	}
	if (from->thinned.n_sampled)
		note(reader, "operators of some inferences only were recorded (--thin); they stand for the others");
	if (from->kept.limit)
		note(reader, "its beginning was dropped (--keep)");
	for (uint32_t i = 0; i < from->n_stops; i++) {
		text = (struct printable){ "recording ended early: " };
		printable_add(&text, "%s", model_text(names_text(from->names, from->stops[i].reason), 200, false).s);
		note(reader, text.s);
	}
	if (from->n_unseen) {
		text = printable_count(from->n_unseen, "process");
		printable_add(&text, " ran a runtime that could not be recorded");
		note(reader, text.s);
	}
	if (!from->n_models)
		note(reader, "it has no model: no session was created and no inference was run");
}

/* Another one before it is the same, or this is a library without a version of its own. */
static bool is_told(const struct summary *from, uint32_t index)
{
	const struct summary_runtime *own = &from->runtimes[index];

	for (uint32_t i = 0; i < index; i++)
		if (from->runtimes[i].runtime == own->runtime &&
		    (from->runtimes[i].version == own->version || !own->version))
			return true;
	return false;
}

/* "onnxruntime 1.22.1, openvino 2026.4.1"; NULL: none. */
static const char *runtimes_of(struct reader *reader)
{
	const struct summary *from = reader->from;
	struct printable text = { "" };

	for (uint32_t i = 0; i < from->n_runtimes; i++) {
		if (is_told(from, i))
			continue;
		printable_add(&text, "%s%s", *text.s ? ", " : "",
			      model_text(names_text(from->names, from->runtimes[i].runtime), 60, false).s);
		if (from->runtimes[i].version)
			printable_add(&text, " %s",
				      model_text(names_text(from->names, from->runtimes[i].version), 60, false).s);
	}
	return *text.s ? keep(reader, text.s) : NULL;
}

/* What a part of the machine's text is, and where it begins; the rest is its processor, whose name may hold anything.
 */
static enum diff_fact part_of_machine(struct printable *part)
{
	size_t n_digits = strspn(part->s, "0123456789"), n_number = strspn(part->s, "0123456789.");

	if (n_digits && !strncmp(part->s + n_digits, " CPU", 4)) {
		part->s[n_digits] = 0;
		return DIFF_CPUS;
	}
	if (n_number && !strcmp(part->s + n_number, " GiB"))
		return DIFF_MEMORY;
	if (strncmp(part->s, "Linux ", 6) != 0)
		return DIFF_MACHINE;
	memmove(part->s, part->s + 6, strlen(part->s + 6) + 1);
	part->s[strcspn(part->s, " ")] = 0;
	return DIFF_KERNEL;
}

/* Of "AMD EPYC, 4 CPUs, 15.6 GiB, Linux 6.1.0 x86_64": with another kernel it is the same machine. */
static void take_machine(struct reader *reader, const char *text)
{
	struct printable machine = { "" };
	size_t len;

	for (; text && *text; text += len + strspn(text + len, ", ")) {
		const char *comma = strstr(text, ", ");
		struct printable part = { "" };
		enum diff_fact fact;

		len = comma ? (size_t)(comma - text) : strlen(text);
		printable_add(&part, "%.*s", (int)len, text);
		fact = part_of_machine(&part);
		if (fact == DIFF_MACHINE)
			printable_add(&machine, "%s%s", *machine.s ? ", " : "", part.s);
		else
			reader->to->fact[fact] = keep(reader, part.s);
	}
	reader->to->fact[DIFF_MACHINE] = keep(reader, machine.s);
}

static void take_facts(struct reader *reader)
{
	const struct summary_recording *recording = &reader->from->recording;
	const char **fact = reader->to->fact;

	fact[DIFF_KIND] = recording->is_ours ? "recording of inftrace" : "recording of another tool";
	take_machine(reader, name(reader, recording->machine));
	fact[DIFF_VERSION] = name(reader, recording->version);
	fact[DIFF_LEVEL] = name(reader, recording->level);
	fact[DIFF_COMMAND] = name(reader, recording->command);
	fact[DIFF_RUNTIME] = runtimes_of(reader);
}

int diff_recording_of(struct diff_run *run, const struct summary *summary, struct arena *arena, struct err *err)
{
	struct reader reader = { run, summary, arena, false };

	run->busy = NAN;
	run->start_realtime_ns = -1;
	take_facts(&reader);
	run->models = take(&reader, summary->n_models, sizeof *run->models);
	for (uint32_t i = 0; !reader.is_out_of_memory && i < summary->n_models; i++)
		take_model(&reader, &run->models[run->n_models++], &summary->models[i]);
	take_resources(&reader);
	take_notes(&reader);
	return reader.is_out_of_memory ? err_set(err, ENOMEM, "cannot compare %s: out of memory", run->path) : 0;
}
