// SPDX-License-Identifier: Apache-2.0
/*
 * Bytes of the matrices that an operator multiplies, from the shapes of its sources. Only of llama.cpp's mul_mat, which
 * reads each of them at least once, and whose types have ggml's names. Other operators may read a part of a source.
 */
#include "analyze/store/matrix_bytes.h"

#include <stdlib.h>
#include <string.h>

/* Elements come in blocks of so many, and a block takes so many bytes. */
static const struct {
	const char *name;
	uint16_t elements, bytes;
} types[] = {
	{ "f32", 1, 4 },	{ "f16", 1, 2 },	{ "bf16", 1, 2 },	{ "f64", 1, 8 },
	{ "q4_0", 32, 18 },	{ "q4_1", 32, 20 },	{ "q5_0", 32, 22 },	{ "q5_1", 32, 24 },
	{ "q8_0", 32, 34 },	{ "q8_1", 32, 36 },	{ "q2_K", 256, 84 },	{ "q3_K", 256, 110 },
	{ "q4_K", 256, 144 },	{ "q5_K", 256, 176 },	{ "q6_K", 256, 210 },	{ "q8_K", 256, 292 },
	{ "iq1_s", 256, 50 },	{ "iq1_m", 256, 56 },	{ "iq2_xxs", 256, 66 }, { "iq2_xs", 256, 74 },
	{ "iq2_s", 256, 82 },	{ "iq3_xxs", 256, 98 }, { "iq3_s", 256, 110 },	{ "iq4_nl", 32, 18 },
	{ "iq4_xs", 256, 136 }, { "tq1_0", 256, 54 },	{ "tq2_0", 256, 66 },	{ "mxfp4", 32, 17 },
};

/* "64x8]": the elements; 0: something else. */
static uint64_t elements_of(const char *text, const char **end)
{
	uint64_t elements = 1;

	for (;;) {
		char *after;
		uint64_t dim = strtoull(text, &after, 10);

		if (after == text || (dim && elements > UINT64_MAX / 512 / dim))
			return 0;
		elements *= dim;
		if (*after != 'x') {
			*end = after + 1;
			return *after == ']' ? elements : 0;
		}
		text = after + 1;
	}
}

/* "q4_0[64x8]"; -1: something else. */
static int64_t bytes_of(const char *text, const char **end)
{
	size_t len = strcspn(text, "[,");
	uint64_t elements = text[len] == '[' ? elements_of(text + len + 1, end) : 0;

	for (size_t i = 0; elements && i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == len && !memcmp(types[i].name, text, len))
			return (int64_t)(elements / types[i].elements * types[i].bytes);
	return -1;
}

int64_t matrix_bytes(const char *op_type, const char *shapes)
{
	const char *end = shapes;
	int64_t first, second;

	if (strcmp(op_type, "mul_mat") != 0 || (first = bytes_of(shapes, &end)) < 0 || *end != ',' ||
	    (second = bytes_of(end + 1, &end)) < 0 || *end)
		return -1;
	return first + second;
}
