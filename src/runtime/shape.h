/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a tensor that goes into an inference or an operator. */
#ifndef RUNTIME_SHAPE_H
#define RUNTIME_SHAPE_H

#include <stdint.h>

/* Dimensions of a shape, inputs of a call that are kept, and the first type with a name of its own. */
enum { SHAPE_DIMS = 8, SHAPE_INPUTS = 16, SHAPE_NAMED = 256 };

struct shape {
	uint32_t type; /* ONNXTensorElementDataType; 0: not a tensor; from SHAPE_NAMED on: a type with a name */
	uint32_t n_dims;
	int64_t dim[SHAPE_DIMS];
	const char *name; /* of the type, from SHAPE_NAMED on; else not read, and perhaps not set */
	const void *data; /* its elements, where a family of runtimes.h has `sequences`; else perhaps not set */
};

#endif
