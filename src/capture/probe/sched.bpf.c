// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs in the kernel at each switch of tasks. Each CPU remembers who ran on it last. When a thread of a watched process
 * gets a CPU, whoever ran there since it became runnable had what it waited for: their times are added up by name,
 * those of watched processes together. A
 * thread that was moved to this CPU while it waited counts only what it finds here.
 */
#include "capture/probe/sched.h"

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <stdbool.h>

char terms[] SEC("license") = "Dual BSD/GPL";

enum { LOG = 16, THREADS = 8192 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct {
	int pid, tgid;
	unsigned int __state;
	char comm[16];
};
#pragma clang attribute pop

struct stretch {
	uint64_t from, to;
	struct sched_pair who;
	uint32_t pid;
};

struct cpu_log {
	uint64_t since;
	uint32_t n;
	struct stretch row[LOG];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct cpu_log);
} logs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SCHED_PROCESSES);
	__type(key, uint32_t);
	__type(value, uint32_t);
} watched SEC(".maps");

/* Since when a thread has been runnable. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, THREADS);
	__type(key, uint32_t);
	__type(value, uint64_t);
} waiting SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SCHED_PAIRS);
	__type(key, struct sched_pair);
	__type(value, uint64_t);
} pairs SEC(".maps");

static __always_inline bool is_watched(uint32_t tgid)
{
	return bpf_map_lookup_elem(&watched, &tgid) != NULL;
}

static __always_inline void begin_wait(uint32_t tid, uint64_t now)
{
	bpf_map_update_elem(&waiting, &tid, &now, BPF_ANY);
}

static __always_inline void add(const struct sched_pair *pair, uint64_t ns)
{
	uint64_t *sum = bpf_map_lookup_elem(&pairs, pair);

	if (sum)
		__sync_fetch_and_add(sum, ns);
	else
		bpf_map_update_elem(&pairs, pair, &ns, BPF_NOEXIST);
}

static __always_inline void end_wait(const struct cpu_log *log, uint32_t tid, uint32_t tgid)
{
	uint64_t *since = bpf_map_lookup_elem(&waiting, &tid), begin;

	if (!since)
		return;
	begin = *since;
	bpf_map_delete_elem(&waiting, &tid);
	for (uint32_t i = 0; i < LOG; i++) {
		const struct stretch *row = &log->row[i];
		uint64_t from = row->from > begin ? row->from : begin;
		struct sched_pair pair = row->who;

		/* no task: the CPU was idle */
		if (row->to <= from || !row->pid)
			continue;
		pair.whose = pair.tgid == tgid ? SCHED_ITS_OWN : is_watched(pair.tgid) ? SCHED_WATCHED : SCHED_OTHERS;
		if (pair.whose != SCHED_OTHERS)
			__builtin_memset(pair.name, 0, sizeof pair.name);
		pair.tgid = tgid;
		add(&pair, row->to - from);
	}
}

/* preempt, prev, next [prev_state] */
SEC("tp_btf/sched_switch") int switched(const uint64_t *ctx)
{
	const struct task_struct *prev = (const struct task_struct *)ctx[1];
	const struct task_struct *next = (const struct task_struct *)ctx[2];
	uint64_t now = bpf_ktime_get_ns();
	uint32_t zero = 0;
	struct cpu_log *log = bpf_map_lookup_elem(&logs, &zero);
	struct stretch *row;

	if (!log)
		return 0;
	row = &log->row[log->n++ % LOG];
	row->from = log->since;
	row->to = now;
	row->pid = (uint32_t)prev->pid;
	row->who.tgid = (uint32_t)prev->tgid;
	row->who.whose = SCHED_OTHERS;
	bpf_probe_read_kernel(row->who.name, sizeof row->who.name, prev->comm);
	log->since = now;
	if ((ctx[0] & 1 || !prev->__state) && is_watched(row->who.tgid))
		begin_wait(row->pid, now);
	if (is_watched((uint32_t)next->tgid))
		end_wait(log, (uint32_t)next->pid, (uint32_t)next->tgid);
	return 0;
}

static __always_inline int woken(const uint64_t *ctx)
{
	const struct task_struct *task = (const struct task_struct *)ctx[0];

	if (is_watched((uint32_t)task->tgid))
		begin_wait((uint32_t)task->pid, bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/sched_wakeup") int woke(const uint64_t *ctx)
{
	return woken(ctx);
}

SEC("tp_btf/sched_wakeup_new") int began(const uint64_t *ctx)
{
	return woken(ctx);
}
