// SPDX-License-Identifier: Apache-2.0
/* Hands out the buffers of a device's library and takes them back. Reads nothing of them. */
#include "capture/agent/device/device_buffers.h"

#include "base/syscalls.h"

enum { BYTES = 256 << 10, DISCARD_BYTES = 8 << 10 };

static const size_t whole = (size_t)DEVICE_BUFFERS * BYTES;

bool device_buffers_start(struct device_buffers *buffers)
{
	void *memory = buffers->memory;

	if (!memory)
		memory = call_map(NULL, whole + (size_t)DEVICE_DISCARDS * DISCARD_BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	buffers->memory = memory;
	return true;
}

uint8_t *device_buffers_at(const struct device_buffers *buffers, unsigned number, size_t *bytes)
{
	*bytes = number < DEVICE_BUFFERS ? BYTES : DISCARD_BYTES;
	return buffers->memory + (number < DEVICE_BUFFERS ? (size_t)number * BYTES
							  : whole + (size_t)(number - DEVICE_BUFFERS) * DISCARD_BYTES);
}

uint8_t *device_buffers_take(struct device_buffers *buffers, size_t *bytes)
{
	for (unsigned i = 0; i < DEVICE_NO_BUFFER; i++) {
		uint32_t is_free = 0;

		if (__atomic_compare_exchange_n(&buffers->is_out[i], &is_free, 1, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return device_buffers_at(buffers, i, bytes);
	}
	*bytes = 0;
	return NULL;
}

unsigned device_buffers_number(const struct device_buffers *buffers, const uint8_t *buffer)
{
	size_t at = (size_t)(buffer - buffers->memory), number;

	if (!buffer || buffer < buffers->memory)
		return DEVICE_NO_BUFFER;
	number = at < whole ? at / BYTES : DEVICE_BUFFERS + (at - whole) / DISCARD_BYTES;
	return number < DEVICE_NO_BUFFER ? (unsigned)number : DEVICE_NO_BUFFER;
}

void device_buffers_give(struct device_buffers *buffers, unsigned number)
{
	__atomic_store_n(&buffers->is_out[number], 0, __ATOMIC_RELEASE);
}
