// SPDX-License-Identifier: Apache-2.0
/*
 * A program may create and release a session for each request. Only so many sessions are kept one by one. Of more, the
 * ones that were not used for the longest time are folded: they add to the sums of their bucket, and are dropped. Sums
 * and counts stay exact. Some of them leave their rows for the list: the first, the last, the slowest, and the first
 * that failed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_kinds.h"

/* A creation at another time is left out. */
bool sum_fold_is_wanted(const struct summary_maker *maker, struct session *session)
{
	const struct summary_opts *opts = &maker->opts;
	struct summary_session *row = &session->row;
	uint64_t since_ns = row->begin_ns - maker->counts.first_ns;

	if (session->met == MET_NEVER) /* nothing but a stage of it is in the file */
		return false;
	if (!row->name && !row->has_slice && !row->n_runs) /* nor but the release of what a fork inherited */
		return false;
	if (opts->model && !strstr(names_text(maker->names, row->name), opts->model))
		return false;
	if (!opts->from_ns && !opts->to_ns)
		return true;
	if (row->has_slice && (since_ns < opts->from_ns || (opts->to_ns && since_ns >= opts->to_ns))) {
		row->has_slice = false;
		memset(row->phase_ns, 0, sizeof row->phase_ns);
		memset(row->phase_n, 0, sizeof row->phase_n);
	}
	return row->has_slice || row->n_runs;
}

void sum_fold_add(struct summary_maker *maker, struct summary_creation *to, struct session *from)
{
	struct summary_session *session = &from->row;

	if (session_is_created(session)) {
		session->n_prepacked = from->n_prepacked;
		session->n_capabilities = from->n_capabilities;
		session->n_compared = from->n_compared;
		session->n_pool = from->n_pool;
		session->pool_cpu_ns = from->pool_cpu_ns;
	}
	to->n += !from->is_back;
	process_at(maker, from->process)->n_sessions += !from->is_back;
	to->n_recorded += session->has_slice;
	to->n_failed += session->is_failed;
	to->n_open += session->has_slice && session->end_ns == STORE_OPEN;
	to->n_prepacked += session->n_prepacked;
	to->n_capabilities += session->n_capabilities;
	to->n_compared += session->n_compared;
	to->n_pool += session->n_pool;
	to->pool_cpu_ns = stats_sum(to->pool_cpu_ns, session->pool_cpu_ns);
	if (!session_is_created(session))
		return;
	to->n_waits += session->has_waits;
	for (int phase = 0; phase < N_PHASES; phase++) {
		to->phase_ns[phase] = stats_sum(to->phase_ns[phase], session->phase_ns[phase]);
		to->phase_n[phase] += session->phase_n[phase];
	}
}

static struct folded *folded_of(struct bucket *bucket)
{
	if (!bucket->folded && (bucket->folded = calloc(1, sizeof *bucket->folded))) {
		bucket->folded->durations.limit = RUN_LIMIT;
		bucket->folded->bytes = -1;
	}
	return bucket->folded;
}

/* One that was not released may come back. */
static int keep_number(struct summary_maker *maker, const struct session *session, uint32_t bucket)
{
	struct array *folded = &process_at(maker, session->process)->folded;
	uint64_t number = session->row.number > 0 ? (uint64_t)session->row.number : 0;

	if (!number || session->row.released_ns || number >= MAX_FOLDED_NUMBERS)
		return 0;
	while (folded->n <= number)
		if (!array_add(folded, sizeof(uint32_t)))
			return -ENOMEM;
	((uint32_t *)folded->data)[number] = bucket + 1;
	return 0;
}

