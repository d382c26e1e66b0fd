// SPDX-License-Identifier: Apache-2.0
/*
 * Memory. Per process "rss" (/proc/PID/statm), "peak rss" (VmHWM, once a second, or when RSS has outgrown the last one)
 * and "pss": RSS with shared pages divided among their users. PSS makes the kernel walk all pages of the process while
 * holding the lock of its memory map, 10 ms per GB. It is read at most every 10 s, for at most a thousandth of the
 * time, not above 4 GB of RSS, and once at the end. Machine "memory used": all memory that is not available.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/source/counter.h"
#include "capture/source/follow.h"
#include "capture/source/memory_limit.h"

#define MS_NS UINT64_C(1000000)
#define PEAK_NS (1000 * MS_NS)
#define PSS_NS (10000 * MS_NS)
/* A program that has just begun has no memory of interest: let it start undisturbed. */
#define PSS_FIRST_NS (1000 * MS_NS)
#define PSS_MOST_BYTES (4.0 * (1 << 30))

enum { FILE_STATM, FILE_STATUS, FILE_ROLLUP };

struct mem_item {
	struct followed followed;
	struct counter rss, peak, pss;
	struct proc_file statm, rollup;
	uint64_t peak_due_ns, pss_due_ns;
	double peak_bytes; /* the last one read */
};

struct mem_state {
	const struct target *target;
	struct follow follow;
	struct counter machine;
	struct proc_file meminfo;
	struct memory_limit limit;
	double page_bytes;
	uint64_t machine_due_ns;
};

static int read_machine(const struct target *target, struct proc_file *file, double *used_bytes)
{
	char text[8192];
	uint64_t total, available;
	ssize_t got;

	if (file && !*target->sysroot)
		got = proc_file_read(file, "", 0, "meminfo", text, sizeof text);
	else
		got = proc_read(target->sysroot, 0, "meminfo", text, sizeof text);
	if (got < 0)
		return (int)got;
	/* A container's total may be below the host's available memory. */
	if (!proc_field(text, (size_t)got, "MemTotal", &total) ||
	    !proc_field(text, (size_t)got, "MemAvailable", &available) || available > total)
		return -EPROTO;
	*used_bytes = (double)(total - available) * 1024;
	return 0;
}

static bool is_statm(const char *text, size_t len)
{
	uint64_t pages;

	return proc_number(text, len, 1, &pages);
}

static int check(const struct target *target, struct err *err)
{
	double used;
	int result = read_machine(target, NULL, &used);

	if (result)
		return err_set(err, -result, "cannot read %s/proc/meminfo: %s", target->sysroot,
			       result == -EPROTO ? "it has no usable MemTotal and MemAvailable" : strerror(-result));
	return sample_check(target, "statm", is_statm, err);
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	struct mem_state *state = data;

	state->target = target;
	state->page_bytes = (double)sysconf(_SC_PAGESIZE);
	return 0;
}

static int sample_peak(const struct sample *sample, struct mem_item *item, double rss_bytes)
{
	char text[8192];
	uint64_t kbytes;
	ssize_t got;

	if (sample->now_ns < item->peak_due_ns && rss_bytes <= item->peak_bytes * 1.125 && !sample->target->is_ending)
		return 0;
	item->peak_due_ns = sample->now_ns + PEAK_NS;
	got = proc_read(sample->target->sysroot, sample->process->pid, "status", text, sizeof text);
	if (got < 0)
		return sample_unreadable(sample, &item->followed, FILE_STATUS, "status", got);
	/* A process that is just ending has no memory any more, and so no such line. */
	if (!proc_field(text, (size_t)got, "VmHWM", &kbytes))
		return 0;
	item->peak_bytes = (double)kbytes * 1024;
	return counter_put(&item->peak,
			   &(struct counter_value){ "peak rss", "bytes", sample->process->track,
						    sample_clock_ns(sample->target, sample->now_ns), item->peak_bytes },
			   sample->out, sample->err);
}

static bool pss_is_due(const struct sample *sample, struct mem_item *item)
{
	/* an attached process is read at once, and its file stays open: rights are dropped soon */
	if (!item->pss_due_ns)
		item->pss_due_ns = item->followed.seen_ns + (sample->target->pid ? PSS_FIRST_NS : 0);
	return sample->now_ns >= item->pss_due_ns || sample->target->is_ending;
}

