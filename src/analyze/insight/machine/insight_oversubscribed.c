// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences of a recording wait for CPUs that their own program keeps busy. value: share of their time; a: threads of
 * its processes, or those of all that run inferences beside it and may work at a time; b: CPUs that it may use; low:
 * CPUs that they used; high: nanoseconds that each waited.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_oversubscribed, insight_throttled;

/* All pool threads of ONNX Runtime are counted; where there is none, a session has no pool. */
static bool knows_pool(const struct finder *finder)
{
	return finder->run->result->recorded->n_pool > 0 || finder_is_of_runtime(finder, "onnxruntime");
}

/* Sessions have no threads of their own, and run one inference at a time: the program's other threads are too many. */
static bool is_of_program(const struct speaker *to)
{
	return to->run->result->n_processes <= 1 && to->run->result->recorded->n_beside <= 1 &&
	       to->run->result->recorded->n_pool <= 0 && speaker_is_of_runtime(to, "onnxruntime") &&
	       to->run->result->runs->max_concurrent <= 1;
}

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;
	const struct recording_facts *facts = finder->run->result->recorded;
	struct finding *to;
	bool has_others;

	if (!finder_waits_for_itself(finder) || finder_has(finder, &insight_throttled))
		return;
	has_others = facts->n_beside > 1 && (knows_pool(finder) || facts->n_beside > finder->run->result->n_processes);
	to = finder_add_counts(finder, &insight_oversubscribed, summary_waited(runs),
			       has_others ? facts->n_at_work : facts->n_threads, facts->n_allowed);
	to->low = has_others ? facts->program_cores : facts->cores;
	to->high = to->gain_ns = (double)runs->run_queue_ns / (double)runs->n_waits;
}

static void say(const struct speaker *to)
{
	const struct summary_runs *runs = to->run->result->runs;
	int64_t n_own = to->run->result->n_processes, n_beside = to->run->result->recorded->n_beside;
	int64_t n_processes = n_own > n_beside ? n_own : n_beside;

	if (n_processes > 1 && n_own == 1)
		FINDING("the process and %s beside it have more threads at work than CPUs",
			units_count((uint64_t)n_processes - 1).s);
	else if (n_processes > 1)
		FINDING("its %s have more threads at work than CPUs",
			printable_count((uint64_t)n_processes, "process").s);
	else if (is_of_program(to))
		FINDING("other threads of the program have the CPUs that inferences wait for");
	else
		FINDING("the process has more threads at work than CPUs");
	EVIDENCE("inferences wait for a CPU for %s of their time, %s each", units_percent(to->finding->value).s,
		 units_duration(to->finding->high).s);
	EVIDENCE("; up to %s run at a time on %s", units_count(runs->max_concurrent).s,
		 printable_count((uint64_t)to->finding->b, "CPU").s);
	if (isfinite(to->finding->low))
		EVIDENCE(", of which %s %s", n_processes > 1 ? "they use" : "the process uses",
			 units_decimal(to->finding->low).s);
	if (to->finding->a > 0)
		EVIDENCE(" with %s", printable_count((uint64_t)to->finding->a, "thread").s);
	if (is_of_program(to)) {
		NEXT("no thread is the session's: fewer of the program's own at a time, such as those that prepare "
		     "inputs");
		return;
	}
	/* ORT_PARALLEL has a second pool, which no option of the first makes smaller */
	NEXT("fewer threads in each session (%s%s), or fewer %s at a time: %s in all", speaker_threads_option(to),
	     speaker_is_of_runtime(to, "onnxruntime") ? "; with ORT_PARALLEL inter_op_num_threads, too" : "",
	     n_processes > 1 ? "processes" : "inferences", printable_count((uint64_t)to->finding->b, "thread").s);
}

const struct insight insight_oversubscribed = {
	.name = "oversubscribed",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "waiting_share", .a = "threads", .b = "cpus", .low = "cpus_used", .high = "waiting_ns" },
};
