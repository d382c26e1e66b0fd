// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of the device is taken and freed in each inference, which waits for all that the device does. value: the share
 * of the time of inferences in these calls; low: calls of an inference; a: inferences, of b with kernels.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_device_memory;

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder_device_runs(finder);
	const struct summary_device *device = runs ? &runs->device : NULL;
	struct finding *finding =
	    runs && !finder_lost_cpu(finder, device->memory_ns)
		? finder_add_bound(finder, &insight_device_memory, device->n_memory_bound, device->memory_ns)
		: NULL;

	if (finding)
		finding->low = (double)device->n_memory / (double)runs->device.n_runs;
}

static void say(const struct speaker *to)
{
	FINDING("memory of the device is taken or freed in each inference");
	EVIDENCE("%.1f calls of each take %s of the time, in %s", to->finding->low, units_percent(to->finding->value).s,
		 speaker_counts(to).s);
	if (speaker_is_of_another(to, "onnxruntime"))
		NEXT("let an allocator keep the memory");
	else
		NEXT("let the provider's arena keep the memory (`gpu_mem_limit`, `arena_extend_strategy`)");
	NEXT(": up to %s of each inference", units_duration(to->finding->gain_ns).s);
}

const struct insight insight_device_memory = {
	.name = "device_memory",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share", .low = "calls_each", .a = "inferences_bound", .b = "inferences" },
};
