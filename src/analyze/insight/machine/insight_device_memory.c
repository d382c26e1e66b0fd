// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of the device is taken and freed in each inference, which waits for all that the device does. value: the share
 * of the time of inferences in these calls; low: calls of an inference; a: inferences, of b with kernels.
 */
#include "analyze/insight/insight_in.h"
#include "analyze/result/recording_facts.h"

extern const struct insight insight_device_memory;

enum { LEAST_INFERENCES = 5 };

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const struct summary_runs *runs = result->recorded ? &result->recorded->model->runs : NULL;
	const struct summary_device *device = runs ? &runs->device : NULL;
	struct finding *finding;

	if (!runs || runs->n_with_kernels < LEAST_INFERENCES || 2 * device->n_memory_bound < runs->n_with_kernels)
		return;
	finding =
	    finder_add_counts(finder, &insight_device_memory, (double)device->memory_ns / (double)runs->kernels_wall_ns,
			      (int64_t)device->n_memory_bound, (int64_t)runs->n_with_kernels);
	finding->low = (double)device->n_memory / (double)runs->n_with_kernels;
	finding->gain_ns = (double)device->memory_ns / (double)runs->n_with_kernels;
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
