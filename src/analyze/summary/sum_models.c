// SPDX-License-Identifier: Apache-2.0
/*
 * Groups sessions: a model is what a process runs under one name, from one path, with the same providers and
 * options asked for. What their inferences came to follows. Sessions are put in the order of their models.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_in.h"

struct finder {
	struct keys names;   /* (process, name) */
	struct keys configs; /* (path and providers, options) */
	struct keys models;  /* (number in names, number in configs): the model's index */
	struct array first;  /* uint32_t, by number in names: the first model of that name */
};

static struct summary_model *model_at(const struct end *end, uint32_t index)
{
	return (struct summary_model *)end->models.data + index;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Sessions in the order in which they were met: in notes, in creations, by inferences. */
static int compare_met(const void *a_, const void *b_)
{
	const struct session *a = *(const struct session *const *)a_, *b = *(const struct session *const *)b_;

	if (a->met != b->met)
		return a->met < b->met ? -1 : 1;
	return a->met_on != b->met_on ? compare_u64(a->met_on, b->met_on) : compare_u64(a->met_at, b->met_at);
}

static int add_model(struct end *end, const struct summary_session *session)
{
	struct summary_model *model = array_add(&end->models, sizeof *model);

	if (!model)
		return -ENOMEM;
	*model = (struct summary_model){ .process = session->process,
					 .name = session->name,
					 .path = session->path,
					 .providers = session->providers,
					 .options = session->options,
					 .bytes = session->bytes };
	return 0;
}

/* Sessions of which only the name is known, which come last, join the first model of that name. */
static int find_model(struct end *end, struct finder *finder, struct summary_session *session)
{
	uint32_t named = keys_number(&finder->names, session->process, session->name), config, index, *first;

	if (named == NONE || (named == finder->first.n && !array_add(&finder->first, sizeof *first)))
		return -ENOMEM;
	first = (uint32_t *)finder->first.data + named;
	if (*first && !session_has_config(session)) {
		session->model = *first - 1;
		return 0;
	}
	config = keys_number(&finder->configs, keys_pair(session->path, session->providers), session->options);
	index = keys_number(&finder->models, named, config);
	if (config == NONE || index == NONE || (index == end->models.n && add_model(end, session)))
		return -ENOMEM;
	if (!*first)
		*first = index + 1;
	session->model = index;
	return 0;
}

/* Where the inferences of a bucket belong: as a session with these settings would. */
static int find_bucket_model(struct summary_maker *maker, struct end *end, struct finder *finder, struct bucket *bucket)
{
	struct summary_session like = { .process = process_at(maker, bucket->process)->index,
					.name = bucket->name,
					.path = bucket->path,
					.providers = bucket->providers,
					.options = bucket->options,
					.bytes = -1 };
	int rc = find_model(end, finder, &like);

	bucket->model = like.model;
	return rc;
}

static int find_models(struct summary_maker *maker, struct end *end, struct session **order, uint32_t n)
{
	struct finder finder = { 0 };
	int rc = 0;

	for (int with_config = 1; with_config >= 0; with_config--)
		for (uint32_t i = 0; !rc && i < n; i++)
			if (session_has_config(&order[i]->row) == with_config)
				rc = find_model(end, &finder, &order[i]->row);
	for (uint32_t i = 0; !rc && i < maker->buckets.n; i++)
		rc = find_bucket_model(maker, end, &finder, bucket_at(maker, i));
	keys_done(&finder.names);
	keys_done(&finder.configs);
	keys_done(&finder.models);
	array_done(&finder.first, sizeof(uint32_t));
	return rc;
}

static bool is_created(const struct summary_session *session)
{
	return session->has_slice && !session->is_failed && session->end_ns != STORE_OPEN;
}

static void add_session(struct end *end, struct session *from)
{
	struct summary_session *session = &from->row;
	struct summary_model *model = model_at(end, session->model);
	struct summary_creation *creation = &model->creation;

	if (is_created(session)) {
		session->n_prepacked = from->n_prepacked;
		session->n_capabilities = from->n_capabilities;
	}
	if (from->latency)
		session->latency = sum_spread(from->latency);
	model->runs.wall_ns = stats_sum(model->runs.wall_ns, session->runs_wall_ns);
	if (model->bytes < 0)
		model->bytes = session->bytes;
	creation->n++;
	creation->n_recorded += session->has_slice;
	creation->n_failed += session->is_failed;
	creation->n_open += session->has_slice && session->end_ns == STORE_OPEN;
	creation->n_prepacked += session->n_prepacked;
	creation->n_capabilities += session->n_capabilities;
	if (!is_created(session))
		return;
	for (int phase = 0; phase < N_PHASES; phase++) {
		creation->phase_ns[phase] = stats_sum(creation->phase_ns[phase], session->phase_ns[phase]);
		creation->phase_n[phase] += session->phase_n[phase];
	}
}

static int compare_models(const void *a_, const void *b_)
{
	const struct summary_model *a = *(const struct summary_model *const *)a_,
				   *b = *(const struct summary_model *const *)b_;
	int by_time = compare_u64(b->runs.wall_ns, a->runs.wall_ns);

	return by_time ? by_time : compare_u64((uintptr_t)a, (uintptr_t)b);
}

/* Models with most inference time first. */
static int sort_models(struct summary_maker *maker, struct end *end)
{
	uint32_t n = (uint32_t)end->models.n;
	struct summary_model **order = calloc(n + 1, sizeof *order), *model;
	uint32_t *rank = calloc(n + 1, sizeof *rank);
	struct array sorted = { 0 };
	int rc = order && rank ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n; i++)
		order[i] = model_at(end, i);
	if (!rc)
		qsort(order, n, sizeof *order, compare_models);
	for (uint32_t i = 0; !rc && i < n; i++) {
		model = array_add(&sorted, sizeof *model);
		if (model) {
			*model = *order[i];
			rank[order[i] - model_at(end, 0)] = i;
		} else {
			rc = -ENOMEM;
		}
	}
	for (uint32_t i = 0; !rc && i < maker->sessions.n; i++)
		if (session_at(maker, i)->row.model != SUMMARY_NONE)
			session_at(maker, i)->row.model = rank[session_at(maker, i)->row.model];
	for (uint32_t i = 0; !rc && i < maker->buckets.n; i++)
		bucket_at(maker, i)->model = rank[bucket_at(maker, i)->model];
	array_done(&end->models, sizeof *model);
	end->models = sorted;
	free(order);
	free(rank);
	return rc;
}

