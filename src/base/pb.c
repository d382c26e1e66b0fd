// SPDX-License-Identifier: Apache-2.0
/* Reads and writes the wire format of protocol buffers: the functions too large to inline. Quiet. */
#include "base/pb.h"

bool pb_get_varint_slow(struct pb_in *in, uint64_t *value)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PB_VARINT_MAX && i < (size_t)(in->end - in->at); i++) {
		sum |= (uint64_t)(in->at[i] & 0x7f) << 7 * i;
		if (!(in->at[i] & 0x80)) {
			in->at += i + 1;
			*value = sum;
			return true;
		}
	}
	return false;
}

static bool get_fixed(struct pb_in *in, uint64_t *value, size_t size)
{
	if ((size_t)(in->end - in->at) < size)
		return false;
	*value = 0;
	memcpy(value, in->at, size);
	in->at += size;
	return true;
}

static bool get_field(struct pb_in *in, struct pb_field *field)
{
	uint64_t tag;

	if (!pb_get_varint(in, &tag) || tag >> 3 == 0 || tag >> 3 > PB_FIELD_MAX)
		return false;
	field->number = (uint32_t)(tag >> 3);
	field->wire = tag & 7;
	switch (field->wire) {
	case PB_VARINT:
		return pb_get_varint(in, &field->value);
	case PB_FIXED64:
		return get_fixed(in, &field->value, 8);
	case PB_FIXED32:
		return get_fixed(in, &field->value, 4);
	case PB_BYTES:
		if (!pb_get_varint(in, &field->value) || field->value > (size_t)(in->end - in->at))
			return false;
		field->data = in->at;
		in->at += field->value;
		return true;
	}
	return false;
}

int pb_next_slow(struct pb_in *in, struct pb_field *field)
{
	struct pb_in start = *in;

	if (in->at == in->end)
		return 0;
	if (get_field(in, field))
		return 1;
	*in = start;
	return -1;
}

uint8_t *pb_close_long(uint8_t *at, uint8_t *inside)
{
	size_t len = (size_t)(at - inside);
	uint8_t size[PB_VARINT_MAX];
	size_t n = (size_t)(pb_put_varint(size, len) - size);

	memmove(inside - 1 + n, inside, len);
	memcpy(inside - 1, size, n);
	return at + n - 1;
}

static bool has_room(struct pb_out *out, size_t len)
{
	if (!out->is_full && out->size - out->len >= len)
		return true;
	out->is_full = true;
	return false;
}

void pb_out_uint(struct pb_out *out, uint32_t number, uint64_t value)
{
	uint8_t *at = out->data + out->len;

	if (has_room(out, 5 + PB_VARINT_MAX))
		out->len += (size_t)(pb_put_uint(at, number, value) - at);
}

void pb_out_double(struct pb_out *out, uint32_t number, double value)
{
	uint8_t *at = out->data + out->len;

	if (has_room(out, 5 + sizeof value))
		out->len += (size_t)(pb_put_double(at, number, value) - at);
}

void pb_out_bytes(struct pb_out *out, uint32_t number, const void *data, size_t len)
{
	uint8_t *start = out->data + out->len, *at = start;

	if (len > SIZE_MAX - 5 - PB_VARINT_MAX || !has_room(out, len + 5 + PB_VARINT_MAX))
		return;
	at = pb_put_varint(pb_put_varint(at, PB_TAG(number, PB_BYTES)), len);
	if (len)
		memcpy(at, data, len);
	out->len += (size_t)(at - start) + len;
}

size_t pb_out_open(struct pb_out *out, uint32_t number)
{
	uint8_t *at = out->data + out->len, *inside;

	if (has_room(out, 5 + PB_VARINT_MAX))
		out->len += (size_t)(pb_open(at, number, &inside) - at);
	return out->len;
}

void pb_out_close(struct pb_out *out, size_t inside)
{
	uint8_t *end = out->data + out->len;

	if (has_room(out, PB_VARINT_MAX))
		out->len += (size_t)(pb_close(end, out->data + inside) - end);
}
