/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYZE_SUMMARY_PART_SUMMARY_COMPILING_H
#define ANALYZE_SUMMARY_PART_SUMMARY_COMPILING_H

#include <stdint.h>

/* What the runtime compiled while inferences ran; again: because what it had did not fit, not
 * counting first inferences. */
struct summary_compiling {
	uint64_t n, n_again, n_failed, ns, again_ns;
	uint32_t reason; /* of the longest of n_again; 0: there are none */
	uint64_t reason_ns;
};

#endif
