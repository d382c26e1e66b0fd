// SPDX-License-Identifier: Apache-2.0
/* Counters, while an inference ran and while none did; slices that were cut off. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/summary/course/growth.h"
#include "walk.h"

static double larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

/* Whether a value is of the interval before it (a share, a rate) rather than of its moment. */
static bool is_rate(const struct build *build, const struct summary_resource *resource)
{
	const char *unit = names_text(build->names, resource->unit);
	size_t len = strlen(unit);

	return !strcmp(unit, "%") || !strcmp(unit, "W") || (len > 2 && !strcmp(unit + len - 2, "/s"));
}

/* Joules add up over the recording, so the last value counts and a mean has no meaning. */
static bool is_total(const struct build *build, const struct summary_resource *resource)
{
	return !strcmp(names_text(build->names, resource->unit), "J");
}

/*
 * A value stands for the time since the one before. What the first stands for is known for shares and rates: one
 * interval, as far as it lies in the recording. Of others it stands for no time, but may be the largest.
 */
static void weigh(const struct build *build, const struct store_samples *samples, const struct times *busy,
		  struct summary_resource *to)
{
	const struct summary_recording *recording = &build->to->recording;
	double sum = 0, busy_sum = 0, idle_sum = 0, plain_sum = 0;
	bool is_memory = !strcmp(names_text(build->names, to->name), "rss");
	uint64_t before = samples->time_ns[0];
	struct growth growth = { 0 }, busy_growth = { 0 };
	size_t next = 0;

	if (is_rate(build, to) && recording->interval_ns > 0)
		before = before - recording->begin_ns > (uint64_t)recording->interval_ns
			     ? before - (uint64_t)recording->interval_ns
			     : recording->begin_ns;
	for (size_t i = 0; i < samples->n; i++) {
		double value = samples->value[i];
		uint64_t whole, with;

		if (!isfinite(value))
			continue;
		whole = samples->time_ns[i] - before;
		with = walk_times_overlap(busy, &next, before, samples->time_ns[i]);
		before = samples->time_ns[i];
		to->first = to->n++ ? to->first : value;
		growth_add(&growth, samples->time_ns[i], value);
		if (with)
			growth_add(&busy_growth, samples->time_ns[i], value);
		to->max = larger(to->max, value);
		to->min = isnan(to->min) || value < to->min ? value : to->min;
		to->last = value;
		plain_sum += value;
		sum += value * (double)whole;
		busy_sum += value * (double)with;
		idle_sum += value * (double)(whole - with);
		to->busy_ns += with;
		to->idle_ns += whole - with;
		if (with)
			to->busy_max = larger(to->busy_max, value);
		if (with < whole)
			to->idle_max = larger(to->idle_max, value);
	}
	if (is_memory) {
		to->growth_per_s = growth_per_s(&growth);
		to->busy_growth_per_s = growth_per_s(&busy_growth);
	}
	if (to->n)
		to->mean =
		    to->busy_ns + to->idle_ns ? sum / (double)(to->busy_ns + to->idle_ns) : plain_sum / (double)to->n;
	if (to->busy_ns)
		to->busy_mean = busy_sum / (double)to->busy_ns;
	if (to->idle_ns)
		to->idle_mean = idle_sum / (double)to->idle_ns;
}

static bool is_device(const char *name)
{
	return !strncmp(name, "gpu ", 4) || !strncmp(name, "npu ", 4);
}

/* Devices have tracks "gpu card1: amdgpu" that belong to no process. */
static void find_devices(struct build *build)
{
	for (uint32_t id = 1; build->n_devices < SUMMARY_DEVICES && id <= store_n_tracks(build->store); id++) {
		const struct store_track *track = store_track(build->store, id);

		if (track && track->def.type == TRACK_GROUP && build->process_of[id] == SUMMARY_NONE &&
		    is_device(names_text(build->names, track->def.name)))
			build->devices[build->n_devices++] = track->def.name;
	}
}

/* The counters of a device, and of each process's use of it, have names "gpu card1 busy". */
static uint32_t device_of(const struct build *build, uint32_t name)
{
	const char *text = names_text(build->names, name), *device;
	size_t len;

	for (uint32_t i = 0; i < build->n_devices && is_device(text); i++) {
		device = names_text(build->names, build->devices[i]);
		len = strcspn(device, ":");
		if (!strncmp(text, device, len) && text[len] == ' ')
			return build->devices[i];
	}
	return 0;
}

