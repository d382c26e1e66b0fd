/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that a device's library writes its records into, in a fixed number of buffers. Beyond these it gets small
 * ones, whose records are counted and not told: some libraries crash if they get none. Any thread; no locks.
 */
#ifndef CAPTURE_AGENT_DEVICE_DEVICE_BUFFERS_H
#define CAPTURE_AGENT_DEVICE_DEVICE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_BUFFERS = 64, DEVICE_DISCARDS = 16, DEVICE_NO_BUFFER = DEVICE_BUFFERS + DEVICE_DISCARDS };

struct device_buffers {
	uint8_t *memory; /* kept for good: the library may still write */
	uint32_t is_out[DEVICE_NO_BUFFER];
};

/* False: no memory. */
bool device_buffers_start(struct device_buffers *buffers);
/* NULL: all are out. */
uint8_t *device_buffers_take(struct device_buffers *buffers, size_t *bytes);
/* From DEVICE_BUFFERS on it is one whose records are counted; DEVICE_NO_BUFFER: it is none of these. */
unsigned device_buffers_number(const struct device_buffers *buffers, const uint8_t *buffer);
uint8_t *device_buffers_at(const struct device_buffers *buffers, unsigned number, size_t *bytes);
void device_buffers_give(struct device_buffers *buffers, unsigned number);

#endif
