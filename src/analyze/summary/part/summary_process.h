/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded process in a summary. What is not known: see summary.h. */
#ifndef ANALYZE_SUMMARY_SUMMARY_PROCESS_H
#define ANALYZE_SUMMARY_SUMMARY_PROCESS_H

#include "analyze/summary/part/summary_memory.h"

/* Processes that were killed because there was no memory; n 0: none. path 0: the machine had none. */
struct summary_out_of_memory {
	uint64_t n;
	uint32_t path;	     /* of the cgroup whose limit was reached */
	int64_t limit, peak; /* -1: not known */
};

/* A runtime that a process has loaded and whose inferences are not recorded. version 0: not known. */
struct summary_other_runtime {
	uint32_t process, runtime, version, path;
};

/* A file of /proc that a source could not read. */
struct summary_unreadable {
	uint32_t process, path, reason;
};

/* How good the times of a process's device are. */
struct summary_device_clock {
	uint32_t process, source; /* the library that told them */
	uint32_t missing;	  /* what may be missing at the end, and why; 0: nothing */
	int64_t error_ns;
	uint64_t n_set; /* how often its clock was set meanwhile */
};

/* What is not recorded of a process although nothing was lost: left out by wish, or cut by where recording began. */
struct summary_left_out {
	uint32_t process, what;
	uint64_t n;
};

struct summary_process {
	uint32_t track, name, exe, command, state;
	uint32_t profile; /* file that the runtime's own profiler writes; 0: none was seen */
	int32_t pid;
	uint32_t forked_from;	    /* the process whose sessions it inherited; SUMMARY_NONE: none that is recorded */
	uint64_t start_ns, exit_ns; /* 0: unknown, not seen */
	int64_t exit_status, signal;
	uint32_t n_runtimes;
	uint64_t n_sessions, n_inferences;
	uint64_t busy_ns;   /* time with at least one inference */
	uint64_t traced_ns; /* by samples, its threads ran with a profiler, debugger or coverage tool of Python on */
	struct summary_resident resident;
	/* Resident memory as the kernel counted it: the most, of this process or one that it waited for, and at its
	 * exit. -1: not known, or not that of this process */
	int64_t peak_bytes, waited_peak_bytes, end_bytes;
	uint64_t n_sampled_out; /* inferences that --sample or --rate left out */
	double sampled;		/* for how many inferences each recorded one stands, on average */
	bool is_unseen;		/* its inferences, or those of its children, for the reason in state */
};

#endif
