// SPDX-License-Identifier: Apache-2.0
/*
 * Groups sessions: a model is what a process runs under one name, from one path, with the same providers and
 * options asked for. Then sessions, inferences and transformers are put in the order of their models.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

struct finder {
	struct keys names;   /* (process, name) */
	struct keys configs; /* (path and providers, options) */
	struct keys models;  /* (number in names, number in configs): the model's index */
	struct array first;  /* uint32_t, by number in names: the first model of that name */
};

static struct summary_session *session_at(const struct build *build, uint32_t index)
{
	return (struct summary_session *)build->sessions.data + index;
}

static struct summary_model *model_at(const struct build *build, uint32_t index)
{
	return (struct summary_model *)build->models.data + index;
}

static bool has_config(const struct summary_session *session)
{
	return session->path || session->providers || session->options;
}

static int add_model(struct build *build, const struct summary_session *session)
{
	struct summary_model *model = array_add(&build->models, sizeof *model);

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

/* A session of which only the name is known comes last, and joins the first model of that name. */
static int find_model(struct build *build, struct finder *finder, struct summary_session *session)
{
	uint32_t named = keys_number(&finder->names, session->process, session->name), config, index, *first;

	if (named == KEYS_NONE || (named == finder->first.n && !array_add(&finder->first, sizeof *first)))
		return -ENOMEM;
	first = (uint32_t *)finder->first.data + named;
	if (*first && !has_config(session)) {
		session->model = *first - 1;
		return 0;
	}
	config = keys_number(&finder->configs, keys_pair(session->path, session->providers), session->options);
	index = keys_number(&finder->models, named, config);
	if (config == KEYS_NONE || index == KEYS_NONE || (index == build->models.n && add_model(build, session)))
		return -ENOMEM;
	if (!*first)
		*first = index + 1;
	session->model = index;
	return 0;
}

static int find_models(struct build *build)
{
	struct finder finder = { 0 };
	int rc = 0;

	for (int with_config = 1; with_config >= 0; with_config--)
		for (uint32_t i = 0; !rc && i < build->sessions.n; i++)
			if (has_config(session_at(build, i)) == with_config)
				rc = find_model(build, &finder, session_at(build, i));
	keys_done(&finder.names);
	keys_done(&finder.configs);
	keys_done(&finder.models);
	array_done(&finder.first, sizeof(uint32_t));
	return rc;
}

static void add_to_sessions(struct build *build)
{
	for (size_t i = 0; i < build->runs.n; i++) {
		const struct run *run = build_run(build, (uint32_t)i);
		struct summary_session *session = session_at(build, run->session);

		if (!session->n_runs || run->begin_ns < session->runs_begin_ns)
			session->runs_begin_ns = run->begin_ns;
		if (run->end_ns != STORE_OPEN && run->end_ns > session->runs_end_ns)
			session->runs_end_ns = run->end_ns;
		session->n_runs++;
		session->n_runs_failed += run->is_failed;
		if (build_is_finished(run))
			session->runs_wall_ns = stats_sum(session->runs_wall_ns, run->end_ns - run->begin_ns);
	}
}

static void add_to_models(struct build *build)
{
	for (uint32_t i = 0; i < build->sessions.n; i++) {
		const struct summary_session *session = session_at(build, i);
		struct summary_model *model = model_at(build, session->model);
		struct summary_creation *creation = &model->creation;

		model->runs.wall_ns = stats_sum(model->runs.wall_ns, session->runs_wall_ns);
		if (model->bytes < 0)
			model->bytes = session->bytes;
		creation->n++;
		creation->n_recorded += session->has_slice;
		creation->n_failed += session->is_failed;
		creation->n_open += session->has_slice && session->end_ns == STORE_OPEN;
		creation->n_prepacked += session->n_prepacked;
		creation->n_capabilities += session->n_capabilities;
		creation->n_compared += session->n_compared;
		creation->n_pool += session->n_pool;
		creation->pool_cpu_ns = stats_sum(creation->pool_cpu_ns, session->pool_cpu_ns);
		if (!session->has_slice || session->is_failed || session->end_ns == STORE_OPEN)
			continue;
		for (int phase = 0; phase < N_PHASES; phase++) {
			creation->phase_ns[phase] = stats_sum(creation->phase_ns[phase], session->phase_ns[phase]);
			creation->phase_n[phase] += session->phase_n[phase];
		}
	}
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_models(const void *a_, const void *b_)
{
	const struct summary_model *a = *(const struct summary_model *const *)a_,
				   *b = *(const struct summary_model *const *)b_;
	int by_time = compare_u64(b->runs.wall_ns, a->runs.wall_ns);

	return by_time ? by_time : compare_u64((uintptr_t)a, (uintptr_t)b);
}

/* Models with most inference time first. */
static int sort_models(struct build *build)
{
	uint32_t n = (uint32_t)build->models.n;
	struct summary_model **order = calloc(n + 1, sizeof *order);
	uint32_t *rank = calloc(n + 1, sizeof *rank);
	struct array sorted = { 0 };
	int rc = order && rank ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n; i++)
		order[i] = model_at(build, i);
	if (!rc)
		qsort(order, n, sizeof *order, compare_models);
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct summary_model *model = array_add(&sorted, sizeof *model);

		if (!model) {
			rc = -ENOMEM;
			break;
		}
		*model = *order[i];
		rank[order[i] - model_at(build, 0)] = i;
	}
	for (uint32_t i = 0; !rc && i < build->sessions.n; i++)
		session_at(build, i)->model = rank[session_at(build, i)->model];
	if (!rc) {
		array_done(&build->models, sizeof(struct summary_model));
		build->models = sorted;
	} else {
		array_done(&sorted, sizeof(struct summary_model));
	}
	free(order);
	free(rank);
	return rc;
}

