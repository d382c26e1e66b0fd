/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of tensors, as events have them. */
#ifndef ANALYZE_STORE_SHAPES_H
#define ANALYZE_STORE_SHAPES_H

#include <stdint.h>

/*
 * Elements of all inputs in "float32[1x3x224x224],int64[8]", or "1x3x224x224,8"; what follows "->" are outputs.
 * 0: there are none, or a dimension is not known.
 */
uint64_t shapes_elements(const char *shapes);

/* The size that inputs with so many elements belong to: a quarter of an octave. elements is not 0. */
uint32_t shapes_bin(uint64_t elements);

#endif