static int sample_pss(const struct sample *sample, struct mem_item *item, double rss_bytes)
{
	uint64_t began_ns = clock_ns(), cost_ns, kbytes;
	char text[4096];
	ssize_t got;

	if (sample->target->is_lean || !pss_is_due(sample, item) || rss_bytes > PSS_MOST_BYTES)
		return 0;
	got = sample_read(sample, &item->rollup, "smaps_rollup", text, sizeof text);
	cost_ns = clock_ns() - began_ns;
	item->pss_due_ns = sample->now_ns + (cost_ns * 1000 > PSS_NS ? cost_ns * 1000 : PSS_NS);
	if (got < 0)
		return sample_unreadable(sample, &item->followed, FILE_ROLLUP, "smaps_rollup", got);
	if (!proc_field(text, (size_t)got, "Pss", &kbytes))
		return 0;
	return counter_put(&item->pss,
			   &(struct counter_value){ "pss", "bytes", sample->process->track,
						    sample_clock_ns(sample->target, sample->now_ns),
						    (double)kbytes * 1024 },
			   sample->out, sample->err);
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	const struct mem_state *state = data;
	struct mem_item *item = data_item;
	uint64_t size, resident;
	double rss_bytes;
	char text[256];
	ssize_t got = sample_read(sample, &item->statm, "statm", text, sizeof text);
	int result;

	if (got >= 0 && !(proc_number(text, (size_t)got, 0, &size) && proc_number(text, (size_t)got, 1, &resident)))
		got = -EPROTO;
	if (got < 0)
		return sample_unreadable(sample, &item->followed, FILE_STATM, "statm", got);
	/* no memory at all: the process has ended, or its first thread, which these files belong to */
	if (!size)
		return 0;
	rss_bytes = (double)resident * state->page_bytes;
	result = counter_put(&item->rss,
			     &(struct counter_value){ "rss", "bytes", sample->process->track,
						      sample_clock_ns(sample->target, sample->now_ns), rss_bytes },
			     sample->out, sample->err);
	if (!result)
		result = sample_peak(sample, item, rss_bytes);
	return result ? result : sample_pss(sample, item, rss_bytes);
}

static void close_item(void *data_item)
{
	struct mem_item *item = data_item;

	proc_file_close(&item->statm);
	proc_file_close(&item->rollup);
}

static int sample_machine(struct mem_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	double used_bytes;

	if (now_ns < state->machine_due_ns && !state->target->is_ending)
		return 0;
	state->machine_due_ns = sample_next_ns(sample_interval_ns(state->target), now_ns);
	if (read_machine(state->target, &state->meminfo, &used_bytes))
		return 0;
	return counter_put(
	    &state->machine,
	    &(struct counter_value){ "memory used", "bytes", 0, sample_clock_ns(state->target, now_ns), used_bytes },
	    out, err);
}

static const struct follow_kind mem_kind = { sizeof(struct mem_item), sample_process, close_item };

static int due_ms(const void *data)
{
	const struct mem_state *state = data;
	uint64_t due_ns = follow_due_ns(&state->follow, &mem_kind, state->target->tree);

	return sample_due_ms(due_ns < state->machine_due_ns ? due_ns : state->machine_due_ns);
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct mem_state *state = data;
	struct sample sample = { state->target, NULL, out, now_ns, err };
	int result = follow_drain(&state->follow, &mem_kind, state, &sample);

	if (!result)
		result = memory_limit_drain(&state->limit, state->target, out, now_ns, err);
	return result ? result : sample_machine(state, out, now_ns, err);
}

static void stop(void *data)
{
	struct mem_state *state = data;

	follow_done(&state->follow, &mem_kind);
	proc_file_close(&state->meminfo);
	memory_limit_done(&state->limit);
}

const struct source source_mem = {
	.name = "memory",
	.help = "memory of each process (RSS, its peak, PSS) and of the machine",
	.state_size = sizeof(struct mem_state),
	.is_for_sums = true,
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
