/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries NVIDIA's library (nvml.h) in a process of its own, so that a call that is slow, hangs or crashes does not
 * affect the recorder. It does and loads nothing until nvml_ask_begin; then it samples all devices once per interval
 * and sends the results. It exits when the recorder does, in whatever way. One thread.
 */
#ifndef CAPTURE_SOURCE_NVML_ASK_H
#define CAPTURE_SOURCE_NVML_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "capture/source/device/nvml.h"

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
