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
/*
 * The ratio of a slow inference's shapes to those that most inferences have, a quarter of all or more: *most. A small
 * input may decide how long an inference takes, beside large ones that never change. 0: not known, or the inference is
 * compared with others of its own shapes, or of a size that those do not have.
 */
double input_sizes_ratio_of(const struct summary *summary, const struct summary_model *model,
			    const struct summary_slow *slow, const struct summary_tally **most);
/* The input whose elements differ most from those of the same in others, from 1; 0: none does. "*48" counts as one. */
uint32_t input_sizes_varying(const char *shapes, const char *others);
/* Of an input, from 1; 0: it is empty, or not known. */
uint64_t input_sizes_elements(const char *shapes, uint32_t input);
/* The same, or else the first whose text is another. */
uint32_t input_sizes_telling(const char *shapes, const char *others);
/* How many inputs there are, and the number of one of those above, from 1: here "*48" counts as 48. */
uint64_t input_sizes_count(const char *shapes);
uint64_t input_sizes_number(const char *shapes, uint32_t input);
/* "input 2 of 3: 1x3x640x512": which input that is, if there are several, and its part. */
struct printable input_sizes_name(const char *shapes, const char *others, int columns);
/* "input 2 of 3 of 1x3x640x512", "inputs of 1x3x640x512": as part of a sentence. */
struct printable input_sizes_phrase(const char *shapes, const char *others, int columns);
/* "1x3x640x512": the input that differs most from others; the whole text if none differs. */
struct printable input_sizes_part(const char *shapes, const char *others, int columns);

/* A row of a table of sizes. */
struct input_sizes_row {
	const char *shapes;
	uint32_t input; /* which tells it from others, as above */
};

struct input_sizes_row input_sizes_row(const char *shapes, const char *others);
/* "2 of 3: 1x3x640x512"; if other rows say so, too, also inputs that tell it from these. */
struct printable input_sizes_cell(const struct input_sizes_row *rows, uint32_t n, uint32_t row, int columns);

#endif
