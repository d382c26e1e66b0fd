// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences in the making. The parts of one lie on several tracks, whose events may come one after the other: its
 * operators before it begins, or after it has ended. So inferences wait here until so many later ones have begun, and
 * then leave in the order of their begins. That order, which values of counters pass, too, tells how many run at once
 * and when a process is busy. An operator that comes later still is counted as one whose inference is not known.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_slow.h"

enum { MAX_MOMENTS = 1 << 15 };

/* What a new inference begins without. A variable: the compiler would clear so few bytes by a slow instruction. */
static const volatile size_t run_head = offsetof(struct run, facts);

/* Consecutive numbers lie side by side. */
static uint32_t hash_of(uint32_t process, uint64_t number)
{
	uint64_t mixed = (((uint64_t)process << 40) ^ number >> 4) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(mixed >> 36) << 4 | (uint32_t)(number & 15);
}

static uint32_t find_run(const struct summary_maker *maker, uint32_t process, uint64_t number)
{
	const struct window *window = &maker->window;
	uint32_t hash = hash_of(process, number);

	if (!window->table)
		return NONE;
	for (uint32_t at = hash & window->mask; window->table[at].run; at = (at + 1) & window->mask) {
		const struct run *run = run_at(maker, window->table[at].run - 1);

		if (window->table[at].hash == hash && run->number == number && run->process == process)
			return window->table[at].run - 1;
	}
	return NONE;
}

static void put_in_table(struct window *window, struct window_slot slot)
{
	uint32_t at = slot.hash & window->mask;

	while (window->table[at].run)
		at = (at + 1) & window->mask;
	window->table[at] = slot;
}

static int key_run(struct summary_maker *maker, uint32_t index)
{
	struct window *window = &maker->window;
	struct run *run = run_at(maker, index);

	if (2 * window->n_keyed >= window->mask) {
		uint32_t size = window->mask ? 2 * (window->mask + 1) : 1024, old_mask = window->mask;
		struct window_slot *old = window->table;

		window->table = calloc(size, sizeof *window->table);
		if (!window->table) {
			window->table = old;
			return -ENOMEM;
		}
		window->mask = size - 1;
		for (uint32_t at = 0; old && at <= old_mask; at++)
			if (old[at].run)
				put_in_table(window, old[at]);
		free(old);
	}
	window->n_keyed++;
	put_in_table(window, (struct window_slot){ index + 1, hash_of(run->process, run->number) });
	run->is_keyed = true;
	return 0;
}

/* What lies behind it in its row of places moves up. */
static void unkey_run(struct summary_maker *maker, uint32_t index)
{
	struct window *window = &maker->window;
	struct run *run = run_at(maker, index);
	uint32_t at, mask = window->mask;

	if (!run->is_keyed)
		return;
	at = hash_of(run->process, run->number) & mask;
	while (window->table[at].run != index + 1)
		at = (at + 1) & mask;
	for (uint32_t next = (at + 1) & mask; window->table[next].run; next = (next + 1) & mask) {
		uint32_t home = window->table[next].hash & mask;

		if (((next - home) & mask) >= ((next - at) & mask)) {
			window->table[at] = window->table[next];
			at = next;
		}
	}
	window->table[at].run = 0;
	window->n_keyed--;
	run->is_keyed = false;
}

/*
 * The first operator comes: from now on inferences are looked for by their numbers. Of two with the same number, the
 * one that began first is found.
 */
static int key_all(struct summary_maker *maker)
{
	struct window *window = &maker->window;
	int rc = 0;

	window->is_keyed = true;
	for (uint32_t index = 0; !rc && index < window->runs.n; index++) {
		const struct run *run = run_at(maker, index);
		uint32_t other = run->is_used && run->number ? find_run(maker, run->process, run->number) : index;

		if (other != NONE && (other == index || run_at(maker, other)->begin_ns <= run->begin_ns))
			continue;
		if (other != NONE)
			unkey_run(maker, other);
		rc = key_run(maker, index);
	}
	return rc;
}