static int take_counter(struct build *build, const struct store_track *track, const struct times *busy)
{
	struct summary_resource *to = array_add(&build->resources, sizeof *to);

	if (!to)
		return -ENOMEM;
	*to = (struct summary_resource){ .process = build->process_of[track->id],
					 .track = track->id,
					 .name = track->def.name,
					 .unit = track->def.unit,
					 .device = device_of(build, track->def.name),
					 .mean = NAN,
					 .max = NAN,
					 .min = NAN,
					 .first = NAN,
					 .last = NAN,
					 .peak = NAN,
					 .at_exit = NAN,
					 .growth_per_s = NAN,
					 .busy_growth_per_s = NAN,
					 .busy_mean = NAN,
					 .busy_max = NAN,
					 .idle_mean = NAN,
					 .idle_max = NAN };
	weigh(build, &track->samples, busy, to);
	if (is_total(build, to))
		to->mean = to->busy_mean = to->busy_max = to->idle_mean = to->idle_max = NAN;
	return 0;
}

/* The counters of one process, or of the machine. */
static int take_process(struct build *build, uint32_t process)
{
	struct times busy = { 0 };
	int rc = 0;

	for (uint32_t id = 1; !rc && id <= store_n_tracks(build->store); id++) {
		const struct store_track *track = store_track(build->store, id);

		if (!track || !track->samples.n || build->process_of[id] != process)
			continue;
		if (!busy.at)
			rc = build_busy(build, process, &busy);
		if (!rc)
			rc = take_counter(build, track, &busy);
	}
	walk_times_done(&busy);
	return rc;
}

static void count_open(struct build *build)
{
	for (uint32_t id = 1; store_counts(build->store)->n_open && id <= store_n_tracks(build->store); id++) {
		const struct store_track *track = store_track(build->store, id);

		for (size_t row = 0; track && row < track->slices.n; row++)
			build->to->n_open[track->slices.kind[row]] += track->slices.end_ns[row] == STORE_OPEN;
	}
}

/* Between two stretches in which inferences ran. */
static void put_gap(struct build *build, uint64_t begin_ns, uint64_t end_ns, uint64_t creating_ns)
{
	struct summary_gaps *to = &build->to->gaps;
	struct summary_gap gap = { begin_ns, end_ns, creating_ns };
	uint64_t ns = end_ns - begin_ns;
	int kind = 0;

	while (ns >= summary_gap_limit_ns(kind))
		kind++;
	to->n++;
	to->total_ns += ns;
	to->creating_ns += creating_ns;
	to->kind[kind].n++;
	to->kind[kind].total_ns += ns;
	to->kind[kind].creating_ns += creating_ns;
	for (int i = 0; i < SUMMARY_LONGEST_GAPS; i++) {
		struct summary_gap other = to->longest[i];

		if (gap.end_ns - gap.begin_ns <= other.end_ns - other.begin_ns)
			continue;
		to->longest[i] = gap;
		gap = other;
	}
}

static void find_gaps(struct build *build, const struct times *busy, const struct times *taken)
{
	size_t next = 0;

	for (size_t i = 0; i + 1 < busy->n; i++) {
		uint64_t begin_ns = busy->at[2 * i + 1], end_ns = busy->at[2 * i + 2];

		put_gap(build, begin_ns, end_ns, walk_times_overlap(taken, &next, begin_ns, end_ns));
	}
}

int build_resources(struct build *build)
{
	struct times busy = { 0 }, taken = { 0 };
	int rc;

	find_devices(build);
	rc = take_process(build, SUMMARY_NONE);
	for (uint32_t i = 0; !rc && i < build->processes.n; i++)
		rc = take_process(build, i);
	if (!rc)
		rc = build_busy(build, SUMMARY_NONE, &busy);
	for (size_t i = 0; i < busy.n; i++)
		build->to->busy_ns += busy.at[2 * i + 1] - busy.at[2 * i];
	if (!rc)
		rc = build_taken(build, &taken);
	for (size_t i = 0; i < taken.n; i++)
		build->taken_ns += taken.at[2 * i + 1] - taken.at[2 * i];
	find_gaps(build, &busy, &taken);
	walk_times_done(&busy);
	walk_times_done(&taken);
	count_open(build);
	return rc;
}
