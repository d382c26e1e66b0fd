// SPDX-License-Identifier: Apache-2.0
/* Much of an inference lies in no operator. value: its share; low: nanoseconds of each; of a recording at the median */
#include <math.h>

#include "analyze/insight/insight_in.h"
#include "base/text/provider.h"

extern const struct insight insight_unattributed, insight_tiny_operators;

enum { LEAST = 10 };

/* Below, it is the cost of starting operators, which tiny_operators is about, or of caches that a pause left cold. */
static const double least_ns = 250e3, least_share = 0.15;

/* From here on the median inference waits as well, between operators as in them. */
static const double most_waited = 0.8;

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double each_ns = finder_per_inference(finder, result->unattributed_ns);
	double share = result->unattributed_ns / result->operators_wall_ns, typical_ns = finder_outside_ns(finder);
	struct finding *to;

	if (isfinite(typical_ns)) {
		each_ns = typical_ns;
		share = typical_ns / (double)result->recorded->model->runs.latency.p50_ns;
	}
	if (!result->n_operators || result->n_operator_runs < LEAST || !(share >= least_share) ||
	    !(each_ns >= least_ns) || provider_is_deferred(result->operators[0].provider) ||
	    finder_has(finder, &insight_tiny_operators) ||
	    (result->recorded && summary_waited(&result->recorded->model->runs) >= most_waited))
		return;
	to = finder_add(finder, &insight_unattributed, share);
	to->low = to->gain_ns = each_ns;
}

/*
 * OpenVINO prepares each operator for a shape that it has not had yet: measured, 3.2 ms of 4.1 with sizes by chance,
 * and 0.3 of 1.4 with five sizes in turn. The caches of a decoder are longer with each token, and no other shape is
 * better.
 */
static bool has_new_shapes(const struct speaker *to, uint64_t *n_new, uint64_t *n_all)
{
	const struct recording_facts *facts = to->run->result->recorded;
	const struct summary_tally *tally = facts ? facts->summary->tallies + facts->model->tallies.first : NULL;

	*n_new = *n_all = 0;
	if (!facts || facts->model->generations.n || !speaker_is_of_runtime(to, "openvino"))
		return false;
	for (uint32_t i = 0; i < facts->model->tallies.n; i++) {
		*n_new += tally[i].key == KEY_SHAPES;
		*n_all += tally[i].key == KEY_SHAPES ? tally[i].n : 0;
	}
	return *n_new >= LEAST && 2 * *n_new > *n_all;
}

static void say(const struct speaker *to)
{
	const struct recording_facts *facts = to->run->result->recorded;
	const struct summary_coverage *coverage = facts ? &facts->model->coverage : NULL;
	double most_ns = 0.5 * to->finding->low;
	uint64_t n_new, n_all;

	if (coverage && (double)coverage->turn_ns > 0.5 * (double)coverage->unattributed_ns) {
		FINDING("inferences of a session wait for each other in the runtime");
		EVIDENCE(
		    "before its first operator, each waits %s for another one, %s of its time; up to %s run at a time",
		    units_duration((double)coverage->turn_ns / (double)coverage->n).s,
		    units_percent((double)coverage->turn_ns / (double)coverage->wall_ns).s,
		    units_count(facts->model->runs.max_concurrent).s);
		NEXT("a stream runs one inference at a time: more streams (NUM_STREAMS, or PERFORMANCE_HINT = "
		     "THROUGHPUT), or fewer callers");
		return;
	}
	FINDING("much of an inference lies in no operator");
	EVIDENCE("%s of its time, %s each", units_percent(to->finding->value).s, units_duration(to->finding->low).s);
	if (coverage && (double)coverage->setup_ns / (double)coverage->n > most_ns) {
		EVIDENCE("; most of that before the first operator, where inputs are checked, converted and copied");
		NEXT("fewer inputs%s", speaker_is_of_another(to, "onnxruntime")
					   ? ""
					   : ", inputs whose type and order in memory are the model's "
					     "(in Python np.ascontiguousarray), or inputs that stay bound (IOBinding)");
	} else if (coverage && (double)coverage->behind_ns / (double)coverage->n > most_ns) {
		EVIDENCE("; most of that behind the last operator");
		NEXT("fewer outputs%s", speaker_is_of_another(to, "onnxruntime")
					    ? ""
					    : ", as tensors of numbers: texts and maps are converted one by one "
					      "(scikit-learn: zipmap=False)");
	} else if (has_new_shapes(to, &n_new, &n_all)) {
		EVIDENCE("; %s of %s have inputs of a shape that none before had, for which the runtime prepares its "
			 "operators anew",
			 units_count(n_new).s, units_count(n_all).s);
		NEXT("inputs of a few shapes: padded, or brought to one of a few sizes");
	} else
		NEXT("the runtime spends it itself: it takes and gives back memory, or waits for a provider");
}

const struct insight insight_unattributed = {
	.name = "unattributed",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "outside_share", .low = "outside_ns" },
};