static int new_run(struct summary_maker *maker, uint32_t process, uint64_t number, uint32_t *index)
{
	struct window *window = &maker->window;
	uint32_t serial = 0;
	struct run *run;

	if (window->free) {
		*index = window->free - 1;
		run = run_at(maker, *index);
		window->free = run->next;
		serial = run->serial + 1;
	} else {
		*index = (uint32_t)window->runs.n;
		run = array_add(&window->runs, sizeof *run);
	}
	if (!run)
		return -ENOMEM;
	memset(run, 0, run_head);
	run->facts.has = 0;
	run->end_ns = run->over_ns = STORE_OPEN;
	run->first_ns = UINT64_MAX;
	run->process = process;
	run->number = number;
	run->session = run->bucket = NONE;
	run->serial = serial;
	run->is_used = true;
	return number && window->is_keyed ? key_run(maker, *index) : 0;
}

static void free_run(struct summary_maker *maker, uint32_t index)
{
	struct run *run = run_at(maker, index);

	sum_operators_drop(&maker->operators, &run->ops);
	sum_operators_drop(&maker->operators, &run->work);
	unkey_run(maker, index);
	run->is_used = false;
	run->next = maker->window.free;
	maker->window.free = index + 1;
}

static int finish_run(struct summary_maker *maker, uint32_t index)
{
	struct run *run = run_at(maker, index);
	int rc = run->is_dropped ? 0 : sum_runs_add(maker, run);

	free_run(maker, index);
	return rc;
}

/* Inferences that the sweep has passed, of other sessions of the process. */
static uint64_t begun_elsewhere(const struct summary_maker *maker, const struct run *run)
{
	return process_at(maker, run->process)->n_begun - session_at(maker, run->session)->n_begun;
}

/* Before it leaves, as the one around it may leave at the same time. */
static void add_to_outer(struct summary_maker *maker, const struct run *run)
{
	struct run *outer = run->around ? run_at(maker, run->around - 1) : NULL;

	if (!outer || !outer->is_used || outer->serial != run->around_serial ||
	    (!run_is_finished(run) && run->end_ns != STORE_OPEN))
		return;
	if (run->over_ns <= outer->over_ns)
		outer->inner_ns = stats_sum(outer->inner_ns, run->over_ns - run->begin_ns);
}

/* An operator, or another runtime's provider, runs a model on the thread of the inference that it belongs to. */
static void find_outer(struct summary_maker *maker, struct run *run)
{
	const uint32_t *active = maker->window.active.data;
	int64_t tid = fact_int(&run->facts, FACT_TID, -1);
	uint64_t latest_ns = 0;

	for (size_t i = 0; tid > 0 && i < maker->window.active.n; i++) {
		const struct run *outer = run_at(maker, active[i]);

		if (outer->process != run->process || fact_int(&outer->facts, FACT_TID, -1) != tid ||
		    outer->begin_ns >= run->begin_ns || outer->begin_ns < latest_ns)
			continue;
		latest_ns = outer->begin_ns;
		run->around = active[i] + 1;
		run->around_serial = outer->serial;
		maker->window.has_inner = true;
	}
}

/* Ends of inferences up to this time; those leave. */
static int pass_ends(struct summary_maker *maker, uint64_t time_ns)
{
	struct window *window = &maker->window;
	uint32_t *active = window->active.data, n = 0;
	uint64_t end_ns;
	int rc = 0;

	if (window->min_end_ns > time_ns)
		return 0;
	window->min_end_ns = STORE_OPEN;
	for (uint32_t i = 0; window->has_inner && i < window->active.n; i++)
		if (run_at(maker, active[i])->over_ns <= time_ns)
			add_to_outer(maker, run_at(maker, active[i]));
	for (uint32_t i = 0; i < window->active.n; i++) {
		struct run *run = run_at(maker, active[i]);

		if (rc || run->over_ns > time_ns) {
			active[n++] = active[i];
			if (run->over_ns < window->min_end_ns)
				window->min_end_ns = run->over_ns;
			continue;
		}
		for (uint32_t k = i + 1; window->active.n <= MAX_BESIDE && k < window->active.n; k++)
			sum_why_beside(run, run_at(maker, active[k]));
		for (uint32_t k = 0; window->active.n <= MAX_BESIDE && k < n; k++)
			sum_why_beside(run, run_at(maker, active[k]));
		end_ns = run->over_ns < maker->counts.last_ns ? run->over_ns : maker->counts.last_ns;
		run->n_concurrent += process_at(maker, run->process)->n_begun - run->n_begun;
		run->n_beside += begun_elsewhere(maker, run) - run->n_begun_elsewhere;
		session_at(maker, run->session)->at_once--;
		sum_busy_end(&window->busy, end_ns);
		sum_busy_end(&window->taken, end_ns);
		sum_outside_from(maker, run->process, fact_int(&run->facts, FACT_TID, -1));
		sum_gaps_idle(maker);
		sum_busy_end(&process_at(maker, run->process)->busy, end_ns);
		sum_callers_ran(maker, run, end_ns);
		bucket_at(maker, run->bucket)->at_once--;
		rc = finish_run(maker, active[i]);
	}
	window->active.n = n;
	return rc;
}

