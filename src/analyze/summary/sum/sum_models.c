// SPDX-License-Identifier: Apache-2.0
/*
 * Groups sessions: a model is what the processes of a program run under one name, from one path, with the same
 * providers and options asked for. What their inferences came to follows. Sessions are put in the order of their
 * models.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_in.h"
#include "analyze/summary/sum_kinds.h"

struct finder {
	struct keys names;   /* (process, name and runtime) */
	struct keys configs; /* (path and providers, options) */
	struct keys models;  /* (number in names, number in configs): the model's index */
	struct array first;  /* uint32_t, by number in names: the first model of that name; runtime 0: of any */
	struct keys members; /* (model, process) of sessions */
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
					 .n_replaced = session->n_replaced,
					 .runtime = session->runtime,
					 .bytes = session->bytes };
	return 0;
}

/* A model is known by the first of its processes. */
static void join(struct end *end, uint32_t index, struct summary_session *session)
{
	struct summary_model *model = model_at(end, index);

	session->model = index;
	if (session->process < model->process)
		model->process = session->process;
}

/* The first model of this name and runtime; NULL: out of memory. *named: their number in names. */
static uint32_t *first_of(struct finder *finder, uint32_t group, uint64_t key, uint32_t *named)
{
	*named = keys_number(&finder->names, group, key);
	if (*named == NONE || (*named == finder->first.n && !array_add(&finder->first, sizeof(uint32_t))))
		return NULL;
	return (uint32_t *)finder->first.data + *named;
}

/*
 * group: see sum_group_of. Sessions of which only the name and perhaps the runtime is known, which come last, join the
 * first of these.
 */
static int find_model(struct end *end, struct finder *finder, uint32_t group, struct summary_session *session)
{
	uint32_t named, config, index, any, *first;

	first = first_of(finder, group, keys_pair(session->name, session->runtime), &named);
	if (!first)
		return -ENOMEM;
	if (*first && !session_has_config(session)) {
		join(end, *first - 1, session);
		return 0;
	}
	config = keys_number(&finder->configs, keys_pair(session->path, session->providers),
			     keys_pair(session->options, session->n_replaced));
	index = keys_number(&finder->models, named, config);
	if (config == NONE || index == NONE || (index == end->models.n && add_model(end, session)))
		return -ENOMEM;
	if (!*first)
		*first = index + 1;
	first = first_of(finder, group, keys_pair(session->name, 0), &any);
	if (!first)
		return -ENOMEM;
	if (!*first)
		*first = index + 1;
	join(end, index, session);
	return 0;
}

/* Where the inferences of a bucket belong: as a session with these settings would. */
static int find_bucket_model(struct summary_maker *maker, struct end *end, struct finder *finder, struct bucket *bucket)
{
	struct summary_session like = { .process = process_at(maker, bucket->own)->index,
					.name = bucket->name,
					.path = bucket->settings.path,
					.providers = bucket->settings.providers,
					.options = bucket->settings.options,
					.n_replaced = bucket->settings.n_replaced,
					.runtime = bucket->settings.runtime,
					.bytes = -1 };
	int rc = find_model(end, finder, bucket->process, &like);
	struct summary_model *model;

	bucket->model = like.model;
	if (rc)
		return rc;
	model = model_at(end, like.model);
	if (bucket->n_processes > model->n_processes)
		model->n_processes = bucket->n_processes;
	return 0;
}

/* Processes that created a session of it, where more did than ran one. */
static int count_processes(struct end *end, struct finder *finder, struct session **order, uint32_t n)
{
	uint32_t *created = calloc(end->models.n + 1, sizeof *created);
	int rc = created ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n; i++) {
		uint32_t before = finder->members.n, model = order[i]->row.model;

		if (keys_number(&finder->members, model, order[i]->process) == NONE)
			rc = -ENOMEM;
		created[model] += finder->members.n - before;
	}
	for (uint32_t i = 0; !rc && i < end->models.n; i++) {
		struct summary_model *model = model_at(end, i);

		model->n_processes = created[i] > model->n_processes ? created[i] : model->n_processes;
		model->n_processes = model->n_processes > 1 ? model->n_processes : 0;
	}
	free(created);
	return rc;
}

