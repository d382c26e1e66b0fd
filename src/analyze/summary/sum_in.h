/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the parts of a summary in the making, see sum_types.h. What can fail returns 0 or -ENOMEM. */
#ifndef ANALYZE_SUMMARY_SUM_IN_H
#define ANALYZE_SUMMARY_SUM_IN_H

#include "analyze/summary/sum_types.h"

/* summary.c's parts, in the order of the list above; each puts what it knows into maker->to. */
int sum_slices_begin(struct summary_maker *maker, struct track *track, const struct event *event);
int sum_slices_end(struct summary_maker *maker, struct track *track, const struct event *event);
int sum_slices_finish(struct summary_maker *maker); /* those that are still open */

int sum_window_begin(struct summary_maker *maker, uint32_t process, struct slice *slice, uint32_t track);
int sum_window_end(struct summary_maker *maker, const struct slice *slice, uint64_t end_ns, uint64_t over_ns);
int sum_window_operator(struct summary_maker *maker, struct track *track, uint64_t number, const struct op *op);
int sum_window_setup(struct summary_maker *maker, uint32_t run, uint64_t begin_ns, uint64_t end_ns, uint32_t track);
/* The inference with that number; NULL: it has left, or was not met. */
int sum_window_find(struct summary_maker *maker, uint32_t process, uint64_t number, struct run **run);
int sum_window_moment(struct summary_maker *maker, const struct moment *moment);
int sum_moments_put(struct moments *moments, const struct moment *moment);
const struct moment *sum_moments_first(const struct moments *moments); /* NULL: there is none */
bool sum_moments_take(struct moments *moments, struct moment *first);  /* false: there is none */
int sum_window_finish(struct summary_maker *maker);
void sum_window_done(struct window *window);

/* Sums an inference up: its operators, and itself. */
int sum_runs_add(struct summary_maker *maker, struct run *run);
/* Its operators so far, if they are too many to wait; once it ends, they go where it belongs. */
int sum_parts_add(struct summary_maker *maker, struct run *run);
int sum_parts_settle(struct summary_maker *maker, const struct run *run, const struct place *place);
int sum_runs_find_bucket(struct summary_maker *maker, struct run *run);
/* The index of its session; NONE: it was not met yet, or is not kept any more. */
uint32_t sum_runs_session_of(const struct summary_maker *maker, const struct run *run);
/* The bucket of a session by what is known of it now; NONE: out of memory. */
uint32_t sum_runs_bucket_of(struct summary_maker *maker, const struct session *session);

int sum_operators_kind(struct operators *to, uint32_t name, const struct facts *facts, uint32_t *kind);
int sum_operators_put(struct operators *to, struct ops *ops, const struct op *op);
bool sum_operators_has(const struct operators *operators, const struct ops *ops); /* other than setup */
void sum_operators_drop(struct operators *to, struct ops *ops);
/* One that is in no inference. */
int sum_operators_outside(struct summary_maker *maker, uint32_t process, const struct op *op);
/* Adds them to their groups; *operators_ns: how long one ran that was not halted, 0 elsewhere than in inferences. */
int sum_operators_add(struct summary_maker *maker, struct run *run, struct place place, uint64_t *operators_ns,
		      uint64_t *setup_ns);
int sum_operators_finish(struct summary_maker *maker);
void sum_operators_done(struct operators *operators);

/* Divides an inference among its operators, see there. All are in a group of the place. */
int sum_parallel_divide(struct operators *operators, struct run *run, uint32_t place, uint64_t *operators_ns,
			uint64_t *setup_ns);

/* A creation begins or ends (STORE_OPEN: cut off); a slice inside one ends. */
int sum_sessions_begin(struct summary_maker *maker, struct track *track, uint64_t begin_ns);
int sum_sessions_inside(struct track *track, const struct summary_maker *maker, const struct slice *slice,
			uint64_t self_ns);
int sum_sessions_end(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns);
/* The session `number` of a process (0: the one of a model that has none), found or made; NULL: out of memory. */
struct session *sum_sessions_find(struct summary_maker *maker, uint32_t process, int64_t number, uint32_t model_name,
				  enum met met);
