// SPDX-License-Identifier: Apache-2.0
/* A program holds several sessions of one model at a time. a: sessions; low: nanoseconds to create all but one. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_loaded_twice;

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const struct recording_facts *facts = result->recorded;
	struct finding *to;

	/* an interpreter of LiteRT and a context of llama.cpp serve one thread at a time */
	if (!facts || facts->n_at_once < 2 || finder_is_of_runtime(finder, "litert") ||
	    finder_is_of_runtime(finder, "llama.cpp"))
		return;
	to = finder_add_counts(finder, &insight_loaded_twice, NAN, facts->n_at_once, -1);
	if (result->creation_ns < 0)
		return;
	to->low = (double)result->creation_ns * (facts->n_at_once - 1);
	to->gain_ns = finder_of_each(finder, to->low);
}

static void say(const struct speaker *to)
{
	FINDING("the program uses %s of the model side by side",
		printable_count((uint64_t)to->finding->a, "session").s);
	EVIDENCE("each has its own weights and threads");
	if (isfinite(to->finding->low))
		EVIDENCE(", and takes %s to create", units_duration((double)to->run->result->creation_ns).s);
	NEXT("one session can run inferences of several threads at a time");
	if (isfinite(to->finding->low))
		NEXT(": it would save %s, and the memory of %s", units_duration(to->finding->low).s,
		     printable_count((uint64_t)to->finding->a - 1, "session").s);
}

const struct insight insight_loaded_twice = {
	.name = "loaded_twice",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .a = "sessions_at_a_time", .low = "avoidable_ns" },
};
