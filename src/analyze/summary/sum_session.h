/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of a summary in the making, and what they and their inferences come to. */
#ifndef ANALYZE_SUMMARY_SUM_SESSION_H
#define ANALYZE_SUMMARY_SUM_SESSION_H

#include "analyze/stats/stats.h"
#include "analyze/summary/course/course.h"
#include "analyze/summary/course/times.h"
#include "analyze/summary/summary.h"
#include "base/array.h"

/* When sessions of a process were being created. */
struct creations {
	struct times times; /* with a creation */
	struct array later; /* struct creation: ended since times was made */
	struct array open;  /* uint64_t: begins of those that have not ended, or were cut off */
};

struct creation {
	uint64_t begin_ns, end_ns;
};

/* By what a session is known: what comes first knows best. */
enum met { MET_NOTE, MET_CREATION, MET_RUN, MET_NEVER };

/* The settings of a session, as asked for. */
struct settings {
	uint32_t path, providers, options, n_replaced, runtime;
};

/* A file that was loaded from a path. */
struct loaded {
	uint32_t process, path, file; /* process: of the program, see sum_group_of; file: KEY_MODEL_FILE */
	uint32_t n_replaced;
};

/* A session, and where it was met first: rows come out in that order. */
struct session {
	struct summary_session row;
	uint64_t key; /* in session_keys, besides the process */
	uint32_t process;
	uint32_t bucket;
	enum met named, met;
	uint32_t met_on; /* the track of its creation or of an inference; then in the order of met_at */
	uint64_t met_at;
	uint64_t n_begun; /* inferences that the sweep has passed */
	uint32_t at_once; /* of these, those that run */
	uint64_t used_at; /* when it was found last, in the order of maker->n_used */
	uint64_t n_prepacked, n_capabilities, n_compared, n_pool, pool_cpu_ns;
	struct summary_training training;
	struct summary_compiling compiling;
	struct array transformers; /* struct summary_transformer */
	struct stats *latency;	   /* NULL: there are too many sessions */
	bool is_back;		   /* it was folded before, and is counted already */
	bool is_folded;		   /* only a row is left of it */
};

/* What folded sessions come to. */
struct folded {
	struct summary_creation sum; /* without duration */
	struct summary_training training;
	struct summary_compiling compiling;
	struct stats durations;
	uint64_t runs_wall_ns;
	int64_t bytes; /* -1: unknown */
};

struct slow {
	struct summary_slow row;
	uint32_t process;
	struct array nodes; /* struct slow_node */
	uint32_t tally;	    /* of its shapes, + 1; 0: not known */
	uint32_t evidence;  /* + 1; 0: none */
};

/* What is usual: of a model, or of its inferences with the same shapes. */
struct usual {
	struct stats duration, cpu, wait, faults, overlap, kernels;
};

/* The last inference of a thread in a session. */
struct turn {
	uint64_t end_ns;
	uint64_t whole_ns; /* of all inferences of the session until then */
};

/* Inferences whose inputs are of one size. */
struct size {
	uint32_t key, text; /* text: shapes of the first */
	uint64_t wall_ns, n_subnormal, subnormal_wall_ns;
	struct stats elements;
	struct stats subnormal, normal; /* without waits for a CPU: those with subnormal numbers, and the others */
	struct usual usual;
};

struct pauses {
	struct stats after, close;
};

/* The longest of its name, with or without others inside. */
struct slow_node {
	uint32_t name, track;
	uint64_t begin_ns, ns;
	bool is_leaf;
};

/* What is counted text by text, or number by number. */
enum { TALLIED_SHAPES, TALLIED_TAGS, TALLIED_THREADS, TALLIED_BATCHES, TALLIED_CALLERS, TALLIED_FAILURES, N_TALLIED };

enum { MAX_SIZES = 64 };
enum { MAX_SHAPES = 32, SHAPE_LIMIT = 1 << 11 };

struct cover {
	struct summary_coverage sum;
	struct stats operators;
};

/* Sessions of a process with the same name and settings: what their inferences come to. */
struct bucket {
	uint32_t process; /* the first of its program's, or its own: see sum_group_of */
	uint32_t own;	  /* the first that has it */
	uint32_t name;
	struct settings settings;
	uint32_t model;	      /* at the end */
	uint32_t n_processes; /* that are counted for it; 0: its own alone */
	struct summary_runs runs;
	struct stats latency, first, queue;
	struct cover typical, apart;
	struct slow *slowest; /* room for maker->max_slowest; NULL: none so far */
	struct usual usual;   /* without duration: that is latency */
	struct pauses pauses;
	struct size *size;	     /* room for MAX_SIZES, or all coarse ones; NULL: none so far */
	uint32_t n_sizes, first_key; /* first_key: of the first inference; 0: not known */
	/* the elements of all inputs alone tell sizes apart; mixed: so some hold what each input would tell apart */
	bool is_coarse, is_mixed;
	struct usual *shape_usual; /* by place in shape_tally; room for MAX_SHAPES */
	uint32_t *shape_tally;	   /* index in maker->tallies */
	uint32_t n_shape_usual;
	uint32_t n_slowest, at_once;
	uint32_t n_tallies[N_TALLIED];
	struct folded *folded; /* NULL: none is */
	struct course *course; /* NULL: there are too many models */
};

struct summary_maker;
struct settings sum_runs_settings(const struct summary_session *session);
/* The number in named_keys; runtime 0: of any. NONE: out of memory. */
uint32_t sum_runs_named(struct summary_maker *maker, uint32_t process, uint32_t name, uint32_t runtime);
/* file: what its creation said of it, 0: nothing. Finds row.n_replaced. 0 or -ENOMEM. */
int sum_loaded_add(struct summary_maker *maker, struct session *session, uint32_t file);

#endif
