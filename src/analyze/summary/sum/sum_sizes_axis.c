// SPDX-License-Identifier: Apache-2.0
/*
 * What makes the sizes of a model: the input whose elements differ most between them, by the ratio of the most to the
 * fewest, and the dimension of that input which does. Says nothing where shapes cannot be compared input by input.
 */
#include <math.h>

#include "analyze/store/shapes.h"
#include "analyze/summary/sum_slow.h"

enum { MOST_ROWS = SHAPES_COARSE };

/* A value of each row. */
struct spread {
	double low, high;
};

/* 0 is less than 1, but not by any number of times. */
static void widen(struct spread *spread, double value)
{
	spread->low = fmin(spread->low, fmax(value, 0.5));
	spread->high = fmax(spread->high, fmax(value, 0.5));
}

static double ratio_of(const struct spread *spread)
{
	return spread->high / spread->low;
}

/* Goes to the next input in all rows; false: a row has no more of them. */
static bool next_input(const char **text, uint32_t n, struct spread *spread)
{
	uint64_t elements;

	*spread = (struct spread){ INFINITY, 0 };
	for (uint32_t i = 0; i < n; i++) {
		if (!shapes_next(&text[i], &elements))
			return false;
		widen(spread, (double)elements);
	}
	return true;
}

/* How many rows have this dimension; *spread: of their lengths. */
static uint32_t count_axis(const char *const *text, uint32_t n, uint32_t axis, struct spread *spread)
{
	uint32_t n_rows = 0;

	*spread = (struct spread){ INFINITY, 0 };
	for (uint32_t i = 0; i < n; i++) {
		int64_t length = shapes_dimension(text[i], axis);

		if (length < 0)
			continue;
		widen(spread, (double)length);
		n_rows++;
	}
	return n_rows;
}

/* Of the input at text, by its ratio; -1: none differs, or the input has more dimensions in some rows than in others.
 */
static int64_t find_axis(const char *const *text, uint32_t n)
{
	struct spread spread;
	double most = 1;
	int64_t found = -1;
	uint32_t axis = 0, n_rows;

	for (; (n_rows = count_axis(text, n, axis, &spread)) == n; axis++)
		if (ratio_of(&spread) > most) {
			most = ratio_of(&spread);
			found = axis;
		}
	return n_rows ? -1 : found;
}

static void set(struct summary_size *rows, const char *const *text, uint32_t n, uint64_t number)
{
	int64_t axis = find_axis(text, n);

	for (uint32_t i = 0; i < n; i++) {
		rows[i].input = number <= UINT32_MAX ? (uint32_t)number : 0;
		rows[i].axis = axis;
		rows[i].axis_length = axis < 0 ? -1 : shapes_dimension(text[i], (uint32_t)axis);
	}
}

/* Whether all rows had as many inputs, and all of them are read. */
static bool are_read(const char *const *text, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!shapes_end(text[i]))
			return false;
	return true;
}

void sum_sizes_axis(const struct names *names, struct summary_size *rows, uint32_t n)
{
	const char *text[MOST_ROWS], *before[MOST_ROWS];
	uint64_t number = 1;
	struct spread spread;
	double most = 1;

	if (n < 2 || n > MOST_ROWS)
		return;
	for (uint32_t i = 0; i < n; i++)
		text[i] = before[i] = names_text(names, rows[i].shapes);
	while (next_input(text, n, &spread)) {
		if (ratio_of(&spread) > most) {
			most = ratio_of(&spread);
			set(rows, before, n, number);
		}
		number += shapes_times(before[0]);
		for (uint32_t i = 0; i < n; i++)
			before[i] = text[i];
	}
	for (uint32_t i = 0; i < n && !are_read(before, n); i++) {
		rows[i].input = 0;
		rows[i].axis = rows[i].axis_length = -1;
	}
}
