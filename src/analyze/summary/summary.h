/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of a recording: what the report prints, as numbers and ids of names. They are summed up while the events
 * pass, so that memory does not grow with the recording, only with what is in it: models, sessions, operators (nodes),
 * threads, counters, different texts.
 *
 *	exact		counts, sums, means, smallest, largest, the first and the slowest inferences
 *	percentiles	exact up to 131,072 inferences of a model, 16,384 of a session, 16,384 calls of an operator
 *			(4,096 of those beyond the first 512 operators); beyond that they are off by STATS_ERROR
 *			(0.4 %) at most, and is_exact is false
 *
 *	sessions	4,096 at most: of more the last, the first, the slowest and the first that failed, about as
 *			many of each; sums are of all
 *
 * Sums hold exactly: phases add up to the session, operators and setup and what is unattributed add up to
 * the inferences. What is not known is -1 (integers), NAN (reals), 0 (names) or n == 0, never a zero value.
 */
#ifndef ANALYZE_SUMMARY_SUMMARY_H
#define ANALYZE_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/store/store.h"
#include "analyze/summary/course/course.h"
#include "analyze/summary/course/curve.h"
#include "analyze/summary/part/summary_halts.h"
#include "analyze/summary/part/summary_kernel.h"
#include "analyze/summary/part/summary_merged.h"
#include "analyze/summary/part/summary_open.h"
#include "analyze/summary/part/summary_outside.h"
#include "analyze/summary/part/summary_process.h"
#include "analyze/summary/part/summary_request.h"
#include "analyze/summary/part/summary_time.h"
#include "analyze/summary/summary_model.h"

/* What the reader of the file has found out, given to summary_end. */
struct summary_file {
	const char *path; /* borrowed for the summary's life; NULL: not a file */
	uint64_t bytes;
	bool is_cut; /* the file ends in the middle of a packet */
	uint64_t cut_at;
	uint64_t n_late; /* events that the reader has moved to a later time */
};

struct summary_recording {
	bool is_ours;
	uint32_t command, level, version;
	uint32_t machine; /* text: processor, CPUs, memory, kernel; 0: not known */
	int64_t interval_ns, start_realtime_ns;
	int64_t n_cpus;		   /* of the machine */
	uint64_t begin_ns, end_ns; /* of all events; begin > end: there are none */
	uint32_t clock_source;
	int64_t clock_error_ns, clock_jumps; /* how often the processor's counter jumped; -1: never, or not known */
	bool has_no_begins;		     /* EVENT_CLOCK_NONE: how many a second is not known */
	bool is_from_outside;		     /* seen by probes of the kernel, not by an agent */
};

/* Recording, or one source of it, ended before the target did. */
struct summary_stop {
	uint32_t source, reason; /* source 0: all of it */
	uint64_t time_ns;
};

/* The machine's clocks parted between two moments; times are right before and after. */
struct summary_clock {
	uint32_t what, text; /* EVENT_CLOCK_*; which clock sources, or 0 */
	uint64_t from_ns, to_ns;
	int64_t by_ns;
};

/* What was dropped of a recording that keeps its newest part, before that part. */
struct summary_kept {
	uint32_t limit; /* how much is kept, as the user gave it: "10m", "2G"; 0: nothing was dropped */
	uint64_t segments, events, ns;
};

/* A part of the recording that was written to a file of its own, and why. */
struct summary_dump {
	uint32_t path, why;
	uint64_t time_ns;
};

/* Inferences whose operators were thinned out while recording, and what the others stand for. All 0: none were. */
struct summary_thinned {
	uint64_t n_left_out; /* without their operators */
	uint64_t n_sampled;  /* with operators that stand for those of several, least to most */
	uint64_t n_apart;    /* slow or failed ones, which stand for themselves */
	uint32_t least, most;
};

struct summary_runtime {
	uint32_t process;
	uint32_t runtime, version, path;
	uint32_t armed, left_out; /* what is seen of it; what could not be, and why */
	int64_t arm_ns;
	int64_t usage_ns;	   /* what reading a thread's CPU time, faults and switches takes in the process */
	uint64_t complete_from_ns; /* what began in it before may be missing; 0: nothing is */
};

/* A counter, each value weighted with the time since the one before. */
struct summary_resource {
	uint32_t process; /* SUMMARY_NONE: the machine */
	uint32_t track, name, unit;
	uint32_t device; /* "gpu card1: amdgpu at 0000:03:00.0", which it is of, as a whole or its use by the process;
			    0: none */
	uint64_t n;
	double mean, max, min, first, last;
	uint64_t last_ns; /* time of the last */
	/* Of resident memory: the most as the kernel counted it, which samples may have missed; whether that is up to
	 * the end of the process or recording; what was resident at the exit; how long the last sample lies before the
	 * end */
	double peak, at_exit;
	bool is_peak_whole;
	uint64_t unseen_ns;
	double growth_per_s;	   /* of resident memory that is still growing at the end (growth.h); else NAN */
	double grown_to;	   /* with it: the last sample of that; else NAN */
	double busy_growth_per_s;  /* the same of the samples before which an inference of the process ran */
	uint64_t busy_ns, idle_ns; /* time with and without an inference of the process (machine: of any) */
	double busy_mean, busy_max, idle_mean, idle_max;
	struct summary_range curve; /* of memory: how it moved, of curves; else none */
	uint32_t course;	    /* in courses, + 1: the same of any; 0: there are too many counters */
};

struct summary_loss {
	uint32_t process, where;
	uint64_t n, n_events, first_ns, last_ns;
};

