/* SPDX-License-Identifier: Apache-2.0 */
/* Of a recording that was put together of several files: where they lie on one clock. */
#ifndef ANALYZE_SUMMARY_SUMMARY_MERGED_H
#define ANALYZE_SUMMARY_SUMMARY_MERGED_H

#include <stdint.h>

/* One of the files that were put together, and by what it was placed on their clock. */
struct summary_merged {
	uint32_t path, source;
	int64_t by_ns;		  /* added to its times */
	int64_t error_ns, n_runs; /* -1: not known; inferences that it shares with the file that placed it: -1: none */
};

#endif
