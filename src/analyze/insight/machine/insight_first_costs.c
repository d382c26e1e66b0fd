// SPDX-License-Identifier: Apache-2.0
/*
 * In first inferences the device's driver compiles kernels, or loads them. value: the share of these inferences' time;
 * low, high: nanoseconds of one for compilation and for loading.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_first_costs;

static const double least_share = 0.2, least_ns = 20e6;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_device *first = facts ? &facts->model->runs.first_device : NULL;
	double ns = first ? (double)first->compile_ns + (double)first->load_ns : 0;
	struct finding *finding;

	if (!first || !first->n_runs || ns < least_ns || ns < least_share * (double)first->wall_ns)
		return;
	finding = finder_add(finder, &insight_first_costs, ns / (double)first->wall_ns);
	finding->low = (double)first->compile_ns / (double)first->n_runs;
	finding->high = (double)first->load_ns / (double)first->n_runs;
	finding->gain_ns = finder_of_each(finder, ns);
}

static void say(const struct speaker *to)
{
	bool compiles = to->finding->low > to->finding->high;

	FINDING("the first inference waits for the driver to %s kernels", compiles ? "compile" : "load");
	EVIDENCE("%s of its time: %s compiling, ", units_percent(to->finding->value).s,
		 units_duration(to->finding->low).s);
	EVIDENCE("%s loading", units_duration(to->finding->high).s);
	if (compiles)
		NEXT("a build with kernels for this device, and a cache of compiled kernels that is kept");
	else
		NEXT("run one inference before the first request arrives");
}

const struct insight insight_first_costs = {
	.name = "first_costs",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share", .low = "compile_ns", .high = "load_ns" },
};
