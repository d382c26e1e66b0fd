/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A summary in the making: what the files sum_*.c hand on to each other (sum_in.h: by which functions). An event passes
 * them in this order:
 *
 *	summary.c       the sink: sends each event where it belongs
 *	sum_slices.c    open slices of each track: nesting, arguments, time inside
 *	sum_window.c    inferences that wait for their operators, which other threads may bring later
 *	sum_runs.c      what an inference adds to its model
 *	sum_operators.c what an operator adds to its node; sum_parallel.c: operators side by side
 *	sum_sessions.c  creations;  sum_counters.c  counters;  sum_notes.c  notes and losses
 *
 * and sum_models.c, sum_tables.c, sum_idle.c, sum_slowest.c turn it into struct summary at the end. Processes, buckets
 * and so on are named by their index in the array of struct maker.
 */
#ifndef ANALYZE_SUMMARY_SUM_TYPES_H
#define ANALYZE_SUMMARY_SUM_TYPES_H

#include "analyze/summary/sum_ops.h"
#include "analyze/summary/summary_maker.h"
#include "analyze/summary/times.h"

#define NONE UINT32_MAX /* no index */

enum {
	WINDOW_RUNS = 8192,    /* inferences that wait for operators, at most */
	WINDOW_OPERATORS = 16, /* operators that wait with them, for each: at most this many times as many in all */
	RUN_LIMIT = 1 << 17,   /* values of a model that are kept: percentiles of more come from a histogram */
	SESSION_LIMIT = 1 << 14,
	NODE_LIMIT = 1 << 14,
	MANY_NODES = 512, /* later ones keep fewer */
	MANY_LIMIT = 1 << 12,
	MAX_SESSION_SPREADS = 256,
	MAX_TALLIES = 1 << 14, /* different texts that are counted: later ones are not */
	MAX_NOTES = 1 << 16,   /* of one kind */
};

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
	FACT_BYTES,
	FACT_COUNT,
	FACT_CAPABILITIES,
	FACT_MODIFIED,
	FACT_MODEL,
	FACT_STATUS,
	FACT_SHAPES,
	FACT_TAG,
	FACT_OP_TYPE,
	FACT_PROVIDER,
	N_FACTS
};

struct facts {
	uint32_t has; /* a bit for each */
	int64_t value[N_FACTS];
};

/* An open slice. */
struct slice {
	uint64_t begin_ns;
	uint64_t inside_ns;    /* slices directly inside that have ended */
	uint64_t operators_ns; /* operators inside that have ended, without those inside these */
	uint32_t name, number; /* number: of the inference */
	uint32_t run;	       /* index in the window; NONE: not an inference */
	uint8_t kind;
	bool is_left_out; /* it lay before its predecessor */
	bool has_inside, has_operator;
	bool is_in_setup; /* a setup slice inside another */
	struct facts facts;
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
	uint32_t number, run;	     /* of the last operator's inference */
	uint32_t counter;	     /* + 1 */
};

/* Time with at least one of several things that begin and end. */
struct busy {
	uint64_t total_ns, start_ns, end_ns; /* start: of the stretch at hand; end: the last end in it */
	uint32_t n_active;
	bool is_open; /* there is a stretch at hand */
};

struct creation {
	uint64_t begin_ns, end_ns; /* STORE_OPEN: cut off */
};

/* Process 0 is that of tracks without one. */
struct process {
	uint32_t track;
	struct busy busy;
	uint64_t n_begun;	/* inferences that the sweep has passed */
	struct array creations; /* struct creation */
	struct times times;	/* of these, at the end */
	uint32_t index;		/* in struct summary, at the end */
};

/* By what a session is known: what comes first knows best. */
enum met { MET_NOTE, MET_CREATION, MET_RUN, MET_NEVER };

/* A session, and where it was met first: rows come out in that order. */
struct session {
	struct summary_session row;
	uint32_t process;
	uint32_t bucket;
	enum met named, met;
	uint32_t met_on; /* the track of its creation or of an inference; then in the order of met_at */
	uint64_t met_at;
	uint64_t n_prepacked, n_capabilities;
	struct stats *latency; /* NULL: there are too many sessions */
};

