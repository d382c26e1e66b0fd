// SPDX-License-Identifier: Apache-2.0
/*
 * The device idles in inferences because the host launches its work too slowly. value: the share of the time of
 * inferences; low: mean of a kernel in nanoseconds; a: inferences, of b with kernels.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_launch_bound;

enum { LEAST_KERNELS = 10 };

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder_device_runs(finder);
	const struct summary_device *device = runs ? &runs->device : NULL;
	struct finding *finding;

	if (!runs || device->n_kernels < LEAST_KERNELS * runs->device.n_runs ||
	    finder_lost_cpu(finder, device->launch_idle_ns))
		return;
	finding = finder_add_bound(finder, &insight_launch_bound, device->n_launch_bound,
				   device->launch_idle_ns - device->wait_idle_ns - device->copy_idle_ns);
	if (finding)
		finding->low = (double)device->kernels_ns / (double)device->n_kernels;
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
