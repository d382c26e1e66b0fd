// SPDX-License-Identifier: Apache-2.0
/*
 * Energy counted by the machine's own meters (RAPL, of Intel and AMD): per package, memory and platform "package-0
 * power" in watts over the time before the stamp, and "package-0 energy" in joules since the first sample. It covers
 * everything that runs on the machine, idle power included, not only the recorded program.
 *
 * A meter restarts at 0 after its largest value. If it decreased for another reason (a firmware reset, a suspend), the
 * step would mean an impossible power: it gives no value, and the joules end there, because the missed part is unknown.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/source/counter.h"
#include "capture/source/follow.h"

#define MS_NS UINT64_C(1000000)
/* The meters are updated every millisecond. */
#define SPAN_NS (8 * MS_NS)
/* A meter must be read once per wrap; on busy machines small ones wrap after some minutes. */
#define LONGEST_NS (30000 * MS_NS)
#define IMPOSSIBLE_WATTS 20e3

#define POWERCAP "/sys/class/powercap"
#define ZONE "intel-rapl:"

enum { MAX_ZONES = 64, ZONE_NAME = 32, LABEL = 48 };

struct meter {
	char zone[ZONE_NAME]; /* "intel-rapl:0:2" */
	char label[LABEL];    /* "package-0 dram" */
	struct counter power, energy;
	uint64_t range_uj; /* largest value; 0: unknown */
	bool has_base, has_lost;
	uint64_t base_ns, base_uj;
	double joules;
};

struct energy_state {
	const struct target *target;
	struct meter *meter;
	size_t n;
	uint64_t due_ns;
};

/* Reads a file of a zone: bytes, or -errno. */
static ssize_t read_file(const char *sysroot, const char *zone, const char *file, char *text, size_t size)
{
	char path[PATH_MAX];
	ssize_t got;
	int fd;

	if (snprintf(path, sizeof path, "%s" POWERCAP "/%s/%s", sysroot, zone, file) >= (int)sizeof path)
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, size);
	if (got < 0)
		got = -errno;
	close(fd);
	return got;
}

static int read_number(const char *sysroot, const char *zone, const char *file, uint64_t *value)
{
	char text[64];
	ssize_t got = read_file(sysroot, zone, file, text, sizeof text);

	if (got < 0)
		return (int)got;
	return proc_number(text, (size_t)got, 0, value) ? 0 : -EPROTO;
}

/* The word in the zone's file "name"; false: absent, or not a plain word. */
static bool read_name(const char *sysroot, const char *zone, char *name, size_t size)
{
	ssize_t got = read_file(sysroot, zone, "name", name, size);
	size_t len;

	if (got <= 0 || (size_t)got >= size)
		return false;
	name[got] = 0;
	len = strspn(name, "abcdefghijklmnopqrstuvwxyz-0123456789");
	if (!len || (name[len] && name[len] != '\n'))
		return false;
	name[len] = 0;
	return true;
}

/* The label of a zone's meter: packages and the platform by their names, memory by that of its package, too. */
static bool find_label(const char *sysroot, const char *zone, char *label)
{
	char name[20], parent[ZONE_NAME], package[20];

	if (!read_name(sysroot, zone, name, sizeof name))
		return false;
	if (!strncmp(name, "package-", 8) || !strcmp(name, "psys")) {
		snprintf(label, LABEL, "%s", name);
		return true;
	}
	if (strcmp(name, "dram"))
		return false; /* cores and graphics are parts of their package */
	snprintf(parent, sizeof parent, "%s", zone);
	*strrchr(parent, ':') = 0;
	if (read_name(sysroot, parent, package, sizeof package))
		snprintf(label, LABEL, "%s dram", package);
	else
		snprintf(label, LABEL, "dram");
	return true;
}

static int by_zone(const void *left, const void *right)
{
	return strverscmp(((const struct meter *)left)->zone, ((const struct meter *)right)->zone);
}

/*
 * The meters in the order of their zones, at most MAX_ZONES; -errno when the folder does not exist. Zones of other
 * kinds ("intel-rapl-mmio:0") show the same packages by another path.
 */
static int find_meters(const char *sysroot, struct meter *meter, size_t *n)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *folder;

	*n = 0;
	if (snprintf(path, sizeof path, "%s" POWERCAP, sysroot) >= (int)sizeof path)
		return -ENAMETOOLONG;
	folder = opendir(path);
	if (!folder)
		return -errno;
	while (*n < MAX_ZONES && (entry = readdir(folder))) {
		struct meter *to = &meter[*n];

		if (strncmp(entry->d_name, ZONE, strlen(ZONE)) || strlen(entry->d_name) >= sizeof to->zone ||
		    !find_label(sysroot, entry->d_name, to->label))
			continue;
		strcpy(to->zone, entry->d_name);
		if (read_number(sysroot, to->zone, "max_energy_range_uj", &to->range_uj))
			to->range_uj = 0;
		++*n;
	}
	closedir(folder);
	qsort(meter, *n, sizeof *meter, by_zone);
	return 0;
}

