// SPDX-License-Identifier: Apache-2.0
/* Other programs used the CPUs. value: CPUs that they used, of b; low: share of its time that the run waited for a CPU.
 */
#include "analyze/insight/insight_in.h"

static void find(struct finder *finder)
{
	/* of a recording, nobody claims that the machine was idle: waits_for_cpu says what it cost */
	if (finder->run->result->recorded)
		return;
	if (finder_is_disturbed(finder) || finder_has_waited(finder))
		finder_add_counts(finder, &insight_busy_machine, finder->run->others_cores, -1,
				  finder->analysis->report->machine.n_all_cpus)
		    ->low = finder->run->waited;
}

static void say(const struct speaker *to)
{
	const struct finding *finding = to->finding;

	FINDING("other programs kept the machine busy");
	if (isfinite(finding->value)) {
		EVIDENCE("they used %s of %s", units_decimal(finding->value).s,
			 printable_count((uint64_t)finding->b, "CPU").s);
		if (isfinite(to->run->cores))
			EVIDENCE(", this run used %s", units_decimal(to->run->cores).s);
	}
	if (finding->low > 0)
		EVIDENCE("%sit waited for a CPU for %s of the time in which it could have run",
			 isfinite(finding->value) ? "; " : "", units_percent(finding->low).s);
	NEXT("its figures are those of a busy machine; measure again while nothing else runs");
}

const struct insight insight_busy_machine = {
	.name = "busy_machine",
	.severity = INSIGHT_DOUBT,
	.find = find,
	.say = say,
	.figures = { .value = "cpus_used_by_others", .b = "cpus_of_machine", .low = "waiting_share" },
};
