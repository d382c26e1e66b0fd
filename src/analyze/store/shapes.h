/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of tensors, as events have them. */
#ifndef ANALYZE_STORE_SHAPES_H
#define ANALYZE_STORE_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHAPES_COARSE = 256 };

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
/* The length of the text of the first of these inputs, which a comma or outputs follow, or nothing. */
size_t shapes_input(const char *shapes);
/* How many inputs the first of these stands for: 48 of "float32[1x8]*48,int64[1]". */
uint64_t shapes_times(const char *shapes);
/* The length of a dimension, from 0, of the first of these inputs; -1: it has none, or it is not known. */
int64_t shapes_dimension(const char *shapes, uint32_t axis);
/* Whether no input is left: the text ends, or outputs follow. */
bool shapes_end(const char *shapes);

/*
 * The size that these inputs belong to: a quarter of an octave of the elements of all, and the share of each input in
 * them, by powers of two. So a small input that varies makes other sizes beside a large one that does not, while inputs
 * that grow together make no more sizes than one input does. 0: not known, as in shapes_elements, which *elements is.
 */
uint32_t shapes_size(const char *shapes, uint64_t *elements);
/* The same by the elements of all inputs alone: one of at most SHAPES_COARSE sizes. */
uint32_t shapes_coarse(uint32_t size);
/* A quarter of an octave. number is not 0. */
uint32_t shapes_bin(uint64_t number);

#endif
