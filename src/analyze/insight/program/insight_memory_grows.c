// SPDX-License-Identifier: Apache-2.0
/*
 * The process of a recording took ever more memory while it ran inferences. value: bytes per second at the end; low: by
 * inference; high: share of what is resident that malloc keeps free; a: different shapes of inputs; b: inferences whose
 * result keeps all that a backward pass would need.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"

extern const struct insight insight_memory_grows;

enum { LEAST_GROWN = 20, MANY_SHAPES = 10 };

static const double much_kept = 0.5;

static int64_t count_shapes(const struct recording_facts *facts)
{
	const struct summary_tally *tally = facts->summary->tallies + facts->model->tallies.first;
	int64_t n = 0;

	for (uint32_t i = 0; i < facts->model->tallies.n; i++)
		n += tally[i].key == KEY_SHAPES;
	return n;
}

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_runs *runs = finder->run->result->runs;
	const struct summary_resident *resident;
	struct finding *to;
	int64_t n_shapes;
	bool keeps_graphs;

	if (!facts || !facts->is_largest || !(facts->memory_per_s > 0) || !(facts->rate_per_s > 0) ||
	    finder->run->result->runs->n < LEAST_GROWN)
		return;
	n_shapes = count_shapes(facts);
	keeps_graphs = runs->n_gradients > facts->model->training.n_runs && runs->n_gradients * 2 > runs->n;
	to = finder_add_counts(finder, &insight_memory_grows, facts->memory_per_s, n_shapes ? n_shapes : -1,
			       keeps_graphs ? (int64_t)runs->n_gradients : -1);
	to->low = facts->memory_per_s / facts->rate_per_s;
	resident = &facts->summary->processes[facts->model->process].resident;
	to->high = resident->kept > resident->last ? 1 : resident->kept / resident->last;
}

/* Of whom the runtime's memory is, is recorded at level detail. */
static bool is_without_memory(const struct speaker *to)
{
	const struct summary *summary = to->run->result->recorded->summary;

	return !summary->n_memory && strcmp(names_text(summary->names, summary->recording.level), "detail") != 0;
}

static void say(const struct speaker *to)
{
	FINDING("memory grows while inferences run");
	EVIDENCE("%s/s at the end, %s for each inference", units_bytes(to->finding->value).s,
		 units_bytes(to->finding->low).s);
	if (to->finding->a > 1)
		EVIDENCE("; inputs had %s", printable_count((uint64_t)to->finding->a, "different shape").s);
	if (to->finding->b > 0)
		EVIDENCE("; gradients are on");
	if (to->finding->high >= much_kept) {
		EVIDENCE("; %s of what is resident is free memory that malloc keeps",
			 units_percent(to->finding->high).s);
		NEXT("malloc_trim(0) now and then gives that back to the system");
	} else if (to->finding->b > 0)
		NEXT("a result that is kept keeps all that a backward pass would need: torch.inference_mode(), or "
		     ".item() or .detach() of what is kept");
	else if (to->finding->a > MANY_SHAPES)
		NEXT("the runtime keeps memory for the largest of all shapes: round shapes up to a few sizes, or "
		     "release outputs that are kept");
	else
		NEXT("look for results that the program keeps");
	if (!(to->finding->high >= much_kept) && speaker_is_of_runtime(to, "onnxruntime") && is_without_memory(to))
		NEXT("; record --level detail shows whether they are outputs of inferences");
}

const struct insight insight_memory_grows = {
	.name = "memory_grows",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "bytes_per_s",
		     .low = "bytes_per_inference",
		     .high = "malloc_free_share",
		     .a = "input_shapes",
		     .b = "inferences_with_gradients" },
};