static int pass_run(struct summary_maker *maker, uint32_t index)
{
	struct window *window = &maker->window;
	struct run *run = run_at(maker, index);
	struct process *process = process_at(maker, run->process);
	struct session *session;
	struct bucket *bucket;
	uint32_t *active;

	if (sum_runs_find_bucket(maker, run))
		return -ENOMEM;
	session = session_at(maker, run->session);
	run->is_swept = true;
	if (run->is_dropped)
		return run->is_over ? finish_run(maker, index) : 0;
	find_outer(maker, run);
	active = array_add_raw(&window->active, sizeof *active);
	if (!active)
		return -ENOMEM;
	*active = index;
	if (run->over_ns < window->min_end_ns)
		window->min_end_ns = run->over_ns;
	run->n_concurrent = process->busy.n_active;
	run->n_begun = ++process->n_begun;
	run->n_beside = process->busy.n_active - session->at_once++;
	session->n_begun++;
	run->n_begun_elsewhere = begun_elsewhere(maker, run);
	sum_gaps_begin(maker, run->begin_ns);
	if (sum_outside_until(maker, run->begin_ns, run->process, fact_int(&run->facts, FACT_TID, -1), run->bucket))
		return -ENOMEM;
	sum_busy_begin(&window->taken, run->begin_ns);
	sum_busy_begin(&process->busy, run->begin_ns);
	bucket = bucket_at(maker, run->bucket);
	bucket->at_once++;
	if (bucket->at_once > bucket->runs.max_concurrent && run->over_ns > run->begin_ns)
		bucket->runs.max_concurrent = bucket->at_once;
	return sum_callers_run(maker, run);
}

static uint32_t process_of_counter(const struct summary_maker *maker, uint32_t counter)
{
	return ((const struct counter *)maker->counters.data)[counter].process;
}

/* The inference that passes next was last used long ago. */
static void fetch_next(const struct summary_maker *maker)
{
	const struct moment *next = sum_moments_first(&maker->window.moments);
	const char *at = next && next->what == MOMENT_RUN ? (const char *)run_at(maker, next->index) : NULL;

	for (size_t offset = 0; at && offset < sizeof(struct run); offset += 64)
		__builtin_prefetch(at + offset, 1);
}

static int pass_creation(struct summary_maker *maker, const struct moment *moment)
{
	uint64_t time_ns = moment->time_ns < maker->counts.last_ns ? moment->time_ns : maker->counts.last_ns;

	if (moment->what == MOMENT_CREATION) {
		if (sum_outside_until(maker, time_ns, moment->index, (int64_t)moment->value, NONE))
			return -ENOMEM;
		sum_busy_begin(&maker->window.taken, time_ns);
	} else {
		sum_busy_end(&maker->window.taken, time_ns);
		sum_outside_from(maker, moment->index, (int64_t)moment->value);
	}
	return sum_callers_creation(maker, moment, time_ns);
}

