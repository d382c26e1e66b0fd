// SPDX-License-Identifier: Apache-2.0
/*
 * The summary of a store: a walk over its columns, with the whole recording in memory. Tests compare it with the
 * summary that is made while a recording is read. This file only runs the steps.
 */
#include "walk.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_time.h"

bool build_is_failure(struct build *build, uint32_t status)
{
	if (!status || status == build->ok)
		return false;
	if (strcmp(names_text(build->names, status), "ok") != 0)
		return true;
	build->ok = status;
	return false;
}

struct summary_spread build_spread(struct stats *stats)
{
	struct summary_spread spread = { .n = stats->n,
					 .mean_ns = stats_mean(stats),
					 .interval_ns = stats_interval(stats).half,
					 .is_exact = stats_is_exact(stats) };

	if (stats->n) {
		spread.total_ns = stats->sum;
		spread.min_ns = stats->min;
		spread.p50_ns = stats_percentile(stats, 0.5);
		spread.p90_ns = stats_percentile(stats, 0.9);
		spread.p99_ns = stats_percentile(stats, 0.99);
		spread.max_ns = stats->max;
	}
	stats_done(stats);
	*stats = (struct stats){ .limit = stats->limit };
	return spread;
}

struct summary_session *build_session(struct build *build, uint32_t process, int64_t number, uint32_t model_name)
{
	uint64_t key = number > 0 ? (uint64_t)number : (uint64_t)1 << 63 | model_name;
	uint32_t n = build->session_keys.n, index = keys_number(&build->session_keys, process, key);
	struct summary_session *session;

	if (index == KEYS_NONE)
		return NULL;
	if (index < n)
		return (struct summary_session *)build->sessions.data + index;
	session = array_add(&build->sessions, sizeof *session);
	if (!session)
		return NULL;
	session->process = process;
	session->model = SUMMARY_NONE;
	session->number = number > 0 ? number : -1;
	session->name = model_name;
	session->bytes = -1;
	session->made_in = SUMMARY_NONE;
	return session;
}

/* The summary is the first member; the arrays that it points into lie behind it. */
struct owner {
	struct summary summary;
	struct array array[20];
	size_t size[20], n;
};

static void *give(struct owner *owner, const struct array *array, size_t size, uint32_t *n)
{
	owner->array[owner->n] = *array;
	owner->size[owner->n++] = size;
	*n = (uint32_t)array->n;
	return array->data;
}

static void give_arrays(struct build *build, struct owner *owner)
{
	struct summary *to = &owner->summary;

	to->processes = give(owner, &build->processes, sizeof *to->processes, &to->n_processes);
	to->runtimes = give(owner, &build->runtimes, sizeof *to->runtimes, &to->n_runtimes);
	to->models = give(owner, &build->models, sizeof *to->models, &to->n_models);
	to->sessions = give(owner, &build->sessions, sizeof *to->sessions, &to->n_sessions);
	to->transformers = give(owner, &build->transformers, sizeof *to->transformers, &to->n_transformers);
	to->types = give(owner, &build->types, sizeof *to->types, &to->n_types);
	to->nodes = give(owner, &build->nodes, sizeof *to->nodes, &to->n_nodes);
	to->elsewhere = give(owner, &build->elsewhere, sizeof *to->elsewhere, &to->n_elsewhere);
	to->ran_on = give(owner, &build->ran_on, sizeof *to->ran_on, &to->n_ran_on);
	to->idle = give(owner, &build->idle, sizeof *to->idle, &to->n_idle);
	to->tallies = give(owner, &build->tallies, sizeof *to->tallies, &to->n_tallies);
	to->slowest = give(owner, &build->slowest, sizeof *to->slowest, &to->n_slowest);
	to->resources = give(owner, &build->resources, sizeof *to->resources, &to->n_resources);
	to->stops = give(owner, &build->stops, sizeof *to->stops, &to->n_stops);
	to->unreadable = give(owner, &build->unreadable, sizeof *to->unreadable, &to->n_unreadable);
	to->left_out = give(owner, &build->left_out, sizeof *to->left_out, &to->n_left_out);
	to->losses = give(owner, &build->losses, sizeof *to->losses, &to->n_losses);
}

static void count_totals(struct summary *to)
{
	for (uint32_t i = 0; i < to->n_models; i++) {
		to->n_inferences += to->models[i].runs.n;
		to->n_inferences_failed += to->models[i].runs.n_failed;
		to->n_sessions_failed += to->models[i].creation.n_failed;
		to->n_all_sessions += to->models[i].creation.n;
		if (to->models[i].process == SUMMARY_NONE)
			continue;
		to->processes[to->models[i].process].n_inferences += to->models[i].runs.n;
		to->processes[to->models[i].process].n_sessions += to->models[i].creation.n;
	}
	for (uint32_t i = 0; i < to->n_runtimes; i++)
		if (to->runtimes[i].process != SUMMARY_NONE)
			to->processes[to->runtimes[i].process].n_runtimes++;
	for (uint32_t i = 0; i < to->n_losses; i++)
		to->n_lost = stats_sum(to->n_lost, to->losses[i].n);
}

/* Made recordings are not sampled. */
static void count_sampled(struct summary *to)
{
	for (uint32_t i = 0; i < to->n_processes; i++)
		to->processes[i].sampled = 1;
	for (uint32_t i = 0; i < to->n_models; i++)
		to->models[i].runs.n_all = to->models[i].runs.n;
	to->n_all_inferences = to->n_inferences;
	to->sampled = 1;
}

static void done(struct build *build)
{
	for (size_t i = 0; i < build->groups.n; i++)
		stats_done(&((struct group *)build->groups.data)[i].durations);
	array_done(&build->groups, sizeof(struct group));
	array_done(&build->runs, sizeof(struct run));
	array_done(&build->swept, sizeof(struct swept));
	keys_done(&build->session_keys);
	keys_done(&build->run_keys);
	free(build->process_of);
	free(build->runs_by_model);
	free(build->first_run);
}

struct summary *walk_summary(const struct store *store, const struct summary_file *file, struct err *err)
{
	static int (*const steps[])(struct build *) = {
		build_processes, build_sessions, build_runs, build_models,  build_latencies, build_operators,
		build_parallel,	 build_tables,	 build_idle, build_slowest, build_resources,
	};
	struct owner *owner = calloc(1, sizeof *owner);
	struct build build = { .store = store, .names = store_names(store), .to = &owner->summary };
	int rc = owner ? 0 : -ENOMEM;

	if (owner) {
		build.to->store = store;
		build.to->names = build.names;
		build.to->counts = *store_counts(store);
		build.to->file = *file;
		for (size_t i = 0; !rc && i < sizeof steps / sizeof *steps; i++)
			rc = steps[i](&build);
		give_arrays(&build, owner);
	}
	done(&build);
	if (!rc) {
		count_totals(build.to);
		count_sampled(build.to);
		sum_time_make(build.to, build.to->busy_ns, build.taken_ns);
		return build.to;
	}
	walk_free(build.to);
	err_set(err, ENOMEM,
		"cannot summarise the recording: out of memory; close other programs, or record a shorter time");
	return NULL;
}

void walk_free(struct summary *summary)
{
	struct owner *owner = (struct owner *)summary;

	if (!owner)
		return;
	for (size_t i = 0; i < owner->n; i++)
		array_done(&owner->array[i], owner->size[i]);
	free(owner);
}