static int fold(struct summary_maker *maker, struct session *session)
{
	const struct summary_transformer *row = session->transformers.data;
	const struct settings *settings;
	struct session *listed;
	struct folded *to;
	uint32_t bucket;
	int rc = 0;

	if (!sum_fold_is_wanted(maker, session))
		return 0;
	bucket = sum_runs_bucket_of(maker, session);
	to = bucket != NONE ? folded_of(bucket_at(maker, bucket)) : NULL;
	if (!to || keep_number(maker, session, bucket))
		return -ENOMEM;
	sum_fold_add(maker, &to->sum, session);
	sum_training_join(&to->training, &session->training);
	sum_compiling_join(&to->compiling, &session->compiling);
	to->runs_wall_ns = stats_sum(to->runs_wall_ns, session->row.runs_wall_ns);
	if (to->bytes < 0)
		to->bytes = session->row.bytes;
	if (session_is_created(&session->row)) {
		rc = stats_add(&to->durations, session->row.end_ns - session->row.begin_ns);
		for (size_t i = 0; !rc && i < session->transformers.n; i++)
			rc = sum_sessions_add_transformer(&maker->transformer_keys, &maker->transformers, bucket,
							  &row[i]);
	}
	if (rc)
		return rc;
	listed = array_add(&maker->listed, sizeof *listed);
	if (!listed)
		return -ENOMEM;
	*listed = *session;
	/* without settings of its own it still is of this model */
	settings = &bucket_at(maker, bucket)->settings;
	listed->row.path = settings->path;
	listed->row.providers = settings->providers;
	listed->row.options = settings->options;
	listed->row.n_replaced = settings->n_replaced;
	listed->row.runtime = settings->runtime;
	listed->latency = NULL;
	listed->transformers = (struct array){ 0 };
	listed->is_folded = true;
	return 0;
}

/* The list. */

static int compare_met(const void *a_, const void *b_)
{
	const struct session *a = a_, *b = b_;

	return (a->met_at > b->met_at) - (a->met_at < b->met_at);
}

static uint64_t duration_of(const struct session *session)
{
	return session_is_created(&session->row) ? session->row.end_ns - session->row.begin_ns : 0;
}

static int compare_durations(const void *a_, const void *b_)
{
	const struct session *a = *(const struct session *const *)a_, *b = *(const struct session *const *)b_;

	if (duration_of(a) != duration_of(b))
		return duration_of(a) > duration_of(b) ? -1 : 1;
	return compare_met(a, b);
}

/* Of n rows in the order in which sessions were met, marks those that stay: max at most. */
static int choose(struct session *row, size_t n, size_t max, bool *stays)
{
	struct session **slowest = calloc(n, sizeof *slowest);
	size_t n_failed = 0;

	if (!slowest)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		bool is_failed = row[i].row.is_failed && n_failed < max / 4;

		n_failed += is_failed;
		stays[i] = is_failed || i < max / 4 || i + max / 4 >= n;
		slowest[i] = &row[i];
	}
	qsort(slowest, n, sizeof *slowest, compare_durations);
	for (size_t i = 0; i < max / 4; i++)
		stays[slowest[i] - row] = true;
	free(slowest);
	return 0;
}

static int compare_keys(const void *a_, const void *b_)
{
	const struct session *a = a_, *b = b_;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : compare_met(a, b);
}

/* What a session did after it had come back goes into its row, if that is still there. */
static void join_rows(struct array *listed)
{
	struct session *row = listed->data;
	size_t n = 0;

	if (listed->n)
		qsort(row, listed->n, sizeof *row, compare_keys);
	for (size_t i = 0; i < listed->n; i++) {
		struct session *last = n ? &row[n - 1] : NULL;

		if (!row[i].is_back) {
			row[n++] = row[i];
		} else if (last && last->process == row[i].process && last->key == row[i].key) {
			last->row.n_runs += row[i].row.n_runs;
			last->row.n_runs_failed += row[i].row.n_runs_failed;
			last->row.runs_wall_ns = stats_sum(last->row.runs_wall_ns, row[i].row.runs_wall_ns);
			if (row[i].row.last_ns > last->row.last_ns)
				last->row.last_ns = row[i].row.last_ns;
			if (row[i].row.released_ns)
				last->row.released_ns = row[i].row.released_ns;
		}
	}
	listed->n = n;
}

