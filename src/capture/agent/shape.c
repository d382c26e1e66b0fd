// SPDX-License-Identifier: Apache-2.0
/*
 * Shapes of inputs as texts: "float32[1x3x224x224],int64[8]"; behind the first inputs, each shape once, and how many
 * have it: "float32[1x8x40x64]*48". A text is made once per set of shapes; after that a hash of the numbers finds its
 * id, without a lock. A program may have new shapes with each inference, so the hashes are
 * forgotten when there are many. Reads no object of a runtime.
 */
#include "capture/agent/shape.h"

#include <string.h>

#include "capture/agent/agent.h"
#include "capture/agent/dict.h"
#include "capture/agent/map.h"

enum { MANY = 16384 };

static struct map texts; /* hash of types and dimensions -> text id */
static uint32_t n_texts;

static char *put_number(char *to, int64_t number)
{
	char digits[24];
	int n = 0;
	uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

	if (number < 0)
		*to++ = '-';
	do
		digits[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}

/* Element types in the order of ONNXTensorElementDataType (onnxruntime_c_api.h). */
static const char *type_name(uint32_t type)
{
	static const char *const names[] = { "?",
					     "float32",
					     "uint8",
					     "int8",
					     "uint16",
					     "int16",
					     "int32",
					     "int64",
					     "string",
					     "bool",
					     "float16",
					     "float64",
					     "uint32",
					     "uint64",
					     "complex64",
					     "complex128",
					     "bfloat16",
					     "float8e4m3fn",
					     "float8e4m3fnuz",
					     "float8e5m2",
					     "float8e5m2fnuz",
					     "uint4",
					     "int4",
					     "float4e2m1" };

	return type < sizeof names / sizeof *names ? names[type] : "?";
}

static char *put_shape(char *to, const struct shape *shape)
{
	to = stpcpy(to, !shape->type ? "-" : shape->type >= SHAPE_NAMED ? shape->name : type_name(shape->type));
	if (!shape->type)
		return to;
	*to++ = '[';
	for (uint32_t d = 0; d < shape->n_dims; d++) {
		if (d)
			*to++ = 'x';
		to = put_number(to, shape->dim[d]);
	}
	*to++ = ']';
	return to;
}

static uint32_t make_text(const struct shapes *shapes)
{
	enum { OF_SHAPE = 16 + SHAPE_DIMS * 21, OF_TIMES = 11 };
	char text[SHAPE_INPUTS * OF_SHAPE + SHAPE_GROUPS * (OF_SHAPE + OF_TIMES)], *to = text;

	for (uint32_t i = 0; i < shapes->n; i++) {
		if (i)
			*to++ = ',';
		to = put_shape(to, &shapes->input[i]);
	}
	for (uint32_t i = 0; i < shapes->n_groups; i++) {
		*to++ = ',';
		to = put_shape(to, &shapes->group[i]);
		if (shapes->times[i] == 1)
			continue;
		*to++ = '*';
		to = put_number(to, shapes->times[i]);
	}
	return dict_text_of_run(text, (size_t)(to - text));
}

static inline uint64_t hash_shape(uint64_t hash, const struct shape *shape)
{
	hash = (hash ^ shape->type ^ (uint64_t)shape->n_dims << 32) * 0xff51afd7ed558ccdu;
	hash ^= hash >> 31;
	for (uint32_t d = 0; d < shape->n_dims; d++) {
		hash = (hash ^ (uint64_t)shape->dim[d]) * 0xc4ceb9fe1a85ec53u;
		hash ^= hash >> 29;
	}
	return hash;
}

uint32_t shapes_text(const struct shapes *shapes)
{
	uint64_t hash = hot->generation * 0x9e3779b97f4a7c15u;
	uint32_t text;

	if (!shapes->n)
		return 0;
	for (uint32_t i = 0; i < shapes->n; i++)
		hash = hash_shape(hash, &shapes->input[i]);
	for (uint32_t i = 0; i < shapes->n_groups; i++)
		hash = hash_shape(hash ^ (uint64_t)shapes->times[i] << 40, &shapes->group[i]);
	hash |= 8;
	text = (uint32_t)(uintptr_t)map_get(&texts, hash);
	if (text && dict_is_valid(text))
		return text;
	text = make_text(shapes);
	if (!text)
		return 0;
	agent_lock();
	if (n_texts == MANY) {
		map_clear(&texts);
		n_texts = 0;
	}
	n_texts += map_put(&texts, hash, (void *)(uintptr_t)text);
	agent_unlock();
	return text;
}
