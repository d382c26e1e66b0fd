// SPDX-License-Identifier: Apache-2.0
/*
 * A recording has larger batches, and an item takes less time in them than in the quickest of the small ones: a busy
 * moment makes none of these quick. a: the most frequent batch; b: the better one;
 * low, high: nanoseconds of an item in both; value: how many times as much.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_small_batch;

enum { LEAST = 5 };

/* An item of the quickest small batch by one of larger ones. */
static const double least_ratio = 1.2;

static double item_ns(const struct summary_tally *tally)
{
	return (double)tally->wall_ns / (double)tally->n_typical / (double)tally->number;
}

/* Of an item; NAN: not known. */
static double elements_of(const struct summary_tally *tally)
{
	return tally->n_sized == tally->n_typical
		   ? (double)tally->elements / (double)tally->n_typical / (double)tally->number
		   : NAN;
}

/* Items of about as many elements: a larger one takes longer in any batch. */
static bool are_alike(const struct summary_tally *a, const struct summary_tally *b)
{
	return !(fabs(log2(elements_of(a) / elements_of(b))) > 0.25);
}

static bool counts(const struct summary_tally *tally)
{
	return tally->key == KEY_BATCH && tally->number > 0 && tally->n_typical >= LEAST;
}

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_tally *tally, *own = NULL, *best = NULL;
	struct finding *to;

	if (!facts)
		return;
	tally = facts->summary->tallies + facts->model->tallies.first;
	for (uint32_t i = 0; i < facts->model->tallies.n; i++)
		if (counts(&tally[i]) && (!own || tally[i].n_typical > own->n_typical))
			own = &tally[i];
	for (uint32_t i = 0; own && i < facts->model->tallies.n; i++)
		if (counts(&tally[i]) && tally[i].number > own->number && are_alike(&tally[i], own) &&
		    (!best || item_ns(&tally[i]) < item_ns(best)))
			best = &tally[i];
	if (!best || item_ns(own) < 1.5 * item_ns(best) ||
	    (double)own->least_ns / (double)own->number < least_ratio * item_ns(best))
		return;
	to = finder_add_counts(finder, &insight_small_batch, item_ns(own) / item_ns(best), own->number, best->number);
	to->low = item_ns(own);
	to->high = item_ns(best);
	to->gain_ns = (to->low - to->high) * (double)own->number;
}

static void say(const struct speaker *to)
{
	FINDING("batches are small");
	EVIDENCE("an item takes %s in a batch of %s", units_duration(to->finding->low).s,
		 units_count((uint64_t)to->finding->a).s);
	EVIDENCE(", the most frequent size, and %s in a batch of %s", units_duration(to->finding->high).s,
		 units_count((uint64_t)to->finding->b).s);
	NEXT("batches of %s give %s times the items in the same time", units_count((uint64_t)to->finding->b).s,
	     units_decimal(to->finding->value).s);
}

const struct insight insight_small_batch = {
	.name = "small_batch",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_of_item_by_that_in_larger",
		     .low = "item_ns",
		     .high = "item_ns_in_larger",
		     .a = "batch_size",
		     .b = "batch_size_larger" },
};
