/* SPDX-License-Identifier: Apache-2.0 */
/* How a value moved, in constant memory: of each stretch of the recording the largest value, and when that was. */
#ifndef ANALYZE_SUMMARY_CURVE_H
#define ANALYZE_SUMMARY_CURVE_H

#include <stdint.h>

enum { CURVE_POINTS = 128 };

struct curve_point {
	uint64_t time_ns;
	double value;
};

/* All zero: no value yet. */
struct curve {
	struct curve_point point[CURVE_POINTS]; /* in the order of time */
	uint32_t n;
	uint64_t every, n_in_last; /* values that a point stands for; that the last one does so far */
};

/* Values come in the order of time. */
void curve_add(struct curve *curve, uint64_t time_ns, double value);

#endif
