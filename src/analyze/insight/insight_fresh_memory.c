// SPDX-License-Identifier: Apache-2.0
/*
 * Page faults take much of each inference: its memory comes from the kernel, which clears it, and goes back there.
 * Medians are compared, because a pool that grows once is no fault of each inference. Waits for a disk are not in it.
 * value: share of the inference's median; a: faults of one; b: inferences whose faults are known; low: nanoseconds of
 * the faults of one; high: of each fault.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_fresh_memory;

enum { LEAST = 10 };

static const double least_share = 0.1, least_ns = 20e3;

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;
	const struct recording_facts *facts = finder->run->result->recorded;
	double each_ns = facts ? facts->summary->cost.fault_ns : NAN, ns, p50_ns;
	struct finding *to;

	if (!facts || runs->n_usage < LEAST || 2 * runs->n_usage < runs->latency.n)
		return;
	p50_ns = (double)runs->latency.p50_ns;
	ns = (double)runs->faults_p50 * each_ns;
	if (!(ns >= least_share * p50_ns && ns >= least_ns))
		return;
	/* the measured cost is that of this machine's quiet moment: they cannot take longer than the inference */
	ns = ns < p50_ns ? ns : p50_ns;
	to = finder_add_counts(finder, &insight_fresh_memory, ns / p50_ns, (int64_t)runs->faults_p50,
			       (int64_t)runs->n_usage);
	to->low = to->gain_ns = ns;
	to->high = each_ns;
}

static void say(const struct speaker *to)
{
	FINDING("each inference takes fresh memory from the kernel");
	EVIDENCE("%s take %s of its %s, at %s each as measured here",
		 printable_count((uint64_t)to->finding->a, "page fault").s, units_duration(to->finding->low).s,
		 units_duration((double)to->run->result->runs->latency.p50_ns).s, units_duration(to->finding->high).s);
	NEXT("%s, or glibc's MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ keep the memory",
	     speaker_is_of_another(to, "onnxruntime")
		 ? "inputs and outputs that are used again"
		 : "the runtime's arena (enable_cpu_mem_arena), outputs that are bound once (IO binding)");
}

const struct insight insight_fresh_memory = {
	.name = "fresh_memory",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share", .a = "faults_each", .b = "inferences", .low = "faults_ns", .high = "fault_ns" },
};
