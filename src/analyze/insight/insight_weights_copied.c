// SPDX-License-Identifier: Apache-2.0
/*
 * Weights inside the model's file are written three times: parsed, copied into tensors, packed by kernels. value: share
 * of reading, parsing and copying in session creation; low: their nanoseconds; high: those of packing.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/phase_names.h"

extern const struct insight insight_weights_copied;

/* In 100 MB/s memory is copied on no machine: the thread lost its CPU, or waited for a disk. */
static bool is_work(const struct model_result *result, double ns)
{
	int64_t bytes = result->recorded ? result->recorded->model->bytes : -1;

	return bytes < 0 || ns * 100e6 <= (double)bytes * 1e9;
}

static void find(struct finder *finder)
{
	double whole_ns = finder_creation_ns(finder->run->result);
	double parse_ns = finder_phase_ns(finder, PHASE_PARSE);
	double copy_ns = finder_phase_ns(finder, PHASE_WEIGHTS), ns = copy_ns;
	struct finding *to;

	/* a .ort file is not parsed, and has its weights inside */
	if (!(parse_ns > 0))
		return;
	ns += finder_phase_ns(finder, PHASE_READ) + parse_ns;
	if (!is_work(finder->run->result, ns))
		return;
	if (whole_ns < 10e6 || ns < 0.4 * whole_ns || copy_ns < 0.1 * whole_ns)
		return;
	to = finder_add(finder, &insight_weights_copied, ns / whole_ns);
	to->low = ns;
	to->gain_ns = finder_of_creations(finder, ns);
	to->high = finder_phase_ns(finder, PHASE_PREPACK) + finder_phase_ns(finder, PHASE_HASH);
}

static void say(const struct speaker *to)
{
	FINDING("the weights are read, parsed and copied: %s of session creation", units_percent(to->finding->value).s);
	EVIDENCE("%s of %s", units_duration(to->finding->low).s, speaker_creation(to).s);
	if (to->finding->high > 0)
		EVIDENCE("; packing them takes %s more", units_duration(to->finding->high).s);
	NEXT("weights in a file beside the model (external data) are mapped: up to %s could be saved",
	     units_duration(to->finding->low).s);
}

const struct insight insight_weights_copied = {
	.name = "weights_copied",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "creation_share", .low = "copying_ns", .high = "packing_ns" },
};
