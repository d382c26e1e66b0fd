// SPDX-License-Identifier: Apache-2.0
/*
 * The memory planner takes much of session creation: up to ONNX Runtime 1.31 it compares each value with every free
 * buffer. value: its share; low: its nanoseconds; a: comparisons in one session.
 */
#include <stdio.h>

#include "analyze/insight/insight_in.h"
#include "analyze/result/phase_names.h"

extern const struct insight insight_slow_planner;

/* One comparison looks up two shapes. Those of a planner that does not compare are as many as the values. */
enum { LEAST_COMPARISONS = 2000, FIRST_QUICK = 32 };

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double whole_ns = finder_creation_ns(result), ns = finder_phase_ns(finder, PHASE_PLAN);
	struct finding *to;

	if (finder_may_have_waited(finder) || whole_ns < 10e6 || ns < 0.25 * whole_ns ||
	    result->n_planner_lookups / 2 < LEAST_COMPARISONS)
		return;
	to = finder_add_counts(finder, &insight_slow_planner, ns / whole_ns, result->n_planner_lookups / 2, -1);
	to->low = ns;
	to->gain_ns = finder_of_creations(finder, ns);
}

static bool is_quick(const char *version)
{
	int minor = 0;

	return version && sscanf(version, "1.%d.", &minor) == 1 && minor >= FIRST_QUICK;
}

static void say(const struct speaker *to)
{
	const struct model_result *result = to->run->result;

	FINDING("memory planning takes %s of session creation", units_percent(to->finding->value).s);
	EVIDENCE("%s of %s; the planner compared a value with a free buffer %s", units_duration(to->finding->low).s,
		 speaker_creation(to).s, printable_count((uint64_t)to->finding->a, "time").s);
	if (is_quick(result->version))
		NEXT("enable_mem_reuse = False in SessionOptions skips it; inferences may then take more memory");
	else
		NEXT(
		    "ONNX Runtime 1.32 and later plan faster; enable_mem_reuse = False in SessionOptions skips it, but "
		    "inferences may then take more memory");
}

const struct insight insight_slow_planner = {
	.name = "slow_planner",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "creation_share", .low = "phase_ns", .a = "comparisons" },
};
