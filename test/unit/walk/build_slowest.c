// SPDX-License-Identifier: Apache-2.0
/* The slowest inferences of a model, and how they differed from others. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

/* with more models, none is examined */
enum { MAX_MODELS = 32 };

static struct summary_model *model_at(const struct build *build, uint32_t index)
{
	return (struct summary_model *)build->models.data + index;
}

static uint64_t duration_of(const struct run *run)
{
	return run->end_ns - run->begin_ns;
}

/* The runs with the longest durations, longest first. */
static uint32_t find_longest(const struct build *build, uint32_t model, uint32_t longest[SUMMARY_SLOWEST])
{
	uint32_t n = 0;

	for (uint32_t i = build->first_run[model]; i < build->first_run[model + 1]; i++) {
		uint32_t index = build->runs_by_model[i], at;
		const struct run *run = build_run(build, index);

		if (!build_is_typical(run))
			continue;
		if (n == SUMMARY_SLOWEST && duration_of(build_run(build, longest[n - 1])) >= duration_of(run))
			continue;
		if (n < SUMMARY_SLOWEST)
			n++;
		for (at = n - 1; at && duration_of(build_run(build, longest[at - 1])) < duration_of(run); at--)
			longest[at] = longest[at - 1];
		longest[at] = index;
	}
	return n;
}

static bool is_leaf(const struct store_slices *slices, size_t row)
{
	return row + 1 == slices->n || slices->depth[row + 1] <= slices->depth[row];
}

/* The median of each node of a model, by name. */
struct medians {
	struct keys keys;
	struct array ns; /* uint64_t */
};

static int find_medians(const struct build *build, const struct summary_model *model, struct medians *medians)
{
	const struct summary_operator *nodes = build->nodes.data;

	for (uint32_t i = model->nodes.first; i < model->nodes.first + model->nodes.n; i++) {
		uint32_t n = medians->keys.n, index = keys_number(&medians->keys, nodes[i].name, 0);

		if (index == KEYS_NONE || (index == n && !array_add(&medians->ns, sizeof(uint64_t))))
			return -ENOMEM;
		if (index == n)
			((uint64_t *)medians->ns.data)[index] = nodes[i].duration.p50_ns;
	}
	return 0;
}

/* The operator without others inside that took most more than its median, on one track. */
static void find_node(const struct store_slices *slices, const struct medians *medians, const struct run *run,
		      struct summary_slow *to)
{
	for (size_t row = store_first_from(slices->begin_ns, slices->n, run->begin_ns);
	     row < slices->n && slices->begin_ns[row] < run->end_ns; row++) {
		uint32_t index;
		uint64_t duration, median;

		if (slices->kind[row] != KIND_OPERATOR || slices->inference[row] != run->number ||
		    !is_leaf(slices, row) || slices->end_ns[row] == STORE_OPEN)
			continue;
		index = keys_find(&medians->keys, slices->name[row], 0);
		if (index == KEYS_NONE)
			continue;
		median = ((const uint64_t *)medians->ns.data)[index];
		duration = slices->end_ns[row] - slices->begin_ns[row];
		if (duration > median && duration - median > to->node_ns - to->node_p50_ns) {
			to->node = slices->name[row];
			to->node_ns = duration;
			to->node_p50_ns = median;
		}
	}
}

static void count_concurrent(const struct build *build, const struct run *run, struct summary_slow *to)
{
	const struct summary_session *sessions = build->sessions.data;

	for (size_t i = 0; i < build->runs.n; i++) {
		const struct run *other = build_run(build, (uint32_t)i);

		to->n_concurrent += other != run && other->begin_ns < run->end_ns && other->end_ns > run->begin_ns &&
				    sessions[other->session].process == to->process;
	}
}

static void describe(const struct build *build, const struct run *run, const struct medians *medians,
		     struct summary_slow *to)
{
	const struct store_track *track = store_track(build->store, run->track);
	const struct summary_session *session = (struct summary_session *)build->sessions.data + run->session;

	to->process = session->process;
	to->model = session->model;
	to->session = session->number;
	to->number = run->number ? (int64_t)run->number : -1;
	to->id = store_int(store_slice_arg(build->store, track, run->row, KEY_ID), -1);
	to->tid = store_int(store_slice_arg(build->store, track, run->row, KEY_TID), -1);
	to->begin_ns = run->begin_ns;
	to->duration_ns = duration_of(run);
	to->run_queue_ns = store_int(store_slice_arg(build->store, track, run->row, KEY_RUN_QUEUE_NS), -1);
	to->thread_cpu_ns = store_int(store_slice_arg(build->store, track, run->row, KEY_THREAD_CPU_NS), -1);
	to->faults = store_int(store_slice_arg(build->store, track, run->row, KEY_FAULTS), -1);
	to->switches = store_int(store_slice_arg(build->store, track, run->row, KEY_SWITCHES), -1);
	to->operators_ns = run->is_covered ? (int64_t)run->operators_ns : -1;
	count_concurrent(build, run, to);
	for (uint32_t id = 1; run->operator_track && id <= store_n_tracks(build->store); id++)
		if (build->process_of[id] == session->process && (track = store_track(build->store, id)) &&
		    track->slices.n)
			find_node(&track->slices, medians, run, to);
}

static int take_model(struct build *build, uint32_t index, struct times *creations, const struct medians *medians)
{
	struct summary_range *range = &model_at(build, index)->slowest;
	uint32_t longest[SUMMARY_SLOWEST], n = find_longest(build, index, longest);

	range->first = (uint32_t)build->slowest.n;
	for (uint32_t i = 0; i < n; i++) {
		struct summary_slow *slow = array_add(&build->slowest, sizeof *slow);
		const struct run *run = build_run(build, longest[i]);

		if (!slow)
			return -ENOMEM;
		describe(build, run, medians, slow);
		slow->is_in_creation = walk_times_touch(creations, run->begin_ns, run->end_ns);
		range->n++;
	}
	return 0;
}

int build_slowest(struct build *build)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < build->models.n && i < MAX_MODELS; i++) {
		const struct summary_model *model = model_at(build, i);
		struct medians medians = { 0 };
		struct times creations;

		rc = build_creations(build, model->process, &creations);
		if (!rc)
			rc = find_medians(build, model, &medians);
		if (!rc)
			rc = take_model(build, i, &creations, &medians);
		walk_times_done(&creations);
		keys_done(&medians.keys);
		array_done(&medians.ns, sizeof(uint64_t));
	}
	return rc;
}