static int find_models(struct summary_maker *maker, struct end *end, struct session **order, uint32_t n)
{
	struct finder finder = { 0 };
	int rc = 0;

	for (int with_config = 1; with_config >= 0; with_config--)
		for (uint32_t i = 0; !rc && i < n; i++)
			if (session_has_config(&order[i]->row) == with_config)
				rc = find_model(end, &finder, sum_group_of(maker, order[i]->process), &order[i]->row);
	for (uint32_t i = 0; !rc && i < maker->buckets.n; i++)
		rc = find_bucket_model(maker, end, &finder, bucket_at(maker, i));
	if (!rc && !maker->opts.by_process)
		rc = count_processes(end, &finder, order, n);
	keys_done(&finder.names);
	keys_done(&finder.configs);
	keys_done(&finder.models);
	keys_done(&finder.members);
	array_done(&finder.first, sizeof(uint32_t));
	return rc;
}

static void add_session(struct summary_maker *maker, struct end *end, struct session *from)
{
	struct summary_session *session = &from->row;
	struct summary_model *model = model_at(end, session->model);

	if (from->latency)
		session->latency = sum_spread(from->latency);
	if (from->is_folded)
		return;
	model->runs.wall_ns = stats_sum(model->runs.wall_ns, session->runs_wall_ns);
	if (model->bytes < 0)
		model->bytes = session->bytes;
	sum_fold_add(maker, &model->creation, from);
	sum_training_join(&model->training, &from->training);
	sum_compiling_join(&model->compiling, &from->compiling);
}

/* Of sessions that are not kept one by one. */
static void add_folded(struct end *end, const struct bucket *bucket)
{
	const struct folded *folded = bucket->folded;
	struct summary_model *model = model_at(end, bucket->model);
	struct summary_creation *to = &model->creation;

	model->runs.inner_ns = stats_sum(model->runs.inner_ns, bucket->runs.inner_ns);
	if (!folded)
		return;
	model->runs.wall_ns = stats_sum(model->runs.wall_ns, folded->runs_wall_ns);
	if (model->bytes < 0)
		model->bytes = folded->bytes;
	sum_training_join(&model->training, &folded->training);
	sum_compiling_join(&model->compiling, &folded->compiling);
	to->n += folded->sum.n;
	to->n_recorded += folded->sum.n_recorded;
	to->n_failed += folded->sum.n_failed;
	to->n_open += folded->sum.n_open;
	to->n_prepacked += folded->sum.n_prepacked;
	to->n_capabilities += folded->sum.n_capabilities;
	to->n_compared += folded->sum.n_compared;
	to->n_pool += folded->sum.n_pool;
	to->n_waits += folded->sum.n_waits;
	to->pool_cpu_ns = stats_sum(to->pool_cpu_ns, folded->sum.pool_cpu_ns);
	for (int phase = 0; phase < N_PHASES; phase++) {
		to->phase_ns[phase] = stats_sum(to->phase_ns[phase], folded->sum.phase_ns[phase]);
		to->phase_n[phase] += folded->sum.phase_n[phase];
	}
}

static int compare_models(const void *a_, const void *b_)
{
	const struct summary_model *a = *(const struct summary_model *const *)a_,
				   *b = *(const struct summary_model *const *)b_;
	int by_time = compare_u64(b->runs.wall_ns, a->runs.wall_ns); /* one around others comes before them */

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
	qsort(order, n, sizeof *order, compare_sessions);
	for (uint32_t i = 0; i < n; i++) {
		struct summary_session *session = array_add(&end->sessions, sizeof *session);
		struct summary_range *range = &model_at(end, order[i]->row.model)->sessions;

		if (!session)
			return -ENOMEM;
		*session = order[i]->row;
		range->first = range->n++ ? range->first : i;
	}
	return 0;
}

