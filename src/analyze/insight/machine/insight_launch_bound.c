// SPDX-License-Identifier: Apache-2.0
/*
 * The device idles in inferences because the host launches its work too slowly. value: the share of the time of
 * inferences; low: mean of a kernel in nanoseconds; a: inferences, of b with kernels.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/recording_facts.h"

extern const struct insight insight_launch_bound;

enum { LEAST_INFERENCES = 5, LEAST_KERNELS = 10 };

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const struct summary_runs *runs = result->recorded ? &result->recorded->model->runs : NULL;
	const struct summary_device *device = runs ? &runs->device : NULL;
	struct finding *finding;
	double share;

	if (!runs || runs->n_with_kernels < LEAST_INFERENCES || 2 * device->n_launch_bound < runs->n_with_kernels ||
	    device->n_kernels < LEAST_KERNELS * runs->n_with_kernels)
		return;
	share = (double)device->launch_idle_ns / (double)runs->kernels_wall_ns;
	finding = finder_add_counts(finder, &insight_launch_bound, share, (int64_t)device->n_launch_bound,
				    (int64_t)runs->n_with_kernels);
	finding->low = (double)device->kernels_ns / (double)device->n_kernels;
	finding->gain_ns = (double)device->launch_idle_ns / (double)runs->n_with_kernels;
}

static void say(const struct speaker *to)
{
	FINDING("the device waits for the host to launch its kernels");
	EVIDENCE("it idles for %s of the inferences' time before kernels that were launched late, in %s",
		 units_percent(to->finding->value).s, speaker_counts(to).s);
	EVIDENCE("; a kernel takes %s on average", units_duration(to->finding->low).s);
	NEXT("a graph of the device (CUDA graph), a larger batch, or fused operators: up to %s of each inference",
	     units_duration(to->finding->gain_ns).s);
}

const struct insight insight_launch_bound = {
	.name = "launch_bound",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "idle_share", .low = "kernel_mean_ns", .a = "inferences_bound", .b = "inferences" },
};
