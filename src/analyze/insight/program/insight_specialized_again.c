// SPDX-License-Identifier: Apache-2.0
/*
 * Each session optimizes, partitions and compiles the same model anew: nothing is cached. value: share of that in
 * session creation; a: sessions; b: processes; low: its nanoseconds in all of them but one.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/phase_names.h"

extern const struct insight insight_specialized_again;

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double whole_ns = finder_creation_ns(result), ns = 0;
	static const int phases[] = { PHASE_TRANSFORM, PHASE_RESOLVE, PHASE_PARTITION, PHASE_COMPILE };
	struct finding *to;

	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
		ns += finder_phase_ns(finder, phases[i]);
	if (!result->recorded || finder_may_have_waited(finder) || result->n_creations < 2 || ns < 0.33 * whole_ns ||
	    ns * (double)(result->n_creations - 1) < 20e6)
		return;
	to = finder_add_counts(finder, &insight_specialized_again, ns / whole_ns, result->n_creations,
			       result->n_processes);
	to->low = ns * (double)(result->n_creations - 1);
	to->gain_ns = finder_of_each(finder, to->low);
}

static void say(const struct speaker *to)
{
	bool is_compiled =
	    finder_phase_of(to->run->result, PHASE_COMPILE) > finder_phase_of(to->run->result, PHASE_TRANSFORM);

	FINDING("each session specializes the model anew");
	EVIDENCE("%s of each of %s (%s) went to optimizing, partitioning and compiling",
		 units_percent(to->finding->value).s, printable_count((uint64_t)to->finding->a, "creation").s,
		 speaker_creation(to).s);
	if (speaker_is_of_another(to, "onnxruntime"))
		NEXT("%s would save up to %s in total",
		     speaker_is_of_runtime(to, "openvino") ? "a cache of compiled models (property CACHE_DIR)"
							   : "one that is kept",
		     units_duration(to->finding->low).s);
	else if (is_compiled)
		NEXT("a compiled model that is kept (inftrace model --compile FILE, or the provider's cache) would "
		     "save up to %s in total",
		     units_duration(to->finding->low).s);
	else
		NEXT("a model that was optimized once (inftrace model --optimized-model FILE) would save up to %s in "
		     "total",
		     units_duration(to->finding->low).s);
}

const struct insight insight_specialized_again = {
	.name = "specialized_again",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "creation_share", .a = "creations", .b = "processes", .low = "avoidable_ns" },
};
