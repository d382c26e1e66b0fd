// SPDX-License-Identifier: Apache-2.0
/* The first inference is slow. value: by the median; low: its nanoseconds. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_slow_first;

/* One that lost the CPU is not slow because it is the first. */
static double waited_ns(const struct summary_runs *runs)
{
	return runs->n_first_waits ? (double)runs->first_wait_ns / (double)runs->n_first_waits : 0;
}

static void find(struct finder *finder)
{
	const struct model_run *run = finder->run;
	double work_ns, p50_ns = run->latency.percentile[0].ns, first_ns = (double)run->result->first_ns;
	const struct recording_facts *facts = run->result->recorded;
	struct finding *to;

	if (run->result->n_tokens) /* a prompt beside later ones of its length */
		p50_ns = run->n_groups ? run->groups[0].first_token.percentile[0].ns : NAN;
	/* like with like: inputs of its size; where too few have it nothing is known */
	if (facts && (facts->model->sizes.n > 1 || facts->model->runs.is_first_alone))
		p50_ns = facts->model->runs.first_usual_ns ? (double)facts->model->runs.first_usual_ns : NAN;
	/* it was the process that did nothing */
	if (facts && 2 * facts->model->runs.n_first_halted >= facts->model->runs.first.n && facts->model->runs.first.n)
		return;
	/* nor is it known what it waited for a CPU that others had */
	if (facts && facts->model->runs.n_first_waits < facts->model->runs.first.n && finder_is_disturbed(finder))
		return;
	/* no user of a program notices less; who measures a model may */
	work_ns = first_ns - (facts ? waited_ns(&facts->model->runs) : 0);
	if (!(work_ns > 5 * p50_ns && work_ns - p50_ns > (run->result->recorded ? 20e6 : 1e6)))
		return;
	to = finder_add(finder, &insight_slow_first, first_ns / p50_ns);
	to->low = first_ns;
	if (run->result->runs)
		to->gain_ns = finder_of_each(finder, (first_ns - p50_ns) * (double)run->result->runs->first.n);
}

/* As TorchScript does in the second one, by what it saw in the first. */
static bool is_compiled_later(const struct recording_facts *facts)
{
	return facts && facts->model->compiling.n > facts->model->runs.n_first;
}

static void say(const struct speaker *to)
{
	const struct recording_facts *facts = to->run->result->recorded;
	bool has_tokens = to->run->result->n_tokens;

	FINDING("the first %s is slow", has_tokens ? "token of a process" : "inference");
	EVIDENCE("%s, %s times the median%s", units_duration(to->finding->low).s, units_decimal(to->finding->value).s,
		 has_tokens ? " of later prompts of this length" : "");
	if (is_compiled_later(facts)) {
		EVIDENCE("; the model was compiled %s while inferences ran, for %s in all",
			 printable_count(facts->model->compiling.n, "time").s,
			 units_duration((double)facts->model->compiling.ns).s);
		NEXT("run inferences before the first request until none compiles: two of TorchScript");
		return;
	}
	NEXT("run one %s before the first request arrives", has_tokens ? "prompt" : "inference");
}

const struct insight insight_slow_first = {
	.name = "slow_first",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "first_by_median", .low = "first_ns" },
};
