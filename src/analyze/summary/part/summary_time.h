/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a recording went in a summary: as a whole, thread by thread, and between inferences. */
#ifndef ANALYZE_SUMMARY_SUMMARY_TIME_H
#define ANALYZE_SUMMARY_SUMMARY_TIME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where the time went, of all processes together: wall = inferences + creating + outside. wall_ns 0: not known, because
 * a part of the recording alone was summed up, or durations are all there is.
 */
struct summary_time {
	uint64_t wall_ns;
	uint64_t inferences_ns; /* at least one ran; of it, as their threads spent it: */
	uint64_t first_ns;	/* in the first inferences of sessions */
	uint64_t waiting_ns;	/* waiting for a CPU, in the others; 0: none, or not known */
	uint64_t creating_ns;	/* none ran, but a session was being created */
	uint64_t outside_ns;	/* neither */
};

/* A thread that created sessions or ran inferences. */
struct summary_caller {
	uint32_t process;
	int64_t tid;
	bool is_main; /* the first thread of the process */
	uint64_t n_inferences, n_sessions;
	/* From the process's start to its end; of other threads, from the first call to the end of the last. */
	uint64_t begin_ns;
	struct summary_time time;
};

/* All such threads of a program that are, or are not, the first of their process, and ran inferences, or did not. */
struct summary_callers {
	uint32_t program; /* 0: not known */
	bool is_main;
	uint64_t n, n_inferences, n_sessions;
	struct summary_time time; /* sums */
};

enum summary_cause { CAUSE_OUTSIDE, CAUSE_CREATING, CAUSE_FIRST, CAUSE_WAITING, CAUSE_RUNNING, N_CAUSES };

/* What most of the time went to. wall_ns is not 0. */
enum summary_cause summary_largest(const struct summary_time *time);

/* Time without an inference of any process, from the end of the last one that ran to the begin of the next. */
/* Kinds by length, shortest first: below 10 us, 100 us, 1 ms, 10 ms, 100 ms, 1 s; and all that are longer. */
enum { SUMMARY_GAP_KINDS = 7, SUMMARY_LONGEST_GAPS = 5 };

struct summary_gap {
	uint64_t begin_ns, end_ns;
	uint64_t creating_ns; /* for which a session was being created */
};

struct summary_gaps {
	uint64_t n, total_ns, creating_ns;
	struct {
		uint64_t n, total_ns, creating_ns;
	} kind[SUMMARY_GAP_KINDS];
	struct summary_gap longest[SUMMARY_LONGEST_GAPS]; /* longest first; end_ns 0: no more */
};

/* Gaps of kind i are shorter than this; UINT64_MAX: of any length. */
static inline uint64_t summary_gap_limit_ns(int kind)
{
	static const uint64_t limits_ns[SUMMARY_GAP_KINDS] = { 10000,	  100000,     1000000,	 10000000,
							       100000000, 1000000000, UINT64_MAX };

	return limits_ns[kind];
}

#endif
