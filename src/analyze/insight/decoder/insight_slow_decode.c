// SPDX-License-Identifier: Apache-2.0
/*
 * A decoder reads its weights for each token far slower than memory delivers them, with one request of one sequence at
 * a time: something else takes the time. Behind the shortest prompts, where caches are smallest. value: the share of
 * what memory reaches. low: bytes of weights a second. a: bytes of each step. b: threads, -1: not known.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_slow_decode;

enum { LEAST_TOKENS = 20, LEAST_BYTES = 1 << 20 };

static const double least_share = 0.3;

/* The mean of the fastest group of prompts. */
static double fastest_ns(const struct model_run *run)
{
	double fastest = run->latency.mean_ns;

	for (uint32_t i = 0; i < run->n_groups; i++)
		if (run->groups[i].latency.n >= LEAST_TOKENS)
			fastest = fmin(fastest, run->groups[i].latency.mean_ns);
	return fastest;
}

static void find(struct finder *finder)
{
	const struct model_run *run = finder->run;
	const struct model_report *report = finder->analysis->report;
	int64_t bytes = model_facts_of(report, finder->result)->read_bytes;
	double share = run->weights_share * run->latency.mean_ns / fastest_ns(run);
	struct finding *to;

	if (run->latency.n < LEAST_TOKENS || bytes < LEAST_BYTES || run->result->concurrency > 1 ||
	    run->result->n_items > 1 || !(share < least_share) || finder_is_disturbed(finder) ||
	    finder_has_waited(finder))
		return;
	to = finder_add_counts(finder, &insight_slow_decode, share, bytes,
			       run->result->n_threads > 0 ? run->result->n_threads : -1);
	to->low = share * report->machine.peak.bytes.high;
	to->gain_ns = fastest_ns(run) * (1 - share);
}

static void say(const struct speaker *to)
{
	const struct model_report *report = to->analysis->report;

	FINDING("tokens take longer than memory needs for the weights");
	EVIDENCE("each step reads %s of weights at %s", units_metric((double)to->finding->a, "B").s,
		 units_metric(to->finding->low, "B/s").s);
	EVIDENCE(", %s of what memory reaches (%s)", units_percent(to->finding->value).s,
		 units_metric(report->machine.peak.bytes.high, "B/s").s);
	if (to->finding->b > 0 && to->finding->b < report->machine.n_cpus)
		NEXT("it runs with %s on %s: more threads read more at a time",
		     printable_count((uint64_t)to->finding->b, "thread").s,
		     printable_count((uint64_t)report->machine.n_cpus, "CPU").s);
	else
		NEXT("the time goes elsewhere: see which operators take it; at most %s a token could be saved",
		     units_duration(to->finding->gain_ns).s);
}

const struct insight insight_slow_decode = {
	.name = "slow_decode",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "reached_share", .low = "weight_bytes_per_second", .a = "weight_bytes", .b = "threads" },
};
