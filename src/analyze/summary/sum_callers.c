// SPDX-License-Identifier: Apache-2.0
#include "analyze/summary/sum_callers.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/summary/sum_slow.h"

enum {
	MAX_CALLERS = 4096, /* kept one by one; then half of them are folded */
	MAX_KINDS = 256,    /* later ones are one kind */
	MAX_LISTED = 64,
};

struct caller {
	uint32_t process;
	int64_t tid;
	struct busy runs, taken; /* taken: by an inference or a creation */
	uint64_t begin_ns, end_ns;
	uint64_t n_runs, n_sessions, first_ns, n_waits, waits_wall_ns, run_queue_ns;
	uint64_t used_at;
};

static struct caller *caller_at(const struct summary_maker *maker, uint32_t index)
{
	return (struct caller *)maker->callers.caller.data + index;
}

static const struct track_def *def_of(const struct summary_maker *maker, uint32_t process)
{
	return &maker->tracks[process_at(maker, process)->track].def;
}

/* What is known of the process of tracks without one is nothing. */
static bool is_main(const struct summary_maker *maker, const struct caller *caller)
{
	return process_at(maker, caller->process)->track && def_of(maker, caller->process)->pid == caller->tid;
}

/*
 * A process's first thread lives as long as it. When another one began and ended is not recorded: it is taken to live
 * from its first call to the end of its last.
 */
static void put_span(const struct summary_maker *maker, const struct caller *caller, struct summary_caller *to)
{
	uint64_t begin_ns = caller->begin_ns, end_ns = caller->end_ns;
	uint32_t index = process_at(maker, caller->process)->index;

	if (is_main(maker, caller)) {
		uint64_t start_ns = def_of(maker, caller->process)->start_ns;
		uint64_t exit_ns = index != SUMMARY_NONE ? maker->to->processes[index].exit_ns : 0;

		begin_ns = start_ns > maker->counts.first_ns ? start_ns : maker->counts.first_ns;
		end_ns = exit_ns ? exit_ns : maker->counts.last_ns;
	}
	to->begin_ns = begin_ns < caller->begin_ns ? begin_ns : caller->begin_ns;
	to->time.wall_ns = (end_ns > caller->end_ns ? end_ns : caller->end_ns) - to->begin_ns;
}

/* The waits of a part of the inferences stand for those of all, if that part is large enough. */
static void put_row(const struct summary_maker *maker, const struct caller *caller, struct summary_caller *to)
{
	uint64_t runs_ns = sum_busy_at(&caller->runs, caller->end_ns);
	uint64_t taken_ns = sum_busy_at(&caller->taken, caller->end_ns), rest_ns;

	*to = (struct summary_caller){ .process = process_at(maker, caller->process)->index,
				       .tid = caller->tid,
				       .is_main = is_main(maker, caller),
				       .n_inferences = caller->n_runs,
				       .n_sessions = caller->n_sessions };
	put_span(maker, caller, to);
	to->time.inferences_ns = runs_ns;
	to->time.creating_ns = taken_ns > runs_ns ? taken_ns - runs_ns : 0;
	to->time.first_ns = caller->first_ns < runs_ns ? caller->first_ns : runs_ns;
	rest_ns = runs_ns - to->time.first_ns;
	if (caller->waits_wall_ns && 2 * caller->n_waits >= caller->n_runs)
		to->time.waiting_ns =
		    (uint64_t)((double)rest_ns * (double)caller->run_queue_ns / (double)caller->waits_wall_ns);
	if (to->time.waiting_ns > rest_ns)
		to->time.waiting_ns = rest_ns;
}

/* By program, and by what they do. NULL: out of memory. */
static struct summary_callers *kind_of(struct summary_maker *maker, const struct caller *caller)
{
	struct callers *callers = &maker->callers;
	uint32_t program = process_at(maker, caller->process)->track ? def_of(maker, caller->process)->name : 0;
	bool is_first = is_main(maker, caller), has_runs = caller->n_runs;
	uint32_t n = callers->kind_keys.n, index;

	index = keys_find(&callers->kind_keys, program, (uint64_t)is_first << 1 | has_runs);
	if (index == NONE && n >= MAX_KINDS)
		index = 0;
	if (index == NONE) {
		index = keys_number(&callers->kind_keys, program, (uint64_t)is_first << 1 | has_runs);
		if (index != n || !array_add(&callers->kind, sizeof(struct summary_callers)))
			return NULL;
		((struct summary_callers *)callers->kind.data)[index] =
		    (struct summary_callers){ .program = program, .is_main = is_first };
	}
	return (struct summary_callers *)callers->kind.data + index;
}

