// SPDX-License-Identifier: Apache-2.0
/*
 * A value stands for the time since the one before, as far as that lies in the span. What keeps a device busy is told
 * by itself, or by the engine of it that the process used most.
 */
#include "analyze/result/model/model_devices.h"

#include <stdio.h>

#include "analyze/result/model/model_energy.h"

static bool is_device(const char *name)
{
	return !strncmp(name, "gpu ", 4) || !strncmp(name, "npu ", 4);
}

static void find_devices(struct model_devices *to, const struct store *store)
{
	for (uint32_t id = 1; to->n_devices < MODEL_DEVICES && id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);
		const char *name = track ? names_text(store_names(store), track->def.name) : "", *rest;
		char (*text)[160] = to->text[to->n_devices];

		if (!track || track->def.type != TRACK_GROUP || store_process_of(store, id) || !is_device(name))
			continue;
		rest = strstr(name, ": ");
		to->compute_bytes[to->n_devices] = NAN;
		snprintf(text[0], sizeof *text, "%.*s", (int)strcspn(name, ":"), name);
		snprintf(text[1], sizeof *text, "%s", rest ? rest + 2 : "");
		to->device[to->n_devices++] = (struct model_device){
			.name = text[0],
			.description = rest ? text[1] : NULL,
			.busy_pct = NAN,
			.busy_max_pct = NAN,
			.process_bytes = NAN,
			.used_bytes = NAN,
			.watts = NAN,
			.joules = NAN,
			.n = 1,
		};
	}
}

/* Mean and maximum in the span; mean NAN: no sample says anything of it. */
static void weigh(const struct store_samples *samples, uint64_t start_ns, uint64_t end_ns, struct model_counter *to)
{
	uint64_t before_ns = start_ns, weight_ns = 0;
	double sum = 0;

	for (size_t i = 0; i < samples->n && before_ns < end_ns; i++) {
		uint64_t time_ns = samples->time_ns[i], until_ns = time_ns < end_ns ? time_ns : end_ns;

		if (time_ns <= start_ns)
			continue;
		/* what the first one of all stands for is not known: no more than the time to the next */
		if (!i && samples->n > 1 && samples->time_ns[1] - time_ns < until_ns - before_ns)
			before_ns = until_ns - (samples->time_ns[1] - time_ns);
		if (isfinite(samples->value[i])) {
			sum += samples->value[i] * (double)(until_ns - before_ns);
			weight_ns += until_ns - before_ns;
			to->max = isnan(to->max) || samples->value[i] > to->max ? samples->value[i] : to->max;
		}
		before_ns = until_ns;
	}
	to->mean = weight_ns ? sum / (double)weight_ns : NAN;
}

static struct model_device *device_of(struct model_devices *to, const char *counter, const char **what)
{
	for (uint32_t i = 0; i < to->n_devices; i++) {
		size_t len = strlen(to->device[i].name);

		if (!strncmp(counter, to->device[i].name, len) && counter[len] == ' ') {
			*what = counter + len + 1;
			return &to->device[i];
		}
	}
	return NULL;
}

static double sum_of(double sum, double value)
{
	return isnan(sum) ? value : sum + value;
}

/* Of a process: engines, and memory by its kinds. */
static void take_use(struct model_devices *to, struct model_device *device, const struct model_counter *counter,
		     const char *what)
{
	char *text = to->text[device - to->device][2];

	if (!strcmp(what, "compute memory"))
		to->compute_bytes[device - to->device] = counter->max;
	else if (!strcmp(counter->unit, "bytes"))
		device->process_bytes = sum_of(device->process_bytes, counter->max);
	if (strcmp(counter->unit, "%") || (device->busy_of && !strcmp(device->busy_of, "device")) ||
	    counter->mean < device->busy_pct)
		return;
	device->busy_pct = counter->mean;
	device->busy_max_pct = counter->max;
	snprintf(text, sizeof to->text[0][2], "process, %.100s", what);
	device->busy_of = text;
}

static void take_energy(struct model_device *device, const struct store_samples *samples, uint64_t start_ns,
			uint64_t end_ns)
{
	double joules;
	size_t n;

	joules = model_energy_between(samples, start_ns, end_ns, &n);
	if (n < MODEL_ENERGY_SAMPLES)
		device->energy_missing = "too few samples of its meter in that time: run longer, or with a shorter "
					 "--interval";
	else if (!(joules >= 0))
		device->energy_missing = "its meter was not recorded all the time";
	else
		device->joules = joules;
}

static void take_whole(struct model_device *device, const struct model_counter *counter, const char *what)
{
	if (!strcmp(what, "busy")) {
		device->busy_pct = counter->mean;
		device->busy_max_pct = counter->max;
		device->busy_of = "device";
	} else if (!strcmp(what, "memory used")) {
		device->used_bytes = counter->max;
	} else if (!strcmp(what, "power")) {
		device->watts = counter->mean;
	}
}

