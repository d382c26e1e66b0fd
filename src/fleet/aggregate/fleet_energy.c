// SPDX-License-Identifier: Apache-2.0
/*
 * Energy of services: an estimate. The machine's meters count all that runs on it, and what it takes when nothing runs.
 * Of each interval, a service gets the share of the joules that its processes had of the CPU time of the whole machine.
 * The meter of the platform is left out, because it has the others in it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fleet/aggregate/fleet_in.h"

static const char suffix[] = " energy", platform[] = "psys";

/* "package-0 dram energy" in J, of the machine: the meter is what stands before the suffix. */
enum fleet_counter fleet_machine_counter(const char *name, const char *unit, struct fleet_device *device)
{
	size_t len = strlen(name), of_suffix = sizeof suffix - 1;

	if (!strcmp(name, "cpu"))
		return FLEET_MACHINE_CPU;
	if (strcmp(unit, "J") || len <= of_suffix || strcmp(name + len - of_suffix, suffix) ||
	    !strncmp(name, platform, sizeof platform - 1))
		return FLEET_NO_COUNTER;
	strcpy(device->kind, "cpu");
	origin_copy(device->id, sizeof device->id, name, len - of_suffix);
	return FLEET_MACHINE_ENERGY;
}

/* grown: CPU time in seconds, or joules, since the last roll that shared them out. */
void fleet_energy_take(const struct fleet *fleet, struct fleet_track *track, const struct event *event)
{
	double seconds = (double)(event->time_ns - track->value_ns) / 1e9;

	if (track->counter != FLEET_MACHINE_CPU && track->counter != FLEET_MACHINE_ENERGY)
		return;
	if (track->value_ns && event->time_ns > track->value_ns)
		track->grown += track->counter == FLEET_MACHINE_CPU ? event->value / 100 * seconds * fleet->opts.n_cpus
								    : fmax(event->value - track->value, 0);
	track->value = event->value;
	track->value_ns = event->time_ns;
}

/* NULL: there are as many as may be. */
static struct fleet_energy *energy_of(struct fleet_service *service, const struct fleet_device *device)
{
	for (uint32_t i = 0; i < service->n_energies; i++)
		if (!strcmp(service->energy[i].device.id, device->id))
			return &service->energy[i];
	if (service->n_energies == FLEET_DEVICES)
		return NULL;
	service->energy[service->n_energies] = (struct fleet_energy){ .device = *device };
	return &service->energy[service->n_energies++];
}

static void share_out(struct fleet *fleet, const struct fleet_track *meter, double cpu_s)
{
	for (uint32_t i = 0; i < fleet->n_services; i++) {
		struct fleet_service *service = fleet->service[i];
		struct fleet_energy *energy = service->last_cpu_s > 0 ? energy_of(service, &meter->device) : NULL;

		if (!energy)
			continue;
		energy->last_j = meter->grown * fmin(service->last_cpu_s / cpu_s, 1);
		energy->j += energy->last_j;
	}
}

static double take_cpu_s(struct fleet *fleet)
{
	double sum = 0;

	for (uint32_t i = 0; i < fleet->tracks.n; i++) {
		struct fleet_track *track = fleet_track_at(fleet, i);

		if (track->counter != FLEET_MACHINE_CPU)
			continue;
		sum += track->grown;
		track->grown = 0;
	}
	return sum;
}

void fleet_energy_roll(struct fleet *fleet)
{
	double cpu_s = take_cpu_s(fleet);

	for (uint32_t i = 0; i < fleet->n_services; i++)
		for (uint32_t k = 0; k < fleet->service[i]->n_energies; k++)
			fleet->service[i]->energy[k].last_j = 0;
	/* without a value of the CPU time yet, the joules wait for it */
	for (uint32_t i = 0; i < fleet->tracks.n && cpu_s > 0; i++) {
		struct fleet_track *track = fleet_track_at(fleet, i);

		if (track->counter != FLEET_MACHINE_ENERGY)
			continue;
		share_out(fleet, track, cpu_s);
		track->grown = 0;
	}
}
