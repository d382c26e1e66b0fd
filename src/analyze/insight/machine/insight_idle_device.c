// SPDX-License-Identifier: Apache-2.0
/*
 * A session asked for a provider that needs a device, and no recorded device worked while its inferences ran. value:
 * the most that one was busy, of 100; text: the provider.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"
#include "base/text/provider.h"

extern const struct insight insight_idle_device;

static const double idle_pct = 1;
/* NVIDIA's figure is a mean of up to a second: of shorter work it may report none. */
static const uint64_t least_ns = 2000000000;

/* OpenVINO and WebNN run on CPUs, too: where, their options tell, and no rule knows all of these. */
static bool needs_device(const char *provider)
{
	static const char *const names[] = { "cuda",	"tensorrt", "nvtensorrtrtx", "rocm", "migraphx", "dml",
					     "vitisai", "cann",	    "webgpu",	     "js",   "rknpu" };

	for (size_t i = 0; provider && i < sizeof names / sizeof *names; i++)
		if (provider_is(names[i], provider))
			return true;
	return false;
}

/*
 * The most that a device was busy, as the device, or its driver for the process, reports. NAN: none was seen, or one
 * that does not tell, or inferences ran too shortly.
 */
static double busiest(const struct recording_facts *facts)
{
	const struct summary *summary = facts->summary;
	double most = NAN;

	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *resource = &summary->resources[i];
		const char *name = names_text(summary->names, resource->name);
		size_t len = strlen(name);
		bool is_busy = len > 5 && !strcmp(name + len - 5, " busy");

		if (!resource->device || strcmp(names_text(summary->names, resource->unit), "%") ||
		    resource->busy_ns < least_ns || (resource->process == SUMMARY_NONE && !is_busy))
			continue;
		most = fmax(most, resource->busy_mean);
	}
	return most;
}

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double most;

	if (!result->recorded || !needs_device(result->asked_provider))
		return;
	most = busiest(result->recorded);
	if (most < idle_pct)
		finder_add(finder, &insight_idle_device, most)->text = result->asked_provider;
}

static void say(const struct speaker *to)
{
	FINDING("no GPU or NPU worked while its inferences ran, although the session asked for %s",
		model_provider(to->finding->text, INSIGHT_NAME, to->is_ascii).s);
	EVIDENCE("the busiest one was busy for %s of that time", units_percent(to->finding->value / 100).s);
	NEXT("inftrace doctor shows which devices and providers this machine can use");
}

const struct insight insight_idle_device = {
	.name = "idle_device",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "busy_percent", .text = "provider" },
};
