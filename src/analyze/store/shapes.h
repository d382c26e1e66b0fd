/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of tensors, as events have them. */
#ifndef ANALYZE_STORE_SHAPES_H
#define ANALYZE_STORE_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Elements of all inputs in "float32[1x3x224x224],int64[8]", or "1x3x224x224,8"; what follows "->" are outputs.
 * 0: there are none, or a dimension is not known.
 */
uint64_t shapes_elements(const char *shapes);

/*
 * Elements of the first of these inputs, or of the first "*N" that are alike; 0: a dimension is not known. *shapes:
 * those behind it. False: there is none, or the text is none of shapes.
 */
bool shapes_next(const char **shapes, uint64_t *elements);
/* Whether no input is left: the text ends, or outputs follow. */
bool shapes_end(const char *shapes);

/* The size that inputs with so many elements belong to: a quarter of an octave. elements is not 0. */
uint32_t shapes_bin(uint64_t elements);

#endif
