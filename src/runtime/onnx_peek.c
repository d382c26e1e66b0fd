// SPDX-License-Identifier: Apache-2.0
/* Walks the top-level fields of a protobuf message (onnx.proto: ModelProto, GraphProto) and skips their bodies. */
#include "runtime/onnx_peek.h"

#include <stdint.h>
#include <string.h>

struct field {
	uint32_t number, wire;
	uint64_t value; /* of a varint; length of a body */
	const uint8_t *body;
};

static bool varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;
		*value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

static bool next(const uint8_t **at, const uint8_t *end, struct field *field)
{
	uint64_t key, skip = 0;

	if (!varint(at, end, &key) || key >> 3 == 0 || key >> 3 > 1000)
		return false;
	field->number = (uint32_t)(key >> 3);
	field->wire = key & 7;
	field->value = 0;
	if ((field->wire == 0 || field->wire == 2) && !varint(at, end, &field->value))
		return false;
	if (field->wire == 2)
		skip = field->value;
	else if (field->wire == 1)
		skip = 8;
	else if (field->wire == 5)
		skip = 4;
	else if (field->wire)
		return false;
	if (skip > (uint64_t)(end - *at))
		return false;
	field->body = *at;
	*at += skip;
	return true;
}

bool onnx_peek_is_model(const char *bytes, size_t size)
{
	const uint8_t *at = (const uint8_t *)bytes, *end = at + size;
	struct field field;

	/* ir_version comes first: every writer puts fields in order */
	return size > 16 && next(&at, end, &field) && field.number == 1 && field.wire == 0 && field.value > 0 &&
	       field.value < 100;
}

void onnx_peek_graph_name(const char *bytes, size_t size, char *name, size_t name_size)
{
	const uint8_t *at = (const uint8_t *)bytes, *end = at + size;
	struct field field;

	*name = 0;
	while (next(&at, end, &field)) {
		const uint8_t *inner, *inner_end;
		if (field.number != 7 || field.wire != 2)
			continue;
		inner = field.body;
		inner_end = inner + field.value;
		while (next(&inner, inner_end, &field)) {
			size_t len = field.value < name_size ? field.value : name_size - 1;
			if (field.number != 2 || field.wire != 2)
				continue;
			memcpy(name, field.body, len);
			name[len] = 0;
			return;
		}
		return;
	}
}
