/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire format of protocol buffers: tags, varints, lengths. Does not interpret messages. Quiet: never prints,
 * allocates or exits. The reader trusts no byte: a length never leads out of the buffer.
 */
#ifndef BASE_PB_H
#define BASE_PB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum pb_wire { PB_VARINT, PB_FIXED64, PB_BYTES, PB_GROUP, PB_GROUP_END, PB_FIXED32 };
enum { PB_VARINT_MAX = 10, PB_FIELD_MAX = (1 << 29) - 1 };

/* The tag in front of a field, for tables and switches. */
#define PB_TAG(number, wire) ((uint32_t)(number) << 3 | (wire))

/* Reads fields from a buffer. */

struct pb_in {
	const uint8_t *at, *end;
};

struct pb_field {
	uint32_t number;
	uint32_t wire;	     /* PB_VARINT, PB_FIXED64, PB_FIXED32 or PB_BYTES */
	uint64_t value;	     /* the number's bits; PB_BYTES: the length */
	const uint8_t *data; /* PB_BYTES: borrowed from the buffer; undefined for other types */
};

bool pb_get_varint_slow(struct pb_in *in, uint64_t *value);

/* false: cut off, or more than ten bytes; in->at stays. */
static inline bool pb_get_varint(struct pb_in *in, uint64_t *value)
{
	if (in->end - in->at >= 2) {
		if (!(in->at[0] & 0x80)) {
			*value = *in->at++;
			return true;
		}
		if (!(in->at[1] & 0x80)) {
			*value = (in->at[0] & 0x7fu) | (uint64_t)in->at[1] << 7;
			in->at += 2;
			return true;
		}
	}
	return pb_get_varint_slow(in, value);
}

int pb_next_slow(struct pb_in *in, struct pb_field *field);

/*
 * The next field: 1, 0 at the end, -1 if it is malformed or reaches beyond the end (in->at stays at its tag). Groups
 * count as malformed: no format that we read has them.
 */
static inline int pb_next(struct pb_in *in, struct pb_field *field)
{
	const uint8_t *at = in->at, *end = in->end;
	uint32_t tag, value;

	/* fast path: tags and numbers of one or two bytes are the most common */
	if (at == end)
		return 0;
	tag = *at++;
	if (tag & 0x80) {
		if (at == end || *at & 0x80)
			return pb_next_slow(in, field);
		tag = (tag & 0x7f) | (uint32_t)*at++ << 7;
	}
	if (tag < 8 || at == end || ((tag & 7) != PB_VARINT && (tag & 7) != PB_BYTES))
		return pb_next_slow(in, field);
	value = *at++;
	if (value & 0x80) {
		if (at == end || *at & 0x80)
			return pb_next_slow(in, field);
		value = (value & 0x7f) | (uint32_t)*at++ << 7;
	}
	field->number = tag >> 3;
	field->wire = tag & 7;
	field->value = value;
	field->data = at;
	if (field->wire == PB_BYTES) {
		if (value > end - at)
			return pb_next_slow(in, field);
		at += value;
	}
	in->at = at;
	return 1;
}

static inline struct pb_in pb_in(const void *data, size_t size)
{
	const uint8_t *at = data;

	return (struct pb_in){ at, at + size };
}

static inline struct pb_in pb_inside(const struct pb_field *field)
{
	return (struct pb_in){ field->data, field->data + field->value };
}

static inline double pb_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Writers without a bounds check: each returns the position of the next byte. The caller guarantees the room. */

static inline uint8_t *pb_put_varint(uint8_t *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

static inline uint8_t *pb_put_uint(uint8_t *at, uint32_t number, uint64_t value)
{
	return pb_put_varint(pb_put_varint(at, PB_TAG(number, PB_VARINT)), value);
}

static inline uint8_t *pb_put_fixed64(uint8_t *at, uint32_t number, uint64_t value)
{
	at = pb_put_varint(at, PB_TAG(number, PB_FIXED64));
	memcpy(at, &value, sizeof value);
	return at + sizeof value;
}

static inline uint8_t *pb_put_double(uint8_t *at, uint32_t number, double value)
{
	at = pb_put_varint(at, PB_TAG(number, PB_FIXED64));
	memcpy(at, &value, sizeof value);
	return at + sizeof value;
}

/*
 * Nested messages: open leaves one byte for the length; close fills it in and moves the body if the length needs more
 * bytes. *inside is where the body starts.
 */
static inline uint8_t *pb_open(uint8_t *at, uint32_t number, uint8_t **inside)
{
	at = pb_put_varint(at, PB_TAG(number, PB_BYTES));
	*inside = ++at;
	return at;
}

uint8_t *pb_close_long(uint8_t *at, uint8_t *inside);

static inline uint8_t *pb_close(uint8_t *at, uint8_t *inside)
{
	if (__builtin_expect(at - inside < 0x80, 1)) {
		inside[-1] = (uint8_t)(at - inside);
		return at;
	}
	return pb_close_long(at, inside);
}

#endif
