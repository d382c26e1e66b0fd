// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences of a recording are slower where their thread computed with subnormal numbers. value: mean with them by
 * that without; a: inferences with them; b: without; low: nanoseconds of each with them; high: without.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_subnormals;

enum { LEAST = 10 };

/* Other inputs may take longer for other reasons: the difference must be plain. */
static const double least_ratio = 1.2;

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;
	double with_ns, without_ns;
	struct finding *to;
	uint64_t n_without;

	if (!runs || runs->n_subnormal < LEAST || runs->latency.n < runs->n_subnormal + LEAST)
		return;
	n_without = runs->latency.n - runs->n_subnormal;
	with_ns = (double)runs->subnormal_wall_ns / (double)runs->n_subnormal;
	without_ns = ((double)runs->latency.total_ns - (double)runs->subnormal_wall_ns) / (double)n_without;
	if (!(with_ns >= least_ratio * without_ns))
		return;
	to = finder_add_counts(finder, &insight_subnormals, with_ns / without_ns, (int64_t)runs->n_subnormal,
			       (int64_t)n_without);
	to->low = with_ns;
	to->high = without_ns;
	to->gain_ns = (with_ns - without_ns) * (double)runs->n_subnormal / (double)runs->latency.n;
}

static void say(const struct speaker *to)
{
	FINDING("subnormal (denormal) numbers slow inferences down");
	EVIDENCE("%s computed with them and took %s each", printable_count((uint64_t)to->finding->a, "inference").s,
		 units_duration(to->finding->low).s);
	EVIDENCE(", %s without took %s", units_count((uint64_t)to->finding->b).s, units_duration(to->finding->high).s);
	NEXT("session.set_denormal_as_zero = 1 (a session config entry) makes them zero; up to %s less for each",
	     units_duration(to->finding->low - to->finding->high).s);
	NEXT(". It has no effect if the process created an earlier session without it");
}

const struct insight insight_subnormals = {
	.name = "subnormals",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "mean_with_by_without",
		     .low = "mean_with_ns",
		     .high = "mean_without_ns",
		     .a = "inferences_with",
		     .b = "inferences_without" },
};