/* The index of one that is kept, or NONE. */
uint32_t sum_sessions_known(const struct summary_maker *maker, uint32_t process, int64_t number, uint32_t model_name);
void sum_sessions_free(struct session *session); /* what it holds */
int sum_sessions_add_transformer(struct keys *keys, struct array *to, uint32_t of,
				 const struct summary_transformer *row);
void sum_sessions_done(struct summary_maker *maker);

/* Folds the sessions that were not used for the longest time, until n_left are left, or only those in use. */
int sum_fold_sessions(struct summary_maker *maker, uint32_t n_left);
/* At the end: of more sessions than the list may hold, rows of some. */
int sum_fold_finish(struct summary_maker *maker);
/* What a session adds to the sums of its model. */
void sum_fold_add(struct summary_maker *maker, struct summary_creation *to, struct session *session);
/* Is it to be summed up? A creation at a time that was not asked for is left out. */
bool sum_fold_is_wanted(const struct summary_maker *maker, struct session *session);

int sum_creations_begin(struct creations *creations, uint64_t begin_ns);
int sum_creations_end(struct summary_maker *maker, uint32_t process, uint64_t begin_ns, uint64_t end_ns);
int sum_creations_finish(struct summary_maker *maker); /* those that are open lasted to the last event */
/* Was a session being created then? As far as is known now. */
bool sum_creations_is_at(const struct creations *creations, uint64_t time_ns);
void sum_creations_done(struct creations *creations);

/* moments: n of them, which wait in the window for their time. */
int sum_counters_put(struct summary_maker *maker, struct track *track, const struct event *event,
		     struct moment moments[2], uint32_t *n);
/* The time of a value has come; busy_ns: how long its process, or the machine, had been busy until then. */
void sum_counters_weigh(struct summary_maker *maker, const struct moment *sample, uint64_t busy_ns);

/* Notes of memory. */
int sum_memory_note(struct summary_maker *maker, uint32_t process, const struct event *event);
int sum_memory_at_peak(struct summary_maker *maker, uint32_t process, const struct event *event);
/* Whose runtime memory a counter tells: that of one session is in notes as well. */
enum sum_memory_of { MEMORY_OF_NOBODY, MEMORY_OF_SESSION, MEMORY_OF_ALL };
enum sum_memory_of sum_memory_counter(const struct summary_maker *maker, const struct track *track);
/* Its resident memory, in the order of time. */
void sum_memory_resident(struct process *process, double bytes);
void sum_memory_done(struct summary_maker *maker);

int sum_notes_put(struct summary_maker *maker, struct track *track, const struct event *event);
void sum_notes_done(struct summary_maker *maker);
int sum_notes_finish(struct summary_maker *maker); /* the processes are in maker->to */
/* When the process ended, as the notes so far say; 0: they do not. */
uint64_t sum_notes_exit_ns(const struct summary_maker *maker, uint32_t process);

/* The end. */
struct end {
	struct array models, sessions, transformers, types, nodes, elsewhere, ran_on, idle, tallies, sizes,
	    coarse_sizes, slowest, resources, halts, halt_kinds;
	struct array callers, caller_kinds, curves, courses, named, kernels, kernel_types, streams, cycles, generations,
	    tokens, lengths, requests, request_parts;
	struct array is_apart; /* bool, by model: its coverage is of inferences that are apart, it has no others */
};

int sum_models_make(struct summary_maker *maker, struct end *end);
int sum_latencies_make(struct summary_maker *maker, struct end *end);
int sum_tables_make(struct summary_maker *maker, struct end *end);
int sum_idle_make(struct summary_maker *maker, struct end *end);
int sum_slowest_make(struct summary_maker *maker, struct end *end);
int sum_counters_make(struct summary_maker *maker, struct end *end);
int sum_memory_make(struct summary_maker *maker, struct end *end);

