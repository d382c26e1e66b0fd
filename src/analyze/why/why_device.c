// SPDX-License-Identifier: Apache-2.0
/*
 * The GPU or NPU that the inference runs on was busy for longer than in the median inference. Kernels of the inference
 * itself, where a profiler recorded them, are exact. Counters of the device say for how long it worked, and the
 * driver's for its process, how much of that was for others. A device that works as it always does explains nothing.
 */
#include <string.h>

#include "analyze/why/why_in.h"

extern const struct why_cause why_device;

/* Of the time of the inference: a device that worked for less can only be told by working more than usual. */
static const double all_pct = 90;
static const double uses_pct = 1; /* of the time: a process that has a device work for less does not wait for it */

/* "gpu card1" of "gpu card1 compute". */
static struct printable device_of(const struct why_case *why)
{
	const char *name = names_text(why->summary->names, why->slow->device), *end = strchr(name, ' ');
	size_t len = end ? (size_t)(end - name) + 1 + strcspn(end + 1, " ") : strlen(name);

	return printable_text(name, len, WHY_NAME, why->is_ascii);
}

/* Samples that cover much more than the inference say little about it. */
static bool is_known(const struct why_case *why, enum summary_gauge gauge)
{
	const struct summary_gauged *gauged = &why->slow->gauged[gauge];

	return why_has(why, gauge) && isfinite(gauged->usual) && gauged->span_ns < 4 * why->slow->duration_ns;
}

static bool ran_on_device(const struct why_case *why)
{
	const struct summary_range *range = &why->model->ran_on;

	for (uint32_t i = range->first; i < range->first + range->n; i++)
		if (strcmp(names_text(why->summary->names, why->summary->ran_on[i].provider), "CPUExecutionProvider"))
			return true;
	return false;
}

static void say(struct why_case *why, const char *what, double busy_ns, double usual_ns, double more_ns)
{
	struct printable *words = why_take(why, &why_device, POOLS_BLOCKED | POOLS_CPU | POOLS_ANY, more_ns);

	if (!words)
		return;
	printable_add(words, "while %s %s (for %s", why->slow->device ? device_of(why).s : "the device", what,
		      units_duration(busy_ns).s);
	printable_add(words, ", usually %s)", usual_ns > 0 ? units_duration(usual_ns).s : "not at all");
}

static void find_kernels(struct why_case *why)
{
	double ns = (double)why->slow->kernels_ns, usual_ns = (double)why->slow->usual.kernels_ns;

	if (usual_ns >= 0 && ns > 1.2 * usual_ns)
		say(why, "ran its kernels", ns, usual_ns, ns - usual_ns);
}

/*
 * The device worked more than usual, or all the time. One that is half busy, as it always is, may have nothing to do
 * with an inference that takes longer.
 */
static void find_counters(struct why_case *why)
{
	const struct summary_gauged *own = &why->slow->gauged[SUMMARY_DEVICE_OWN];
	const struct summary_gauged *all = &why->slow->gauged[SUMMARY_DEVICE];
	double each = (double)why->slow->duration_ns / 100, median = (double)why->slow->usual.p50_ns / 100;
	bool has_own = is_known(why, SUMMARY_DEVICE_OWN), has_all = is_known(why, SUMMARY_DEVICE);
	const struct summary_gauged *busy = has_own ? own : all;
	double others = fmax(all->mean - own->mean, 0), others_usual = fmax(all->usual - own->usual, 0);

	if (!(has_own && fmax(own->mean, own->usual) >= uses_pct) && !(has_all && ran_on_device(why)))
		return;
	if (has_own && has_all && others > 1.2 * others_usual && others >= uses_pct)
		say(why, "worked for other processes", others * each, others_usual * median,
		    others * each - others_usual * median);
	if ((busy->mean >= 1.2 * busy->usual || busy->mean >= all_pct) &&
	    busy->mean * each > 1.2 * busy->usual * median)
		say(why, has_own ? "worked for this process" : "worked, for any process", busy->mean * each,
		    busy->usual * median, busy->mean * each - busy->usual * median);
}

static void find(struct why_case *why)
{
	if (why->slow->kernels_ns >= 0)
		find_kernels(why);
	else
		find_counters(why);
}

const struct why_cause why_device = { "device", "a GPU or NPU that worked longer",
				      "fewer programs on the device, or smaller batches", find };
