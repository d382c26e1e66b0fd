/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A summary of a store in the making: what the files build_*.c hand on to each other, in the order in which they run.
 * Each step returns 0 or -ENOMEM.
 */
#ifndef TEST_UNIT_WALK_H
#define TEST_UNIT_WALK_H

#include "analyze/stats/stats.h"
#include "analyze/stats/stats_sort.h"
#include "analyze/store/keys.h"
#include "analyze/summary/summary.h"
#include "base/array.h"

/* One inference. */
struct run {
	uint64_t begin_ns, end_ns;
	uint64_t operators_ns, setup_ns;
	uint32_t session; /* index */
	uint32_t number;  /* in its process, 0: unknown */
	uint32_t track, row;
	uint32_t operator_track; /* of its operators; 0: none so far */
	uint32_t list;		 /* its arguments */
	uint64_t setup_end_ns;	 /* of its last setup slice; 0: none */
	bool is_failed, is_first, is_partial;
	bool is_covered;  /* it counts for the coverage */
	bool is_parallel; /* it has operators on more than one thread */
	bool is_swept;	  /* build_parallel.c divides the time of its operators */
};

/* Operators with the same name, type, provider, place. */
struct group {
	struct summary_operator facts;
	struct stats durations;
};

/* An operator of an inference that is swept. */
struct swept {
	uint32_t run, group, track, row;
};

struct build {
	const struct store *store;
	const struct names *names;
	struct summary *to;
	uint64_t taken_ns;    /* by inferences or creations of any process */
	uint32_t *process_of; /* by track: index of its process, or SUMMARY_NONE */
	struct array processes, runtimes, models, sessions, transformers, types, nodes, elsewhere, ran_on, idle,
	    tallies, slowest, resources, losses, stops, unreadable,
	    left_out; /* of what struct summary has under the same name */
	struct keys session_keys, run_keys;
	struct array runs;			      /* struct run */
	struct array groups;			      /* struct group */
	struct array swept;			      /* struct swept */
	uint32_t *runs_by_model;		      /* indices of runs, model after model */
	uint32_t *first_run;			      /* where each model's begin; n_models + 1 */
	uint32_t devices[SUMMARY_DEVICES], n_devices; /* names of their tracks */
	uint32_t ok;				      /* id of "ok", once seen */
};

int build_processes(struct build *build); /* tracks and notes: processes, runtimes, losses, cost, named sessions */
int build_sessions(struct build *build);  /* creations and their phases */
int build_runs(struct build *build);	  /* inferences, their sessions */
int build_models(struct build *build);	  /* sessions and runs grouped */
int build_latencies(struct build *build); /* spreads, rates, concurrency, tallies */
int build_operators(struct build *build); /* groups, coverage */
int build_parallel(struct build *build);  /* the share of operators that ran side by side; coverage */
int build_tables(struct build *build);	  /* types, nodes, providers from groups */
int build_idle(struct build *build);	  /* providers that ran nothing */
int build_slowest(struct build *build);
int build_resources(struct build *build);

/* store is borrowed for the summary's life. NULL and err: out of memory. */
struct summary *walk_summary(const struct store *store, const struct summary_file *file, struct err *err);
void walk_free(struct summary *summary);

/* The session `number` of a process (0: the one of a model that has none), found or made; NULL: out of memory. */
struct summary_session *build_session(struct build *build, uint32_t process, int64_t number, uint32_t model_name);
/* Whether this is a status other than "ok"; 0 is not. */
bool build_is_failure(struct build *build, uint32_t status);
/* What is in stats, which is emptied. */
struct summary_spread build_spread(struct stats *stats);

/* Times that lie in at least one of many: begin, end, begin, end ..., in order, disjoint. To be freed. */
struct times {
	uint64_t *at;
	size_t n; /* pairs */
};

/* With an inference of a process (SUMMARY_NONE: of any); with a session of it being created. 0 or -ENOMEM. */
int build_busy(const struct build *build, uint32_t process, struct times *times);
int build_creations(const struct build *build, uint32_t process, struct times *times);
int build_taken(const struct build *build, struct times *times); /* by inferences or creations of any process */
/* How much of [begin, end) lies in them. *next: 0 at first; later calls must not ask for earlier times. */
uint64_t walk_times_overlap(const struct times *times, size_t *next, uint64_t begin_ns, uint64_t end_ns);
/* Whether one of them touches [begin, end]. */
bool walk_times_touch(const struct times *times, uint64_t begin_ns, uint64_t end_ns);
void walk_times_done(struct times *times);

static inline struct run *build_run(const struct build *build, uint32_t index)
{
	return (struct run *)build->runs.data + index;
}

/* Counts for the latency. */
static inline bool build_is_typical(const struct run *run)
{
	return run->end_ns != STORE_OPEN && !run->is_partial && !run->is_failed && !run->is_first;
}

static inline bool build_is_finished(const struct run *run)
{
	return run->end_ns != STORE_OPEN && !run->is_partial;
}

#endif
