// SPDX-License-Identifier: Apache-2.0
/* Requests wait. value: share of the response time that is waiting; a: requests per second that are due. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_queues;

static void find(struct finder *finder)
{
	const struct stats_series *response = &finder->run->response, *latency = &finder->run->latency;
	double waiting = 1 - latency->mean_ns / response->mean_ns, rate = finder->run->result->rate_per_s;
	/* one that lost the CPU holds up those behind it: the intervals of both means must leave something */
	double surely_ns = response->mean_ns - response->interval_ns - latency->mean_ns - latency->interval_ns;

	if (response->n && waiting >= 0.1 && surely_ns > 0)
		finder_add_counts(finder, &insight_queues, waiting, rate > 0 && rate < 1e15 ? (int64_t)rate : -1, -1)
		    ->gain_ns = response->mean_ns * waiting;
}

static void say(const struct speaker *to)
{
	double at_a_time = to->run->result->concurrency > 0 ? (double)to->run->result->concurrency : 1;

	FINDING("requests wait");
	EVIDENCE("for %s of the response time", units_percent(to->finding->value).s);
	if (to->finding->a >= 0)
		EVIDENCE(", at %s", units_rate((double)to->finding->a).s);
	NEXT("it can serve %s at most", units_rate(at_a_time * 1e9 / to->run->latency.mean_ns).s);
}

const struct insight insight_queues = {
	.name = "queues",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "waiting_share", .a = "requests_per_second" },
};
