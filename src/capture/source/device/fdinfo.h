/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a GPU or NPU driver's report on one of its clients, in /proc/PID/fdinfo/FD of a DRM or accel device. Keys are
 * those of the kernel's drm-usage-stats, recognised by prefix, because every driver has engines and memories of its
 * own. The text is input: values that are not numbers, unusual names, and entries beyond the limits are ignored. Keeps
 * no state; any thread.
 */
#ifndef CAPTURE_SOURCE_FDINFO_H
#define CAPTURE_SOURCE_FDINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FDINFO_NAME = 32, FDINFO_ENGINES = 16, FDINFO_REGIONS = 16 };

/* Which fields of an engine are present. */
enum { FDINFO_BUSY = 1, FDINFO_CYCLES = 2, FDINFO_TOTAL_CYCLES = 4, FDINFO_MAX_HZ = 8 };

/* Capacity: number of engines of that name, at least 1. Counted since the client was opened. */
struct fdinfo_engine {
	char name[FDINFO_NAME]; /* "render", "compute" */
	unsigned told;
	uint64_t busy_ns, cycles;
	uint64_t total_cycles; /* of the device's clock */
	uint64_t max_hz;
	uint64_t capacity;
};

struct fdinfo_region {
	char name[FDINFO_NAME];	      /* "vram", "system0" */
	bool has_total, has_resident; /* at least one */
	uint64_t total_bytes, resident_bytes;
};

struct fdinfo {
	char driver[FDINFO_NAME]; /* "amdgpu" */
	char pci[FDINFO_NAME];	  /* "0000:03:00.0"; "": absent */
	bool has_client;
	uint64_t client;
	struct fdinfo_engine engine[FDINFO_ENGINES];
	struct fdinfo_region region[FDINFO_REGIONS];
	size_t n_engines, n_regions;
};

/* False: not the text of such a device. */
bool fdinfo_parse(const char *text, size_t len, struct fdinfo *out);

#endif
