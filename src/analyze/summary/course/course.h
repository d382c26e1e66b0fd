/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How inferences, or the values of a counter, went over time, in constant memory: columns of equal width. The width is
 * a power of two of nanoseconds, and columns begin at multiples of it. When time outgrows them, two become one, so that
 * sums and counts stay exact.
 */
#ifndef ANALYZE_SUMMARY_COURSE_H
#define ANALYZE_SUMMARY_COURSE_H

#include <stdbool.h>
#include <stdint.h>

enum { COURSE_COLUMNS = 320 };

struct course_cell {
	uint64_t n, n_failed; /* inferences that began in it */
	uint64_t n_values;    /* that are in sum, low and high: latencies in ns, or values of a counter */
	double sum, low, high;
	double covered_ns;  /* how long inferences ran, added up; how long values of a counter stand for */
	double weighted_ns; /* of a counter: value times the time that it stands for */
};

/* All zero: nothing yet. Column i is from (first + i) << shift to (first + i + 1) << shift, in ns. */
struct course {
	struct course_cell cell[COURSE_COLUMNS];
	uint64_t first;
	uint32_t n;
	uint8_t shift;
};

/* An inference. end_ns UINT64_MAX: not known. is_typical: its latency counts. */
void course_add_run(struct course *course, uint64_t begin_ns, uint64_t end_ns, bool is_failed, bool is_typical);
/* A value that stands for the time from begin_ns to end_ns. */
void course_add_value(struct course *course, uint64_t begin_ns, uint64_t end_ns, double value);
void course_merge(struct course *to, const struct course *from);
/* Makes columns wider, until shift is at least this. */
void course_widen(struct course *course, uint8_t shift);

#endif
