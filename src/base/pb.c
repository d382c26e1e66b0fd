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
