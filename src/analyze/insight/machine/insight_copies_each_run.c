// SPDX-License-Identifier: Apache-2.0
/*
 * Inputs and results cross between host and device in each inference. value: the share of the time of inferences that
 * these copies take on the device; low, high: bytes of an inference to it and from it; a: inferences, of b with
 * kernels.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_copies_each_run;

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder_device_runs(finder);
	const struct summary_device *device = runs ? &runs->device : NULL;
	struct finding *finding =
	    runs ? finder_add_bound(finder, &insight_copies_each_run, device->n_copy_bound, device->copies_ns) : NULL;

	if (!finding)
		return;
	finding->low = (double)device->to.bytes / (double)runs->device.n_runs;
	finding->high = (double)device->from.bytes / (double)runs->device.n_runs;
}

static void say(const struct speaker *to)
{
	FINDING("data is copied between host and device in each inference");
	EVIDENCE("%s to the device and %s from it, which takes %s of the time",
		 to->finding->low > 0 ? units_bytes(to->finding->low).s : "nothing",
		 to->finding->high > 0 ? units_bytes(to->finding->high).s : "nothing",
		 units_percent(to->finding->value).s);
	if (speaker_is_of_another(to, "onnxruntime"))
		NEXT("keep inputs and results on the device from one inference to the next");
	else
		NEXT("IO binding keeps inputs and results on the device");
	NEXT(": up to %s of each inference", units_duration(to->finding->gain_ns).s);
}

const struct insight insight_copies_each_run = {
	.name = "copies_each_run",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share",
		     .low = "bytes_to_device",
		     .high = "bytes_from_device",
		     .a = "inferences_bound",
		     .b = "inferences" },
};