/* The earliest moment has come. False: there is none. */
static bool pass_moment(struct summary_maker *maker, int *rc)
{
	const struct busy *busy = &maker->window.busy;
	struct moment moment;

	if (!sum_moments_take(&maker->window.moments, &moment))
		return false;
	fetch_next(maker);
	*rc = pass_ends(maker, moment.time_ns);
	if (*rc)
		return true;
	if (moment.what == MOMENT_RUN) {
		*rc = pass_run(maker, moment.index);
		return true;
	}
	if (moment.what == MOMENT_CREATION || moment.what == MOMENT_CREATED) {
		*rc = pass_creation(maker, &moment);
		return true;
	}
	if (moment.what == MOMENT_TOKENS) {
		*rc = sum_generations_pass(maker, &moment);
		return true;
	}
	if (moment.what == MOMENT_STRETCH) {
		*rc = sum_outside_pass(maker, &moment);
		return true;
	}
	if (process_of_counter(maker, moment.index))
		busy = &process_at(maker, process_of_counter(maker, moment.index))->busy;
	sum_counters_weigh(maker, &moment, sum_busy_at(busy, moment.time_ns));
	return true;
}

static bool is_early(const struct summary_maker *maker, const struct early *early)
{
	const struct run *run = run_at(maker, early->run);

	return run->is_used && run->serial == early->serial && !run->has_begun;
}

/* Those that have begun since leave the row. */
static int add_early(struct summary_maker *maker, uint32_t run)
{
	struct window *window = &maker->window;
	struct early *early = window->early.data;
	size_t n = 0;

	if (window->early.n >= 2 * ((size_t)window->max_runs + 1)) {
		for (size_t i = window->early_at; i < window->early.n; i++)
			if (is_early(maker, &early[i]))
				early[n++] = early[i];
		window->early.n = n;
		window->early_at = 0;
	}
	early = array_add(&window->early, sizeof *early);
	if (!early)
		return -ENOMEM;
	*early = (struct early){ run, run_at(maker, run)->serial };
	window->n_early++;
	return 0;
}

/* Operators wait for an inference that has not begun: they came long ago. */
static bool drop_early(struct summary_maker *maker, int *rc)
{
	struct window *window = &maker->window;

	while (window->early_at < window->early.n) {
		const struct early *early = (struct early *)window->early.data + window->early_at++;

		if (!is_early(maker, early))
			continue;
		window->n_early--;
		*rc = finish_run(maker, early->run);
		return true;
	}
	return false;
}

/* An inference with more operators than can wait: they are summed up while it runs. */
static int sum_part(struct summary_maker *maker)
{
	const uint32_t *active = maker->window.active.data;
	struct run *largest = NULL;

	for (uint32_t i = 0; i < maker->window.active.n; i++) {
		struct run *run = run_at(maker, active[i]);

		if (!largest || run->ops.n > largest->ops.n)
			largest = run;
	}
	return largest ? sum_parts_add(maker, largest) : 0;
}

/* One inference has more than half of those that wait: others need not be hurried. */
static bool sum_large(struct summary_maker *maker, int *rc)
{
	struct window *window = &maker->window;
	struct run *run = window->large ? run_at(maker, window->large - 1) : NULL;

	if (!run || !run->is_used || run->is_dropped || !run->is_swept || 2 * run->ops.n <= window->max_ops)
		return false;
	*rc = sum_parts_add(maker, run);
	window->large = 0;
	return true;
}

static int make_room(struct summary_maker *maker)
{
	struct window *window = &maker->window;
	int rc = 0;

	while (!rc && (window->moments.n_runs > window->max_runs || sum_moments_n(&window->moments) > MAX_MOMENTS))
		pass_moment(maker, &rc);
	while (!rc && window->n_early > window->max_runs && drop_early(maker, &rc))
		;
	while (!rc && maker->operators.n > window->max_ops &&
	       (sum_large(maker, &rc) || pass_moment(maker, &rc) || drop_early(maker, &rc)))
		;
	if (!rc && maker->operators.n > window->max_ops)
		rc = sum_part(maker);
	return rc;
}

