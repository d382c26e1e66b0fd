// SPDX-License-Identifier: Apache-2.0
#include "analyze/summary/course/course.h"

#include <string.h>

enum { LEAST_SHIFT = 10 }; /* a microsecond */

static void join(struct course_cell *to, const struct course_cell *from)
{
	if (from->n_values) {
		to->low = to->n_values && to->low < from->low ? to->low : from->low;
		to->high = to->n_values && to->high > from->high ? to->high : from->high;
	}
	to->n += from->n;
	to->n_failed += from->n_failed;
	to->n_values += from->n_values;
	to->sum += from->sum;
	to->covered_ns += from->covered_ns;
	to->weighted_ns += from->weighted_ns;
}

static void add(struct course_cell *to, double value)
{
	to->low = to->n_values && to->low < value ? to->low : value;
	to->high = to->n_values && to->high > value ? to->high : value;
	to->n_values++;
	to->sum += value;
}

/* Two columns become one. */
static void widen(struct course *course)
{
	uint64_t first = course->first >> 1;
	uint32_t n = 0;

	for (uint32_t i = 0; i < course->n; i++) {
		uint32_t at = (uint32_t)(((course->first + i) >> 1) - first);

		if (at < n)
			join(&course->cell[at], &course->cell[i]);
		else
			course->cell[at] = course->cell[i];
		n = at + 1;
	}
	memset(&course->cell[n], 0, (course->n - n) * sizeof *course->cell);
	course->first = first;
	course->n = n;
	course->shift++;
}

void course_widen(struct course *course, uint8_t shift)
{
	while (course->shift < shift && course->shift < 63)
		widen(course);
}

/* The column of a time has a place. */
static void include(struct course *course, uint64_t time_ns)
{
	uint64_t at = time_ns >> course->shift;
	uint32_t n_before;

	if (!course->n) {
		course->shift = course->shift > LEAST_SHIFT ? course->shift : LEAST_SHIFT;
		course->first = time_ns >> course->shift;
		course->n = 1;
		return;
	}
	while (at < course->first ? course->first + course->n - at > COURSE_COLUMNS
				  : at - course->first >= COURSE_COLUMNS) {
		widen(course);
		at = time_ns >> course->shift;
	}
	if (at < course->first) {
		n_before = (uint32_t)(course->first - at);
		memmove(course->cell + n_before, course->cell, course->n * sizeof *course->cell);
		memset(course->cell, 0, n_before * sizeof *course->cell);
		course->first = at;
		course->n += n_before;
	}
	if (at - course->first >= course->n)
		course->n = (uint32_t)(at - course->first) + 1;
}

/* begin_ns and the moment before end_ns have columns. */
static void cover(struct course *course, uint64_t begin_ns, uint64_t end_ns, double value)
{
	uint64_t at_ns = begin_ns;

	while (at_ns < end_ns) {
		uint64_t column = at_ns >> course->shift, next_ns = (column + 1) << course->shift;
		struct course_cell *cell = &course->cell[column - course->first];

		next_ns = next_ns > at_ns && next_ns < end_ns ? next_ns : end_ns;
		cell->covered_ns += (double)(next_ns - at_ns);
		cell->weighted_ns += value * (double)(next_ns - at_ns);
		at_ns = next_ns;
	}
}

/* The column of an inference that lies in a single one, as most do; NULL: it does not, or there is none yet. */
static struct course_cell *only_cell(struct course *course, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t at = begin_ns >> course->shift, index = at - course->first;

	return index < course->n && end_ns >= begin_ns && end_ns >> course->shift == at ? &course->cell[index] : NULL;
}

void course_add_run(struct course *course, uint64_t begin_ns, uint64_t end_ns, bool is_failed, bool is_typical)
{
	struct course_cell *cell = only_cell(course, begin_ns, end_ns);

	if (cell) {
		cell->covered_ns += (double)(end_ns - begin_ns);
	} else {
		include(course, begin_ns);
		if (end_ns != UINT64_MAX && end_ns > begin_ns) {
			include(course, end_ns - 1);
			cover(course, begin_ns, end_ns, 0);
		}
		cell = &course->cell[(begin_ns >> course->shift) - course->first];
	}
	cell->n++;
	cell->n_failed += is_failed;
	if (is_typical)
		add(cell, (double)(end_ns - begin_ns));
}

void course_add_value(struct course *course, uint64_t begin_ns, uint64_t end_ns, double value)
{
	include(course, begin_ns);
	if (end_ns > begin_ns) {
		include(course, end_ns - 1);
		cover(course, begin_ns, end_ns, value);
	}
	for (uint64_t at = begin_ns >> course->shift;
	     at <= (end_ns > begin_ns ? end_ns - 1 : begin_ns) >> course->shift; at++)
		add(&course->cell[at - course->first], value);
}

void course_merge(struct course *to, const struct course *from)
{
	if (!from->n)
		return;
	course_widen(to, from->shift);
	for (uint32_t i = 0; i < from->n; i++) {
		uint64_t time_ns = (from->first + i) << from->shift;

		include(to, time_ns);
		join(&to->cell[(time_ns >> to->shift) - to->first], &from->cell[i]);
	}
}
