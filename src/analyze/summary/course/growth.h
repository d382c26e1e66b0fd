/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a value is still growing when its recording ends, in constant memory. */
#ifndef ANALYZE_SUMMARY_GROWTH_H
#define ANALYZE_SUMMARY_GROWTH_H

#include <stdint.h>

enum { GROWTH_POINTS = 64 };

/* Values at about equal distances, in the order of time. All zero: none yet. */
struct growth {
	uint64_t time_ns[GROWTH_POINTS];
	double value[GROWTH_POINTS];
	uint32_t n, n_seen, every; /* one in so many is kept; 0: each */
};

void growth_add(struct growth *growth, uint64_t time_ns, double value);
/*
 * By how much a second the value grew in the second half of the time. NAN: it did not grow steadily, or by too little
 * (a fiftieth) to be told from what any program does.
 */
double growth_per_s(const struct growth *growth);
/* The last value that it goes by; NAN: there is none. */
double growth_last(const struct growth *growth);

#endif
