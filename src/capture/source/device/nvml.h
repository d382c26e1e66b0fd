/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA's management library, loaded on request and never linked. Its calls may take long, or hang with the driver, so
 * they run in a process of their own (nvml_ask.h). One thread.
 */
#ifndef CAPTURE_SOURCE_NVML_H
#define CAPTURE_SOURCE_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Values of a device. */
enum nvml_what {
	NVML_BUSY,	   /* % of the driver's last sample (1/6 to 1 s) in which some kernel ran */
	NVML_MEMORY_BUSY,  /* the same, for its memory being read or written */
	NVML_MEMORY_USED,  /* bytes, including the driver's own */
	NVML_MEMORY_TOTAL, /* bytes */
	NVML_POWER,	   /* W */
	NVML_ENERGY,	   /* J since the driver was loaded */
	NVML_TEMPERATURE,  /* degC */
	NVML_CLOCK,	   /* MHz, of the processors */
	NVML_MEMORY_CLOCK, /* MHz */
	N_NVML_WHATS
};

struct nvml_name {
	const char *name, *unit;
};
extern const struct nvml_name nvml_names[N_NVML_WHATS];

/* A process that uses a device, by the driver's list; pids are the driver's, in a container perhaps the host's. */
struct nvml_process {
	int32_t pid;
	double memory_bytes; /* NAN: unknown */
	double busy;	     /* % of the processors, since the last sample; NAN: unknown */
};

struct nvml;

/* Loads and starts the library that INFTRACE_NVML names, else libnvidia-ml.so.1. NULL and err. */
struct nvml *nvml_open(struct err *err);
void nvml_close(struct nvml *nvml);

/* The number of devices visible to this process. */
unsigned nvml_count(const struct nvml *nvml);
/* "NVIDIA H200 at 00000000:01:00.0, driver 570.86"; minor: N of /dev/nvidiaN, -1: unknown. */
void nvml_describe(struct nvml *nvml, unsigned device, char *text, size_t size, int *minor);
/* NAN: unknown. */
void nvml_values(struct nvml *nvml, unsigned device, double value[N_NVML_WHATS]);
/* The processes, borrowed until the next call; false: the driver does not list them. */
bool nvml_processes(struct nvml *nvml, unsigned device, const struct nvml_process **processes, size_t *n);

#endif