static int shorten_list(struct summary_maker *maker)
{
	struct session *row;
	size_t n, n_left = 0;
	bool *stays;
	int rc;

	join_rows(&maker->listed);
	row = maker->listed.data;
	n = maker->listed.n;
	if (n <= maker->max_listed)
		return 0;
	stays = calloc(n, sizeof *stays);
	if (!stays)
		return -ENOMEM;
	qsort(row, n, sizeof *row, compare_met);
	rc = choose(row, n, maker->max_listed, stays);
	for (size_t i = 0; !rc && i < n; i++)
		if (stays[i])
			row[n_left++] = row[i];
	if (!rc)
		maker->listed.n = n_left;
	free(stays);
	return rc;
}

/* All of them. */

static int compare_used(const void *a_, const void *b_)
{
	const struct session *a = *(const struct session *const *)a_, *b = *(const struct session *const *)b_;

	return (a->used_at > b->used_at) - (a->used_at < b->used_at);
}

/* Inferences of the window belong to them, also those that the sweep has not passed and given a session yet. */
static void mark_used(const struct summary_maker *maker, bool *is_used)
{
	for (uint32_t i = 0; i < maker->window.runs.n; i++) {
		const struct run *run = run_at(maker, i);
		uint32_t session = run->is_used ? sum_runs_session_of(maker, run) : NONE;

		if (session != NONE)
			is_used[session] = true;
	}
}

/* Sessions that are left move up; what knows them by number is told. */
static int remove_folded(struct summary_maker *maker, uint32_t *number)
{
	struct session *session = maker->sessions.data;
	uint32_t n = 0;
	int rc = 0;

	keys_done(&maker->session_keys);
	for (uint32_t i = 0; i < maker->sessions.n; i++) {
		number[i] = n;
		if (session[i].is_folded) {
			sum_sessions_free(&session[i]);
			continue;
		}
		session[n++] = session[i];
	}
	maker->sessions.n = n;
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = keys_number(&maker->session_keys, session[i].process, session[i].key) == NONE ? -ENOMEM : 0;
	for (uint32_t i = 0; i < maker->window.runs.n; i++)
		if (run_at(maker, i)->is_used && run_at(maker, i)->session != NONE)
			run_at(maker, i)->session = number[run_at(maker, i)->session];
	return rc;
}

/* Those that were used last stay, even if nothing refers to them: more may be told of them. */
static int fold_oldest(struct summary_maker *maker, struct session **order, const bool *is_used, uint32_t n_fold)
{
	uint32_t n = (uint32_t)maker->sessions.n;
	int rc = 0;

	for (uint32_t i = 0; i < n; i++)
		order[i] = session_at(maker, i);
	if (n)
		qsort(order, n, sizeof *order, compare_used);
	for (uint32_t i = 0; !rc && i < n_fold; i++) {
		if (is_used[order[i] - session_at(maker, 0)])
			continue;
		rc = fold(maker, order[i]);
		order[i]->is_folded = !rc;
	}
	return rc;
}

int sum_fold_sessions(struct summary_maker *maker, uint32_t n_left)
{
	uint32_t n = (uint32_t)maker->sessions.n;
	struct session **order = calloc(n + 1, sizeof *order);
	uint32_t *number = calloc(n + 1, sizeof *number);
	bool *is_used = calloc(n + 1, sizeof *is_used);
	int rc = order && number && is_used ? 0 : -ENOMEM;

	if (!rc) {
		mark_used(maker, is_used);
		rc = fold_oldest(maker, order, is_used, n > n_left ? n - n_left : 0);
	}
	if (!rc)
		rc = remove_folded(maker, number);
	if (!rc)
		rc = shorten_list(maker);
	/* so many are in use that looking for others costs more than it gains */
	if (4 * maker->sessions.n > 3 * (size_t)maker->max_sessions)
		maker->max_sessions *= 2;
	free(order);
	free(number);
	free(is_used);
	return rc;
}

int sum_fold_finish(struct summary_maker *maker)
{
	int rc;

	if (!maker->listed.n && maker->sessions.n <= maker->max_listed)
		return 0;
	rc = sum_fold_sessions(maker, 0);
	if (!rc)
		rc = shorten_list(maker);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < maker->sessions.n; i++)
		sum_sessions_free(session_at(maker, i));
	array_done(&maker->sessions, sizeof(struct session));
	maker->sessions = maker->listed;
	maker->listed = (struct array){ 0 };
	return 0;
}
