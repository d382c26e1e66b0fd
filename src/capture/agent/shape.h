/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of inputs as texts (shape.c). */
#ifndef CAPTURE_AGENT_SHAPE_H
#define CAPTURE_AGENT_SHAPE_H

#include <stddef.h>
#include <stdint.h>

enum { SHAPE_DIMS = 8, SHAPE_INPUTS = 16, SHAPE_NAMED = 256 };

struct shape {
	uint32_t type; /* ONNXTensorElementDataType; 0: not a tensor; from SHAPE_NAMED on: a type with a name */
	uint32_t n_dims;
	int64_t dim[SHAPE_DIMS];
	const char *name; /* of the type, from SHAPE_NAMED on; else not read, and perhaps not set */
};

/* "float32[1x3x224x224],int64[8]" as a text id; 0: no room. */
uint32_t shape_text(const struct shape *shape, size_t n);
/* The first dimension of the first input; 0: it has none. */
static inline uint64_t shape_batch(const struct shape *first)
{
	return first->type && first->n_dims ? (uint64_t)first->dim[0] : 0;
}

#endif
