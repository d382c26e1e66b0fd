/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of different sizes: which are usual, and which take longer. */
#ifndef ANALYZE_RESULT_INPUT_SIZES_H
#define ANALYZE_RESULT_INPUT_SIZES_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* A size that takes long beside the one that most inferences have; NULL: none does. Both are borrowed. */
struct input_sizes {
	const struct summary_size *usual, *slow;
	double share_of_runs, share_of_time; /* of the slow one */
};

/* The size that most inferences have; NULL: no size is known. */
const struct summary_size *input_sizes_usual(const struct summary *summary, const struct summary_model *model);
struct input_sizes input_sizes_of(const struct summary *summary, const struct summary_model *model);
/* Inferences above `edge_ns` are of sizes whose median is above it, for the most part. */
bool input_sizes_explain(const struct summary *summary, const struct summary_model *model, double edge_ns);
/*
 * How many times as many elements an input has in `shapes` as in `others`, of the input that differs most, more or
 * fewer; 1: they are alike; 0: not known, or the inputs are others.
 */
double input_sizes_ratio(const char *shapes, const char *others);
/* The shapes that many inferences have, and no others as many; NULL: there are none. Borrowed. */
const struct summary_tally *input_sizes_most(const struct summary *summary, const struct summary_model *model);
/* The ratio of these shapes, a name, to those. A small input may decide how long an inference takes, beside large ones
 * that never change. */
double input_sizes_ratio_to(const struct summary *summary, const struct summary_tally *most, uint32_t shapes);
/* "1x3x640x512": the first input in which the shapes differ from others; the whole text if none does. */
struct printable input_sizes_part(const char *shapes, const char *others, int columns);

#endif
