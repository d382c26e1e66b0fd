// SPDX-License-Identifier: Apache-2.0
/*
 * Reads numbers from files of /sys. A sum ends when its meter decreases, because the missed part is unknown; a growth
 * restarts there.
 */
#include "capture/source/device/gauge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* In a shorter time, a growth measures the clocks more than the device. */
#define SPAN_NS UINT64_C(8000000)

/* The parts of a pattern: "<folder>/<before>*<after>", where after includes what follows the name. */
struct pattern {
	char folder[PATH_MAX]; /* below the sysroot */
	char before[64], name_after[64];
	const char *rest; /* "/power1_average", "" */
};

static bool split(const char *folder, const char *file, struct pattern *pattern)
{
	const char *star = strchr(file, '*'), *name = star, *slash;
	size_t before, after;

	while (name > file && name[-1] != '/')
		name--;
	slash = strchr(star, '/');
	before = (size_t)(star - name);
	after = slash ? (size_t)(slash - star - 1) : strlen(star + 1);
	if (before >= sizeof pattern->before || after >= sizeof pattern->name_after)
		return false;
	snprintf(pattern->before, sizeof pattern->before, "%.*s", (int)before, name);
	snprintf(pattern->name_after, sizeof pattern->name_after, "%.*s", (int)after, star + 1);
	pattern->rest = slash ? slash : "";
	return snprintf(pattern->folder, sizeof pattern->folder, "%s/%.*s", folder, (int)(name - file), file) <
	       (int)sizeof pattern->folder;
}

static bool fits(const struct pattern *pattern, const char *name)
{
	size_t len = strlen(name), before = strlen(pattern->before), after = strlen(pattern->name_after);

	return *name != '.' && len >= before + after && !memcmp(name, pattern->before, before) &&
	       !memcmp(name + len - after, pattern->name_after, after);
}

/* Calls found for the path of each matching file below the sysroot, until found returns true. */
static void each_file(const char *sysroot, const char *folder, const char *file,
		      bool (*found)(void *ctx, const char *sysroot, const char *path), void *ctx)
{
	struct pattern pattern;
	char path[2 * PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	if (!split(folder, file, &pattern))
		return;
	snprintf(path, sizeof path, "%s%s", sysroot, pattern.folder);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!fits(&pattern, entry->d_name))
			continue;
		if (snprintf(path, sizeof path, "%s%s%s", pattern.folder, entry->d_name, pattern.rest) >=
		    (int)sizeof path)
			continue;
		if (found(ctx, sysroot, path))
			break;
	}
	if (dir)
		closedir(dir);
}

/* Reads the file of a gauge, which stays open; a captured tree has another file each time. */
static int read_gauge(struct gauge *gauge, const struct gauge_look *look, uint64_t *value)
{
	char path[3 * PATH_MAX], text[64];
	ssize_t got;

	snprintf(path, sizeof path, "%s/%s", look->folder, gauge->file);
	if (*look->sysroot)
		return device_read_number(look->sysroot, path, value);
	if (!gauge->descriptor)
		gauge->descriptor = open(path, O_RDONLY | O_CLOEXEC) + 1;
	if (!gauge->descriptor)
		return -errno;
	got = pread(gauge->descriptor - 1, text, sizeof text - 1, 0);
	if (got < 0)
		return -errno;
	text[got] = 0;
	return device_number(text, value);
}

struct first {
	char path[2 * PATH_MAX];
};

static bool is_there(const char *sysroot, const char *path)
{
	char full[3 * PATH_MAX];

	snprintf(full, sizeof full, "%s%s", sysroot, path);
	return !access(full, R_OK);
}

/* Keeps the smallest name: folders are unordered. */
static bool keep_first(void *ctx, const char *sysroot, const char *path)
{
	struct first *first = ctx;

	if (is_there(sysroot, path) && (!*first->path || strverscmp(path, first->path) < 0))
		snprintf(first->path, sizeof first->path, "%s", path);
	return false;
}

static bool count_one(void *ctx, const char *sysroot, const char *path)
{
	uint64_t value = 0;

	if (!device_read_number(sysroot, path, &value))
		*(uint64_t *)ctx += value == 1;
	return false;
}

static bool has_name(const struct gauges *gauges, const char *name)
{
	for (size_t i = 0; i < gauges->n; i++)
		if (!strcmp(gauges->gauge[i].kind->name, name))
			return true;
	return false;
}

