/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source for one class of devices, made from a table: what the processes use (clients.h) and, for the devices they
 * use, the driver's files about the device (gauge.h). Counters of a device lie below a track of its own, "gpu card1:
 * amdgpu 1002:744C at 0000:03:00.0". The functions are those of struct source, with the kind added to the first three;
 * state is a zeroed struct device_state of the source. One thread.
 */
#ifndef CAPTURE_SOURCE_DEVICE_SOURCE_H
#define CAPTURE_SOURCE_DEVICE_SOURCE_H

#include "capture/source/device/clients.h"
#include "capture/source/device/gauge.h"

struct device_kind {
	struct device_class class;
	const struct gauge_kind *gauges;
	const char *missing; /* what it means that no device exists */
	/* How to see more of this device, "": no advice; may be NULL. */
	void (*hint)(const struct target *target, const struct device *device, char *text, size_t size);
};

struct device_state {
	const struct target *target;
	const struct device_kind *kind;
	struct clients clients;
	struct device *devices;
	struct device_line *line; /* one for each device */
	size_t n;
};

int device_source_check(const struct device_kind *kind, const struct target *target, struct err *err);
int device_source_start(void *state, const struct device_kind *kind, const struct target *target, struct err *err);
void device_source_each(const struct device_kind *kind, const struct target *target, source_device_fn each, void *ctx);
int device_source_due_ms(const void *state);
int device_source_drain(void *state, struct sink *out, uint64_t now_ns, struct err *err);
void device_source_stop(void *state);

/* If *track is 0, defines the track of a device, "gpu card1: amdgpu". 0, or the sink's error. */
int device_track(uint32_t *track, struct sink *out, const char *name, const char *text, uint64_t time_ns,
		 struct err *err);

#endif
