/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of inputs as texts (shape.c). */
#ifndef CAPTURE_AGENT_SHAPE_H
#define CAPTURE_AGENT_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/shape.h"

/* "float32[1x3x224x224],int64[8]" as a text id; behind the first inputs "float32[1x8x40x64]*48". 0: none, or no room.
 */
uint32_t shapes_text(const struct shapes *shapes);
/* The first dimension of the first input; 0: it has none. */
static inline uint64_t shape_batch(const struct shape *first)
{
	return first->type && first->n_dims ? (uint64_t)first->dim[0] : 0;
}
static inline uint64_t shapes_batch(const struct shapes *shapes)
{
	return shapes->n ? shape_batch(&shapes->input[0]) : 0;
}

#endif
