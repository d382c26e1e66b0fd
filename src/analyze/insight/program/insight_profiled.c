// SPDX-License-Identifier: Apache-2.0
/*
 * The runtime's own profiler was on in a recorded process: it takes time at each operator. text: the file that ONNX
 * Runtime writes. OpenVINO writes none: value: the least share of the quickest inference that it takes; a: operators of
 * an inference.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_profiled;

enum { PATH = 60 };

/* The least that PERF_COUNT took for a node of four versions, on a machine whose clock takes 19 ns. */
static const double timer_ns = 50, least_share = 0.01;

static void find_timed(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const struct summary_runs *runs = result->runs;
	double n = 0, each, share;
	struct finding *found;

	if (!runs || runs->n_timed * 2 <= runs->n || !result->n_operator_runs || !runs->latency.min_ns)
		return;
	for (uint32_t i = 0; i < result->n_operators; i++)
		n += (double)result->operators[i].n;
	each = n / (double)result->n_operator_runs;
	share = each * timer_ns / (double)runs->latency.min_ns;
	if (share < least_share)
		return;
	found = finder_add_counts(finder, &insight_profiled, share, (int64_t)(each + 0.5), -1);
	found->gain_ns = each * timer_ns;
}

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	uint32_t path = 0;

	find_timed(finder);
	if (!facts || !facts->is_largest || facts->model->process == SUMMARY_NONE ||
	    !finder_is_of_runtime(finder, "onnxruntime"))
		return;
	path = facts->summary->processes[facts->model->process].profile;
	if (path)
		finder_add(finder, &insight_profiled, NAN)->text = names_text(facts->summary->names, path);
}

static void say(const struct speaker *to)
{
	FINDING("the runtime's own profiler is on, and takes time at each operator");
	if (!to->finding->text) {
		EVIDENCE(
		    "it times each node that runs, %lld of them in an inference, which takes some 50 ns a node: %s, "
		    "%s of the quickest one",
		    (long long)to->finding->a, units_duration(to->finding->gain_ns).s,
		    units_percent(to->finding->value).s);
		NEXT("leave out PERF_COUNT (enable_profiling): this recording has the operators without it");
		return;
	}
	EVIDENCE("the process writes its profile into %s", model_text(to->finding->text, PATH, to->is_ascii).s);
	NEXT("enable_profiling = False in SessionOptions: this recording has the operators without it");
}

const struct insight insight_profiled = {
	.name = "profiled",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .a = "operators_each", .text = "file" },
};