static int compare_sessions(const void *a_, const void *b_)
{
	const struct summary_session *a = *(const struct summary_session *const *)a_,
				     *b = *(const struct summary_session *const *)b_;
	int by_model = compare_u64(a->model, b->model), by_time = compare_u64(a->begin_ns, b->begin_ns);

	return by_model ? by_model : by_time ? by_time : compare_u64((uintptr_t)a, (uintptr_t)b);
}

/* By model, then by time; renumbers the sessions in inferences and transformers. */
static int sort_sessions(struct build *build)
{
	uint32_t n = (uint32_t)build->sessions.n;
	struct summary_session **order = calloc(n + 1, sizeof *order), *copy = calloc(n + 1, sizeof *copy);
	uint32_t *rank = calloc(n + 1, sizeof *rank);
	int rc = order && copy && rank ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n; i++)
		order[i] = session_at(build, i);
	if (!rc)
		qsort(order, n, sizeof *order, compare_sessions);
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct summary_range *range = &model_at(build, order[i]->model)->sessions;

		copy[i] = *order[i];
		rank[order[i] - session_at(build, 0)] = i;
		range->first = range->n++ ? range->first : i;
	}
	if (!rc && n)
		memcpy(build->sessions.data, copy, n * sizeof *copy);
	for (size_t i = 0; !rc && i < build->runs.n; i++)
		build_run(build, (uint32_t)i)->session = rank[build_run(build, (uint32_t)i)->session];
	for (size_t i = 0; !rc && i < build->transformers.n; i++) {
		struct summary_transformer *transformer = (struct summary_transformer *)build->transformers.data + i;

		transformer->model = session_at(build, rank[transformer->model])->model;
	}
	free(order);
	free(copy);
	free(rank);
	return rc;
}

static int compare_transformers(const void *a_, const void *b_)
{
	const struct summary_transformer *a = a_, *b = b_;
	int by_model = compare_u64(a->model, b->model), by_time = compare_u64(b->self_ns, a->self_ns);

	return by_model ? by_model : by_time ? by_time : compare_u64(a->name, b->name);
}

/* Merges the transformers of all sessions of a model. */
static int join_transformers(struct build *build)
{
	struct summary_transformer *all = build->transformers.data;
	struct keys keys = { 0 };
	uint32_t n = 0;

	for (size_t i = 0; i < build->transformers.n; i++) {
		uint32_t index = keys_number(&keys, all[i].model, all[i].name);

		if (index == KEYS_NONE) {
			keys_done(&keys);
			return -ENOMEM;
		}
		if (index == n) {
			all[n++] = all[i];
			continue;
		}
		all[index].n += all[i].n;
		all[index].n_told += all[i].n_told;
		all[index].n_changed += all[i].n_changed;
		all[index].self_ns = stats_sum(all[index].self_ns, all[i].self_ns);
	}
	build->transformers.n = n;
	keys_done(&keys);
	if (n)
		qsort(all, n, sizeof *all, compare_transformers);
	for (uint32_t i = 0; i < n; i++) {
		struct summary_range *range = &model_at(build, all[i].model)->transformers;

		range->first = range->n++ ? range->first : i;
	}
	return 0;
}

/* A counting sort: runs_by_model and first_run. */
static int sort_runs(struct build *build)
{
	uint32_t n_models = (uint32_t)build->models.n, *next;

	build->runs_by_model = malloc((build->runs.n + 1) * sizeof *build->runs_by_model);
	build->first_run = calloc(n_models + 2, sizeof *build->first_run);
	if (!build->runs_by_model || !build->first_run)
		return -ENOMEM;
	next = build->first_run + 1;
	for (uint32_t i = 0; i < build->runs.n; i++)
		next[session_at(build, build_run(build, i)->session)->model + 1]++;
	for (uint32_t i = 0; i < n_models; i++)
		next[i + 1] += next[i];
	for (uint32_t i = 0; i < build->runs.n; i++)
		build->runs_by_model[next[session_at(build, build_run(build, i)->session)->model]++] = i;
	return 0;
}

int build_models(struct build *build)
{
	int rc = find_models(build);

	if (rc)
		return rc;
	add_to_sessions(build);
	add_to_models(build);
	rc = sort_models(build);
	if (!rc)
		rc = sort_sessions(build);
	if (!rc)
		rc = join_transformers(build);
	return rc ? rc : sort_runs(build);
}
