/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of the tensors that go into an inference or an operator. */
#ifndef RUNTIME_SHAPE_H
#define RUNTIME_SHAPE_H

#include <stddef.h>
#include <stdint.h>

/* Dimensions of a shape, inputs of a call that are kept in order, shapes of the rest, the first type with a name. */
enum { SHAPE_DIMS = 8, SHAPE_INPUTS = 16, SHAPE_GROUPS = 8, SHAPE_NAMED = 256 };

struct shape {
	uint32_t type; /* ONNXTensorElementDataType; 0: not a tensor; from SHAPE_NAMED on: a type with a name */
	uint32_t n_dims;
	int64_t dim[SHAPE_DIMS];
	const char *name; /* of the type, from SHAPE_NAMED on; else not read, and perhaps not set */
	const void *data; /* its elements, where a family of runtimes.h has `sequences`; else perhaps not set */
};

/*
 * The first inputs in their order; how many there are of each shape among the rest. Those that have no group of their
 * own count as of unknown shape. Zeroed, it is empty; only what the numbers cover is read.
 */
struct shapes {
	uint32_t n, n_groups;
	uint32_t times[SHAPE_GROUPS];
	struct shape input[SHAPE_INPUTS], group[SHAPE_GROUPS];
};

static inline void shapes_init(struct shapes *shapes)
{
	shapes->n = shapes->n_groups = 0;
}

/* Behind the first inputs, so many. */
void shapes_add_rest(struct shapes *to, const struct shape *shape, uint32_t times);

/* The next input. */
static inline void shapes_add(struct shapes *to, const struct shape *shape)
{
	if (to->n < SHAPE_INPUTS)
		to->input[to->n++] = *shape;
	else
		shapes_add_rest(to, shape, 1);
}

#endif