struct summary_cost {
	bool is_known;
	int64_t events, recorder_cpu_ns, recorder_peak_bytes, arm_ns, lost;
	int64_t moved; /* events written with the time of the one before, which was later; -1: none, or not known */
	double event_ns;
	double fault_ns; /* what a page fault that needs no disk takes; NAN: not known */
};

/* All slices of one name that a program made itself, or that stand in a file of another program. */
struct summary_named {
	uint32_t name;
	struct summary_spread duration;
};

/* The part of the recording that is summed up (summary_maker.h), from its first event; to_ns 0: to the end. */
struct summary_part {
	uint64_t from_ns, to_ns;
};

struct summary {
	bool by_process;	    /* each process has models of its own, as asked for */
	const struct names *names;  /* of the stream */
	const struct store *store;  /* the same recording, for those who look into it; NULL: it is not kept */
	struct store_counts counts; /* events that were read */
	struct summary_file file;
	struct summary_part part;
	struct summary_recording recording;
	struct summary_kept kept;
	struct summary_thinned thinned;
	struct summary_process *processes;
	struct summary_runtime *runtimes;
	struct summary_model *models;	  /* those with most inference time first */
	struct summary_session *sessions; /* by model, then by time */
	struct summary_transformer *transformers;
	struct summary_operator *types, *nodes; /* by model, largest typical_ns first */
	struct summary_operator *elsewhere; /* operators in no inference of a coverage, by process, place and type */
	struct summary_provider *ran_on;
	struct summary_idle *idle;
	struct summary_tally *tallies;
	struct summary_size *sizes, *coarse_sizes;
	struct generation *generations;	 /* by model, then by begin; the first GENERATIONS_LISTED of them */
	struct generation_token *tokens; /* of these, in the order of time; if summary_opts.with_tokens */
	struct summary_length *lengths;	 /* by model, shortest first */
	struct summary_slow *slowest;
	struct summary_resource *resources;
	struct summary_open *open;	  /* the longest first; 1,024 at most */
	struct summary_memory *memory;	  /* what sessions have of their runtime's allocators, those with most first */
	struct summary_named *named;	  /* those with the largest sum first */
	struct summary_request *requests; /* by name, those with most time first: all of the name, then its slowest */
	struct summary_request_part *request_parts; /* of these */
	struct summary_kernel *kernels;		    /* as named */
	struct summary_kernel_type *kernel_types;
	struct summary_stream *streams; /* in the order of their first kernels' ends */
	struct summary_cycles *cycles;	/* those with most first */
	struct curve_point *curves;
	struct course *courses;		      /* of the first models and counters; all have columns of the same width */
	struct summary_caller *callers;	      /* those that called longest: some, if there are many */
	struct summary_callers *caller_kinds; /* all of them */
	struct summary_loss *losses;
	struct summary_stop *stops;
	struct summary_unreadable *unreadable;
	struct summary_left_out *left_out;
	struct summary_device_clock *device_clocks;
	struct summary_other_runtime *other_runtimes;
	struct summary_clock *clock_changes;
	struct summary_halt *halts; /* by process */
	struct summary_halt_kind *halt_kinds;
	struct summary_lock *locks;	 /* what threads waited for, in no order */
	struct summary_outside *outside; /* what was done in time.outside_ns; none: no thread was sampled */
	struct summary_dump *dumps;
	struct summary_merged *merged;
	uint32_t n_processes, n_runtimes, n_models, n_sessions, n_transformers, n_types, n_nodes, n_elsewhere, n_ran_on,
	    n_idle, n_tallies, n_sizes, n_coarse_sizes, n_slowest, n_resources, n_losses, n_stops, n_unreadable,
	    n_left_out, n_other_runtimes, n_clock_changes, n_dumps, n_merged, n_memory, n_open_rows, n_callers,
	    n_caller_kinds, n_curves, n_courses, n_named, n_kernels, n_kernel_types, n_streams, n_cycles, n_halts,
	    n_halt_kinds, n_outside, n_locks, n_device_clocks, n_generations, n_tokens, n_lengths, n_requests,
	    n_request_parts;
	uint32_t n_device_ends_unknown;		 /* of device_clocks: kernels may be missing at the end */
	uint64_t n_memory_left_out;		 /* sessions that are not in memory, because there are too many */
	uint64_t n_named_left_out;		 /* slices of names that are not in named, because there are too many */
	uint64_t kernels_ns, n_kernels_left_out; /* of those in kernels; kernels of other names, as for named */
	uint64_t all_cycles, n_cycles_left_out;	 /* the same of cycles */
	uint64_t n_all_sessions;		 /* with those that are not in sessions, because there are too many */
	uint64_t n_operators, n_lost, n_inferences, n_inferences_failed, n_sessions_failed;
	uint64_t n_sampled_out, n_all_inferences; /* left out by --sample or --rate; with these */
	double sampled;				  /* as of a process */
	uint64_t n_unseen;	  /* processes whose inferences were not seen, for the reason in their state */
	uint64_t n_dumps_skipped; /* asked for, and not made */
	uint64_t n_left; /* processes that the program started and that went on, not recorded, when it had ended */
	uint64_t n_open[N_KINDS];
	uint64_t busy_ns; /* time with at least one inference, of any process */
	struct summary_time time;
	struct summary_out_of_memory out_of_memory; /* the last one; n: of all */
	struct summary_gaps gaps;
	struct summary_cost cost;
};

void summary_free(struct summary *summary); /* NULL does nothing */
#endif
