// SPDX-License-Identifier: Apache-2.0
/* Counters, with and without an inference under way. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_slow.h"
#include "event/memory_note.h"

static double larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

/* Does a value tell of the time before it (a share, a rate), or of its moment? */
static bool is_rate(const char *unit)
{
	size_t len = strlen(unit);

	return !strcmp(unit, "%") || !strcmp(unit, "W") || (len > 2 && !strcmp(unit + len - 2, "/s"));
}

static int add_counter(struct summary_maker *maker, struct track *track)
{
	struct counter *counter = array_add(&maker->counters, sizeof *counter);
	bool is_memory;

	if (!counter)
		return -ENOMEM;
	is_memory = !strcmp(names_text(maker->names, track->def.name), "rss");
	*counter = (struct counter){ .track = (uint32_t)(track - maker->tracks),
				     .process = sum_process_of(maker, track),
				     .row = { .mean = NAN,
					      .max = NAN,
					      .min = NAN,
					      .first = NAN,
					      .last = NAN,
					      .peak = NAN,
					      .at_exit = NAN,
					      .growth_per_s = NAN,
					      .grown_to = NAN,
					      .busy_growth_per_s = NAN,
					      .busy_mean = NAN,
					      .busy_max = NAN,
					      .idle_mean = NAN,
					      .idle_max = NAN } };
	counter->is_taken = sum_memory_counter(maker, track) == MEMORY_OF_ALL;
	counter->is_in_use = !strcmp(names_text(maker->names, track->def.name), EVENT_MALLOC_IN_USE);
	counter->is_kept = !strcmp(names_text(maker->names, track->def.name), EVENT_MALLOC_FREE);
	if (sum_courses_open(&counter->course, &maker->n_counter_courses))
		return -ENOMEM;
	track->counter = (uint32_t)maker->counters.n;
	if (is_memory) {
		counter->growth = calloc(1, sizeof *counter->growth);
		counter->busy_growth = calloc(1, sizeof *counter->busy_growth);
	}
	if (is_memory || counter->is_taken)
		counter->curve = calloc(1, sizeof *counter->curve);
	if ((is_memory && (!counter->growth || !counter->busy_growth)) ||
	    ((is_memory || counter->is_taken) && !counter->curve))
		return -ENOMEM;
	return sum_why_counter(maker, track->counter - 1);
}

/*
 * A value stands for the time since the one before. What the first stands for is known for shares and rates: one
 * interval, as far as it lies in the recording and in the life of the process. Of others it stands for no time, but may
 * be the largest.
 */
static bool find_start(struct summary_maker *maker, struct track *track, uint64_t time_ns, struct moment *moment)
{
	int64_t interval_ns = maker->to->recording.interval_ns;
	uint32_t process = process_at(maker, sum_process_of(maker, track))->track;
	uint64_t born_ns = process ? maker->tracks[process].def.start_ns : 0;

	if (!is_rate(names_text(maker->names, track->def.unit)) || interval_ns <= 0)
		return false;
	*moment = (struct moment){ .what = MOMENT_START, .index = track->counter - 1 };
	moment->time_ns = time_ns > (uint64_t)interval_ns ? time_ns - (uint64_t)interval_ns : 0;
	if (born_ns > moment->time_ns && born_ns <= time_ns)
		moment->time_ns = born_ns;
	return true;
}

int sum_counters_put(struct summary_maker *maker, struct track *track, const struct event *event,
		     struct moment moments[2], uint32_t *n)
{
	*n = 0;
	if (!sum_is_in_order(maker, track, event->time_ns))
		return 0;
	maker->counts.n_samples++;
	if (sum_memory_counter(maker, track) == MEMORY_OF_SESSION)
		return 0;
	if (!track->counter) {
		if (add_counter(maker, track))
			return -ENOMEM;
		*n += find_start(maker, track, event->time_ns, &moments[0]);
	}
	moments[(*n)++] = (struct moment){ event->time_ns, .value = event->value, .index = track->counter - 1,
					   .what = MOMENT_SAMPLE };
	return 0;
}

