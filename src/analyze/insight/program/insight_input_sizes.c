// SPDX-License-Identifier: Apache-2.0
/*
 * Inputs of one size take much longer than those that are usual, and much of the time. value: ratio of the medians; a:
 * inferences of that size; b: of all sizes; low: median of the slow ones, high: of the usual ones.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"
#include "analyze/result/input_sizes.h"

extern const struct insight insight_input_sizes;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	struct input_sizes sizes;
	struct finding *to;

	/* prompts are longer than tokens: that is what generations report */
	if (!facts || facts->model->generations.n)
		return;
	sizes = input_sizes_of(facts->summary, facts->model);
	if (!sizes.slow)
		return;
	to = finder_add_counts(finder, &insight_input_sizes, (double)sizes.slow->p50_ns / (double)sizes.usual->p50_ns,
			       (int64_t)sizes.slow->n, (int64_t)facts->model->runs.latency.n);
	to->low = (double)sizes.slow->p50_ns;
	to->high = (double)sizes.usual->p50_ns;
}

/* "640x512", or "about 1,280 elements" of sizes that are of any inputs with so many. */
static struct printable size_of(const struct recording_facts *facts, const struct summary_size *own,
				const struct summary_size *other)
{
	struct printable words = { "" };

	if (!facts->model->are_sizes_mixed)
		return input_sizes_part(names_text(facts->summary->names, own->shapes),
					names_text(facts->summary->names, other->shapes), 40);
	printable_add(&words, "about %s", printable_count(own->elements, "element").s);
	return words;
}

static void say(const struct speaker *to)
{
	const struct recording_facts *facts = to->run->result->recorded;
	struct input_sizes sizes = input_sizes_of(facts->summary, facts->model);

	FINDING("inputs of %s take %s times those of %s", size_of(facts, sizes.slow, sizes.usual).s,
		units_decimal(to->finding->value).s, size_of(facts, sizes.usual, sizes.slow).s);
	EVIDENCE("%s and %s (medians); they are %s of the inferences, and %s of the time",
		 units_duration(to->finding->low).s, units_duration(to->finding->high).s,
		 units_percent(sizes.share_of_runs).s, units_percent(sizes.share_of_time).s);
	NEXT("compare latencies of one size: the report lists them by size");
}

const struct insight insight_input_sizes = {
	.name = "input_sizes",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "ratio",
		     .a = "inferences_of_size",
		     .b = "inferences",
		     .low = "median_ns",
		     .high = "usual_median_ns" },
};
