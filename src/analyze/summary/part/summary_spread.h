/* SPDX-License-Identifier: Apache-2.0 */
/* What many parts of a summary are made of. */
#ifndef ANALYZE_SUMMARY_SUMMARY_SPREAD_H
#define ANALYZE_SUMMARY_SUMMARY_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

/* Of durations. Percentiles are nearest ranks. */
struct summary_spread {
	uint64_t n, total_ns, min_ns, p50_ns, p90_ns, p99_ns, max_ns;
	double mean_ns, interval_ns; /* mean +- interval with 95 % confidence; NAN when n is too small */
	bool is_exact;		     /* else percentiles are off by STATS_ERROR at most */
};

/* A part of one of the arrays of struct summary. */
struct summary_range {
	uint32_t first, n;
};

#endif
