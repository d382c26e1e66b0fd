// SPDX-License-Identifier: Apache-2.0
/*
 * The host waits for the device in each inference, so that the device has nothing to do until the next work is
 * launched. A copy that returns when it is done is a wait, too. value: the share of the time of inferences in which it
 * idles for that reason; a: inferences, of b with kernels.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_waits_each_run;

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder_device_runs(finder);
	const struct summary_device *device = runs ? &runs->device : NULL;
	uint64_t ns;

	if (!runs)
		return;
	ns = stats_sum(device->wait_idle_ns, device->copy_idle_ns);
	if (2 * device->n_end_waits >= device->n_runs)
		ns = stats_sum(ns, device->before_ns);
	if (!finder_lost_cpu(finder, ns))
		finder_add_bound(finder, &insight_waits_each_run, device->n_wait_bound, ns);
}

static void say(const struct speaker *to)
{
	FINDING("the device idles because the host waits for it in each inference");
	EVIDENCE("after a wait it idles until the next kernel is launched: %s of the time, in %s",
		 units_percent(to->finding->value).s, speaker_counts(to).s);
	if (speaker_is_of_runtime(to, "pytorch"))
		NEXT("read no values of tensors (`.item()`, `.cpu()`, printing) inside of the model");
	else if (speaker_is_of_runtime(to, "onnxruntime"))
		NEXT("keep two inferences in flight, or set `disable_synchronize_execution_providers` of the run");
	else
		NEXT("keep two inferences in flight");
	NEXT(": up to %s of each inference", units_duration(to->finding->gain_ns).s);
}

const struct insight insight_waits_each_run = {
	.name = "waits_each_run",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "idle_share", .a = "inferences_bound", .b = "inferences" },
};
