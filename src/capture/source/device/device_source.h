/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source for one class of devices, made from a table: what the processes use (clients.c) and, for the devices they
 * use, the driver's files about the device (gauge.h). Counters of a device lie below a track of its own, "gpu card1:
 * amdgpu 1002:744C at 0000:03:00.0". The functions are those of struct source, with the kind added to the first three;
 * state is a zeroed struct device_state of the source. One thread.
 */
#ifndef CAPTURE_SOURCE_DEVICE_DEVICE_SOURCE_H
#define CAPTURE_SOURCE_DEVICE_DEVICE_SOURCE_H

#include <stdint.h>

#include "capture/source/device/device.h"
#include "capture/source/device/gauge.h"
#include "capture/source/follow.h"

/*
 * What the target's processes use of GPUs and NPUs, from the drivers' report on each client (fdinfo.h). Per process and
 * device: the share of each engine, "gpu card1 compute", and the memory, "gpu card1 memory vram". A client counts once,
 * for the first process that has it, however often its descriptor was copied or passed on. Use through AMD's compute
 * driver (kfd.c) is "gpu card1 compute memory" and "compute units". Devices, engines and regions that were never used
 * are not shown. One thread.
 */
/* Starts zeroed except for the first five, which the caller sets. */
struct clients {
	const struct target *target;
	const struct device_class *class;
	const struct device *devices;
	size_t n_devices;
	uint64_t kfd_id[DEVICE_MOST]; /* 0: do not read it */
	bool is_used[DEVICE_MOST];    /* by a process of the target, so far */
	struct follow follow;
	struct client *client;
	size_t n, capacity;
	uint64_t visit;
};

/* Samples the processes that are due. 0, or the sink's error. */
int clients_drain(struct clients *clients, struct sink *out, uint64_t now_ns, struct err *err);
uint64_t clients_due_ns(const struct clients *clients);
void clients_done(struct clients *clients);

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

/*
 * Reads what AMD's compute driver (amdkfd: ROCm, HIP) reports on a process in /sys/class/kfd. Its work bypasses the
 * queues that fdinfo reports on and, in older kernels, so does its memory. Keeps no state; any thread.
 */
/* The driver's number of a device; 0: not its device. */
uint64_t kfd_id(const char *sysroot, const struct device *device);

struct kfd_use {
	bool has_memory, has_units;
	uint64_t memory_bytes;
	uint64_t units; /* compute units at work for the process at the moment */
};

/* pid is the host's. False: the process does not use the driver. */
bool kfd_read(const char *sysroot, uint64_t id, pid_t pid, struct kfd_use *use);

#endif
