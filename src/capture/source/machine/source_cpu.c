// SPDX-License-Identifier: Apache-2.0
/*
 * CPU time, as a share of the time between two samples. Per process "cpu": percent of one core, from the kernel's
 * nanosecond clock of the process; in a captured tree, and where /proc belongs to another pid namespace, from the ticks
 * in /proc/PID/stat. Machine "cpu": percent of all cores together that were not idle, without "stolen": what the host
 * of a virtual machine gave to others, if it ever did. A value covers the time before its stamp. Ticks are 10 ms long:
 * values from them cover at least 100 ms.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "capture/source/counter.h"
#include "capture/source/follow.h"

#define MS_NS UINT64_C(1000000)
/* In a shorter time, a share measures the clocks more than the process. */
#define SPAN_NS (8 * MS_NS)
#define TICKS_SPAN_NS (100 * MS_NS)

struct cpu_item {
	struct followed followed;
	struct counter counter;
	bool has_base;
	uint64_t base_ns, base_cpu_ns;
};

struct cpu_state {
	const struct target *target;
	struct follow follow;
	struct counter machine;
	struct held stolen;
	struct proc_file stat;
	bool has_base;
	struct proc_cpu base;
	uint64_t machine_due_ns;
	bool use_clock;
};

static int read_machine(const struct target *target, struct proc_file *file, struct proc_cpu *cpu)
{
	char text[512];
	ssize_t got;

	if (file && !*target->sysroot)
		got = proc_file_read(file, "", 0, "stat", text, sizeof text);
	else
		got = proc_read(target->sysroot, 0, "stat", text, sizeof text);
	if (got < 0)
		return (int)got;
	return proc_cpu_parse(text, (size_t)got, cpu) ? 0 : -EPROTO;
}

static int read_ticks(const struct target *target, pid_t pid, uint64_t *cpu_ns)
{
	char text[1024];
	struct proc_stat stat;
	ssize_t got = proc_read(target->sysroot, pid, "stat", text, sizeof text);

	if (got < 0)
		return (int)got;
	if (!proc_stat_parse(text, (size_t)got, &stat))
		return -EPROTO;
	*cpu_ns = proc_ticks_ns(stat.cpu_ticks);
	return 0;
}

static int check(const struct target *target, struct err *err)
{
	struct proc_cpu cpu;
	int result = read_machine(target, NULL, &cpu);

	if (result)
		return err_set(err, -result, "cannot read %s/proc/stat: %s", target->sysroot,
			       result == -EPROTO ? "its first line is malformed" : strerror(-result));
	return sample_check_stat(target, err);
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	struct cpu_state *state = data;

	state->target = target;
	state->use_clock = proc_is_ours(target->sysroot);
	state->has_base = !read_machine(target, &state->stat, &state->base);
	state->machine_due_ns = sample_next_ns(sample_interval_ns(target), sample_clock_ns(target, 0));
	return 0;
}

/* The CPU time of a process, and the time of reading. */
static int read_process(const struct cpu_state *state, const struct sample *sample, uint64_t *cpu_ns, uint64_t *time_ns)
{
	struct timespec cpu;
	clockid_t clock;
	uint64_t before_ns;
	int result;

	if (!state->use_clock) {
		*time_ns = sample_clock_ns(sample->target, sample->now_ns);
		return read_ticks(sample->target, sample->process->pid, cpu_ns);
	}
	result = clock_getcpuclockid(sample->process->pid, &clock);
	if (result)
		return -result;
	before_ns = clock_ns();
	if (clock_gettime(clock, &cpu))
		return errno == EINVAL ? -ESRCH : -errno;
	*time_ns = before_ns + (clock_ns() - before_ns) / 2;
	*cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
	return 0;
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	const struct cpu_state *state = data;
	struct cpu_item *item = data_item;
	uint64_t cpu_ns = 0, time_ns = 0, span_ns;
	double percent;
	int result = read_process(state, sample, &cpu_ns, &time_ns);

	if (result)
		return sample_unreadable(sample, &item->followed, 0, "stat", result);
	if (!item->has_base) {
		item->has_base = true;
		item->base_ns = sample_since_ns(sample->process, time_ns);
		item->base_cpu_ns = item->base_ns < time_ns ? 0 : cpu_ns;
	}
	/* a counter that decreased is wrong: the earlier value holds until it is exceeded again */
	if (cpu_ns < item->base_cpu_ns)
		cpu_ns = item->base_cpu_ns;
	span_ns = time_ns > item->base_ns ? time_ns - item->base_ns : 0;
	if (span_ns < (state->use_clock ? SPAN_NS : TICKS_SPAN_NS))
		return 0;
	percent = (double)(cpu_ns - item->base_cpu_ns) / (double)span_ns * 100;
	item->base_ns = time_ns;
	item->base_cpu_ns = cpu_ns;
	return counter_put(&item->counter,
			   &(struct counter_value){ "cpu", "%", sample->process->track, time_ns, percent }, sample->out,
			   sample->err);
}

static int sample_machine(struct cpu_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	uint64_t interval_ns = sample_interval_ns(state->target);
	uint64_t time_ns = sample_clock_ns(state->target, now_ns);
	double all = 0, idle = 0, stolen = 0;
	struct proc_cpu cpu;
	int result;

	if (now_ns < state->machine_due_ns && !state->target->is_ending)
		return 0;
	state->machine_due_ns = sample_next_ns(interval_ns < TICKS_SPAN_NS ? TICKS_SPAN_NS : interval_ns, now_ns);
	if (read_machine(state->target, &state->stat, &cpu))
		return 0;
	for (int i = 0; i < N_CPU_FIELDS; i++) {
		if (cpu.ticks[i] < state->base.ticks[i])
			cpu.ticks[i] = state->base.ticks[i];
		double ticks = (double)(cpu.ticks[i] - state->base.ticks[i]);
		all += ticks;
		if (i == CPU_IDLE || i == CPU_IOWAIT)
			idle += ticks;
		if (i == CPU_STEAL)
			stolen = ticks;
	}
	bool has_value = state->has_base && all > 0;
	state->base = cpu;
	state->has_base = true;
	if (!has_value)
		return 0;
	result =
	    counter_put(&state->machine,
			&(struct counter_value){ "cpu", "%", 0, time_ns, (all - idle - stolen) / all * 100 }, out, err);
	return result ? result
		      : held_put_any(&state->stolen,
				     &(struct counter_value){ "stolen", "%", 0, time_ns, stolen / all * 100 },
				     state->target->is_ending, out, err);
}

static const struct follow_kind cpu_kind = { sizeof(struct cpu_item), sample_process, NULL };

static int due_ms(const void *data)
{
	const struct cpu_state *state = data;
	uint64_t due_ns = follow_due_ns(&state->follow, &cpu_kind, state->target->tree);

	return sample_due_ms(due_ns < state->machine_due_ns ? due_ns : state->machine_due_ns);
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct cpu_state *state = data;
	struct sample sample = { state->target, NULL, out, now_ns, err };
	int result = follow_drain(&state->follow, &cpu_kind, state, &sample);

	return result ? result : sample_machine(state, out, now_ns, err);
}

static void stop(void *data)
{
	struct cpu_state *state = data;

	follow_done(&state->follow, &cpu_kind);
	proc_file_close(&state->stat);
}

const struct source source_cpu = {
	.name = "cpu",
	.help = "CPU time of each process and of the machine",
	.state_size = sizeof(struct cpu_state),
	.is_for_sums = true,
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