static int add_to_kind(struct summary_maker *maker, const struct caller *caller)
{
	struct summary_callers *kind = kind_of(maker, caller);
	struct summary_caller row;

	if (!kind)
		return -ENOMEM;
	put_row(maker, caller, &row);
	kind->n++;
	kind->n_inferences = stats_sum(kind->n_inferences, row.n_inferences);
	kind->n_sessions = stats_sum(kind->n_sessions, row.n_sessions);
	kind->time.wall_ns = stats_sum(kind->time.wall_ns, row.time.wall_ns);
	kind->time.inferences_ns = stats_sum(kind->time.inferences_ns, row.time.inferences_ns);
	kind->time.first_ns = stats_sum(kind->time.first_ns, row.time.first_ns);
	kind->time.waiting_ns = stats_sum(kind->time.waiting_ns, row.time.waiting_ns);
	kind->time.creating_ns = stats_sum(kind->time.creating_ns, row.time.creating_ns);
	return 0;
}

static int compare_used(const void *a_, const void *b_)
{
	uint64_t a = *(const uint64_t *)a_, b = *(const uint64_t *)b_;

	return (a > b) - (a < b);
}

/* When the middle one of them called last. */
static int find_middle(const struct summary_maker *maker, uint64_t *used_at)
{
	size_t n = maker->callers.caller.n;
	uint64_t *at = calloc(n, sizeof *at);

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		at[i] = caller_at(maker, i)->used_at;
	qsort(at, n, sizeof *at, compare_used);
	*used_at = at[n / 2];
	free(at);
	return 0;
}

/* Those that are left move up; inferences that run are told. */
static int drop_folded(struct summary_maker *maker, const uint32_t *number)
{
	struct callers *callers = &maker->callers;
	const uint32_t *active = maker->window.active.data;
	size_t n = 0;

	keys_done(&callers->keys);
	for (uint32_t i = 0; i < callers->caller.n; i++) {
		if (number[i] == NONE)
			continue;
		*caller_at(maker, (uint32_t)n++) = *caller_at(maker, i);
		if (keys_number(&callers->keys, caller_at(maker, (uint32_t)n - 1)->process,
				(uint64_t)caller_at(maker, (uint32_t)n - 1)->tid) == NONE)
			return -ENOMEM;
	}
	callers->caller.n = n;
	for (uint32_t i = 0; i < maker->window.active.n; i++)
		if (run_at(maker, active[i])->caller != NONE)
			run_at(maker, active[i])->caller = number[run_at(maker, active[i])->caller];
	return 0;
}

static int fold(struct summary_maker *maker)
{
	size_t n = maker->callers.caller.n;
	uint32_t *number = calloc(n, sizeof *number), n_left = 0;
	uint64_t middle = 0;
	int rc = number ? find_middle(maker, &middle) : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n; i++) {
		const struct caller *caller = caller_at(maker, i);

		number[i] = caller->used_at < middle && !caller->taken.n_active ? NONE : n_left++;
		if (number[i] == NONE)
			rc = add_to_kind(maker, caller);
	}
	if (!rc)
		rc = drop_folded(maker, number);
	free(number);
	return rc;
}

/* NONE: out of memory. */
static uint32_t find(struct summary_maker *maker, uint32_t process, int64_t tid, uint64_t time_ns)
{
	struct callers *callers = &maker->callers;
	uint32_t index = keys_find(&callers->keys, process, (uint64_t)tid);
	struct caller *caller;

	if (index == NONE) {
		/* all may be at work */
		if (callers->caller.n >= MAX_CALLERS && !(callers->caller.n % (MAX_CALLERS / 2)) && fold(maker))
			return NONE;
		index = keys_number(&callers->keys, process, (uint64_t)tid);
		caller = index == callers->caller.n ? array_add(&callers->caller, sizeof *caller) : NULL;
		if (!caller)
			return NONE;
		*caller = (struct caller){ .process = process, .tid = tid, .begin_ns = time_ns };
	}
	caller = caller_at(maker, index);
	caller->used_at = callers->n_used++;
	caller->begin_ns = time_ns < caller->begin_ns ? time_ns : caller->begin_ns;
	return index;
}

int sum_callers_run(struct summary_maker *maker, struct run *run)
{
	int64_t tid = fact_int(&run->facts, FACT_TID, -1);
	struct caller *caller;

	run->caller = NONE;
	maker->callers.is_unknown |= tid <= 0;
	if (maker->callers.is_unknown)
		return 0;
	run->caller = find(maker, run->process, tid, run->begin_ns);
	if (run->caller == NONE)
		return -ENOMEM;
	caller = caller_at(maker, run->caller);
	caller->n_runs++;
	sum_busy_begin(&caller->runs, run->begin_ns);
	sum_busy_begin(&caller->taken, run->begin_ns);
	return 0;
}

void sum_callers_ran(struct summary_maker *maker, const struct run *run, uint64_t end_ns)
{
	struct caller *caller = run->caller != NONE ? caller_at(maker, run->caller) : NULL;
	uint64_t took_ns = end_ns > run->begin_ns ? end_ns - run->begin_ns : 0;

	if (!caller)
		return;
	sum_busy_end(&caller->runs, end_ns);
	sum_busy_end(&caller->taken, end_ns);
	caller->end_ns = end_ns > caller->end_ns ? end_ns : caller->end_ns;
	if (run->around) { /* the time of that one */
		caller->n_waits++;
		return;
	}
	if (fact_int(&run->facts, FACT_FIRST, 0) == 1) {
		caller->first_ns = stats_sum(caller->first_ns, took_ns);
		caller->n_waits++; /* it needs none: its time is told apart */
	} else if (facts_have(&run->facts, FACT_RUN_QUEUE)) {
		caller->n_waits++;
		caller->waits_wall_ns = stats_sum(caller->waits_wall_ns, took_ns);
		caller->run_queue_ns =
		    stats_sum(caller->run_queue_ns, sum_at_least_0(fact_int(&run->facts, FACT_RUN_QUEUE, 0)));
	}
}

