// SPDX-License-Identifier: Apache-2.0
/* The mean is uncertain. b inferences are worth a independent ones; value: interval by mean; NAN: not known. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_few_values;

static void find(struct finder *finder)
{
	const struct stats_series *series = &finder->run->latency;
	double width = series->interval_ns / series->mean_ns;

	/* a recording is of what a program did, not of an experiment */
	if (finder->run->result->runs)
		return;
	if (series->n > 1 && isnan(width))
		finder_add_counts(finder, &insight_few_values, NAN, -1, (int64_t)series->n);
	else if (series->n && isfinite(width) && (series->is_short || width > 0.05))
		finder_add_counts(finder, &insight_few_values, width,
				  isfinite(series->n_effective) ? (int64_t)series->n_effective : -1,
				  (int64_t)series->n);
}

static void say(const struct speaker *to)
{
	const char *plus_minus = to->is_ascii ? "+-" : "\302\261";
	double times = pow(to->finding->value / 0.01, 2);

	if (isnan(to->finding->value)) {
		FINDING("too few inferences to tell how certain the mean is");
		EVIDENCE("%s, %d are needed", printable_count((uint64_t)to->finding->b, "inference").s,
			 STATS_LEAST_VALUES);
		NEXT("measure longer");
		return;
	}
	FINDING("the mean is uncertain");
	EVIDENCE("%s %s", plus_minus, units_percent(to->finding->value).s);
	if (to->run->n_rounds > 1) {
		EVIDENCE("; the means of its %u processes lie between %s and %s", to->run->n_rounds,
			 units_duration(to->run->round_low_ns).s, units_duration(to->run->round_high_ns).s);
		NEXT("measure in more processes (--rounds) while the machine is idle");
		return;
	}
	if (to->finding->a >= 0 && to->finding->a < 0.9 * to->finding->b)
		EVIDENCE("; %s consecutive inferences are worth %s independent ones",
			 units_count((uint64_t)to->finding->b).s, units_count((uint64_t)to->finding->a).s);
	else
		EVIDENCE(" from %s", printable_count((uint64_t)to->finding->b, "inference").s);
	if (times > 100)
		NEXT("measure longer, and in several processes (--rounds)");
	else if (times > 1)
		NEXT("a run about %s times as long would bring it to 1 %%", units_decimal(ceil(times)).s);
}

const struct insight insight_few_values = {
	.name = "few_values",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "interval_by_mean", .a = "independent_inferences", .b = "inferences" },
};
