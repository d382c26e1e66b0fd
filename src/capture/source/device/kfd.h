/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what AMD's compute driver (amdkfd: ROCm, HIP) reports on a process in /sys/class/kfd. Its work bypasses the
 * queues that fdinfo reports on and, in older kernels, so does its memory. Keeps no state; any thread.
 */
#ifndef CAPTURE_SOURCE_KFD_H
#define CAPTURE_SOURCE_KFD_H

#include <stdint.h>

#include "capture/source/device/device.h"

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
