// SPDX-License-Identifier: Apache-2.0
/*
 * Each creation starts a pool of threads, which spin although there is nothing to do. value: their CPU time by the time
 * of the creations; a: sessions; b: threads that one of them starts; low: CPU time of all of them, nanoseconds.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_spins_creating;

enum { LEAST = 3 };

static const double least_share = 0.2, least_ns = 100e6;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_creation *creation = facts ? &facts->model->creation : NULL;
	double ns = creation ? (double)creation->pool_cpu_ns : 0;
	uint64_t n = creation ? creation->duration.n : 0; /* those that did not fail */
	double waits_ns = creation ? (double)(creation->phase_ns[PHASE_WAITING] + creation->phase_ns[PHASE_HALTED]) : 0;
	struct finding *to;

	/* where the machine is busy, creations wait for a CPU, and so do threads that spin */
	if (n < LEAST || !creation->n_pool || ns < least_ns ||
	    ns < least_share * ((double)creation->duration.total_ns - waits_ns))
		return;
	to = finder_add_counts(finder, &insight_spins_creating, ns / ((double)creation->duration.total_ns - waits_ns),
			       (int64_t)n, (int64_t)((creation->n_pool + n - 1) / n));
	to->low = ns;
}

static void say(const struct speaker *to)
{
	FINDING("pool threads spin while sessions are created");
	EVIDENCE("%s in each of %s used %s of CPU; creating took %s",
		 printable_count((uint64_t)to->finding->b, "new thread").s,
		 printable_count((uint64_t)to->finding->a, "session").s, units_duration(to->finding->low).s,
		 units_duration((double)to->run->result->recorded->model->creation.duration.total_ns).s);
	if (speaker_is_of_another(to, "onnxruntime"))
		NEXT("fewer threads would leave that to others");
	else
		NEXT("session.intra_op.allow_spinning = 0 (a session config entry), fewer threads, or one global pool "
		     "for all sessions would leave that to others");
}

const struct insight insight_spins_creating = {
	.name = "spins_creating",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "cpu_per_creation_time", .a = "creations", .b = "threads_each", .low = "cpu_ns" },
};