int sum_window_begin(struct summary_maker *maker, uint32_t process, struct slice *slice, uint32_t track)
{
	struct window *window = &maker->window;
	struct moment moment = { .time_ns = slice->begin_ns, .what = MOMENT_RUN };
	uint32_t index = slice->number && window->is_keyed ? find_run(maker, process, slice->number) : NONE;
	struct run *run;

	if (index != NONE && !run_at(maker, index)->has_begun)
		window->n_early--;
	else if (new_run(maker, process, index == NONE ? slice->number : 0, &index))
		return -ENOMEM;
	run = run_at(maker, index);
	run->has_begun = true;
	run->begin_ns = slice->begin_ns;
	run->track = track;
	run->number = slice->number;
	run->model = slice->name;
	facts_copy(&run->facts, &slice->facts);
	slice->run = moment.index = index;
	if (sum_moments_put(&window->moments, &moment))
		return -ENOMEM;
	return make_room(maker);
}

int sum_window_end(struct summary_maker *maker, const struct slice *slice, uint64_t end_ns, uint64_t over_ns)
{
	struct run *run = run_at(maker, slice->run);

	run->is_over = true;
	run->end_ns = end_ns;
	run->over_ns = over_ns;
	facts_copy(&run->facts, &slice->facts);
	if (!run->is_swept)
		return 0;
	if (run->is_dropped)
		return finish_run(maker, slice->run);
	if (over_ns < maker->window.min_end_ns)
		maker->window.min_end_ns = over_ns;
	return 0;
}

int sum_window_operator(struct summary_maker *maker, struct track *track, uint64_t number, const struct op *op)
{
	struct window *window = &maker->window;
	uint32_t process = sum_process_of(maker, track);
	const struct run *known = track->run < window->runs.n ? run_at(maker, track->run) : NULL;

	if (!window->is_keyed && key_all(maker))
		return -ENOMEM;
	if (!known || !known->is_keyed || known->number != number || known->process != process) {
		track->run = find_run(maker, process, number);
		if (track->run == NONE) {
			if (new_run(maker, process, number, &track->run))
				return -ENOMEM;
			if (add_early(maker, track->run))
				return -ENOMEM;
		}
	}
	if (run_at(maker, track->run)->is_dropped)
		return 0;
	if (sum_operators_put(&maker->operators, &run_at(maker, track->run)->ops, op))
		return -ENOMEM;
	if (2 * run_at(maker, track->run)->ops.n > window->max_ops)
		window->large = track->run + 1;
	return maker->operators.n > window->max_ops || window->n_early > window->max_runs ? make_room(maker) : 0;
}

int sum_window_setup(struct summary_maker *maker, uint32_t run, uint64_t begin_ns, uint64_t end_ns, uint32_t track)
{
	struct op op = { .begin_ns = begin_ns, .end_ns = end_ns, .track = track | OP_SETUP };

	if (sum_halts_hit(maker, run_at(maker, run)->process, begin_ns, end_ns))
		op.track |= OP_HALTED;
	else
		run_at(maker, run)->setup_ns += end_ns - begin_ns;
	return sum_operators_put(&maker->operators, &run_at(maker, run)->ops, &op);
}

int sum_window_find(struct summary_maker *maker, uint32_t process, uint64_t number, struct run **run)
{
	uint32_t index;

	*run = NULL;
	if (!maker->window.is_keyed && key_all(maker))
		return -ENOMEM;
	index = find_run(maker, process, number);
	*run = index == NONE ? NULL : run_at(maker, index);
	return 0;
}

int sum_window_moment(struct summary_maker *maker, const struct moment *moment)
{
	return sum_moments_put(&maker->window.moments, moment) ? -ENOMEM : make_room(maker);
}

int sum_window_finish(struct summary_maker *maker)
{
	int rc = 0;

	while (!rc && pass_moment(maker, &rc))
		;
	if (!rc)
		rc = pass_ends(maker, STORE_OPEN - 1);
	while (!rc && drop_early(maker, &rc))
		;
	return rc;
}

void sum_window_done(struct window *window)
{
	array_done(&window->runs, sizeof(struct run));
	array_done(&window->moments.heap, sizeof(struct moment));
	array_done(&window->moments.row, sizeof(struct moment));
	array_done(&window->active, sizeof(uint32_t));
	array_done(&window->early, sizeof(struct early));
	free(window->table);
}
