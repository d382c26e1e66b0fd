// SPDX-License-Identifier: Apache-2.0
/*
 * Shapes of inputs as texts: "float32[1x3x224x224],int64[8]". A text is made once per set of shapes; after that a hash
 * of the numbers finds its id, without a lock. A program may have new shapes with each inference, so the hashes are
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

static uint32_t make_text(const struct shape *shape, size_t n)
{
	char text[SHAPE_INPUTS * (16 + SHAPE_DIMS * 21)], *to = text;

	for (size_t i = 0; i < n; i++) {
		if (i)
			*to++ = ',';
		to = stpcpy(to, !shape[i].type		       ? "-"
				: shape[i].type >= SHAPE_NAMED ? shape[i].name
							       : type_name(shape[i].type));
		if (!shape[i].type)
			continue;
		*to++ = '[';
		for (uint32_t d = 0; d < shape[i].n_dims; d++) {
			if (d)
				*to++ = 'x';
			to = put_number(to, shape[i].dim[d]);
		}
		*to++ = ']';
	}
	return dict_text_of_run(text, (size_t)(to - text));
}

uint32_t shape_text(const struct shape *shape, size_t n)
{
	uint64_t hash = hot->generation * 0x9e3779b97f4a7c15u;
	uint32_t text;

	for (size_t i = 0; i < n; i++) {
		hash = (hash ^ shape[i].type ^ (uint64_t)shape[i].n_dims << 32) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 31;
		for (uint32_t d = 0; d < shape[i].n_dims; d++) {
			hash = (hash ^ (uint64_t)shape[i].dim[d]) * 0xc4ceb9fe1a85ec53u;
			hash ^= hash >> 29;
		}
	}
	hash |= 8;
	text = (uint32_t)(uintptr_t)map_get(&texts, hash);
	if (text && dict_is_valid(text))
		return text;
	text = make_text(shape, n);
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