/* What one inference takes while it runs is no growth: one value is taken until another one begins. */
static void grow(struct counter *counter, double value, uint64_t n_begun, bool is_busy)
{
	if (is_busy && n_begun == counter->grown_begun)
		return;
	growth_add(counter->growth, counter->before_ns, value);
	if (!is_busy)
		return;
	counter->grown_begun = n_begun;
	growth_add(counter->busy_growth, counter->before_ns, value);
}

static void weigh(struct counter *counter, double value, uint64_t whole_ns, uint64_t busy_ns)
{
	struct summary_resource *to = &counter->row;

	to->first = to->n++ ? to->first : value;
	if (counter->curve)
		curve_add(counter->curve, counter->before_ns, value);
	to->max = larger(to->max, value);
	to->min = isnan(to->min) || value < to->min ? value : to->min;
	to->last = value;
	to->last_ns = counter->before_ns;
	counter->plain_sum += value;
	counter->sum += value * (double)whole_ns;
	counter->busy_sum += value * (double)busy_ns;
	counter->idle_sum += value * (double)(whole_ns - busy_ns);
	to->busy_ns += busy_ns;
	to->idle_ns += whole_ns - busy_ns;
	if (busy_ns)
		to->busy_max = larger(to->busy_max, value);
	if (busy_ns < whole_ns)
		to->idle_max = larger(to->idle_max, value);
}

/* What is resident, with what allocators had taken by then. */
static void compare_memory(struct summary_maker *maker, const struct counter *counter, double value)
{
	struct track *track = &maker->tracks[counter->track];
	struct process *process = process_at(maker, sum_process_of(maker, track));

	if (counter->growth)
		sum_memory_resident(process, value);
	else if (counter->is_taken)
		process->taken = value;
	else if (counter->is_in_use)
		process->heap_in_use = value;
	else if (counter->is_kept)
		process->heap_kept = value;
}

void sum_counters_weigh(struct summary_maker *maker, const struct moment *sample, uint64_t busy_ns)
{
	struct counter *counter = (struct counter *)maker->counters.data + sample->index;
	const struct summary_opts *opts = &maker->opts;
	uint64_t time_ns = sample->time_ns, since_ns, whole_ns = 0, with_ns = 0;

	if (sample->what == MOMENT_SAMPLE && !isfinite(sample->value))
		return;
	if (time_ns < maker->counts.first_ns)
		time_ns = maker->counts.first_ns;
	since_ns = time_ns - maker->counts.first_ns;
	if (opts->to_ns && since_ns >= opts->to_ns)
		return;
	if (counter->has_before && counter->gauge && sample->what == MOMENT_SAMPLE && time_ns > counter->before_ns)
		sum_why_value(maker, sample->index, &(struct past){ counter->before_ns, time_ns, sample->value });
	if (sample->what == MOMENT_SAMPLE)
		compare_memory(maker, counter, sample->value);
	if (counter->has_before) {
		whole_ns = time_ns - counter->before_ns;
		with_ns = busy_ns > counter->before_busy_ns ? busy_ns - counter->before_busy_ns : 0;
	}
	counter->has_before = true;
	counter->before_ns = time_ns;
	counter->before_busy_ns = busy_ns;
	if (sample->what == MOMENT_SAMPLE && since_ns >= opts->from_ns && counter->course)
		course_add_value(counter->course, time_ns - whole_ns, time_ns, sample->value);
	if (sample->what != MOMENT_SAMPLE || since_ns < opts->from_ns)
		return;
	if (counter->growth)
		grow(counter, sample->value, process_at(maker, counter->process)->n_begun, with_ns);
	weigh(counter, sample->value, whole_ns, with_ns < whole_ns ? with_ns : whole_ns);
}

static bool is_device(const char *name)
{
	return !strncmp(name, "gpu ", 4) || !strncmp(name, "npu ", 4);
}

/* The counters of a device, and of each process's use of it, have names "gpu card1 busy"; its track: "gpu card1: ...".
 */