/* Is this a status other than "ok"? 0 is not. */
bool sum_is_failure(struct summary_maker *maker, uint32_t status);
struct summary_spread sum_spread(struct stats *stats); /* which is emptied */
/* The process of a track. */
uint32_t sum_process_of(struct summary_maker *maker, struct track *track);
/* The process that the models of this one are counted for; NONE: out of memory. */
uint32_t sum_group_of(struct summary_maker *maker, uint32_t process);
void sum_facts_take(struct facts *facts, const struct arg *args, size_t n, uint64_t *inference);
/* Where the time went: a creation is over, or its process is. */
int sum_time_creation(struct summary_maker *maker, uint32_t process, const struct slice *slice, uint64_t over_ns);
void sum_busy_begin(struct busy *busy, uint64_t time_ns);
void sum_busy_end(struct busy *busy, uint64_t time_ns);
/* How long it had been busy at a time that is not before the last begin; every end until then is known. */
uint64_t sum_busy_at(const struct busy *busy, uint64_t time_ns);

/* False: before the last event of the track, and counted. */
static inline bool sum_is_in_order(struct summary_maker *maker, struct track *track, uint64_t time_ns)
{
	struct store_counts *counts = &maker->counts;

	if (time_ns < track->last_ns) {
		counts->n_disordered++;
		return false;
	}
	track->last_ns = time_ns;
	counts->first_ns = time_ns < counts->first_ns ? time_ns : counts->first_ns;
	counts->last_ns = time_ns > counts->last_ns ? time_ns : counts->last_ns;
	return true;
}

static inline int64_t fact_int(const struct facts *facts, enum fact fact, int64_t fallback)
{
	return facts->has >> fact & 1 ? facts->value[fact] : fallback;
}

/* Values that are not there are not copied. */
static inline void facts_copy(struct facts *to, const struct facts *from)
{
	to->has = from->has;
	for (uint64_t left = from->has; left; left &= left - 1) {
		int fact = __builtin_ctzll(left);

		to->value[fact] = from->value[fact];
	}
}

static inline size_t sum_moments_n(const struct moments *moments)
{
	return moments->row.n - moments->row_at + moments->heap.n;
}

/* a: -1 is none yet. Both stop at the largest number. */
static inline int64_t sum_bytes(int64_t a, int64_t b)
{
	int64_t sum;

	return a < 0 ? b : __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* n times; stops at the largest number. */
static inline uint64_t sum_scaled(uint64_t value, uint32_t n)
{
	uint64_t product;

	return __builtin_mul_overflow(value, n, &product) ? UINT64_MAX : product;
}

static inline int64_t sum_scaled_bytes(int64_t bytes, uint32_t n)
{
	int64_t product;

	return __builtin_mul_overflow(bytes, n, &product) ? INT64_MAX : product;
}

static inline bool facts_have(const struct facts *facts, enum fact fact)
{
	return facts->has >> fact & 1;
}

static inline uint32_t fact_text(const struct facts *facts, enum fact fact)
{
	return facts->has >> fact & 1 ? (uint32_t)facts->value[fact] : 0;
}

static inline bool session_has_config(const struct summary_session *session)
{
	return session->path || session->providers || session->options;
}

static inline bool session_is_created(const struct summary_session *session)
{
	return session->has_slice && !session->is_failed && session->end_ns != STORE_OPEN;
}

static inline struct run *run_at(const struct summary_maker *maker, uint32_t index)
{
	return (struct run *)maker->window.runs.data + index;
}

static inline struct process *process_at(const struct summary_maker *maker, uint32_t index)
{
	return (struct process *)maker->processes.data + index;
}

static inline struct session *session_at(const struct summary_maker *maker, uint32_t index)
{
	return (struct session *)maker->sessions.data + index;
}

static inline struct bucket *bucket_at(const struct summary_maker *maker, uint32_t index)
{
	return (struct bucket *)maker->buckets.data + index;
}

static inline bool run_is_finished(const struct run *run)
{
	return run->end_ns != STORE_OPEN && fact_int(&run->facts, FACT_PARTIAL, 0) != 1;
}

#endif
