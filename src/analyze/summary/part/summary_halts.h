/* SPDX-License-Identifier: Apache-2.0 */
/* When processes were stopped, traced or frozen. */
#ifndef ANALYZE_SUMMARY_SUMMARY_HALTS_H
#define ANALYZE_SUMMARY_SUMMARY_HALTS_H

#include <stdint.h>

/* A stretch in which a process could not run, and was seen so at begin_ns and at end_ns (STORE_OPEN: to the end). */
struct summary_halt {
	uint32_t process, what, who; /* EVENT_HALT_*; a tracer's name, 0: none, or not known */
	uint64_t begin_ns, end_ns;
	uint64_t from_ns, until_ns; /* seen running before, after; 0, STORE_OPEN: not known */
};

/* Halts of one process of one kind, all together. */
struct summary_halt_kind {
	uint32_t process, what;
	uint64_t n, ns, first_ns; /* ns: at least; of those that have ended */
	uint32_t who;		  /* the name of the tracer of all of them; 0: none, or not known, or several */
};

#endif
