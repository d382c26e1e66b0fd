// SPDX-License-Identifier: Apache-2.0
/* Finds the model of a slice; see view_scan.h. */
#include <string.h>

#include "show/view/view_scan.h"

/* How many slices before a time may lie inside the inference that is looked for: its setup, say. */
enum { LOOK_BACK = 64 };

static uint32_t own_model(const struct view *view, const struct store_track *track, size_t at)
{
	return store_text(store_slice_arg(view->store, track, at, KEY_MODEL));
}

/* The inference of that number on this lane that runs at a time. */
static uint32_t model_on(const struct view *view, const struct store_track *lane, uint32_t inference, uint64_t time_ns)
{
	const struct store_slices *slices = &lane->slices;
	size_t end = store_first_from(slices->begin_ns, slices->n, time_ns + 1), first;

	first = end > LOOK_BACK ? end - LOOK_BACK : 0;
	for (size_t at = end; at-- > first;)
		if (slices->inference[at] == inference && slices->kind[at] == KIND_INFERENCE) {
			uint32_t model = own_model(view, lane, at);

			return model ? model : slices->name[at];
		}
	return 0;
}

static uint32_t model_around(const struct view *view, uint32_t process, uint32_t inference, uint64_t time_ns)
{
	uint32_t model = 0;

	for (uint32_t i = 0; i < view->n_lanes && !model; i++)
		if (view->lanes[i].process == process)
			model = model_on(view, store_track(view->store, view->lanes[i].track), inference, time_ns);
	return model;
}

/* Without an inference: what the slice says, else the group that its line is in. Only inferences lie in a function. */
static uint32_t model_of_line(const struct view *view, const struct store_track *track, size_t at)
{
	const struct store_track *group =
	    track->def.type == TRACK_LANE ? store_track(view->store, track->def.parent) : NULL;
	uint32_t model = own_model(view, track, at);

	/* the group of kernels is their device */
	return !model && track->slices.kind[at] != KIND_KERNEL && group && group->def.type == TRACK_GROUP
		   ? group->def.name
		   : model;
}

uint32_t model_of(const struct view *view, struct model_cache *cache, const struct store_track *track, size_t at)
{
	const struct store_slices *slices = &track->slices;
	uint32_t process, inference = slices->inference[at], model;

	/* operators name their node, not their model */
	model = slices->kind[at] == KIND_OPERATOR ? 0 : own_model(view, track, at);
	if (model)
		return model;
	if (slices->kind[at] == KIND_INFERENCE)
		return slices->name[at];
	if (!inference)
		return model_of_line(view, track, at);
	if (cache->track != track->id) {
		process = store_process_of(view->store, track->id);
		if (process != cache->process)
			cache->inference = 0;
		cache->track = track->id;
		cache->process = process;
	}
	if (cache->inference != inference || !cache->model) {
		cache->inference = inference;
		cache->model = model_around(view, cache->process, inference, slices->begin_ns[at]);
	}
	return cache->model;
}

bool model_failed(const struct view *view, const struct store_track *track, size_t at)
{
	uint32_t status = store_text(store_slice_arg(view->store, track, at, KEY_STATUS));

	return status && strcmp(view_name(view, status), "ok") != 0;
}

bool model_counts(const struct view *view, const struct store_track *track, size_t at)
{
	return track->slices.end_ns[at] != STORE_OPEN && !model_failed(view, track, at) &&
	       store_int(store_slice_arg(view->store, track, at, KEY_FIRST), 0) != 1 &&
	       store_int(store_slice_arg(view->store, track, at, KEY_PARTIAL), 0) != 1;
}