int gauges_find(struct gauges *gauges, const struct gauge_kind *kinds, const char *sysroot, const char *folder)
{
	size_t folder_len = strlen(folder) + 1;
	struct first *first = malloc(sizeof *first);

	for (; first && kinds->file && gauges->n < GAUGE_MOST; kinds++) {
		*first->path = 0;
		if (has_name(gauges, kinds->name))
			continue;
		if (strchr(kinds->file, '*'))
			each_file(sysroot, folder, kinds->file, keep_first, first);
		else
			snprintf(first->path, sizeof first->path, "%s/%s", folder, kinds->file);
		if (!*first->path || !is_there(sysroot, first->path))
			continue;
		gauges->gauge[gauges->n] = (struct gauge){ .kind = kinds, .file = strdup(first->path + folder_len) };
		if (!gauges->gauge[gauges->n].file)
			break;
		gauges->n++;
	}
	free(first);
	return first && (!kinds->file || gauges->n == GAUGE_MOST) ? 0 : -ENOMEM;
}

/* NAN: no value now, or no more values at all. */
static double find_value(struct gauge *gauge, uint64_t number, uint64_t time_ns)
{
	bool is_meter = gauge->kind->shape == GAUGE_GROWTH || gauge->kind->shape == GAUGE_IDLE, is_back;
	double seconds = (double)(time_ns - gauge->base_ns) / 1e9, grown, value = NAN;

	if (!is_meter && gauge->kind->shape != GAUGE_SUM)
		return (double)number * gauge->kind->scale;
	if (gauge->has_base && is_meter && time_ns - gauge->base_ns < SPAN_NS)
		return NAN;
	is_back = gauge->has_base && number < gauge->base;
	grown = gauge->has_base && !is_back ? (double)(number - gauge->base) * gauge->kind->scale : 0;
	if (gauge->kind->shape == GAUGE_SUM) {
		gauge->has_ended |= is_back;
		gauge->sum += grown;
		value = gauge->has_ended ? NAN : gauge->sum;
	} else if (gauge->has_base && !is_back) {
		value = gauge->kind->shape == GAUGE_IDLE ? fmax(100 - grown / seconds, 0) : grown / seconds;
	}
	gauge->has_base = true;
	gauge->base = number;
	gauge->base_ns = time_ns;
	/* the device's clock and ours are read one after the other */
	return is_meter && !strcmp(gauge->kind->unit, "%") && value > 100 ? 100 : value;
}

static int sample(struct gauge *gauge, const struct gauge_look *look)
{
	uint64_t before_ns = *look->sysroot ? look->now_ns : clock_ns(), number = 0, time_ns;
	char name[80];
	double value;

	if (gauge->kind->shape == GAUGE_HOW_MANY) {
		each_file(look->sysroot, look->folder, gauge->kind->file, count_one, &number);
	} else if (read_gauge(gauge, look, &number)) {
		return 0;
	}
	time_ns = *look->sysroot ? look->now_ns : before_ns + (clock_ns() - before_ns) / 2;
	value = find_value(gauge, number, time_ns);
	gauge->has_ended |= gauge->kind->shape == GAUGE_ONCE;
	if (!isfinite(value))
		return 0;
	snprintf(name, sizeof name, "%s %s", look->device, gauge->kind->name);
	return counter_put(&gauge->counter,
			   &(struct counter_value){ name, gauge->kind->unit, look->parent, time_ns, value }, look->out,
			   look->err);
}

int gauges_sample(struct gauges *gauges, const struct gauge_look *look)
{
	int result = 0;

	for (size_t i = 0; i < gauges->n && !result; i++) {
		struct gauge *gauge = &gauges->gauge[i];
		uint64_t least_ns = gauge->kind->least_ns;

		/* a sixteenth: an interval's grid is not exact to the nanosecond */
		if (gauge->has_ended || (least_ns && gauge->has_base && !look->is_last &&
					 look->now_ns < gauge->base_ns + least_ns - least_ns / 16))
			continue;
		result = sample(gauge, look);
	}
	return result;
}

void gauges_done(struct gauges *gauges)
{
	for (size_t i = 0; i < gauges->n; i++) {
		if (gauges->gauge[i].descriptor)
			close(gauges->gauge[i].descriptor - 1);
		free(gauges->gauge[i].file);
	}
	gauges->n = 0;
}
