// SPDX-License-Identifier: Apache-2.0
/*
 * The program calls many operators of PyTorch that take next to no time: calling them is most of the work. value: share
 * of the time that is in no larger operator, as medians have it or, if that is less, as the fastest have it: on a busy
 * machine the time between operators grows most; a: of the innermost operators that an inference calls,
 * those that take less than 5 us; b: all of them.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"

extern const struct insight insight_small_operators;

enum { LEAST_CALLS = 20 };

static const double small_ns = 5000, least_share = 0.5;

struct calls {
	double n, n_small, large_ns, fastest_ns; /* fastest_ns: of the larger ones, at their fastest */
};

/* Names of operators have a namespace, those of modules have none. */
static bool is_operator(const struct summary *summary, const struct summary_operator *node)
{
	return node->where == WHERE_INFERENCE && strstr(names_text(summary->names, node->op_type), "::");
}

/* One that computes calls others on its way, such as that which makes its output: its own time counts. */
static bool is_small(const struct summary_operator *node)
{
	double own_ns = node->has_children ? (double)node->self_ns / (double)node->n : (double)node->duration.p50_ns;

	return own_ns < small_ns;
}

static struct calls calls_of(const struct recording_facts *facts)
{
	const struct summary_operator *node = facts->summary->nodes + facts->model->nodes.first;
	struct calls calls = { 0 };

	for (uint32_t i = 0; i < facts->model->nodes.n; i++) {
		if (!is_operator(facts->summary, &node[i]) || !node[i].n)
			continue;
		if (!is_small(&node[i])) {
			calls.large_ns += (double)node[i].typical_ns;
			calls.fastest_ns +=
			    (double)(node[i].has_children ? node[i].typical_ns : node[i].duration.min_ns * node[i].n);
		}
		if (node[i].has_children)
			continue;
		calls.n += (double)node[i].n;
		calls.n_small += is_small(&node[i]) ? (double)node[i].n : 0;
	}
	return calls;
}

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	struct calls calls;
	double each_ns, n, small_share, fast_share;

	if (!facts || !finder_is_of_runtime(finder, "pytorch") || !finder_has_medians(finder) ||
	    !facts->model->coverage.n)
		return;
	calls = calls_of(facts);
	n = (double)facts->model->coverage.n;
	each_ns = (double)facts->model->runs.latency.p50_ns;
	small_share = 1 - calls.large_ns / n / each_ns;
	fast_share = 1 - calls.fastest_ns / n / (double)facts->model->runs.latency.min_ns;
	small_share = fast_share < small_share ? fast_share : small_share;
	if (each_ns > 0 && calls.n_small >= LEAST_CALLS * n && calls.n_small * 2 > calls.n &&
	    small_share >= least_share)
		finder_add_counts(finder, &insight_small_operators, small_share, (int64_t)(calls.n_small / n + 0.5),
				  (int64_t)(calls.n / n + 0.5))
		    ->gain_ns = small_share * each_ns;
}

static void say(const struct speaker *to)
{
	FINDING("many small operators: calling them is most of the work");
	EVIDENCE("%s innermost operators that an inference calls take less than 5 %s", speaker_counts(to).s,
		 units_micro());
	EVIDENCE("; %s of the time is in no larger one", units_percent(to->finding->value).s);
	NEXT("torch.compile (since 2.0) fuses them; a larger batch shares their calls");
}

const struct insight insight_small_operators = {
	.name = "small_operators",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .a = "calls_small", .b = "calls" },
};
