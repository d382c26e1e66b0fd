/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A summary in the making: what the files sum_*.c hand on to each other (sum_in.h: by which functions). An event passes
 * them in this order:
 *
 *	summary.c       the sink: sends each event where it belongs
 *	sum_slices.c    open slices of each track: nesting, arguments, time inside
 *	sum_window.c    inferences that wait for their operators, which other threads may bring later
 *	sum_runs.c      what an inference adds to its model
 *	sum_operators.c what an operator adds to its node; sum_parallel.c: operators side by side;
 *			sum_parts.c: of an inference with more operators than can wait
 *	sum_sessions.c  creations;  sum_creations.c  when there was one
 *	sum_fold.c      sessions beyond those that are kept one by one
 *	sum_halts.c     when a process was stopped, and what that hits
 *	sum_callers.c   threads that call
 *	sum_counters.c  counters;  sum_notes.c  notes and losses
 *	sum_outside.c   what threads did between inferences
 *	sum_courses.c   how inferences and counters went over time;  sum_gaps.c  the time between inferences
 *
 * and sum_models.c, sum_tables.c, sum_idle.c, sum_slowest.c turn it into struct summary at the end. Processes, buckets
 * and so on are named by their index in the array of struct maker.
 */
#ifndef ANALYZE_SUMMARY_SUM_TYPES_H
#define ANALYZE_SUMMARY_SUM_TYPES_H

#include "analyze/generation/generations.h"
#include "analyze/outside/outside.h"
#include "analyze/store/halts.h"
#include "analyze/summary/course/curve.h"
#include "analyze/summary/course/growth.h"
#include "analyze/summary/sum_callers.h"
#include "analyze/summary/sum_run.h"
#include "analyze/summary/sum_session.h"
#include "analyze/summary/summary_maker.h"

enum {
	WINDOW_RUNS = 8192,    /* inferences that wait for operators, at most */
	WINDOW_OPERATORS = 16, /* operators that wait with them, for each: at most this many times as many in all */
	RUN_LIMIT = 1 << 17,   /* values of a model that are kept: percentiles of more come from a histogram */
	SESSION_LIMIT = 1 << 14,
	NODE_LIMIT = 1 << 14,
	MANY_NODES = 512, /* later ones keep fewer */
	MANY_LIMIT = 1 << 12,
	MAX_SESSION_SPREADS = 256,
	LISTED_SESSIONS = 4096,		 /* rows of sessions in the summary, at most */
	KEPT_SESSIONS = 3 * WINDOW_RUNS, /* sessions whose inferences may still come; more are folded */
	MAX_PROCESSES = 128, /* whose models are their own; those of later ones are shared by a program's processes */
	MAX_CREATIONS = 1 << 16,      /* times of a process at which it created sessions: the last ones */
	LATER_CREATIONS = 1 << 10,    /* joined with these together */
	MAX_FOLDED_NUMBERS = 1 << 24, /* sessions of a process whose model is known when they come back */
	MANY_TRACKS = 1 << 10,	      /* more share the memory for open slices */
	MAX_TALLIES = 1 << 14,	      /* different texts of one kind that are counted: later ones are not */
	MAX_THREADS = 1 << 16,	      /* the same of threads */
	MAX_NOTES = 1 << 16,	      /* of one kind */
	MAX_MEMORIES = 1 << 14,	      /* sessions on a device whose memory is told; more are counted */
	MAX_EVIDENCE = 24,	      /* counters that are looked at for one slow inference */
	PAST = 64,
	MAX_BESIDE = 256,     /* more inferences at one time are not compared with each other */
	MAX_WEIGHT = 1 << 12, /* inferences that the operators of one stand for */
};

/* An open slice. */
struct slice {
	uint64_t begin_ns;
	uint64_t inside_ns;    /* slices directly inside that have ended */
	uint64_t operators_ns; /* operators inside that have ended, without those inside these */
	uint64_t number;       /* of the inference */
	uint32_t name;
	uint32_t run; /* index in the window; NONE: not an inference */
	uint8_t kind;
	bool is_left_out; /* it lay before its predecessor */
	bool has_inside, has_operator;
	bool is_in_setup;	    /* a setup slice inside another */
	bool is_halted, has_halted; /* once it has ended: its process was halted meanwhile; so was a slice inside */
	struct facts facts;
};

/* Open slices of a track; only tracks that have some own one. */
struct stack {
	struct slice *slice;
	uint32_t capacity;
};

struct track {
	struct track_def def;
	bool is_defined;
	uint64_t last_ns;
	struct slice *slice; /* the open ones, outermost first */
	uint32_t n_slices, capacity, n_not_kept;
	uint32_t process, epoch;     /* of process: the number of definitions then */
	uint32_t session_level;	     /* of the creation that is open, + 1; 0: none */
	uint32_t run_level, n_setup; /* of the inference that is open, + 1; 0: none; open setup slices in it */
	struct opening *opening;     /* the creation that is open */
	uint64_t number;	     /* of the last operator's inference */
	uint32_t run;		     /* the same: index in the window */
	uint32_t counter;	     /* + 1 */
};

/* Recorders count up from here where they cannot see a number: no kernel has it. */
enum { UNKNOWN_PID = 1 << 30 };

