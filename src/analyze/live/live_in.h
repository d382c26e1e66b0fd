/* SPDX-License-Identifier: Apache-2.0 */
/* The live sums inside, for live*.c only. What readers see is copied out at each roll. */
#ifndef ANALYZE_LIVE_LIVE_IN_H
#define ANALYZE_LIVE_LIVE_IN_H

#include "analyze/generation/generations.h"
#include "analyze/live/live.h"
#include "analyze/live/live_histogram.h"
#include "analyze/store/keys.h"
#include "base/array.h"
#include "event/event_args.h"

enum {
	LIVE_DEPTH = 64,       /* open slices of a track that are followed */
	LIVE_PLACES = 1 << 14, /* inferences whose model is remembered for their operators, in sets of LIVE_WAYS */
	LIVE_WAYS = 8,
	LIVE_HOMES = 1 << 12,  /* sessions whose model is remembered for their inferences, in such sets, too */
	LIVE_RUNTIMES = 8,     /* of a process */
	LIVE_WAITING = 1 << 17 /* operators that came before their inference */
};

/* An operator's sums: the interval at hand and those of the window, and all time. */
struct live_op_sum {
	uint64_t n, ns;
	uint32_t type; /* of a node: the index of its type's sums, + 1; 0: not known */
	uint32_t window_n[LIVE_WINDOW];
	uint64_t window_ns[LIVE_WINDOW];
};

struct live_ops {
	struct array known; /* struct live_operator: what it is */
	struct array shown; /* the same with figures, as of the last roll */
	struct array sums;  /* struct live_op_sum */
	struct keys keys;   /* by name, type and provider */
	struct live_op_sum other;
};

struct live_row {
	struct live_model shown;
	uint32_t name;	  /* the id by which it was last found; 0: by none that stays */
	uint32_t process; /* track; 0: it has ended */
	bool is_void;	  /* stood for a model whose name was not known yet: it goes at the next roll */
	struct live_sum sum;
	uint64_t max_ns, n_open, open_ns, n_not_ended, n_created, n_creations_failed, creating_ns;
	struct live_session session[LIVE_SESSIONS];
	uint32_t n_sessions;
	bool has_more_sessions;
	uint32_t n_creating, n_loading, n_specializing;
	char requested[64]; /* provider that was asked for; "": not known */
	struct live_point now;
	uint64_t first_interval, last_interval; /* last: when it did something */
	uint64_t over_interval;			/* when it ended, + 1; 0: it has not */
	struct live_histogram *histogram;	/* NULL: no inference in the window */
	uint32_t n_quiet;			/* intervals without an inference */
	struct live_histogram *firsts;		/* first tokens; NULL: it has made none */
	uint64_t n_tokens, n_generations;
	struct live_ops nodes, types;
};

/* Rows of one name in processes of one name. */
struct live_joined {
	struct live_model shown;
	struct array nodes, types; /* struct live_operator */
	uint32_t first, n;	   /* of live.member */
};

struct live_runtime {
	char name[32], version[32]; /* version "": not known */
};

struct live_process_row {
	struct live_process shown;
	struct live_runtime runtime[LIVE_RUNTIMES];
	uint32_t n_runtimes;
	uint32_t track;
	uint64_t n_sampled_out, over_interval;
};

struct live_counter_row {
	struct live_counter shown;
	double value;
	uint64_t time_ns, first_interval;
	float point[LIVE_POINTS];
};

/* A slice that is open on a track. */
struct live_slice {
	uint64_t begin_ns, inside_ns; /* inside: operators in it */
	uint64_t number;	      /* of the inference of an operator, of a call's generator; 0: none */
	uint32_t name, type, provider;
	uint8_t kind;
	int64_t call[2]; /* of a generator: its thread, tokens */
};

struct live_track {
	uint32_t process, parent, name; /* process: its track */
	uint8_t type;			/* enum track_type */
	bool is_known;
	uint32_t depth, run_depth; /* run_depth: of the open inference; 0: none */
	uint64_t process_id;
	uint64_t row;		   /* id of the row of the open inference or creation; 0: none */
	int64_t session;	   /* of the open inference, */
	int64_t thread;		   /* its thread, */
	uint64_t number;	   /* its number in its process; 0: not known; */
	uint32_t shapes;	   /* and what its begin says of its inputs */
	struct live_slice *slice;  /* LIVE_DEPTH; NULL: none was open yet */
	uint64_t last_number;	   /* of the inference of its last operator, and its row */
	struct live_row *last_row; /* valid while n_freed is the live's */
	uint64_t n_freed;
	struct live_counter_row *counter;
	uint64_t halt_ns; /* of a process: when it was last seen stopped, traced or frozen; 0: never */
};

struct live_place {
	uint64_t process, number, row; /* ids; number 0: free */
};

struct live_home {
	uint64_t process, row; /* ids; process 0: free */
	int64_t number;
	bool is_released; /* inferences of it may come later */
};

struct live_waiting {
	uint64_t process, number, ns;
	uint32_t name, type, provider, age; /* age: rolls */
};

