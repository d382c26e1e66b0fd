// SPDX-License-Identifier: Apache-2.0
/* a inferences at a time have value times the throughput of b at a time. */
#include <string.h>

#include "analyze/insight/insight_in.h"

extern const struct insight insight_no_scaling;

static bool is_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Beside the same run with less concurrency. */
static void find(struct finder *finder)
{
	const struct model_report *report = finder->analysis->report;
	const struct model_result *own = finder->run->result, *base;
	const struct model_run *found = NULL;
	struct stats_ratio speed = { NAN, NAN, NAN, false, false };
	double ratio;

	for (uint32_t i = 0; i < report->n_results; i++) {
		base = &report->results[i];
		if (is_text(own->provider, base->provider) && is_text(own->device, base->device) &&
		    is_text(own->policy, base->policy) && is_text(own->options, base->options) &&
		    own->n_threads == base->n_threads && base->concurrency > 0 &&
		    base->concurrency < own->concurrency && (!found || base->concurrency < found->result->concurrency))
			found = &finder->analysis->runs[i];
	}
	ratio = found ? finder->run->rate_per_s / found->rate_per_s : NAN;
	if (found)
		speed = model_speed_of(found, finder->run);
	/* of an item each: with its interval, its speed falls by a third at least */
	if (found && speed.is_known && speed.high < 0.7 &&
	    ratio < 0.7 * (double)own->concurrency / (double)found->result->concurrency)
		finder_add_counts(finder, &insight_no_scaling, ratio, own->concurrency, found->result->concurrency);
}

static void say(const struct speaker *to)
{
	FINDING("concurrency does not scale");
	EVIDENCE("%s at a time have %s times the throughput of %s", units_count((uint64_t)to->finding->a).s,
		 units_decimal(to->finding->value).s, units_count((uint64_t)to->finding->b).s);
	NEXT("with %s at a time each is answered sooner", units_count((uint64_t)to->finding->b).s);
}

const struct insight insight_no_scaling = {
	.name = "no_scaling",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "throughput_ratio", .a = "concurrency", .b = "concurrency_compared" },
};
