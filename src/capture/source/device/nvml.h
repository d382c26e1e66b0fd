/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA's management library, loaded on request and never linked. Its calls may take long, or hang with the driver, so
 * they run in a process of their own (nvml_ask.c). One thread.
 */
#ifndef CAPTURE_SOURCE_DEVICE_NVML_H
#define CAPTURE_SOURCE_DEVICE_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/*
 * Queries NVIDIA's library (nvml.h) in a process of its own, so that a call that is slow, hangs or crashes does not
 * affect the recorder. It does and loads nothing until nvml_ask_begin; then it samples all devices once per interval
 * and sends the results. It exits when the recorder does, in whatever way. One thread.
 */
enum nvml_type {
	NVML_FAILED,  /* text: why there will be no values */
	NVML_DEVICE,  /* text: description; number: its minor; before the device's first value */
	NVML_LISTED,  /* number: 1 if its processes are listed, else 0; begins a sample of a device */
	NVML_PROCESS, /* pid; number: bytes of its memory; other: % of the processors; NAN: unknown */
	NVML_VALUES,  /* value; NAN: unknown */
	NVML_LOOKED,  /* all devices are sampled; number: nanoseconds that it took */
};

struct nvml_message {
	uint32_t type, device; /* enum nvml_type; index */
	int32_t pid;
	uint64_t time_ns; /* CLOCK_MONOTONIC of the sample */
	double number, other;
	double value[N_NVML_WHATS]; /* by enum nvml_what */
	char text[216];
};

/* Zeroed: not started. */
struct nvml_ask {
	pid_t pid;
	int socket; /* + 1 */
	bool has_begun, has_ended;
};

/* 0, or -errno and err. */
int nvml_ask_start(struct nvml_ask *ask, uint64_t interval_ns, struct err *err);
/* Loads the library and takes a sample; then one per interval. */
void nvml_ask_begin(struct nvml_ask *ask);
/* Takes one more sample, now. */
void nvml_ask_now(struct nvml_ask *ask);
/* The next message; false: none within that time, or none any more (has_ended). */
bool nvml_ask_next(struct nvml_ask *ask, struct nvml_message *message, int timeout_ms);
/* Why it ended, if it exited by itself: after has_ended. */
void nvml_ask_reason(struct nvml_ask *ask, char *text, size_t size);
void nvml_ask_stop(struct nvml_ask *ask);

#endif
