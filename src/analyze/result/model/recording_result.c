// SPDX-License-Identifier: Apache-2.0
/* Copies facts out of a summary. Computes nothing but means of sessions. */
#include "analyze/result/model/recording_result.h"

#include <errno.h>
#include <string.h>

#include "analyze/result/model/model_memory.h"
#include "analyze/result/phase_names.h"
#include "analyze/result/result_words.h"

enum { LEAST_COLUMNS = 8, STEP_COLUMNS = 8 };

struct copier {
	struct model_result *to;
	const struct summary *summary;
	const struct summary_model *model;
	struct arena *arena;
	bool is_out_of_memory;
};

static void *take(struct copier *copier, size_t n, size_t size)
{
	void *memory = n ? arena_alloc(copier->arena, n * size) : NULL;

	copier->is_out_of_memory |= n && !memory;
	return memory;
}

static const char *name(struct copier *copier, uint32_t id)
{
	const char *kept = id ? arena_keep(copier->arena, names_text(copier->summary->names, id)) : NULL;

	copier->is_out_of_memory |= id && !kept;
	return kept;
}

static struct copier copier_of(struct model_result *to, const struct summary *summary, uint32_t model,
			       struct arena *arena)
{
	return (struct copier){ to, summary, &summary->models[model], arena, false };
}

static int end(const struct copier *copier)
{
	return copier->is_out_of_memory ? -ENOMEM : 0;
}

int recording_result_creation(struct model_result *to, const struct summary *summary, uint32_t model,
			      struct arena *arena)
{
	struct copier copier = copier_of(to, summary, model, arena);
	const struct summary_creation *creation = &copier.model->creation;
	int64_t n = (int64_t)creation->duration.n;
	struct model_transformer *transformers;
	struct model_phase *phases;

	if (!n)
		return 0;
	to->creation_ns = (int64_t)creation->duration.total_ns / n;
	if (creation->phase_n[PHASE_PLAN])
		to->n_planner_lookups = (int64_t)creation->n_compared / n;
	phases = take(&copier, N_PHASES, sizeof *phases);
	for (int i = 0; phases && i < PHASE_UNATTRIBUTED; i++)
		if (creation->phase_n[i] || creation->phase_ns[i])
			phases[to->n_phases++] =
			    (struct model_phase){ phase_names[i].words, (int64_t)creation->phase_ns[i] / n,
						  ((int64_t)creation->phase_n[i] + n - 1) / n };
	to->phases = phases;
	transformers = take(&copier, copier.model->transformers.n, sizeof *transformers);
	for (uint32_t i = 0; transformers && i < copier.model->transformers.n; i++) {
		const struct summary_transformer *from = &summary->transformers[copier.model->transformers.first + i];

		transformers[to->n_transformers++] =
		    (struct model_transformer){ name(&copier, from->name), (int64_t)from->self_ns / n,
						((int64_t)from->n + n - 1) / n };
	}
	to->transformers = transformers;
	return end(&copier);
}

int recording_result_operators(struct model_result *to, const struct summary *summary, uint32_t model,
			       struct arena *arena)
{
	struct copier copier = copier_of(to, summary, model, arena);
	const struct summary_model *own = copier.model;
	struct model_operator *operators;
	struct model_placement *placements;

	if (!own->nodes.n)
		return 0;
	to->n_operator_runs = (int64_t)own->coverage.n;
	/* without what was halted, which says nothing about the model */
	to->operators_wall_ns = (double)(own->coverage.wall_ns - own->coverage.halted_ns);
	/* what no operator explains; setup is no operator */
	to->unattributed_ns = (double)(own->coverage.unattributed_ns + own->coverage.setup_ns);
	operators = take(&copier, own->nodes.n, sizeof *operators);
	for (uint32_t i = 0; operators && i < own->nodes.n; i++) {
		const struct summary_operator *from = &summary->nodes[own->nodes.first + i];

		operators[to->n_operators++] = (struct model_operator){
			.name = name(&copier, from->name),
			.op_type = name(&copier, from->op_type),
			.provider = name(&copier, from->provider),
			.shapes = name(&copier, from->shapes),
			.n = from->n,
			.mean_ns = from->duration.mean_ns,
			.interval_ns = from->duration.interval_ns,
			.p50_ns = (double)from->duration.p50_ns,
			.share_ns = (double)from->share_ns,
			.flops = -1,
			.bytes = -1,
		};
	}
	to->operators = operators;
	placements = take(&copier, own->ran_on.n, sizeof *placements);
	for (uint32_t i = 0; placements && i < own->ran_on.n; i++) {
		const struct summary_provider *from = &summary->ran_on[own->ran_on.first + i];

		placements[to->n_placements++] =
		    (struct model_placement){ name(&copier, from->provider), from->n_nodes, (int64_t)from->n_calls,
					      (double)from->share_ns };
	}
	to->placements = placements;
	return end(&copier);
}