/* Process 0 is that of tracks without one. */
struct process {
	uint32_t track;
	uint32_t parent; /* that it was forked from; 0: none, or not known */
	struct busy busy;
	uint64_t n_begun; /* inferences that the sweep has passed */
	int32_t
	    launched_tid; /* the thread that runs the program, if its first one only waits for that; 0: it is no such */
	uint64_t wanted_ns;  /* by samples of its threads: they ran, or waited for a CPU */
	uint64_t traced_ns;  /* of it, they ran with SAMPLE_TRACED */
	struct array folded; /* uint32_t, by number of the session: its bucket, + 1; 0: it was not folded, or is over */
	struct creations creations;
	uint32_t index; /* in struct summary, at the end */
	uint32_t group; /* the process that its models are counted for, + 1; 0: not decided yet */
	uint64_t n_inferences, n_sessions, n_sampled_out;
	struct halts halts;
	double taken;		       /* the last value of the counter EVENT_MEMORY_TOTAL; NAN: none yet */
	double heap_in_use, heap_kept; /* the same of those of malloc */
	struct summary_resident resident;
	uint64_t device_end_ns; /* until when a device has worked for it so far; 0: none has */
};

struct counter {
	struct summary_resource row;
	uint32_t track, process;
	uint64_t before_ns, before_busy_ns; /* the value before: its time, and how long it had been busy until then */
	bool has_before;
	bool is_taken;		 /* EVENT_MEMORY_TOTAL */
	bool is_in_use, is_kept; /* EVENT_MALLOC_IN_USE, EVENT_MALLOC_FREE */
	double sum, busy_sum, idle_sum, plain_sum;
	struct growth *growth, *busy_growth; /* of resident memory; else NULL */
	uint64_t grown_begun;		     /* n_begun of its process at the last value of these while one ran */
	struct curve *curve;		     /* of memory; else NULL */
	struct course *course;		     /* NULL: there are too many counters */
	uint8_t gauge;			     /* enum summary_gauge, + 1; 0: none */
	struct past *past;		     /* if it is one: a ring of its last PAST values */
	uint64_t n_past;
};

/* A value of a counter, and the time that it stands for. */
struct past {
	uint64_t from_ns, to_ns;
	double value;
};

/* What counters said during a slow inference. Values that come after its end may still belong to it. */
struct evidence {
	uint64_t begin_ns, end_ns;
	uint32_t process, n;
	bool is_pending;
	struct evidence_row {
		uint32_t counter;
		uint64_t within_ns, span_ns; /* of the samples: in the inference; in all */
		double within, amount;	     /* value times seconds */
	} row[MAX_EVIDENCE];
};

struct summary_maker {
	struct sink sink;
	struct summary_opts opts;
	struct summary *to;
	struct names *names;
	struct store_counts counts;
	struct track *tracks;	 /* by id; entry 0 unused */
	struct array track_room; /* what tracks points to */
	struct array stacks;	 /* struct stack: those that no track has */
	uint32_t n_tracks, n_defined;
	struct array processes, sessions, buckets, counters, notes, tallies;
	struct array transformers; /* struct summary_transformer, of folded sessions; model: the bucket */
	struct array listed;	   /* struct session: folded ones that may be in the list */
	struct array runtimes, losses, stops, unreadable, left_out, device_clocks, other_runtimes, clock_changes, dumps,
	    merged;		 /* as in struct summary */
	struct array open;	 /* the same; process: index in processes, model: in buckets, until the end */
	struct array memory;	 /* the same; process, model: index in processes, 0, until the end */
	struct keys memory_keys; /* by process and device; by session */
	struct keys process_keys, session_keys, transformer_keys, tally_keys, loss_keys;
	struct keys named_keys, config_keys, bucket_keys; /* by process, name, runtime; by settings; by both */
	struct keys group_keys, member_keys;		  /* names of programs; buckets and their processes */
	struct keys turn_keys;				  /* threads: by process and session, and number */
	struct array turns;				  /* struct turn, by these */
	struct array groups;				  /* uint32_t, by number in group_keys: the first process */
	struct array first_noted; /* struct settings, by number in named_keys: the first ones; all zero: none yet */
	struct array loaded;	  /* struct loaded */
	struct window window;
	struct callers callers;
	struct operators operators;
	uint32_t last_session;				/* index of the one that was found last */
	uint64_t n_met, n_used, n_nameless;		/* sessions: in the order of struct session; numbers made up */
	uint32_t max_sessions, max_listed, max_slowest; /* max_slowest: SUMMARY_TAIL at least */
	struct array halted_runs;			/* see sum_halts.c */
	struct array gauges;				/* uint32_t: counters that are a gauge */
	struct array evidence, evidence_pending;	/* struct evidence; uint32_t: of those that are not complete */
	struct named_slices *named;			/* NULL: there are none yet */
	struct kernels *kernels;			/* the same */
	struct cycles *cycles;				/* the same */
	struct requests *requests;			/* the same */
	struct outside *outside;
	struct array locks;		      /* struct summary_lock, by number in lock_keys */
	struct keys lock_keys;		      /* process, place */
	uint64_t n_sampled, outside_since_ns; /* samples of threads; 0: no inference has ended yet */
	uint32_t last_process;		      /* of the one that ended last */
	int64_t last_tid;
	struct generations *generations; /* the same */
	struct array token_calls;	 /* struct token_call */
	uint32_t free_token_call;	 /* + 1 */
	uint64_t n_open[N_KINDS];
	uint32_t n_run_courses, n_counter_courses; /* that are kept */
	uint64_t taken_before_ns; /* how long window.taken had been busy when the last inference ended */
	uint32_t ok;		  /* id of "ok", once seen */
};

#endif