int sum_callers_creation(struct summary_maker *maker, const struct moment *moment, uint64_t time_ns)
{
	int64_t tid = (int64_t)moment->value;
	struct caller *caller;
	uint32_t index;

	maker->callers.is_unknown |= tid <= 0;
	if (maker->callers.is_unknown)
		return 0;
	index = find(maker, moment->index, tid, time_ns);
	if (index == NONE)
		return -ENOMEM;
	caller = caller_at(maker, index);
	if (moment->what == MOMENT_CREATION) {
		caller->n_sessions++;
		sum_busy_begin(&caller->taken, time_ns);
	} else if (caller->taken.n_active) {
		sum_busy_end(&caller->taken, time_ns);
		caller->end_ns = time_ns > caller->end_ns ? time_ns : caller->end_ns;
	}
	return 0;
}

static uint64_t called_ns(const struct summary_time *time)
{
	return time->inferences_ns + time->creating_ns;
}

static int compare_callers(const void *a_, const void *b_)
{
	const struct summary_caller *a = a_, *b = b_;

	if (called_ns(&a->time) != called_ns(&b->time))
		return called_ns(&a->time) > called_ns(&b->time) ? -1 : 1;
	return a->process != b->process ? a->process < b->process ? -1 : 1 : (a->tid > b->tid) - (a->tid < b->tid);
}

static int compare_kinds(const void *a_, const void *b_)
{
	const struct summary_callers *a = a_, *b = b_;

	if (called_ns(&a->time) != called_ns(&b->time))
		return called_ns(&a->time) > called_ns(&b->time) ? -1 : 1;
	return a->program != b->program ? a->program < b->program ? -1 : 1 : b->is_main - a->is_main;
}

int sum_callers_make(struct summary_maker *maker, struct end *end)
{
	struct callers *callers = &maker->callers;
	const struct summary_opts *opts = &maker->opts;
	int rc = 0;

	if (callers->is_unknown || opts->from_ns || opts->to_ns || opts->model)
		return 0;
	for (uint32_t i = 0; !rc && i < callers->caller.n; i++) {
		struct summary_caller *row = array_add(&end->callers, sizeof *row);

		if (!row)
			return -ENOMEM;
		put_row(maker, caller_at(maker, i), row);
		rc = add_to_kind(maker, caller_at(maker, i));
	}
	if (rc)
		return rc;
	end->caller_kinds = callers->kind;
	callers->kind = (struct array){ 0 };
	if (end->callers.n)
		qsort(end->callers.data, end->callers.n, sizeof(struct summary_caller), compare_callers);
	if (end->caller_kinds.n)
		qsort(end->caller_kinds.data, end->caller_kinds.n, sizeof(struct summary_callers), compare_kinds);
	if (end->callers.n > MAX_LISTED)
		end->callers.n = MAX_LISTED;
	return 0;
}

/* Inferences that were left out on request took as long as others. */
static void finish(struct summary_time *time, double scale)
{
	uint64_t most_ns, inferences_ns = time->inferences_ns;

	time->creating_ns = time->creating_ns < time->wall_ns ? time->creating_ns : time->wall_ns;
	most_ns = time->wall_ns - time->creating_ns;
	if (scale > 1)
		inferences_ns = (uint64_t)((double)inferences_ns * scale);
	inferences_ns = inferences_ns < most_ns ? inferences_ns : most_ns;
	if (time->inferences_ns) {
		scale = (double)inferences_ns / (double)time->inferences_ns;
		time->first_ns = (uint64_t)((double)time->first_ns * scale);
		time->waiting_ns = (uint64_t)((double)time->waiting_ns * scale);
	}
	time->inferences_ns = inferences_ns;
	time->outside_ns = most_ns - inferences_ns;
}

void sum_callers_finish(struct summary *to)
{
	if (!to->recording.is_ours || to->recording.has_no_begins)
		to->n_callers = to->n_caller_kinds = 0;
	for (uint32_t i = 0; i < to->n_callers; i++) {
		uint32_t process = to->callers[i].process;

		finish(&to->callers[i].time, process == SUMMARY_NONE ? 1 : to->processes[process].sampled);
	}
	for (uint32_t i = 0; i < to->n_caller_kinds; i++)
		finish(&to->caller_kinds[i].time, to->sampled);
}

void sum_callers_done(struct callers *callers)
{
	array_done(&callers->caller, sizeof(struct caller));
	array_done(&callers->kind, sizeof(struct summary_callers));
	keys_done(&callers->keys);
	keys_done(&callers->kind_keys);
}
