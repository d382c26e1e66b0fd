// SPDX-License-Identifier: Apache-2.0
/* A recording creates sessions of one model again and again. a: sessions; value: their time by that of the inferences;
 * low: nanoseconds of all but one. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_created_again, insight_started_again;

/* Of the inferences, without waits: as long as the median one, at most. */
static double work_of(const struct summary_runs *runs)
{
	double known_ns = (double)runs->wall_ns - (double)runs->run_queue_ns;

	return runs->latency.n ? fmin(known_ns, (double)runs->latency.p50_ns * (double)runs->n) : known_ns;
}

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	struct finding *to;
	double ns;

	/* those that are held side by side are loaded_twice's */
	if (!result->runs || result->n_creations < 2 || finder_has(finder, &insight_started_again) ||
	    (result->recorded && result->n_creations <= result->recorded->n_at_once))
		return;
	/* what they waited for a CPU may be a moment of the machine */
	ns = finder_creation_ns(result) * (double)(result->n_creations - 1);
	if (finder_may_have_waited(finder) || ns < 10e6 || ns < 0.2 * work_of(result->runs))
		return;
	to = finder_add_counts(finder, &insight_created_again, ns / (double)result->runs->wall_ns, result->n_creations,
			       -1);
	to->low = ns;
	to->gain_ns = finder_of_each(finder, ns);
}

static void say(const struct speaker *to)
{
	const struct model_result *result = to->run->result;
	bool is_once_each = result->n_processes > 1 && result->n_creations <= result->n_processes;

	if (is_once_each)
		FINDING("each process creates its session anew");
	else
		FINDING(to->finding->a > 2 ? "its session is created again and again" : "its session is created twice");
	EVIDENCE("%s, %s each", printable_count((uint64_t)to->finding->a, "time").s, speaker_creation(to).s);
	if (is_once_each)
		NEXT("one process that serves all would save %s in total", units_duration(to->finding->low).s);
	else
		NEXT("one session that is kept would save %s in total", units_duration(to->finding->low).s);
}

const struct insight insight_created_again = {
	.name = "created_again",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "creation_per_inference_time", .a = "creations", .low = "avoidable_ns" },
};
