/* SPDX-License-Identifier: Apache-2.0 */
/* What the value of a record says with which an inference or a session creation begins (record.h). Plain C. */
#ifndef EVENT_BEGIN_VALUE_H
#define EVENT_BEGIN_VALUE_H

#include <stdint.h>

/* The lane, the batch (0: not known), and the text of the line that asked for it (0: not known), of 24 bits. */
#define BEGIN_VALUE(lane, batch, caller) \
	((uint64_t)(lane) | ((uint64_t)(batch) & 0xffffffffu) << 8 | (uint64_t)(caller) << 40)
static inline uint32_t begin_lane(uint64_t value)
{
	return value & 0xff;
}
static inline uint32_t begin_batch(uint64_t value)
{
	return value >> 8 & 0xffffffffu;
}
static inline uint32_t begin_caller(uint64_t value)
{
	return (uint32_t)(value >> 40);
}

#endif