/* How long creations took, in the order of sessions; those of folded ones come first. */
static int find_durations(struct summary_maker *maker, struct end *end, struct session **order, uint32_t n)
{
	struct stats *created = calloc(end->models.n + 1, sizeof *created);
	int rc = created ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < end->models.n; i++)
		created[i].limit = RUN_LIMIT;
	for (uint32_t i = 0; !rc && i < maker->buckets.n; i++)
		if (bucket_at(maker, i)->folded)
			rc = stats_merge(&created[bucket_at(maker, i)->model], &bucket_at(maker, i)->folded->durations);
	for (uint32_t i = 0; !rc && i < n; i++)
		if (!order[i]->is_folded && session_is_created(&order[i]->row))
			rc = stats_add(&created[order[i]->row.model], order[i]->row.end_ns - order[i]->row.begin_ns);
	for (uint32_t i = 0; created && i < end->models.n; i++)
		model_at(end, i)->creation.duration = sum_spread(&created[i]);
	free(created);
	return rc;
}

static int compare_transformers(const void *a_, const void *b_)
{
	const struct summary_transformer *a = a_, *b = b_;
	int by_model = compare_u64(a->model, b->model), by_time = compare_u64(b->self_ns, a->self_ns);

	return by_model ? by_model : by_time ? by_time : compare_u64(a->name, b->name);
}

static int add_transformers(struct keys *keys, struct end *end, uint32_t model, const struct summary_transformer *row,
			    size_t n)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = sum_sessions_add_transformer(keys, &end->transformers, model, &row[i]);
	return rc;
}

/* Those of all sessions of a model that came to be in one. */
static int join_transformers(struct summary_maker *maker, struct end *end, struct session **order, uint32_t n)
{
	const struct summary_transformer *folded = maker->transformers.data;
	struct summary_transformer *all;
	struct keys keys = { 0 };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++)
		if (session_is_created(&order[i]->row))
			rc = add_transformers(&keys, end, order[i]->row.model, order[i]->transformers.data,
					      order[i]->transformers.n);
	for (size_t i = 0; !rc && i < maker->transformers.n; i++)
		rc = add_transformers(&keys, end, bucket_at(maker, folded[i].model)->model, &folded[i], 1);
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

static void drop_spread(struct session *session)
{
	if (session->latency)
		stats_done(session->latency);
	free(session->latency);
	session->latency = NULL;
}

int sum_models_make(struct summary_maker *maker, struct end *end)
{
	int rc = sum_fold_finish(maker);
	struct session **order = calloc(maker->sessions.n + 1, sizeof *order);
	uint32_t n = 0, group;

	if (!order)
		rc = -ENOMEM;
	for (uint32_t i = 0; !rc && i < maker->sessions.n; i++) {
		struct session *session = session_at(maker, i);

		group = sum_group_of(maker, session->process);
		if (group == NONE) {
			rc = -ENOMEM;
			break;
		}
		session->row.process = process_at(maker, maker->opts.by_process ? group : session->process)->index;
		session->row.model = SUMMARY_NONE;
		if (maker->sessions.n > MAX_SESSION_SPREADS)
			drop_spread(session);
		if (session->is_folded || sum_fold_is_wanted(maker, session))
			order[n++] = session;
	}
	if (!rc) {
		qsort(order, n, sizeof *order, compare_met);
		rc = find_models(maker, end, order, n);
	}
	for (uint32_t i = 0; !rc && i < n; i++)
		add_session(maker, end, order[i]);
	for (uint32_t i = 0; !rc && i < maker->buckets.n; i++)
		add_folded(end, bucket_at(maker, i));
	if (!rc)
		rc = sort_models(maker, end);
	if (!rc)
		rc = sort_sessions(end, order, n);
	if (!rc)
		rc = find_durations(maker, end, order, n);
	if (!rc)
		rc = join_transformers(maker, end, order, n);
	free(order);
	return rc;
}