static void copy_runtime(struct copier *copier)
{
	const struct summary_runtime *runtime = summary_runtime_of(copier->summary, copier->model);

	copier->to->runtime = name(copier, copier->model->runtime);
	copier->to->version = runtime ? name(copier, runtime->version) : NULL;
	copier->to->runtime_path = runtime ? name(copier, runtime->path) : NULL;
}

static void copy_idle(struct copier *copier)
{
	const char *all = names_text(copier->summary->names, copier->model->providers);
	struct printable list = { "" };

	for (uint32_t i = 0; i < copier->model->idle.n; i++) {
		const struct summary_idle *idle = &copier->summary->idle[copier->model->idle.first + i];

		printable_add(&list, "%s%.*s", i ? ", " : "", (int)idle->len, all + idle->at);
	}
	if (*list.s)
		copier->to->idle_providers = arena_keep(copier->arena, list.s);
	copier->is_out_of_memory |= *list.s && !copier->to->idle_providers;
}

static void copy_inferences(struct copier *copier, uint32_t model)
{
	const struct summary_runs *runs = &copier->model->runs;
	struct model_result *to = copier->to;

	to->runs = runs;
	to->n_creations = (int64_t)copier->model->creation.n;
	to->n_processes = copier->model->n_processes ? copier->model->n_processes : 1;
	if (runs->first.n)
		to->first_ns = (int64_t)runs->first.p50_ns;
	if (runs->n)
		to->concurrency = runs->max_concurrent;
	if (copier->summary->cost.is_known)
		to->event_ns = copier->summary->cost.event_ns;
	/* of the whole recording: said once */
	if (!model && (copier->summary->recording.is_ours || copier->summary->n_lost))
		to->n_lost = (int64_t)copier->summary->n_lost;
}

static void copy_facts(struct copier *copier, struct model_report *report, uint32_t model)
{
	struct recording_facts *facts = take(copier, 1, sizeof *facts);

	if (!facts)
		return;
	*facts = recording_facts_of(copier->summary, model);
	copier->to->recorded = facts;
	if (facts->n_asked) {
		struct printable asked = { "" };

		printable_add(&asked, "%.*s", (int)facts->n_asked,
			      names_text(copier->summary->names, copier->model->providers) + facts->asked);
		copier->to->asked_provider = arena_keep(copier->arena, asked.s);
		copier->is_out_of_memory |= !copier->to->asked_provider;
	}
	report->machine.n_cpus = facts->n_allowed;
	report->machine.usable_cpus = facts->usable;
	report->machine.is_by_quota = facts->is_by_quota;
	report->machine.n_all_cpus = facts->n_cpus;
}

static void copy_memory(struct copier *copier, uint32_t model)
{
	struct model_memory *memory = take(copier, 1, sizeof *memory);

	if (memory)
		model_memory_find(memory, copier->summary, model);
	copier->to->memory = memory;
}

static void copy_circumstances(struct copier *copier, struct model_report *report)
{
	const struct summary_recording *recording = &copier->summary->recording;

	report->model.name = copier->to->label;
	report->model.path = name(copier, copier->model->path);
	report->model.file_bytes = copier->model->bytes;
	report->machine.cpu = name(copier, recording->machine);
	report->start_realtime_ns = recording->start_realtime_ns;
	report->version = name(copier, recording->version);
	report->command = name(copier, recording->command);
}

int recording_result_report(struct model_report *report, const struct summary *summary, uint32_t model,
			    struct arena *arena)
{
	struct model_result *result = arena_alloc(arena, sizeof *result);
	struct copier copier = copier_of(result, summary, model, arena);

	if (!result)
		return -ENOMEM;
	model_report_init(report);
	model_result_init(result);
	result->label = arena_keep(arena, recording_result_label(summary, model, 60, false).s);
	copier.is_out_of_memory = !result->label;
	result->options = name(&copier, copier.model->options);
	result->recording = summary->file.path;
	copy_runtime(&copier);
	copy_idle(&copier);
	copy_inferences(&copier, model);
	copy_memory(&copier, model);
	copy_circumstances(&copier, report);
	copy_facts(&copier, report, model);
	report->results = result;
	report->n_results = 1;
	if (end(&copier) || recording_result_creation(result, summary, model, arena))
		return -ENOMEM;
	return recording_result_operators(result, summary, model, arena);
}

