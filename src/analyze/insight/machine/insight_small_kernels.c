// SPDX-License-Identifier: Apache-2.0
/*
 * The device is busy with many kernels that are too short for it. value: nanoseconds of a kernel, on average; low:
 * kernels of an inference; a, b: none.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_small_kernels, insight_launch_bound;

enum { LEAST_KERNELS = 50 };

static const double small_ns = 5000;

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder_device_runs(finder);
	const struct summary_device *device = runs ? &runs->device : NULL;
	double mean_ns;

	if (!runs || device->n_kernels < LEAST_KERNELS * device->n_runs || 2 * device->busy_ns < device->wall_ns ||
	    finder_has(finder, &insight_launch_bound))
		return;
	mean_ns = (double)device->kernels_ns / (double)device->n_kernels;
	if (mean_ns < small_ns)
		finder_add(finder, &insight_small_kernels, mean_ns)->low =
		    (double)device->n_kernels / (double)device->n_runs;
}

static void say(const struct speaker *to)
{
	FINDING("the device's kernels are small");
	EVIDENCE("%.0f kernels in each inference, of %s on average", to->finding->low,
		 units_duration(to->finding->value).s);
	NEXT("a larger batch, or fused operators: a kernel costs the device some microseconds, whatever it computes");
}

const struct insight insight_small_kernels = {
	.name = "small_kernels",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "kernel_mean_ns", .low = "kernels_each" },
};
