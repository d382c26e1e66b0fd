// SPDX-License-Identifier: Apache-2.0
/*
 * Threads of the runtime's pools used more CPU than they can have worked: those of a session have work only while an
 * inference of it runs. They spin. value: CPUs that they spun on, at least; a: these threads; low: CPUs that they used;
 * high: share of the time in which an inference ran.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_spinning;

enum { LEAST = 20 };

static const double least_cores = 0.1;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	double spun;
	struct finding *to;

	if (!facts || !facts->is_largest || facts->n_pool < 1 || facts->model->runs.n < LEAST)
		return;
	spun = facts->pool_cores - facts->pool_work;
	if (!(spun >= least_cores))
		return;
	to = finder_add_counts(finder, &insight_spinning, spun, facts->n_pool, -1);
	to->low = facts->pool_cores;
	to->high = facts->pool_busy;
}

static void say(const struct speaker *to)
{
	FINDING("pool threads spin while they have no work");
	EVIDENCE("while they existed, %s used %s CPUs", printable_count((uint64_t)to->finding->a, "pool thread").s,
		 units_decimal(to->finding->low).s);
	EVIDENCE(", %s of CPU time in all, and inferences ran for %s of the time",
		 units_duration(to->run->result->recorded->pool_cpu_ns).s, units_percent(to->finding->high).s);
	if (!speaker_is_of_another(to, "onnxruntime"))
		NEXT("session.intra_op.allow_spinning = 0 (a session config entry), or ");
	NEXT("fewer threads would leave at least %s CPUs to others", units_decimal(to->finding->value).s);
}

const struct insight insight_spinning = {
	.name = "spinning",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "cpus_spun_on", .a = "pool_threads", .low = "cpus_used", .high = "inference_share" },
};