/* What tells a model from others of its name. */
struct differences {
	bool is_in_others, runtime, providers, path;
};

/* Do they belong together: to a process, or to the processes of a program? */
static bool is_together(const struct summary *summary, const struct summary_model *a, const struct summary_model *b)
{
	if (a->process == b->process || summary->by_process || a->process == SUMMARY_NONE || b->process == SUMMARY_NONE)
		return a->process == b->process;
	return summary->processes[a->process].name &&
	       summary->processes[a->process].name == summary->processes[b->process].name;
}

static struct differences differences_of(const struct summary *summary, uint32_t model)
{
	const struct summary_model *own = &summary->models[model];
	struct differences found = { false };

	for (uint32_t i = 0; i < summary->n_models; i++) {
		const struct summary_model *other = &summary->models[i];
		bool is_here = is_together(summary, other, own);

		if (i == model || other->name != own->name)
			continue;
		found.is_in_others |= !is_here;
		found.runtime |= is_here && other->runtime != own->runtime;
		is_here &= other->runtime == own->runtime;
		found.providers |= is_here && own->providers && other->providers != own->providers;
		found.path |= is_here && other->path != own->path;
	}
	return found;
}

static struct printable cut(const struct summary *summary, uint32_t id, int columns, bool is_ascii)
{
	return model_text(names_text(summary->names, id), columns, is_ascii);
}

/* ".../fp16/decoder.onnx": the path from the folder on in which it differs from those of other models of its name. */
static struct printable telling_path(const struct summary *summary, uint32_t model, int columns, bool is_ascii)
{
	const struct summary_model *own = &summary->models[model];
	const char *path = names_text(summary->names, own->path);
	size_t same = strlen(path), folder = 0;
	struct printable text = { "" };

	for (uint32_t i = 0; i < summary->n_models; i++) {
		const char *other = names_text(summary->names, summary->models[i].path);
		size_t n = 0;

		if (summary->models[i].name != own->name || summary->models[i].path == own->path || !*other)
			continue;
		while (path[n] && path[n] == other[n])
			n++;
		same = n < same ? n : same;
	}
	for (size_t i = 0; i < same; i++)
		folder = path[i] == '/' ? i + 1 : folder;
	if (folder > 4)
		printable_add(&text, ".../");
	else
		folder = 0;
	printable_add(&text, "%s", printable_text(path + folder, strlen(path + folder), columns - 4, is_ascii).s);
	return text;
}

/* Is another name cut to the same? */
static bool is_unclear(const struct summary *summary, uint32_t model, const char *text, int columns, bool is_ascii)
{
	const struct names *names = summary->names;
	uint32_t own = summary->models[model].name;

	if (names_len(names, own) <= (size_t)columns)
		return false;
	for (uint32_t i = 0; i < summary->n_models; i++) {
		uint32_t other = summary->models[i].name;

		if (other != own && names_len(names, other) > (size_t)columns &&
		    !strcmp(cut(summary, other, columns, is_ascii).s, text))
			return true;
	}
	return false;
}

struct printable recording_result_label(const struct summary *summary, uint32_t model, int columns, bool is_ascii)
{
	const struct summary_model *own = &summary->models[model];
	struct differences differences = differences_of(summary, model);
	struct printable label, part = { "" };

	if (!own->name)
		return (struct printable){ "(unknown)" };
	if (own->n_processes > 1)
		printable_add(&part, " [%s]", printable_count(own->n_processes, "process").s);
	else if (differences.is_in_others && own->process != SUMMARY_NONE)
		printable_add(&part, " [%d]", summary->processes[own->process].pid);
	if (differences.runtime && own->runtime)
		printable_add(&part, " (%s)", cut(summary, own->runtime, 30, is_ascii).s);
	if (differences.providers)
		printable_add(&part, " on %s",
			      model_provider(names_text(summary->names, own->providers), 30, is_ascii).s);
	else if (differences.path)
		printable_add(&part, " (%s)", telling_path(summary, model, 40, is_ascii).s);
	if (own->n_replaced == 1)
		printable_add(&part, " (file replaced)");
	else if (own->n_replaced)
		printable_add(&part, " (file replaced %u times)", own->n_replaced);
	columns -= printable_width(part.s);
	columns = columns > LEAST_COLUMNS ? columns : LEAST_COLUMNS;
	for (label = cut(summary, own->name, columns, is_ascii);
	     columns < (int)sizeof label.s / 2 && is_unclear(summary, model, label.s, columns, is_ascii);
	     label = cut(summary, own->name, columns, is_ascii))
		columns += STEP_COLUMNS;
	printable_add(&label, "%s", part.s);
	return label;
}