struct slow {
	struct summary_slow row;
	uint32_t process;
	struct array nodes; /* struct slow_node */
};

/* An operator without others inside: the longest of its name. */
struct slow_node {
	uint32_t name;
	uint64_t ns;
};

struct cover {
	struct summary_coverage sum;
	struct stats operators;
};

/* Sessions of a process with the same name and settings: what their inferences come to. */
struct bucket {
	uint32_t process, name, path, providers, options;
	uint32_t model; /* at the end */
	struct summary_runs runs;
	struct stats latency, first;
	struct cover typical, apart;
	struct slow slowest[SUMMARY_SLOWEST];
	uint32_t n_slowest, at_once, n_tallies;
};

/* An inference in the window. */
struct run {
	uint64_t begin_ns, end_ns; /* STORE_OPEN: not yet, or it was cut off */
	uint64_t over_ns;	   /* until when it is taken to last; STORE_OPEN: it runs */
	uint64_t setup_ns;
	uint64_t operators_ns;	  /* of what is already summed up */
	uint64_t summed_until_ns; /* 0: nothing is */
	uint64_t summed_setup_ns;
	uint64_t setup_end_ns, first_ns; /* of the last setup slice; of the first operator */
	uint64_t n_begun, n_concurrent;
	uint32_t process, number, track, session, bucket, model; /* model: name that it gives */
	uint32_t next;						 /* in the list of free ones, + 1 */
	uint32_t serial;					 /* counts the uses of this place */
	bool is_used, has_begun, is_over, is_swept, is_keyed, is_dropped, is_parallel;
	bool is_divided;	 /* its operators took the way of sum_parallel.c */
	uint32_t operator_track; /* the last operator's */
	uint8_t place;		 /* summed_until_ns > 0: where its operators go, enum summary_where */
	struct ops ops;
	struct facts facts;
};

/* What waits for its time. */
struct moment {
	uint64_t time_ns, order;
	double value;	/* of a counter */
	uint32_t index; /* of a run, of a counter */
	uint32_t what;	/* enum moment_kind */
};

enum moment_kind { MOMENT_RUN, MOMENT_START, MOMENT_SAMPLE };

struct moments {
	struct array heap; /* struct moment, earliest first */
	uint64_t order;
	uint32_t n_runs;
};

struct window {
	struct array runs; /* struct run */
	uint32_t free;	   /* + 1 */
	uint32_t *table;   /* runs by process and number, + 1 */
	uint32_t mask, n_keyed;
	struct moments moments;
	struct array active; /* uint32_t: runs that the sweep has met and that have not ended before it */
	uint64_t min_end_ns; /* of these */
	struct array early;  /* struct early: operators came before the inference began */
	size_t early_at;
	uint32_t n_early;
	struct busy busy; /* of any process */
	uint32_t max_runs, max_ops;
};

struct early {
	uint32_t run, serial;
};

struct counter {
	struct summary_resource row;
	uint32_t track, process;
	uint64_t before_ns, before_busy_ns; /* the value before: its time, and how long it had been busy until then */
	bool has_before, is_rate;
	double sum, busy_sum, idle_sum, plain_sum;
};

struct summary_maker {
	struct sink sink;
	struct summary_opts opts;
	struct summary *to;
	const struct names *names;
	struct store_counts counts;
	struct track *tracks; /* by id; entry 0 unused */
	uint32_t n_tracks, tracks_capacity, n_defined;
	struct array processes, sessions, buckets, counters, notes, tallies;
	struct array transformers; /* struct summary_transformer; model: the session */
	struct array runtimes, losses, stops, unreadable, left_out, clock_changes; /* as in struct summary */
	struct keys process_keys, session_keys, transformer_keys, tally_keys, loss_keys;
	struct keys named_keys, config_keys, bucket_keys; /* by process and name; by settings; by both */
	struct array first_noted; /* uint32_t, by number in named_keys: the first session with settings, + 1; 0: none */
	struct window window;
	struct operators operators;
	uint64_t n_met;
	uint64_t n_open[N_KINDS];
	uint32_t ok; /* id of "ok", once seen */
};

#endif
