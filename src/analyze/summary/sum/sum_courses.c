// SPDX-License-Identifier: Apache-2.0
/* How the inferences of models and the counters went over time: of the first ones of each, so that memory is bounded.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/summary/sum_kinds.h"

enum { MAX_COURSES = 64 }; /* of models, and of counters */

int sum_courses_open(struct course **course, uint32_t *n)
{
	if (*n >= MAX_COURSES)
		return 0;
	(*n)++;
	*course = calloc(1, sizeof **course);
	return *course ? 0 : -ENOMEM;
}

int sum_courses_put(struct array *courses, const struct course *course, uint32_t *index)
{
	struct course *to;

	if (!course || !course->n)
		return 0;
	to = array_add(courses, sizeof *to);
	if (!to)
		return -ENOMEM;
	*to = *course;
	*index = (uint32_t)courses->n;
	return 0;
}

/* All have the same columns. */
void sum_courses_align(struct array *courses)
{
	struct course *course = courses->data;
	uint8_t shift = 0;

	for (size_t i = 0; i < courses->n; i++)
		shift = course[i].shift > shift ? course[i].shift : shift;
	for (size_t i = 0; i < courses->n; i++)
		course_widen(&course[i], shift);
}