/* Counters of devices first, so that a process's engines count where a device does not tell. */
static void take_counters(struct model_devices *to, const struct store *store, uint64_t start_ns, uint64_t end_ns,
			  bool is_of_process)
{
	for (uint32_t id = 1; to->n_devices && to->n_counters < MODEL_COUNTERS && id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);
		struct model_counter counter = { .max = NAN, .n = 1 };
		struct model_device *device;
		const char *what;

		if (!track || track->def.type != TRACK_COUNTER || !!store_process_of(store, id) != is_of_process)
			continue;
		counter.name = names_text(store_names(store), track->def.name);
		counter.unit = names_text(store_names(store), track->def.unit);
		device = is_device(counter.name) ? device_of(to, counter.name, &what) : NULL;
		if (!device)
			continue;
		if (!strcmp(counter.unit, "J")) {
			take_energy(device, &track->samples, start_ns, end_ns);
			continue;
		}
		weigh(&track->samples, start_ns, end_ns, &counter);
		if (isnan(counter.mean))
			continue;
		if (is_of_process)
			take_use(to, device, &counter, what);
		else
			take_whole(device, &counter, what);
		to->counter[to->n_counters++] = counter;
	}
}

static double larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

void model_devices_find(struct model_devices *devices, const struct store *store, uint64_t start_ns, uint64_t end_ns)
{
	devices->n_devices = devices->n_counters = 0;
	if (start_ns >= end_ns)
		return;
	find_devices(devices, store);
	take_counters(devices, store, start_ns, end_ns, false);
	take_counters(devices, store, start_ns, end_ns, true);
	for (uint32_t i = 0; i < devices->n_devices; i++)
		devices->device[i].process_bytes = larger(devices->device[i].process_bytes, devices->compute_bytes[i]);
}

/* A mean of n rounds and of another one; what one of them lacks is that of the others. */
static double mean_of(double mean, uint32_t n, double another)
{
	if (isnan(mean) || isnan(another))
		return isnan(mean) ? another : mean;
	return (mean * n + another) / (n + 1);
}

static const char missing_round[] = "it was not used in all rounds";

static void add_device(struct model_devices *to, const struct model_device *from)
{
	struct model_device *device = NULL;

	for (uint32_t i = 0; i < to->n_devices && !device; i++)
		if (!strcmp(to->device[i].name, from->name))
			device = &to->device[i];
	if (!device && to->n_devices < MODEL_DEVICES) {
		char (*text)[160] = to->text[to->n_devices];

		device = &to->device[to->n_devices++];
		*device = *from;
		snprintf(text[0], sizeof *text, "%s", from->name);
		snprintf(text[1], sizeof *text, "%s", from->description ? from->description : "");
		snprintf(text[2], sizeof *text, "%s", from->busy_of ? from->busy_of : "");
		device->name = text[0];
		device->description = from->description ? text[1] : NULL;
		device->busy_of = from->busy_of ? text[2] : NULL;
		device->joules = NAN;
		device->energy_missing = missing_round;
		return;
	}
	if (!device)
		return;
	device->busy_pct = mean_of(device->busy_pct, device->n, from->busy_pct);
	device->busy_max_pct = larger(device->busy_max_pct, from->busy_max_pct);
	device->process_bytes = larger(device->process_bytes, from->process_bytes);
	device->used_bytes = larger(device->used_bytes, from->used_bytes);
	device->watts = mean_of(device->watts, device->n, from->watts);
	device->joules += from->joules;
	if (!device->energy_missing)
		device->energy_missing = from->energy_missing;
	device->n++;
}

static void add_counter(struct model_devices *to, const struct model_counter *from)
{
	for (uint32_t i = 0; i < to->n_counters; i++) {
		struct model_counter *counter = &to->counter[i];

		if (strcmp(counter->name, from->name) || strcmp(counter->unit, from->unit))
			continue;
		counter->mean = mean_of(counter->mean, counter->n, from->mean);
		counter->max = larger(counter->max, from->max);
		counter->n++;
		return;
	}
	if (to->n_counters < MODEL_COUNTERS)
		to->counter[to->n_counters++] = *from;
}

void model_devices_add(struct model_devices *devices, const struct model_devices *round)
{
	uint32_t n_before = devices->n_devices;

	for (uint32_t i = 0; i < n_before; i++) {
		bool is_seen = false;

		for (uint32_t k = 0; k < round->n_devices; k++)
			is_seen |= !strcmp(devices->device[i].name, round->device[k].name);
		if (!is_seen) {
			devices->device[i].joules = NAN;
			devices->device[i].energy_missing = missing_round;
		}
	}
	for (uint32_t i = 0; i < round->n_devices; i++)
		add_device(devices, &round->device[i]);
	for (uint32_t i = 0; i < round->n_counters; i++)
		add_counter(devices, &round->counter[i]);
}
