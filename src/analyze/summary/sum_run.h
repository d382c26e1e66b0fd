/* SPDX-License-Identifier: Apache-2.0 */
/* Inferences of a summary in the making, and the window in which they wait for what belongs to them. */
#ifndef ANALYZE_SUMMARY_SUM_RUN_H
#define ANALYZE_SUMMARY_SUM_RUN_H

#include "analyze/summary/sum_ops.h"

#define NONE UINT32_MAX /* no index */

/* Arguments that say something. */
enum fact {
	FACT_SESSION,
	FACT_ID,
	FACT_TID,
	FACT_BATCH,
	FACT_FIRST,
	FACT_PARTIAL,
	FACT_RUN_QUEUE,
	FACT_THREAD_CPU,
	FACT_FAULTS,
	FACT_SWITCHES,
	FACT_USAGE_OF_SLOW,
	FACT_MAJOR_FAULTS,
	FACT_READ_BYTES,
	FACT_POOL_QUEUE,
	FACT_BYTES,
	FACT_ALLOCATED,
	FACT_COUNT,
	FACT_QUEUED,
	FACT_CAPABILITIES,
	FACT_MODIFIED,
	FACT_WEIGHT,
	FACT_SUBNORMAL,
	FACT_POOL_THREADS,
	FACT_POOL_CPU,
	FACT_POOLED,
	FACT_GRADIENTS,
	FACT_TRAINING_MODE,
	FACT_TIMED,
	FACT_FOLLOWS,
	FACT_MODEL,
	FACT_STATUS,
	FACT_SHAPES,
	FACT_SEQUENCES,
	FACT_TAG,
	FACT_CALLER,
	FACT_OP_TYPE,
	FACT_PROVIDER,
	FACT_DIRECTION,
	FACT_OPERATOR,
	FACT_TEXT,
	N_FACTS
};

struct facts {
	uint64_t has; /* a bit for each */
	int64_t value[N_FACTS];
};

/* Time with at least one of several things that begin and end. */
struct busy {
	uint64_t total_ns, start_ns, end_ns; /* start: of the stretch at hand; end: the last end in it */
	uint32_t n_active;
	bool is_open; /* there is a stretch at hand */
};

enum { RUN_GAPS = 6 };

/* A device idled until something that was asked for late; and what the caller had waited for until then. */
struct run_gap {
	uint64_t begin_ns, end_ns;
	enum run_wait { RUN_LATE, RUN_AFTER_COPY, RUN_AFTER_WAIT } after;
};

/* What a device did for it so far: from the first begin to the last end. */
struct run_device {
	struct summary_device sum;
	uint64_t begin_ns, end_ns;
	uint64_t idle_from_ns; /* since when it idled before the first; 0: not known, or it did not */
	struct run_gap gap[RUN_GAPS], wait[RUN_GAPS]; /* the longest; the last calls that waited */
	uint32_t n_gaps, n_call_waits;
	uint64_t end_wait_ns; /* when the last call ended that waited for the device */
};

/* An inference in the window. */
struct run {
	uint64_t begin_ns, end_ns; /* STORE_OPEN: not yet, or it was cut off */
	uint64_t over_ns;	   /* until when it is taken to last; STORE_OPEN: it runs */
	uint64_t setup_ns;
	uint64_t halted_ns;	  /* of operators and setup that are left out because the process was halted */
	uint64_t operators_ns;	  /* of what is already summed up */
	uint64_t summed_until_ns; /* 0: nothing is */
	uint32_t summed_last;	  /* the operator of that which ended last */
	uint64_t summed_setup_ns;
	uint64_t setup_end_ns, first_ns; /* of the last setup slice; of the first operator */
	uint64_t operators_end_ns;	 /* of the last operator that has ended; 0: none has */
	uint64_t n_begun, n_concurrent;
	uint64_t n_begun_elsewhere, n_beside; /* the same of other sessions of the process */
	uint64_t number;
	uint32_t process, track, session, bucket, model; /* model: name that it gives */
	uint32_t next;					 /* in the list of free ones, + 1 */
	uint32_t serial;				 /* counts the uses of this place */
	bool is_used, has_begun, is_over, is_swept, is_keyed, is_dropped, is_parallel;
	bool is_divided;	      /* its operators took the way of sum_parallel.c */
	uint64_t overlap_ns, most_ns; /* of others with it: in all, and of the one with most */
	uint32_t beside;	      /* that one's session */
	struct run_device device;
	struct ops work; /* of a device, by who asked for it: kind; bytes: how many; begin, end: 0 and their time */
	uint32_t caller; /* its thread; NONE: not known */
	uint32_t around; /* + 1: the innermost inference of its thread that it began in; 0: none, or not known */
	uint32_t around_serial;
	uint64_t turn_ns;    /* until another one of its session ended, before its first operator */
	uint64_t compile_ns; /* for which the runtime compiled in it */
	uint64_t inner_ns;   /* of those that began right in it */
	uint64_t elements;   /* of its inputs; 0: not known */
	uint32_t size;	     /* shapes_size */
	uint32_t tally;	     /* of its shapes, + 1; 0: not known */
	bool is_new_shape;
	uint32_t operator_track; /* the last operator's */
	uint32_t weight;	 /* inferences that its operators stand for */
	struct ops ops;
	struct facts facts;
};

/* What waits for its time. */
struct moment {
	uint64_t time_ns, order;
	double value;	/* of a counter; of a creation: its thread, -1: not known */
	uint32_t index; /* of a run, a counter, a token_call; of a creation: its process; of a stretch: in outside.h */
	uint32_t what;	/* enum moment_kind */
};

/* A creation begins, and ends; a sample of a thread begins; a call that makes tokens ends. */
enum moment_kind {
	MOMENT_RUN,
	MOMENT_START,
	MOMENT_SAMPLE,
	MOMENT_CREATION,
	MOMENT_CREATED,
	MOMENT_STRETCH,
	MOMENT_TOKENS
};

/* A call of a generator whose end has not come in the window. */
struct token_call {
	uint32_t process, name;
	uint32_t next; /* in the list of free ones, + 1 */
	int64_t thread;
	uint64_t generator, begin_ns, n_tokens, n_seen;
};

struct moments {
	struct array row;  /* struct moment, in the order of time: what was later than all before it */
	size_t row_at;	   /* the first that was not taken */
	struct array heap; /* struct moment, earliest first: all others */
	uint64_t order;
	uint32_t n_runs;
};

struct window_slot {
	uint32_t run; /* + 1; 0: free */
	uint32_t hash;
};

struct window {
	struct array runs;	   /* struct run */
	uint32_t free;		   /* + 1 */
	struct window_slot *table; /* runs by process and number */
	uint32_t mask, n_keyed;
	bool is_keyed;	/* the table is kept: an operator has come */
	bool has_inner; /* an inference has begun in another */
	struct moments moments;
	struct array active; /* uint32_t: runs that the sweep has met and that have not ended before it */
	uint64_t min_end_ns; /* of these */
	struct array early;  /* struct early: operators came before the inference began */
	size_t early_at;
	uint32_t n_early;
	struct busy busy;  /* of any process */
	struct busy taken; /* by an inference or a creation, of any process */
	uint32_t max_runs, max_ops;
	uint32_t large; /* + 1: a run that had more than half of the operators that can wait; 0: none */
};

struct early {
	uint32_t run, serial;
};

#endif
