// SPDX-License-Identifier: Apache-2.0
/*
 * Other values of /proc/PID/stat, per process: "threads", and "page faults" and "major faults" (those that had to wait
 * for a disk) per second since the last sample. The first sample of a young process counts from its start. "cpus
 * allowed": how many its first thread may run on, and "nice": how much it stands back for others (0 is not told), when
 * these change; the kernel tells them of live processes alone.
 */
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#include "capture/source/counter.h"
#include "capture/source/follow.h"

#define MS_NS UINT64_C(1000000)
#define SPAN_NS (8 * MS_NS)

struct proc_item {
	struct followed followed;
	struct counter threads, allowed, nice, minor, major;
	struct proc_file stat;
	int n_allowed, nice_value; /* as told last */
	bool has_base;
	uint64_t base_ns, base_minor, base_major;
};

/* Counts per second, and the base of the next sample; a decreased count keeps its base. */
static double rate(uint64_t *base, uint64_t count, uint64_t span_ns)
{
	uint64_t more = count > *base ? count - *base : 0;

	*base += more;
	return (double)more * 1e9 / (double)span_ns;
}

static int sample_faults(const struct sample *sample, struct proc_item *item, const struct proc_stat *stat,
			 uint64_t time_ns)
{
	uint32_t track = sample->process->track;
	uint64_t span_ns;
	int result;

	if (!item->has_base) {
		item->has_base = true;
		item->base_ns = sample_since_ns(sample->process, time_ns);
		item->base_minor = item->base_ns < time_ns ? 0 : stat->minor_faults;
		item->base_major = item->base_ns < time_ns ? 0 : stat->major_faults;
	}
	span_ns = time_ns > item->base_ns ? time_ns - item->base_ns : 0;
	if (span_ns < SPAN_NS)
		return 0;
	item->base_ns = time_ns;
	result = counter_put(&item->minor,
			     &(struct counter_value){ "page faults", "count/s", track, time_ns,
						      rate(&item->base_minor, stat->minor_faults, span_ns) },
			     sample->out, sample->err);
	if (result)
		return result;
	return counter_put(&item->major,
			   &(struct counter_value){ "major faults", "count/s", track, time_ns,
						    rate(&item->base_major, stat->major_faults, span_ns) },
			   sample->out, sample->err);
}

static int sample_allowed(const struct sample *sample, struct proc_item *item, uint64_t time_ns)
{
	cpu_set_t cpus; /* a machine of more CPUs than it has room for has no such value */

	if (*sample->target->sysroot || sched_getaffinity(sample->process->pid, sizeof cpus, &cpus) ||
	    CPU_COUNT(&cpus) == item->n_allowed)
		return 0;
	item->n_allowed = CPU_COUNT(&cpus);
	return counter_put(
	    &item->allowed,
	    &(struct counter_value){ "cpus allowed", "count", sample->process->track, time_ns, item->n_allowed },
	    sample->out, sample->err);
}

static int sample_nice(const struct sample *sample, struct proc_item *item, uint64_t time_ns)
{
	int value;

	if (*sample->target->sysroot)
		return 0;
	errno = 0; /* -1 is a value, too */
	value = getpriority(PRIO_PROCESS, (id_t)sample->process->pid);
	if (errno || value == item->nice_value)
		return 0;
	item->nice_value = value;
	return counter_put(&item->nice,
			   &(struct counter_value){ "nice", "count", sample->process->track, time_ns, value },
			   sample->out, sample->err);
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	struct proc_item *item = data_item;
	struct proc_stat stat;
	ssize_t got = sample_read_stat(sample, &item->stat, &stat);
	uint64_t time_ns = sample_clock_ns(sample->target, sample->now_ns);
	int result = 0;

	if (got < 0)
		return sample_unreadable(sample, &item->followed, 0, "stat", got);
	if (!proc_is_zombie(&stat))
		result = counter_put(&item->threads,
				     &(struct counter_value){ "threads", "count", sample->process->track, time_ns,
							      (double)stat.n_threads },
				     sample->out, sample->err);
	result = result ? result : sample_allowed(sample, item, time_ns);
	result = result ? result : sample_nice(sample, item, time_ns);
	return result ? result : sample_faults(sample, item, &stat, time_ns);
}

static void close_item(void *data_item)
{
	struct proc_item *item = data_item;

	proc_file_close(&item->stat);
}

static const struct follow_kind proc_kind = { sizeof(struct proc_item), sample_process, close_item };

static int start(void *state, const struct target *target, struct sink *out, struct err *err)
{
	*(struct sampler *)state = (struct sampler){ .kind = &proc_kind, .fine.target = target };
	return 0;
}

const struct source source_proc = {
	.name = "process",
	.help = "threads, page faults and allowed CPUs of each process",
	.state_size = sizeof(struct sampler),
	.check = sample_check_stat,
	.start = start,
	.due_ms = sampler_due_ms,
	.drain = sampler_drain,
	.stop = sampler_stop,
};
