/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process of its own that asks NVIDIA's library (nvml.h), so that a call that takes long, hangs or crashes does not
 * take the recorder with it. It does nothing, and loads nothing, until nvml_ask_begin; then it looks at all devices
 * once per interval and sends what it has seen. It ends when we do, however that may be. One thread.
 */
#ifndef CAPTURE_SOURCE_NVML_ASK_H
#define CAPTURE_SOURCE_NVML_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "capture/source/nvml.h"

enum nvml_type {
	NVML_FAILED,  /* text: why there will be no values */
	NVML_DEVICE,  /* text: what it is; number: its minor; before the device's first value */
	NVML_LISTED,  /* number: 1 if its processes are listed, else 0; begins a look at a device */
	NVML_PROCESS, /* pid; number: bytes of its memory; other: % of the processors; NAN: not told */
	NVML_VALUES,  /* value; NAN: not told */
	NVML_LOOKED,  /* a look at all devices is over; number: nanoseconds that it took */
};

struct nvml_message {
	uint32_t type, device; /* enum nvml_type; index */
	int32_t pid;
	uint64_t time_ns; /* CLOCK_MONOTONIC of the look */
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
/* Load, and look; then once per interval. */
void nvml_ask_begin(struct nvml_ask *ask);
/* Look once more, now. */
void nvml_ask_now(struct nvml_ask *ask);
/* The next message; false: there is none within that time, or there will be none any more (has_ended). */
bool nvml_ask_next(struct nvml_ask *ask, struct nvml_message *message, int timeout_ms);
/* Why it ended, when it did so by itself: after has_ended. */
void nvml_ask_reason(struct nvml_ask *ask, char *text, size_t size);
void nvml_ask_stop(struct nvml_ask *ask);

#endif
