// SPDX-License-Identifier: Apache-2.0
/*
 * How fast the CPUs run: "cpu frequency", MHz, the mean of (at most 16 of) them; and "temperature" of the hottest zone.
 * A machine that is hot or saves energy needs longer for the same work. Virtual machines have neither.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/source/counter.h"
#include "capture/source/follow.h"

enum { MAX_CPUS = 4096, MOST = 16, MAX_ZONES = 32 };

#define CPUS "/sys/devices/system/cpu"
#define ZONES "/sys/class/thermal"

struct frequency_state {
	const struct target *target;
	int cpu[MOST];
	int n_cpus;
	bool has_zones;
	struct held mhz, degrees;
	uint64_t due_ns;
};

static bool read_number(const char *sysroot, const char *path, uint64_t *value)
{
	char whole[PATH_MAX], text[64];
	ssize_t got;
	int fd;

	if (snprintf(whole, sizeof whole, "%s%s", sysroot, path) >= (int)sizeof whole)
		return false;
	fd = open(whole, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof text);
	close(fd);
	return got > 0 && proc_number(text, (size_t)got, 0, value);
}

static bool read_cpu(const struct target *target, int cpu, uint64_t *khz)
{
	char path[96];

	snprintf(path, sizeof path, CPUS "/cpu%d/cpufreq/scaling_cur_freq", cpu);
	return read_number(target->sysroot, path, khz);
}

/* Thousandths of a degree. */
static bool read_hottest(const struct target *target, uint64_t *most)
{
	bool has_any = false;

	*most = 0;
	for (int i = 0; i < MAX_ZONES; i++) {
		uint64_t value;
		char path[64];

		snprintf(path, sizeof path, ZONES "/thermal_zone%d/temp", i);
		if (!read_number(target->sysroot, path, &value))
			break;
		has_any = true;
		*most = value > *most ? value : *most;
	}
	return has_any;
}

/* CPUs that report it; of more than fit, some that lie apart. */
static int find_cpus(const struct target *target, int cpu[MOST])
{
	int n = 0, step = 1;
	uint64_t khz;

	for (int i = 0; i < MAX_CPUS && read_cpu(target, i, &khz); i += step) {
		if (n == MOST) {
			for (int k = 0; k < MOST / 2; k++)
				cpu[k] = cpu[2 * k];
			n = MOST / 2;
			step *= 2;
		}
		cpu[n++] = i;
	}
	return n;
}

static int check(const struct target *target, struct err *err)
{
	uint64_t value;

	if (read_cpu(target, 0, &value) || read_hottest(target, &value))
		return 0;
	return err_set(err, ENOENT,
		       "cannot read %s" CPUS "/cpu0/cpufreq/scaling_cur_freq, or a temperature in " ZONES
		       ": this machine (a virtual one, mostly) has none",
		       target->sysroot);
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	struct frequency_state *state = data;
	uint64_t value;

	state->target = target;
	state->n_cpus = find_cpus(target, state->cpu);
	state->has_zones = read_hottest(target, &value);
	return 0;
}

static int due_ms(const void *data)
{
	return sample_due_ms(((const struct frequency_state *)data)->due_ns);
}

static int sample_cpus(struct frequency_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	uint64_t khz;
	double sum = 0;
	int n = 0;

	for (int i = 0; i < state->n_cpus; i++)
		if (read_cpu(state->target, state->cpu[i], &khz) && ++n)
			sum += (double)khz / 1000;
	if (!n)
		return 0;
	return held_put(
	    &state->mhz,
	    &(struct counter_value){ "cpu frequency", "MHz", 0, sample_clock_ns(state->target, now_ns), sum / n },
	    state->target->is_ending, out, err);
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct frequency_state *state = data;
	uint64_t most;
	int result;

	if (now_ns < state->due_ns && !state->target->is_ending)
		return 0;
	state->due_ns = sample_next_ns(sample_interval_ns(state->target), now_ns);
	result = sample_cpus(state, out, now_ns, err);
	if (!result && state->has_zones && read_hottest(state->target, &most))
		result =
		    held_put(&state->degrees,
			     &(struct counter_value){ "temperature", "\302\260C", 0,
						      sample_clock_ns(state->target, now_ns), (double)most / 1000 },
			     state->target->is_ending, out, err);
	return result;
}

static void stop(void *data)
{
}

const struct source source_frequency = {
	.name = "frequency",
	.help = "frequency and temperature of the CPUs",
	.state_size = sizeof(struct frequency_state),
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
