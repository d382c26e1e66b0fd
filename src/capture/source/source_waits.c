// SPDX-License-Identifier: Apache-2.0
/*
 * Waits of all threads of a process for a CPU, the runtime's pool included: "waiting for a cpu", percent of the time,
 * summed over threads. What a thread waits before it is first seen counts; what it waits after that and before it ends
 * does not. While a process waits, programs that have the CPUs meanwhile are looked for (others.c).
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture/source/counter.h"
#include "capture/source/follow.h"
#include "capture/source/others.h"

#define SPAN_NS UINT64_C(8000000)

enum { MUCH = 5 /* percent */, MAX_THREADS = 4096 };

struct thread_wait {
	pid_t tid;
	uint64_t ns;
};

struct waits_item {
	struct followed followed;
	struct held waiting;
	struct thread_wait *thread; /* by tid, as /proc lists them */
	size_t n, capacity;
	bool has_base;
	uint64_t base_ns;
};

struct waits_state {
	struct sampler sampler;
	struct others others;
	bool has_waited; /* in this round */
};

static bool is_schedstat(const char *text, size_t len)
{
	uint64_t ns;

	return proc_number(text, len, 1, &ns);
}

static int check(const struct target *target, struct err *err)
{
	return sample_check(target, "schedstat", is_schedstat, err);
}

static uint64_t before_of(const struct waits_item *item, pid_t tid, size_t *hint)
{
	for (size_t i = 0; i < item->n; i++) {
		size_t at = (*hint + i) % item->n;

		if (item->thread[at].tid == tid) {
			*hint = at + 1;
			return item->thread[at].ns;
		}
	}
	return 0;
}

/* Reads all threads; *more_ns: by how much they have waited longer. */
static int read_threads(const struct sample *sample, struct waits_item *item, DIR *folder, uint64_t *more_ns)
{
	struct thread_wait *now = NULL;
	size_t n = 0, capacity = 0, hint = 0;
	struct dirent *entry;

	*more_ns = 0;
	while ((entry = readdir(folder)) && n < MAX_THREADS) {
		pid_t tid = atoi(entry->d_name);
		struct proc_sched sched;
		uint64_t before_ns;

		if (tid <= 0 || !proc_thread_sched(sample->target->sysroot, sample->process->pid, tid, &sched))
			continue;
		if (!ARRAY_ROOM(now, capacity, n + 1)) {
			free(now);
			return err_no_memory(sample->err, "cannot sample threads");
		}
		before_ns = before_of(item, tid, &hint);
		*more_ns += sched.waited_ns > before_ns ? sched.waited_ns - before_ns : 0;
		now[n++] = (struct thread_wait){ tid, sched.waited_ns };
	}
	free(item->thread);
	item->thread = now;
	item->n = n;
	item->capacity = capacity;
	return 0;
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	struct waits_state *state = data;
	struct waits_item *item = data_item;
	uint64_t time_ns = sample_clock_ns(sample->target, sample->now_ns), more_ns, span_ns;
	char path[PATH_MAX];
	double percent;
	DIR *folder;
	int result;

	if (item->has_base && time_ns - item->base_ns < SPAN_NS)
		return 0;
	snprintf(path, sizeof path, "%s/proc/%d/task", sample->target->sysroot, (int)sample->process->pid);
	folder = opendir(path);
	if (!folder)
		return sample_unreadable(sample, &item->followed, 0, "task", errno == ENOENT ? -ESRCH : -errno);
	result = read_threads(sample, item, folder, &more_ns);
	closedir(folder);
	if (result)
		return result;
	if (!item->has_base) {
		item->has_base = true;
		item->base_ns = sample_since_ns(sample->process, time_ns);
	}
	span_ns = time_ns > item->base_ns ? time_ns - item->base_ns : 0;
	if (span_ns < SPAN_NS)
		return 0;
	item->base_ns = time_ns;
	percent = (double)more_ns / (double)span_ns * 100;
	state->has_waited |= percent >= MUCH;
	return held_put(&item->waiting,
			&(struct counter_value){ "waiting for a cpu", "%", sample->process->track, time_ns, percent },
			sample->target->is_ending, sample->out, sample->err);
}

static void free_item(void *data_item)
{
	free(((struct waits_item *)data_item)->thread);
}

static const struct follow_kind waits_kind = { sizeof(struct waits_item), sample_process, free_item, .is_fine = true };

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	*(struct sampler *)data = (struct sampler){ .kind = &waits_kind, .fine.target = target };
	return 0;
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct waits_state *state = data;
	struct sample sample = { &state->sampler.fine.own, NULL, out, now_ns, err };
	int result;

	state->has_waited = false;
	result = sampler_drain(state, out, now_ns, err);
	return result ? result : others_look(&state->others, &sample, state->has_waited);
}

static void stop(void *data)
{
	struct waits_state *state = data;

	sampler_stop(state);
	others_done(&state->others);
}

const struct source source_waits = {
	.name = "waits",
	.help = "time that threads wait for a CPU, and other programs that use the CPUs",
	.state_size = sizeof(struct waits_state),
	.check = check,
	.start = start,
	.due_ms = sampler_due_ms,
	.drain = drain,
	.stop = stop,
};
