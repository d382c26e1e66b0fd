/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded process in a summary. What is not known: see summary.h. */
#ifndef ANALYZE_SUMMARY_SUMMARY_PROCESS_H
#define ANALYZE_SUMMARY_SUMMARY_PROCESS_H

#include "analyze/summary/summary_memory.h"

struct summary_process {
	uint32_t track, name, exe, command, state;
	int32_t pid;
	uint32_t forked_from;	    /* the process whose sessions it inherited; SUMMARY_NONE: none that is recorded */
	uint64_t start_ns, exit_ns; /* 0: unknown, not seen */
	int64_t exit_status, signal;
	uint32_t n_runtimes;
	uint64_t n_sessions, n_inferences;
	struct summary_resident resident;
	uint64_t n_sampled_out; /* inferences that --sample or --rate left out */
	double sampled;		/* for how many inferences each recorded one stands, on average */
	bool is_unseen;		/* its inferences, or those of its children, for the reason in state */
};

#endif
