// SPDX-License-Identifier: Apache-2.0
/*
 * Reads /proc/PID/task/TID/schedstat of each of these threads, but for those that run whole inferences (RunAsync). One
 * that has ended since counts no more: what it used after the last sample is not known.
 */
#include "capture/proc/namespace.h"
#include "capture/proc/proc.h"
#include "capture/source/agent/source_agent_in.h"
#include "capture/source/counter.h"
#include "capture/source/follow.h"

#define SPAN_NS UINT64_C(8000000)
enum { MANY = 256 };

/* 0: not known. A thread that has run at all has used some. */
static uint64_t read_cpu_ns(const struct recorded *process, const struct worker *worker)
{
	struct proc_sched sched = { 0, 0 };

	proc_thread_sched("", process->pid, worker->tid, &sched);
	return sched.ran_ns;
}

struct use {
	uint64_t cpu_ns; /* since the last sample */
	uint32_t n;
};

static struct use use_of(struct recorded *process)
{
	struct use use = { 0, 0 };

	for (uint32_t i = 0; i < process->workers.n; i++) {
		struct worker *worker = &process->workers.at[i];
		uint64_t cpu_ns = worker->role && !worker->is_free && !worker->runs ? read_cpu_ns(process, worker) : 0;

		use.n += cpu_ns > 0;
		if (cpu_ns > worker->cpu_ns)
			use.cpu_ns += cpu_ns - worker->cpu_ns;
		worker->cpu_ns = cpu_ns ? cpu_ns : worker->cpu_ns;
	}
	return use;
}

int pool_cpu_sample(struct recorded *process, const struct target *target, struct sink *out, uint64_t now_ns,
		    struct err *err)
{
	struct counter threads = { process->pool.threads_track }, cpu = { process->pool.cpu_track };
	uint64_t time_ns, since_ns = process->pool.sampled_ns, interval_ns = sample_interval_ns(target);
	struct use use;
	int code = 0;

	if (now_ns < process->pool.due_ns || !process->n_named || process->pid >= NAMESPACE_UNKNOWN)
		return 0;
	/* hundreds of threads are read less often, so that reading them takes no more time */
	interval_ns *= 1 + process->pool.n_threads / MANY;
	process->pool.due_ns = sample_next_ns(interval_ns, now_ns);
	use = use_of(process);
	time_ns = sample_clock_ns(target, now_ns);
	process->pool.sampled_ns = time_ns;
	if (!use.n)
		return 0;
	if (use.n != process->pool.n_threads)
		code = counter_put(
		    &threads,
		    &(struct counter_value){ "pool threads", "count", recorded_track(process, out), time_ns, use.n },
		    out, err);
	process->pool.n_threads = use.n;
	if (!code && since_ns && time_ns >= since_ns + SPAN_NS)
		code = counter_put(&cpu,
				   &(struct counter_value){ "cpu of pool threads", "%", recorded_track(process, out),
							    time_ns,
							    100 * (double)use.cpu_ns / (double)(time_ns - since_ns) },
				   out, err);
	process->pool.threads_track = threads.track;
	process->pool.cpu_track = cpu.track;
	return code;
}
