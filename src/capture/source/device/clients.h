/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the target's processes use of GPUs and NPUs, from the drivers' report on each client (fdinfo.h). Per process and
 * device: the share of each engine, "gpu card1 compute", and the memory, "gpu card1 memory vram". A client counts once,
 * for the first process that has it, however often its descriptor was copied or passed on. Use through AMD's compute
 * driver (kfd.h) is "gpu card1 compute memory" and "compute units". Devices, engines and regions that were never used
 * are not shown. One thread.
 */
#ifndef CAPTURE_SOURCE_CLIENTS_H
#define CAPTURE_SOURCE_CLIENTS_H

#include "capture/source/device/device.h"
#include "capture/source/follow.h"

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

#endif
