/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of the target use of GPUs and NPUs, as the drivers tell it of each client (fdinfo.h): per process
 * and device the share of each engine, "gpu card1 compute", and the memory, "gpu card1 memory vram". A client counts
 * once, in whichever process has it first, however often its descriptor was copied or handed on. What a process uses
 * through AMD's compute driver (kfd.h) is "gpu card1 compute memory", and the "compute units" at work for it. What was
 * never used is not shown. One thread.
 */
#ifndef CAPTURE_SOURCE_CLIENTS_H
#define CAPTURE_SOURCE_CLIENTS_H

#include "capture/source/device.h"
#include "capture/source/follow.h"

/* Starts zeroed but for the first five, which are the caller's. */
struct clients {
	const struct target *target;
	const struct device_class *class;
	const struct device *devices;
	size_t n_devices;
	uint64_t kfd_id[DEVICE_MOST]; /* 0: not to be asked */
	bool is_used[DEVICE_MOST];    /* by a process of the target, so far */
	struct follow follow;
	struct client *client;
	size_t n, capacity;
	uint64_t visit;
};

/* Samples the processes whose time it is. 0, or the sink's error. */
int clients_drain(struct clients *clients, struct sink *out, uint64_t now_ns, struct err *err);
uint64_t clients_due_ns(const struct clients *clients);
void clients_done(struct clients *clients);

#endif