static uint32_t device_of(const struct array *devices, const struct names *names, uint32_t name)
{
	const char *text = names_text(names, name), *device;
	size_t len;

	for (size_t i = 0; i < devices->n && is_device(text); i++) {
		device = names_text(names, ((uint32_t *)devices->data)[i]);
		len = strcspn(device, ":");
		if (!strncmp(text, device, len) && text[len] == ' ')
			return ((uint32_t *)devices->data)[i];
	}
	return 0;
}

/* Devices have tracks that belong to no process. */
static int find_devices(struct summary_maker *maker, struct array *devices)
{
	for (uint32_t id = 1; devices->n < SUMMARY_DEVICES && id <= maker->n_tracks; id++) {
		struct track *track = &maker->tracks[id];
		uint32_t *name;

		if (!track->is_defined || track->def.type != TRACK_GROUP || sum_process_of(maker, track) ||
		    !is_device(names_text(maker->names, track->def.name)))
			continue;
		name = array_add(devices, sizeof *name);
		if (!name)
			return -ENOMEM;
		*name = track->def.name;
	}
	return 0;
}

static void finish(struct summary_maker *maker, const struct counter *counter, const struct array *devices,
		   struct summary_resource *to)
{
	const struct track_def *def = &maker->tracks[counter->track].def;

	*to = counter->row;
	if (counter->growth)
		to->growth_per_s = growth_per_s(counter->growth);
	if (isfinite(to->growth_per_s))
		to->grown_to = growth_last(counter->growth);
	if (counter->busy_growth)
		to->busy_growth_per_s = growth_per_s(counter->busy_growth);
	to->process = process_at(maker, sum_process_of(maker, &maker->tracks[counter->track]))->index;
	to->track = counter->track;
	to->name = def->name;
	to->unit = def->unit;
	to->device = device_of(devices, maker->names, def->name);
	/* joules add up over the recording: a mean of them says nothing, the last one does */
	if (!strcmp(names_text(maker->names, def->unit), "J")) {
		to->busy_max = to->idle_max = NAN;
		return;
	}
	if (to->n)
		to->mean = to->busy_ns + to->idle_ns ? counter->sum / (double)(to->busy_ns + to->idle_ns)
						     : counter->plain_sum / (double)to->n;
	if (to->busy_ns)
		to->busy_mean = counter->busy_sum / (double)to->busy_ns;
	if (to->idle_ns)
		to->idle_mean = counter->idle_sum / (double)to->idle_ns;
}

static int put_curve(const struct counter *counter, struct array *curves, struct summary_resource *to)
{
	to->curve = (struct summary_range){ (uint32_t)curves->n, 0 };
	for (uint32_t i = 0; counter->curve && i < counter->curve->n; i++) {
		struct curve_point *point = array_add(curves, sizeof *point);

		if (!point)
			return -ENOMEM;
		*point = counter->curve->point[i];
		to->curve.n++;
	}
	return 0;
}

/* The machine's first, then process by process. */
static int compare_resources(const void *a_, const void *b_)
{
	const struct summary_resource *a = a_, *b = b_;

	/* SUMMARY_NONE + 1 is 0 */
	if (a->process != b->process)
		return a->process + 1 < b->process + 1 ? -1 : 1;
	return (a->track > b->track) - (a->track < b->track);
}

int sum_counters_make(struct summary_maker *maker, struct end *end)
{
	struct array devices = { 0 };
	int rc = find_devices(maker, &devices);

	for (uint32_t id = 1; !rc && id <= maker->n_tracks; id++) {
		const struct counter *counter;
		struct summary_resource *to;

		if (!maker->tracks[id].counter)
			continue;
		counter = (struct counter *)maker->counters.data + maker->tracks[id].counter - 1;
		to = array_add(&end->resources, sizeof *to);
		if (!to)
			rc = -ENOMEM;
		else
			finish(maker, counter, &devices, to);
		if (!rc)
			rc = put_curve(counter, &end->curves, to);
		if (!rc)
			rc = sum_courses_put(&end->courses, counter->course, &to->course);
	}
	if (end->resources.n)
		qsort(end->resources.data, end->resources.n, sizeof(struct summary_resource), compare_resources);
	array_done(&devices, sizeof(uint32_t));
	sum_courses_align(&end->courses);
	return rc;
}
