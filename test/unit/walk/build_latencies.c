// SPDX-License-Identifier: Apache-2.0
/* Times of inferences, model by model: spreads, rates, concurrency; tallies of their arguments. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

enum { MAX_SESSION_SPREADS = 256 };

/* How often a list of arguments occurred. */
struct list_count {
	uint32_t list;
	uint64_t n, first_ns, n_typical, wall_ns, least_ns;
};

static struct summary_model *model_at(const struct build *build, uint32_t index)
{
	return (struct summary_model *)build->models.data + index;
}

static const uint32_t *runs_of(const struct build *build, uint32_t model, uint32_t *n)
{
	*n = build->first_run[model + 1] - build->first_run[model];
	return build->runs_by_model + build->first_run[model];
}

/* Negative in a broken file: 0. */
static uint64_t count_of(const struct arg *arg)
{
	int64_t value = store_int(arg, 0);

	return value > 0 ? (uint64_t)value : 0;
}

static bool is_beside_another(const struct build *build, const struct run *run)
{
	const struct summary_session *sessions = build->sessions.data;

	for (size_t i = 0; i < build->runs.n; i++) {
		const struct run *other = build_run(build, (uint32_t)i);

		if (other->session != run->session && other->begin_ns < run->end_ns && other->end_ns > run->begin_ns &&
		    sessions[other->session].process == sessions[run->session].process)
			return true;
	}
	return false;
}

static void add_blocked(const struct build *build, const struct run *run, uint64_t used_ns, struct summary_runs *runs)
{
	struct summary_blocked *to = is_beside_another(build, run) ? &runs->beside : &runs->alone;
	uint64_t wall_ns = run->end_ns - run->begin_ns, blocked_ns = wall_ns > used_ns ? wall_ns - used_ns : 0;

	to->n++;
	to->wall_ns = stats_sum(to->wall_ns, wall_ns);
	to->blocked_ns = stats_sum(to->blocked_ns, blocked_ns);
	to->longest_ns = blocked_ns > to->longest_ns ? blocked_ns : to->longest_ns;
}

static void add_usage(const struct build *build, const struct run *run, struct summary_runs *to)
{
	const struct store_track *track = store_track(build->store, run->track);
	const struct arg *run_queue = store_slice_arg(build->store, track, run->row, KEY_RUN_QUEUE_NS);
	const struct arg *faults = store_slice_arg(build->store, track, run->row, KEY_FAULTS);

	if (build_is_typical(run) && store_int(store_slice_arg(build->store, track, run->row, KEY_SUBNORMAL), 0) == 1) {
		to->n_subnormal++;
		to->subnormal_wall_ns = stats_sum(to->subnormal_wall_ns, run->end_ns - run->begin_ns);
	}
	if (run_queue && build_is_typical(run)) {
		to->n_waits++;
		to->waits_wall_ns = stats_sum(to->waits_wall_ns, run->end_ns - run->begin_ns);
		to->run_queue_ns = stats_sum(to->run_queue_ns, count_of(run_queue));
		if (count_of(run_queue) > to->longest_wait_ns)
			to->longest_wait_ns = count_of(run_queue);
	}
	if (run_queue && run->is_first && !run->is_partial && !run->is_failed && run->end_ns != STORE_OPEN) {
		to->n_first_waits++;
		to->first_wait_ns = stats_sum(to->first_wait_ns, count_of(run_queue));
	}
	if (!faults || !build_is_typical(run))
		return;
	if (run_queue)
		add_blocked(build, run,
			    stats_sum(count_of(run_queue),
				      count_of(store_slice_arg(build->store, track, run->row, KEY_THREAD_CPU_NS))),
			    to);
	to->n_usage++;
	to->usage_wall_ns = stats_sum(to->usage_wall_ns, run->end_ns - run->begin_ns);
	to->thread_cpu_ns =
	    stats_sum(to->thread_cpu_ns, count_of(store_slice_arg(build->store, track, run->row, KEY_THREAD_CPU_NS)));
	to->faults = stats_sum(to->faults, count_of(faults));
	to->switches = stats_sum(to->switches, count_of(store_slice_arg(build->store, track, run->row, KEY_SWITCHES)));
}

static void add_run(const struct build *build, const struct run *run, struct summary_runs *to)
{
	to->n++;
	to->n_failed += run->is_failed;
	to->n_open += run->end_ns == STORE_OPEN;
	if (run->end_ns == STORE_OPEN)
		to->open_ns += store_counts(build->store)->last_ns - run->begin_ns;
	to->n_partial += run->is_partial;
	to->n_first += run->is_first;
	if (run->begin_ns < to->begin_ns)
		to->begin_ns = run->begin_ns;
	if (run->end_ns != STORE_OPEN && run->end_ns > to->end_ns)
		to->end_ns = run->end_ns;
	add_usage(build, run, to);
}

