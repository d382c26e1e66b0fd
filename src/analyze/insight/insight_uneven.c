// SPDX-License-Identifier: Apache-2.0
/* a of b inferences are outliers. value: their share of the time. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_uneven;

/* Of fewer, a single disturbance takes a tenth of the time. */
enum { LEAST = 50 };

static void find(struct finder *finder)
{
	const struct stats_series *series = &finder->run->latency;

	if (series->n >= LEAST && series->n_outliers && series->outlier_share >= 0.2)
		finder_add_counts(finder, &insight_uneven, series->outlier_share, (int64_t)series->n_outliers,
				  (int64_t)series->n)
		    ->gain_ns = series->mean_ns - series->percentile[0].ns;
}

static void say(const struct speaker *to)
{
	FINDING("a few inferences take much of the time");
	EVIDENCE("%s take more than %s each, %s of all the time", speaker_counts(to).s,
		 units_duration(to->run->latency.outlier_ns).s, units_percent(to->finding->value).s);
	NEXT("the median is %s below the mean; the recording shows why each was slow",
	     units_duration(to->finding->gain_ns).s);
}

const struct insight insight_uneven = {
	.name = "uneven",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share", .a = "inferences_slow", .b = "inferences" },
};
