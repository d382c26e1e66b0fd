/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of several processes together. */
#ifndef ANALYZE_RESULT_JOINT_MEMORY_H
#define ANALYZE_RESULT_JOINT_MEMORY_H

#include "analyze/summary/summary.h"

/*
 * What processes that lived at one time had at most, each at its own peak, added up: an upper bound of what they had
 * together. Of processes that came one after the other, it is that of one. Of "rss", pages that several share count in
 * each.
 */
struct joint_memory {
	uint32_t n_processes, n_all; /* that lived at that time; that have the counter */
	double bytes;
	uint64_t n_values; /* of all of them */
};

/* counter: "rss", or another one of memory. name: only of processes that are called so; NULL: of any. */
struct joint_memory joint_memory_of(const struct summary *summary, const char *counter, const char *name);

/* Of a process: "rss" as the kernel counted it, where that is known. */
double joint_memory_peak(const struct summary_resource *resource);

#endif
