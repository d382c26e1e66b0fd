/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of devices in a summary. */
#ifndef ANALYZE_SUMMARY_SUMMARY_KERNEL_H
#define ANALYZE_SUMMARY_SUMMARY_KERNEL_H

#include "analyze/summary/part/summary_spread.h"

/* All kernels and copies of devices with one name and one type of operator that launched them. */
struct summary_kernel {
	uint32_t name, op_type; /* op_type 0: not known */
	struct summary_spread duration;
};

struct summary_kernel_type {
	uint32_t op_type;
	uint64_t n, total_ns;
};

/* All nodes of one name and type on devices whose profiler counts cycles. */
struct summary_cycles {
	uint32_t name, op_type; /* op_type 0: not known */
	uint64_t n, cycles;
};

/* A line of kernels: a stream of a device, or a lane of kernels that run side by side. */
struct summary_stream {
	uint32_t process, track, name;
	uint64_t n, busy_ns, copies_ns; /* copies_ns: the part of busy_ns in copies and fills of memory */
	uint64_t begin_ns, end_ns;	/* of the first kernel, of the last one; what is not busy is idle */
	uint64_t n_gaps, longest_gap_ns;
	uint64_t idle_within_ns; /* gaps between two kernels of one inference */
};

#endif
