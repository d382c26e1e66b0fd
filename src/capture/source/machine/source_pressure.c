// SPDX-License-Identifier: Apache-2.0
/*
 * Pressure stall information: the share of the time in which some task of the machine had to wait for a CPU ("cpu
 * pressure"), for memory ("memory pressure"), for a disk ("io pressure"); percent of the time before the stamp. It
 * explains why a program was slow although its own counters look fine. Not every kernel provides it.
 */
#include <errno.h>
#include <string.h>

#include "capture/source/counter.h"
#include "capture/source/follow.h"

#define MS_NS UINT64_C(1000000)
#define SPAN_NS (8 * MS_NS)

static const struct kind {
	const char *file, *name;
} kinds[] = {
	{ "pressure/cpu", "cpu pressure" },
	{ "pressure/memory", "memory pressure" },
	{ "pressure/io", "io pressure" },
};

enum { N_KINDS_OF_PRESSURE = sizeof kinds / sizeof *kinds };

struct pressure {
	struct counter counter;
	struct proc_file file;
	bool has_base;
	uint64_t base_ns, base_us;
};

struct pressure_state {
	const struct target *target;
	struct pressure pressure[N_KINDS_OF_PRESSURE];
	uint64_t due_ns;
};

static int read_total(const struct target *target, struct proc_file *file, const char *name, uint64_t *total_us)
{
	char text[512];
	ssize_t got;

	if (file && !*target->sysroot)
		got = proc_file_read(file, "", 0, name, text, sizeof text);
	else
		got = proc_read(target->sysroot, 0, name, text, sizeof text);
	if (got < 0)
		return (int)got;
	return proc_pressure(text, (size_t)got, total_us) ? 0 : -EPROTO;
}

static int check(const struct target *target, struct err *err)
{
	uint64_t total_us;
	int result = read_total(target, NULL, kinds[0].file, &total_us);

	if (!result)
		return 0;
	if (result == -ENOENT || result == -EOPNOTSUPP)
		return err_set(err, -result,
			       "cannot read %s/proc/%s: this kernel has no pressure stall information; it needs "
			       "CONFIG_PSI, and on some systems psi=1 on the kernel command line",
			       target->sysroot, kinds[0].file);
	return err_set(err, -result, "cannot read %s/proc/%s: %s", target->sysroot, kinds[0].file,
		       result == -EPROTO ? "not understood" : strerror(-result));
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	((struct pressure_state *)data)->target = target;
	return 0;
}

static int due_ms(const void *data)
{
	return sample_due_ms(((const struct pressure_state *)data)->due_ns);
}

static int sample(struct pressure_state *state, int i, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct pressure *pressure = &state->pressure[i];
	uint64_t total_us, time_ns, span_ns, more_us;

	if (read_total(state->target, &pressure->file, kinds[i].file, &total_us))
		return 0;
	time_ns = sample_clock_ns(state->target, now_ns);
	if (!pressure->has_base) {
		pressure->has_base = true;
		pressure->base_ns = time_ns;
		pressure->base_us = total_us;
	}
	span_ns = time_ns - pressure->base_ns;
	if (span_ns < SPAN_NS)
		return 0;
	more_us = total_us > pressure->base_us ? total_us - pressure->base_us : 0;
	pressure->base_ns = time_ns;
	pressure->base_us += more_us;
	return counter_put(
	    &pressure->counter,
	    &(struct counter_value){ kinds[i].name, "%", 0, time_ns, (double)more_us * 1e3 / (double)span_ns * 100 },
	    out, err);
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct pressure_state *state = data;
	int result = 0;

	if (now_ns < state->due_ns && !state->target->is_ending)
		return 0;
	state->due_ns = sample_next_ns(sample_interval_ns(state->target), now_ns);
	for (int i = 0; i < N_KINDS_OF_PRESSURE && !result; i++)
		result = sample(state, i, out, now_ns, err);
	return result;
}

static void stop(void *data)
{
	struct pressure_state *state = data;

	for (int i = 0; i < N_KINDS_OF_PRESSURE; i++)
		proc_file_close(&state->pressure[i].file);
}

const struct source source_pressure = {
	.name = "pressure",
	.help = "time that tasks of the machine wait for a CPU, memory or disks",
	.state_size = sizeof(struct pressure_state),
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