struct live {
	struct sink sink;
	uint64_t last_id, n_intervals, begin_ns;
	struct live_interval interval[LIVE_POINTS];
	struct live_row *row[LIVE_MODELS];
	uint32_t n_rows, n_nodes;
	struct live_joined joined[LIVE_MODELS];
	uint64_t member[LIVE_MODELS]; /* ids of rows */
	uint32_t n_joined;
	struct live_histogram merged; /* of the one that is being joined */
	uint64_t n_freed;	      /* rows */
	struct live_process_row *process[LIVE_PROCESSES];
	uint32_t n_processes;
	struct live_counter_row *counter[LIVE_COUNTERS];
	uint32_t n_counters;
	struct live_note note[LIVE_NOTES]; /* the newest last */
	uint32_t n_notes;
	struct live_totals sums, shown;
	struct array tracks;  /* struct live_track, by number */
	struct array waiting; /* struct live_waiting */
	struct generations *generations;
	struct live_place place[LIVE_PLACES];
	struct live_home home[LIVE_HOMES];
	uint32_t ok;
	struct live_topics {
		uint32_t process, runtime, session, created, released, unreadable, sampled_out, missing, stopped;
	} topic;
};

static inline struct live_track *live_track_at(const struct live *live, uint32_t track)
{
	return track < live->tracks.n ? (struct live_track *)live->tracks.data + track : NULL;
}

/* An operator that ran when its process was seen halted took as long as that, and not for itself. */
static inline bool live_was_halted(const struct live *live, const struct live_track *track, uint64_t begin_ns,
				   uint64_t end_ns)
{
	const struct live_track *process = live_track_at(live, track->process);

	return process && process->halt_ns && begin_ns <= process->halt_ns && process->halt_ns < end_ns;
}

/* live_notes.c */
void live_note_add(struct live *live, enum live_note_kind kind, uint64_t n, const char *text);

/* live_ops.c */
/* The sums of this kind (name 0: of its type); those of all others where there is no room. NULL: out of memory. */
struct live_op_sum *live_ops_sum(struct live_ops *ops, const struct live_waiting *op, uint32_t name, bool has_room);
void live_ops_add(const struct live *live, struct live_op_sum *sum, uint64_t ns);
void live_ops_roll(struct live *live, struct live_row *row);
void live_ops_done(struct live *live, struct live_row *row);

/* live_processes.c */
struct live_process_row *live_process_at(const struct live *live, uint32_t track);
void live_process_define(struct live *live, const struct event *event);
void live_process_end(struct live *live, uint32_t track);
void live_processes_roll(struct live *live);
/* It has loaded a runtime, or another library of one; version "": not known. */
void live_process_runtime(struct live_process_row *process, const char *name, const char *version);
/* Fills in the version of a row's runtime, and the runtime, if its process has just one. */
void live_runtime_version(const struct live *live, struct live_row *row);
struct live_counter_row *live_counter_define(struct live *live, const struct event *event, uint64_t process);
void live_counters_roll(struct live *live, uint64_t now_ns, uint64_t interval_ns);
void live_counter_end(struct live *live, struct live_counter_row *counter);

/* live_rows.c */
struct live_row *live_row_of(const struct live *live, uint64_t id); /* NULL: it is gone */
/* The row of a model in the process of a track, with this session if one has it; NULL: there is no room. */
struct live_row *live_row_named(struct live *live, const struct live_track *track, uint32_t name, int64_t session);
/* The same of a model that this runtime runs; "": not known. */
struct live_row *live_row_of_runtime(struct live *live, const struct live_track *track, uint32_t name,
				     const char *runtime);
void live_rows_end(struct live *live, uint32_t process); /* its track has ended */
void live_rows_drop_old(struct live *live);
void live_rows_done(struct live *live);

/* live_sessions.c */
/* The row of a session of the track's process; NULL: not known. */
struct live_row *live_session_row(struct live *live, const struct live_track *track, int64_t number);
/* A session of this row, which exists unless it was released; NULL: it was, or there is no room. */
struct live_session *live_session_of(struct live *live, const struct live_track *track, struct live_row *row,
				     int64_t number);
void live_session_release(struct live *live, const struct live_track *track, int64_t number);

/* live_join.c: before the rows roll, and after that. */
void live_join_begin(struct live *live);
void live_join_show(struct live *live);
void live_join_done(struct live *live);

/* live_operators.c */
/* 0 or -ENOMEM. */
int live_operator(struct live *live, struct live_track *track, const struct live_slice *slice, uint64_t self_ns);
void live_place_put(struct live *live, uint64_t process, uint64_t number, uint64_t row);
void live_operators_settle(struct live *live, bool is_roll); /* those that waited */

/* live_models.c */
void live_run_begin(struct live *live, struct live_track *track, const struct event *event);
void live_run_end(struct live *live, struct live_track *track, const struct event *event, uint64_t begin_ns);
void live_rows_roll(struct live *live, uint64_t now_ns);

/* live_generations.c */
/* False: out of memory. */
bool live_generations_init(struct live *live);
/* An inference of a row has ended, and did not fail. */
void live_generations_take(struct live *live, const struct live_track *track, const struct live_row *row,
			   const struct event *end, uint64_t begin_ns);
void live_generations_call(struct live *live, uint64_t process, const struct live_slice *slice, uint64_t end_ns);
void live_generations_show(struct live_row *row);

/* live_creations.c */
void live_creation_begin(struct live *live, struct live_track *track, const struct event *event);
void live_creation_end(struct live *live, struct live_track *track, const struct event *event,
		       const struct live_slice *slice);
void live_created(struct live *live, const struct event *event);

/* live_facts.c */
void live_instant(struct live *live, const struct event *event);

#endif