static int find_spreads(const struct build *build, const uint32_t *runs, uint32_t n, struct summary_runs *to)
{
	struct stats typical = { 0 }, first = { 0 };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++) {
		const struct run *run = build_run(build, runs[i]);

		if (build_is_typical(run))
			rc = stats_add(&typical, run->end_ns - run->begin_ns);
		else if (run->is_first && build_is_finished(run) && !run->is_failed)
			rc = stats_add(&first, run->end_ns - run->begin_ns);
	}
	stats_buckets(&typical, SUMMARY_BUCKETS, to->bucket);
	rc = rc ? rc : stats_series_of(&to->series, &typical);
	to->latency = build_spread(&typical);
	to->first = build_spread(&first);
	return rc;
}

/* The largest number of open inferences: a walk through sorted begins and sorted ends. */
static int find_concurrency(const struct build *build, const uint32_t *runs, uint32_t n, struct summary_runs *to)
{
	uint64_t *begin = malloc(((size_t)n + 1) * 3 * sizeof *begin), *end = begin + n, *scratch = end + n;
	uint32_t at_once = 0;

	if (!begin)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		begin[i] = build_run(build, runs[i])->begin_ns;
		end[i] = build_run(build, runs[i])->end_ns;
	}
	stats_sort(begin, n, scratch);
	stats_sort(end, n, scratch);
	for (uint32_t i = 0, ended = 0; i < n; i++) {
		for (at_once++; ended < n && end[ended] <= begin[i]; ended++)
			at_once -= at_once > 0;
		if (at_once > to->max_concurrent)
			to->max_concurrent = at_once;
	}
	free(begin);
	return 0;
}

static struct summary_tally *find_tally(struct build *build, struct keys *keys, uint32_t model, const struct arg *arg)
{
	uint64_t value = arg->type == ARG_NAME ? arg->name : (uint64_t)arg->integer;
	uint32_t n = keys->n, index = keys_number(keys, keys_pair(model, arg->key), value);
	struct summary_tally *tally;

	if (index == KEYS_NONE || (index == n && !array_add(&build->tallies, sizeof *tally)))
		return NULL;
	tally = (struct summary_tally *)build->tallies.data + index;
	if (index == n)
		*tally = (struct summary_tally){ .model = model,
						 .key = arg->key,
						 .text = store_text(arg),
						 .number = store_int(arg, -1),
						 .first_ns = UINT64_MAX };
	return tally;
}

static bool is_tallied(struct build *build, const struct arg *arg)
{
	switch (arg->key) {
	case KEY_SHAPES:
	case KEY_TAG:
	case KEY_CALLER:
	case KEY_TID:
	case KEY_BATCH:
		return true;
	case KEY_STATUS:
		return build_is_failure(build, store_text(arg));
	default:
		return false;
	}
}

static int tally_lists(struct build *build, struct keys *keys, uint32_t model, const struct array *lists)
{
	const struct list_count *count = lists->data;

	for (size_t i = 0; i < lists->n; i++) {
		uint32_t n_args;
		const struct arg *arg = store_args(build->store, count[i].list, &n_args);

		if (!store_arg(build->store, count[i].list, KEY_STATUS))
			model_at(build, model)->runs.n_without_status += count[i].n;
		for (uint32_t k = 0; k < n_args; k++) {
			struct summary_tally *tally;

			if (!is_tallied(build, &arg[k]))
				continue;
			tally = find_tally(build, keys, model, &arg[k]);
			if (!tally)
				return -ENOMEM;
			tally->n += count[i].n;
			if (count[i].n_typical && (!tally->n_typical || count[i].least_ns < tally->least_ns))
				tally->least_ns = count[i].least_ns;
			tally->n_typical += count[i].n_typical;
			tally->wall_ns = stats_sum(tally->wall_ns, count[i].wall_ns);
			if (count[i].first_ns < tally->first_ns)
				tally->first_ns = count[i].first_ns;
		}
	}
	return 0;
}

/* Without the wait for a CPU. */
static uint64_t worked_of(const struct build *build, const struct run *run)
{
	const struct store_track *track = store_track(build->store, run->track);
	uint64_t wall_ns = run->end_ns - run->begin_ns;
	uint64_t wait_ns = count_of(store_slice_arg(build->store, track, run->row, KEY_RUN_QUEUE_NS));

	return wait_ns < wall_ns ? wall_ns - wait_ns : 0;
}

