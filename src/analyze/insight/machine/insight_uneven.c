// SPDX-License-Identifier: Apache-2.0
/*
 * a of b inferences are outliers. value: their share of the time. In a recording, what the slowest of them took longer
 * than the median may have one cause: text, with high of low nanoseconds.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"
#include "analyze/result/input_sizes.h"
#include "analyze/why/why.h"

extern const struct insight insight_uneven, insight_slow_after_pause, insight_input_sizes, insight_slow_new_shapes;

/* Of fewer, a single disturbance takes a tenth of the time. */
enum { LEAST = 50, LEAST_OUTLIERS = 3 };

static struct why_tail tail_of(const struct model_run *run)
{
	const struct recording_facts *facts = run->result->recorded;

	return facts ? why_tail_of(facts->summary, facts->model, run->latency.outlier_ns) : (struct why_tail){ 0 };
}

/* They are slow because their inputs are large: see insight_input_sizes.c. */
static bool is_of_size(const struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;

	return facts && input_sizes_explain(facts->summary, facts->model, finder->run->latency.outlier_ns);
}

static void find(struct finder *finder)
{
	const struct stats_series *series = &finder->run->latency;
	struct why_tail tail;
	struct finding *to;

	/* one that lost the CPU, or was stopped, is a moment and no habit */
	double others_share = series->outlier_share - (double)series->max_ns / series->total_ns;

	/* a pause explains them */
	if (series->n < LEAST || series->n_outliers < LEAST_OUTLIERS || !(others_share >= 0.2) ||
	    finder_has(finder, &insight_slow_after_pause) || is_of_size(finder))
		return;
	tail = tail_of(finder->run);
	/* larger inputs, or new ones, which those findings are about */
	if (tail.cause && !strcmp(tail.cause, "input_shape") &&
	    (finder_has(finder, &insight_input_sizes) || finder_has(finder, &insight_slow_new_shapes)))
		return;
	to = finder_add_counts(finder, &insight_uneven, series->outlier_share, (int64_t)series->n_outliers,
			       (int64_t)series->n);
	to->gain_ns = series->mean_ns - series->percentile[0].ns;
	if (!tail.cause)
		return;
	to->text = tail.cause;
	to->low = tail.excess_ns;
	to->high = tail.ns;
}

static void say(const struct speaker *to)
{
	struct why_tail tail = tail_of(to->run);

	FINDING("a few %ss take much of the time", speaker_each(to));
	EVIDENCE("%s take more than %s each, %s of all the time", speaker_counts(to).s,
		 units_duration(to->run->latency.outlier_ns).s, units_percent(to->finding->value).s);
	if (to->finding->text && tail.cause) {
		FINDING(", and most of it is due to %s", tail.what);
		EVIDENCE("; of the %s that ", units_duration(tail.excess_ns).s);
		EVIDENCE(tail.n > 1 ? "the %s slowest" : "the slowest", units_count(tail.n).s);
		EVIDENCE(" took longer than the median, %s are due to that", units_duration(tail.ns).s);
		NEXT("%s: up to %s of each %s, the mean less the median", tail.advice,
		     units_duration(to->finding->gain_ns).s, speaker_each(to));
		return;
	}
	NEXT("the median is %s below the mean; the recording shows why each was slow",
	     units_duration(to->finding->gain_ns).s);
}

const struct insight insight_uneven = {
	.name = "uneven",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share",
		     .a = "inferences_slow",
		     .b = "inferences",
		     .low = "slowest_excess_ns",
		     .high = "cause_ns",
		     .text = "cause" },
};
