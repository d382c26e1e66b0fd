/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of protobuf for tests. */
#ifndef TEST_UNIT_PB_OUT_H
#define TEST_UNIT_PB_OUT_H

#include "base/pb.h"

/* Writes into a buffer of fixed size: a field that does not fit is left out and is_full is set. */

struct pb_out {
	uint8_t *data;
	size_t len, size;
	bool is_full;
};

static inline bool pb_has_room(struct pb_out *out, size_t len)
{
	if (!out->is_full && out->size - out->len >= len)
		return true;
	out->is_full = true;
	return false;
}

static inline void pb_out_uint(struct pb_out *out, uint32_t number, uint64_t value)
{
	uint8_t *at = out->data + out->len;

	if (pb_has_room(out, 5 + PB_VARINT_MAX))
		out->len += (size_t)(pb_put_uint(at, number, value) - at);
}

static inline void pb_out_double(struct pb_out *out, uint32_t number, double value)
{
	uint8_t *at = out->data + out->len;

	if (pb_has_room(out, 5 + sizeof value))
		out->len += (size_t)(pb_put_double(at, number, value) - at);
}

static inline void pb_out_bytes(struct pb_out *out, uint32_t number, const void *data, size_t len)
{
	uint8_t *start = out->data + out->len, *at = start;

	if (len > SIZE_MAX - 5 - PB_VARINT_MAX || !pb_has_room(out, len + 5 + PB_VARINT_MAX))
		return;
	at = pb_put_varint(pb_put_varint(at, PB_TAG(number, PB_BYTES)), len);
	if (len)
		memcpy(at, data, len);
	out->len += (size_t)(at - start) + len;
}

/* A nested message: pass the result of open to close. */
static inline size_t pb_out_open(struct pb_out *out, uint32_t number)
{
	uint8_t *at = out->data + out->len, *inside;

	if (pb_has_room(out, 5 + PB_VARINT_MAX))
		out->len += (size_t)(pb_open(at, number, &inside) - at);
	return out->len;
}

static inline void pb_out_close(struct pb_out *out, size_t inside)
{
	uint8_t *end = out->data + out->len;

	if (pb_has_room(out, PB_VARINT_MAX))
		out->len += (size_t)(pb_close(end, out->data + inside) - end);
}

#endif
