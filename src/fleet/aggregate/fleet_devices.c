// SPDX-License-Identifier: Apache-2.0
/*
 * What processes take of devices, from their counters: "gpu nvidia0 sm" in %, "npu accel0 memory" in bytes. A device
 * has worked for a process as long as the busiest of its engines; all memories of a device are added up.
 */
#include <stdio.h>
#include <string.h>

#include "fleet/aggregate/fleet_in.h"

static const char memory[] = "memory";

/* "gpu card1 memory vram0": the device is what stands before the second blank. */
enum fleet_counter fleet_device_counter(const char *name, const char *unit, struct fleet_device *device)
{
	const char *id = strncmp(name, "gpu ", 4) && strncmp(name, "npu ", 4) ? NULL : name + 4;
	const char *what = id ? strchr(id, ' ') : NULL;

	if (!what || what == id)
		return FLEET_NO_COUNTER;
	snprintf(device->kind, sizeof device->kind, "%.3s", name);
	origin_copy(device->id, sizeof device->id, id, (size_t)(what - id));
	if (!strncmp(what + 1, memory, sizeof memory - 1))
		return !strcmp(unit, "bytes") ? FLEET_DEVICE_MEMORY : FLEET_NO_COUNTER;
	return !strcmp(unit, "%") ? FLEET_DEVICE_BUSY : FLEET_NO_COUNTER;
}

/* NULL: there are as many as may be. */
static struct fleet_use *use_of(struct fleet_use *uses, uint32_t *n, const struct fleet_device *device)
{
	for (uint32_t i = 0; i < *n; i++)
		if (!strcmp(uses[i].device.id, device->id) && !strcmp(uses[i].device.kind, device->kind))
			return &uses[i];
	if (*n == FLEET_DEVICES)
		return NULL;
	uses[*n] = (struct fleet_use){ .device = *device };
	return &uses[(*n)++];
}

void fleet_device_take(struct fleet_track *track, const struct event *event)
{
	if (track->counter != FLEET_DEVICE_BUSY && track->counter != FLEET_DEVICE_MEMORY)
		return;
	if (track->counter == FLEET_DEVICE_BUSY && track->value_ns && event->time_ns > track->value_ns)
		track->busy_s += event->value / 100 * (double)(event->time_ns - track->value_ns) / 1e9;
	track->value = event->value;
	track->value_ns = event->time_ns;
}

static void add_counter(struct fleet_process *process, struct fleet_track *track)
{
	struct fleet_use *use = use_of(process->use, &process->n_uses, &track->device);

	if (use && track->counter == FLEET_DEVICE_BUSY && track->busy_s > use->last_s)
		use->last_s = track->busy_s;
	if (use && track->counter == FLEET_DEVICE_MEMORY)
		use->bytes += track->value;
	track->busy_s = 0;
}

static void add_process(const struct fleet_process *process)
{
	struct fleet_service *service = process->service;

	for (uint32_t i = 0; service && i < process->n_uses; i++) {
		struct fleet_use *use = use_of(service->use, &service->n_uses, &process->use[i].device);

		if (!use)
			continue;
		use->s += process->use[i].last_s;
		use->last_s += process->use[i].last_s;
		use->bytes += process->use[i].bytes;
	}
}

static void clear(struct fleet_use *uses, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		uses[i].last_s = uses[i].bytes = 0;
}

void fleet_devices_roll(struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->n_services; i++)
		clear(fleet->service[i]->use, fleet->service[i]->n_uses);
	for (uint32_t i = 0; i < fleet->n_processes; i++)
		clear(fleet->process[i]->use, fleet->process[i]->n_uses);
	for (uint32_t i = 0; i < fleet->tracks.n; i++) {
		struct fleet_track *track = fleet_track_at(fleet, i);
		bool is_device = track->counter == FLEET_DEVICE_BUSY || track->counter == FLEET_DEVICE_MEMORY;
		struct fleet_process *process = is_device ? fleet_process_of(fleet, track) : NULL;

		if (process)
			add_counter(process, track);
	}
	for (uint32_t i = 0; i < fleet->n_processes; i++)
		add_process(fleet->process[i]);
}