/* Counts lists first, then the arguments in them, because different lists are few. */
static int count_lists(const struct build *build, const uint32_t *runs, uint32_t n_runs, struct array *lists)
{
	struct keys keys = { 0 };
	struct list_count *count = NULL;

	for (uint32_t i = 0; i < n_runs; i++) {
		const struct run *run = build_run(build, runs[i]);

		if (!count || count->list != run->list) {
			uint32_t n = keys.n, index = keys_number(&keys, run->list, 0);

			if (index == KEYS_NONE || (index == n && !array_add(lists, sizeof *count))) {
				keys_done(&keys);
				return -ENOMEM;
			}
			count = (struct list_count *)lists->data + index;
			if (index == n)
				*count = (struct list_count){ .list = run->list, .first_ns = run->begin_ns };
		}
		count->n++;
		if (build_is_typical(run)) {
			uint64_t worked_ns = worked_of(build, run);

			if (!count->n_typical++ || worked_ns < count->least_ns)
				count->least_ns = worked_ns;
			count->wall_ns = stats_sum(count->wall_ns, run->end_ns - run->begin_ns);
		}
		if (run->begin_ns < count->first_ns)
			count->first_ns = run->begin_ns;
	}
	keys_done(&keys);
	return 0;
}

static int take_model(struct build *build, uint32_t index, struct keys *tallies)
{
	struct summary_runs *to = &model_at(build, index)->runs;
	struct array lists = { 0 };
	uint32_t n;
	const uint32_t *runs = runs_of(build, index, &n);
	uint64_t n_finished;
	int rc;

	to->begin_ns = UINT64_MAX;
	for (uint32_t i = 0; i < n; i++)
		add_run(build, build_run(build, runs[i]), to);
	n_finished = to->n - to->n_open;
	to->rate = n_finished > 1 && to->end_ns > to->begin_ns && !build->to->recording.has_no_begins
		       ? (double)n_finished * 1e9 / (double)(to->end_ns - to->begin_ns)
		       : NAN;
	rc = find_spreads(build, runs, n, to);
	if (!rc)
		rc = find_concurrency(build, runs, n, to);
	if (!rc)
		rc = count_lists(build, runs, n, &lists);
	if (!rc)
		rc = tally_lists(build, tallies, index, &lists);
	array_done(&lists, sizeof(struct list_count));
	return rc;
}

static int compare_tallies(const void *a_, const void *b_)
{
	const struct summary_tally *a = a_, *b = b_;

	if (a->model != b->model)
		return a->model < b->model ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return (a->first_ns > b->first_ns) - (a->first_ns < b->first_ns);
}

/* Threads are only counted. */
static void sort_tallies(struct build *build)
{
	struct summary_tally *tally = build->tallies.data;
	size_t n = 0;

	for (size_t i = 0; i < build->tallies.n; i++) {
		if (tally[i].key == KEY_TID)
			model_at(build, tally[i].model)->runs.n_threads++;
		else
			tally[n++] = tally[i];
	}
	build->tallies.n = n;
	if (n)
		qsort(tally, n, sizeof *tally, compare_tallies);
	for (size_t i = 0; i < n; i++) {
		struct summary_range *range = &model_at(build, tally[i].model)->tallies;

		range->first = range->n++ ? range->first : (uint32_t)i;
	}
}

/* Spreads of creations, and of the inferences of each session if sessions are few. */
static int take_sessions(struct build *build)
{
	struct summary_session *session = build->sessions.data;
	bool is_few = build->sessions.n <= MAX_SESSION_SPREADS;
	struct stats *stats = calloc(build->sessions.n + 1, sizeof *stats), created = { 0 };
	int rc = stats ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && is_few && i < build->runs.n; i++) {
		const struct run *run = build_run(build, (uint32_t)i);

		if (build_is_typical(run))
			rc = stats_add(&stats[run->session], run->end_ns - run->begin_ns);
	}
	for (size_t i = 0; stats && is_few && i < build->sessions.n; i++)
		session[i].latency = build_spread(&stats[i]);
	free(stats);
	for (uint32_t i = 0; !rc && i < build->models.n; i++) {
		struct summary_model *model = model_at(build, i);

		for (uint32_t k = model->sessions.first; !rc && k < model->sessions.first + model->sessions.n; k++)
			if (session[k].has_slice && !session[k].is_failed && session[k].end_ns != STORE_OPEN)
				rc = stats_add(&created, session[k].end_ns - session[k].begin_ns);
		model->creation.duration = build_spread(&created);
	}
	return rc;
}

int build_latencies(struct build *build)
{
	struct keys tallies = { 0 };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < build->models.n; i++)
		rc = take_model(build, i, &tallies);
	keys_done(&tallies);
	if (rc)
		return rc;
	sort_tallies(build);
	return take_sessions(build);
}