/* By model, then by time, then in the order in which they were met. */
static int compare_sessions(const void *a_, const void *b_)
{
	const struct summary_session *a = &(*(struct session *const *)a_)->row,
				     *b = &(*(struct session *const *)b_)->row;
	int by_model = compare_u64(a->model, b->model), by_time = compare_u64(a->begin_ns, b->begin_ns);

	return by_model ? by_model : by_time ? by_time : compare_met(a_, b_);
}

static int sort_sessions(struct end *end, struct session **order, uint32_t n)
{
	struct stats created = { .limit = RUN_LIMIT };
	int rc = 0;

	qsort(order, n, sizeof *order, compare_sessions);
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct summary_session *session = array_add(&end->sessions, sizeof *session);
		struct summary_model *model = model_at(end, order[i]->row.model);

		if (!session)
			return -ENOMEM;
		*session = order[i]->row;
		model->sessions.first = model->sessions.n++ ? model->sessions.first : i;
		if (is_created(session))
			rc = stats_add(&created, session->end_ns - session->begin_ns);
		if (i + 1 == n || order[i + 1]->row.model != session->model)
			model->creation.duration = sum_spread(&created);
	}
	stats_done(&created);
	return rc;
}

static int compare_transformers(const void *a_, const void *b_)
{
	const struct summary_transformer *a = a_, *b = b_;
	int by_model = compare_u64(a->model, b->model), by_time = compare_u64(b->self_ns, a->self_ns);

	return by_model ? by_model : by_time ? by_time : compare_u64(a->name, b->name);
}

/* Those of all sessions of a model that came to be in one. */
static int join_transformers(struct summary_maker *maker, struct end *end)
{
	const struct summary_transformer *from = maker->transformers.data;
	struct summary_transformer *all;
	struct keys keys = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < maker->transformers.n; i++) {
		const struct summary_session *session = &session_at(maker, from[i].model)->row;
		uint32_t index;

		if (!is_created(session) || session->model == SUMMARY_NONE)
			continue;
		index = keys_number(&keys, session->model, from[i].name);
		if (index == NONE || (index == end->transformers.n && !array_add(&end->transformers, sizeof *all))) {
			rc = -ENOMEM;
			break;
		}
		all = (struct summary_transformer *)end->transformers.data + index;
		all->model = session->model;
		all->name = from[i].name;
		all->n += from[i].n;
		all->n_told += from[i].n_told;
		all->n_changed += from[i].n_changed;
		all->self_ns = stats_sum(all->self_ns, from[i].self_ns);
	}
	keys_done(&keys);
	all = end->transformers.data;
	if (end->transformers.n)
		qsort(all, end->transformers.n, sizeof *all, compare_transformers);
	for (uint32_t i = 0; i < end->transformers.n; i++) {
		struct summary_range *range = &model_at(end, all[i].model)->transformers;

		range->first = range->n++ ? range->first : i;
	}
	return rc;
}

/* Was it asked for? A creation at another time is left out. */
static bool is_wanted(const struct summary_maker *maker, struct session *session)
{
	const struct summary_opts *opts = &maker->opts;
	struct summary_session *row = &session->row;
	uint64_t since_ns = row->begin_ns - maker->counts.first_ns;

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

static void drop_spread(struct session *session)
{
	if (session->latency)
		stats_done(session->latency);
	free(session->latency);
	session->latency = NULL;
}

int sum_models_make(struct summary_maker *maker, struct end *end)
{
	struct session **order = calloc(maker->sessions.n + 1, sizeof *order);
	uint32_t n = 0;
	int rc = order ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < maker->sessions.n; i++) {
		struct session *session = session_at(maker, i);

		session->row.process = process_at(maker, session->process)->index;
		session->row.model = SUMMARY_NONE;
		if (maker->sessions.n > MAX_SESSION_SPREADS)
			drop_spread(session);
		if (is_wanted(maker, session))
			order[n++] = session;
	}
	if (!rc) {
		qsort(order, n, sizeof *order, compare_met);
		rc = find_models(maker, end, order, n);
	}
	for (uint32_t i = 0; !rc && i < n; i++)
		add_session(end, order[i]);
	if (!rc)
		rc = sort_models(maker, end);
	if (!rc)
		rc = sort_sessions(end, order, n);
	free(order);
	return rc ? rc : join_transformers(maker, end);
}