static int say_no_meter(const struct target *target, int result, struct err *err)
{
	if (result && result != -ENOENT)
		return err_set(err, -result, "cannot read %s" POWERCAP ": %s", target->sysroot, strerror(-result));
	return err_set(err, ENOENT,
		       "cannot find an energy meter in %s" POWERCAP
		       ": this machine has none; most virtual machines have none; otherwise try: modprobe "
		       "intel_rapl_msr (also for AMD)",
		       target->sysroot);
}

static int say_unreadable(const struct target *target, const char *zone, int result, struct err *err)
{
	if (result == -EACCES || result == -EPERM)
		return err_set(err, -result,
			       "cannot read %s" POWERCAP "/%s/energy_uj: %s; only root may read energy meters; run "
			       "inftrace as root, or run: sudo chmod a+r " POWERCAP "/" ZONE "*/energy_uj",
			       target->sysroot, zone, strerror(-result));
	return err_set(err, -result, "cannot read %s" POWERCAP "/%s/energy_uj: %s", target->sysroot, zone,
		       result == -EPROTO ? "not understood" : strerror(-result));
}

/* One readable meter is enough: the values of the others are missing. */
static int check(const struct target *target, struct err *err)
{
	struct meter *meter = calloc(MAX_ZONES, sizeof *meter);
	int result, first = 0;
	size_t n = 0, n_readable = 0;
	uint64_t uj;

	if (!meter)
		return err_no_memory(err, "cannot list energy meters");
	result = find_meters(target->sysroot, meter, &n);
	for (size_t i = 0; i < n; i++) {
		int code = read_number(target->sysroot, meter[i].zone, "energy_uj", &uj);

		n_readable += !code;
		first = first ? first : code;
	}
	if (result || !n)
		result = say_no_meter(target, result, err);
	else if (!n_readable)
		result = say_unreadable(target, meter[0].zone, first, err);
	free(meter);
	return result;
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	struct energy_state *state = data;

	state->target = target;
	state->meter = calloc(MAX_ZONES, sizeof *state->meter);
	if (!state->meter)
		return err_no_memory(err, "cannot read energy meters");
	find_meters(target->sysroot, state->meter, &state->n);
	return 0;
}

static int due_ms(const void *data)
{
	return sample_due_ms(((const struct energy_state *)data)->due_ns);
}

/* Microjoules between two samples; false: the meter was reset. */
static bool find_step(const struct meter *meter, uint64_t uj, uint64_t span_ns, uint64_t *step_uj)
{
	if (uj >= meter->base_uj)
		*step_uj = uj - meter->base_uj;
	else if (meter->range_uj >= meter->base_uj)
		*step_uj = meter->range_uj - meter->base_uj + uj;
	else
		return false;
	return (double)*step_uj * 1e3 / (double)span_ns <= IMPOSSIBLE_WATTS;
}

static int put(struct meter *meter, struct sink *out, uint64_t time_ns, double watts, struct err *err)
{
	char name[LABEL + 8];
	int result = 0;

	if (!isnan(watts)) {
		snprintf(name, sizeof name, "%s power", meter->label);
		result = counter_put(&meter->power, &(struct counter_value){ name, "W", 0, time_ns, watts }, out, err);
	}
	if (result || meter->has_lost)
		return result;
	snprintf(name, sizeof name, "%s energy", meter->label);
	return counter_put(&meter->energy, &(struct counter_value){ name, "J", 0, time_ns, meter->joules }, out, err);
}

static int sample(struct meter *meter, const struct target *target, struct sink *out, uint64_t now_ns, struct err *err)
{
	uint64_t before_ns = sample_clock_ns(target, now_ns), uj, time_ns, span_ns, step_uj;
	double watts = NAN;

	if (read_number(target->sysroot, meter->zone, "energy_uj", &uj))
		return 0;
	time_ns = before_ns + (sample_clock_ns(target, now_ns) - before_ns) / 2;
	span_ns = time_ns - meter->base_ns;
	if (meter->has_base && span_ns < SPAN_NS)
		return 0;
	if (meter->has_base && find_step(meter, uj, span_ns, &step_uj)) {
		watts = (double)step_uj * 1e3 / (double)span_ns;
		meter->joules += (double)step_uj / 1e6;
	} else if (meter->has_base) {
		meter->has_lost = true;
	}
	meter->has_base = true;
	meter->base_ns = time_ns;
	meter->base_uj = uj;
	return put(meter, out, time_ns, watts, err);
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct energy_state *state = data;
	uint64_t interval_ns = sample_interval_ns(state->target);
	int result = 0;

	if (now_ns < state->due_ns && !state->target->is_ending)
		return 0;
	state->due_ns = sample_next_ns(interval_ns < LONGEST_NS ? interval_ns : LONGEST_NS, now_ns);
	for (size_t i = 0; i < state->n && !result; i++)
		result = sample(&state->meter[i], state->target, out, now_ns, err);
	return result;
}

static void stop(void *data)
{
	struct energy_state *state = data;

	free(state->meter);
	state->meter = NULL;
}

const struct source source_energy = {
	.name = "energy",
	.help = "energy that packages, memory and platform take (RAPL)",
	.state_size = sizeof(struct energy_state),
	.is_for_sums = true,
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
