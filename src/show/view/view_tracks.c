// SPDX-License-Identifier: Apache-2.0
/*
 * The tree of the timeline: which tracks it shows, in which order. Those without slices and without counters below are
 * left out. Counters are no lines of the tree: the page plots them above it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "show/view/view_in.h"

/* What a group holds, by its id: KIND_INFERENCE: a model; KIND_KERNEL: a device; 0: neither. */
enum { HOLDS_FUNCTION = N_KINDS };

struct node {
	uint32_t id, parent;
	uint8_t rank, is_late;
	uint32_t number; /* of lanes: "inferences 2" */
};

/* By parent; then models, other groups, lanes, functions, threads. A session is created before it runs. */
static int by_place(const void *left, const void *right)
{
	const struct node *a = left, *b = right;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->is_late != b->is_late)
		return a->is_late < b->is_late ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Of the first slices, which say what the line is for. */
static bool begins_with_kind(const struct store_track *track, enum event_kind kind)
{
	for (size_t i = 0; i < track->slices.n && i < 64; i++)
		if (track->slices.kind[i] == kind)
			return true;
	return false;
}

/* Marks the tracks that have something, and those that they are in. false in *has: a circle ends it. */
static void mark(const struct store *store, bool *has)
{
	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);

		if (!track || (!track->slices.n && !track->samples.n))
			continue;
		if (track->def.type == TRACK_COUNTER)
			track = store_track(store, track->def.parent);
		while (track && !has[track->id]) {
			has[track->id] = true;
			track = store_track(store, track->def.parent);
		}
	}
}

/* Its name is that of the function that its inferences say they are of: it lies in the group of the model. */
static bool is_of_function(const struct store *store, const struct store_track *lane, const struct store_track *group)
{
	return lane->slices.n && group->def.name &&
	       store_text(store_slice_arg(store, lane, 0, KEY_FUNCTION)) == group->def.name;
}

static void mark_kinds(const struct store *store, uint8_t *holds)
{
	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id), *parent, *model;

		parent = track ? store_track(store, track->def.parent) : NULL;
		if (!parent || track->def.type != TRACK_LANE)
			continue;
		if (begins_with_kind(track, KIND_INFERENCE) || begins_with_kind(track, KIND_SESSION))
			holds[parent->id] = holds[parent->id] ? holds[parent->id] : KIND_INFERENCE;
		else if (begins_with_kind(track, KIND_KERNEL) && !holds[parent->id])
			holds[parent->id] = KIND_KERNEL;
		model = store_track(store, parent->def.parent);
		if (model && is_of_function(store, track, parent)) {
			holds[parent->id] = HOLDS_FUNCTION;
			holds[model->id] = KIND_INFERENCE;
		}
	}
}

static const char *kind_of(const struct store *store, const struct store_track *track, const uint8_t *holds)
{
	const struct store_track *parent = store_track(store, track->def.parent);

	/* what view_samples.c has made */
	if (track->def.type == TRACK_LANE && parent && parent->def.type == TRACK_THREAD)
		return strcmp(names_text(store_names(store), track->def.name), VIEW_STATES) != 0 ? "stack" : "state";
	switch (track->def.type) {
	case TRACK_PROCESS:
		return "process";
	case TRACK_THREAD:
		return "thread";
	case TRACK_LANE:
		return begins_with_kind(track, KIND_KERNEL) ? "stream" : "lane";
	default:
		if (holds[track->id] == KIND_INFERENCE)
			return "model";
		if (holds[track->id] == HOLDS_FUNCTION)
			return "function";
		return holds[track->id] == KIND_KERNEL ? "device" : "group";
	}
}

/* Behind the last space of a name; 0: there is none. Lanes come in the order of their first use. */
static uint32_t number_of(const char *name)
{
	const char *space = strrchr(name, ' ');
	char *end = NULL;
	unsigned long number = space ? strtoul(space + 1, &end, 10) : 0;

	return space && end != space + 1 && !*end && number < UINT32_MAX ? (uint32_t)number : 0;
}

static struct node node_of(const struct store *store, uint32_t id, const bool *has, const uint8_t *holds)
{
	static const char *const ranks[] = { "process", "model",    "device", "group", "stream",
					     "lane",	"function", "thread", "state", "stack" };
	const struct store_track *track = store_track(store, id);
	const char *kind = kind_of(store, track, holds);
	struct node node = { .id = id };

	if (store_track(store, track->def.parent) && has[track->def.parent])
		node.parent = track->def.parent;
	while (node.rank < sizeof ranks / sizeof *ranks && strcmp(kind, ranks[node.rank]))
		node.rank++;
	/* the group of models is above all others */
	if (!strcmp(kind, "group") && !strcmp(names_text(store_names(store), track->def.name), "models"))
		node.rank = 0;
	if (track->def.type == TRACK_LANE)
		node.number = number_of(names_text(store_names(store), track->def.name));
	node.is_late = track->def.type == TRACK_LANE && !begins_with_kind(track, KIND_SESSION);
	return node;
}

static uint32_t first_child(const struct node *nodes, uint32_t n, uint32_t parent)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (nodes[middle].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Parents before children. to has room for all; done: by id. */
static uint32_t put_below(const struct node *nodes, uint32_t n, uint32_t *stack, bool *done, struct view_track *to)
{
	uint32_t n_stack = 0, n_put = 0;

	for (uint32_t i = n; i-- > 0;)
		if (!nodes[i].parent)
			stack[n_stack++] = i;
	while (n_stack) {
		const struct node *node = &nodes[stack[--n_stack]];
		uint32_t first = first_child(nodes, n, node->id), last = first;

		done[node->id] = true;
		to[n_put++] = (struct view_track){ node->id, node->parent, NULL };
		while (last < n && nodes[last].parent == node->id)
			last++;
		for (uint32_t i = last; i-- > first;)
			stack[n_stack++] = i;
	}
	/* what a broken file has in a circle stands alone */
	for (uint32_t i = 0; i < n; i++)
		if (!done[nodes[i].id])
			to[n_put++] = (struct view_track){ nodes[i].id, 0, NULL };
	return n_put;
}

/* What view_find_tracks makes. */
struct found {
	struct view_track *tracks;
	bool *is_shown;
	struct view_lane *lanes;
	uint32_t n_tracks, n_lanes;
};

static void find_lanes(const struct store *store, struct found *to)
{
	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		if (!store_has_kind(store_track(store, id), KIND_INFERENCE))
			continue;
		to->lanes[to->n_lanes++] = (struct view_lane){ id, store_process_of(store, id) };
	}
}

static void take_found(struct view *view, const struct found *found)
{
	free(view->tracks);
	free(view->is_shown);
	free(view->lanes);
	view->tracks = found->tracks;
	view->is_shown = found->is_shown;
	view->lanes = found->lanes;
	view->n_tracks = found->n_tracks;
	view->n_lanes = found->n_lanes;
}

int view_find_tracks(struct view *view)
{
	const struct store *store = view->store;
	uint32_t n_ids = store_n_tracks(store) + 1, n = 0, *stack = calloc(n_ids, sizeof *stack);
	struct node *nodes = calloc(n_ids, sizeof *nodes);
	uint8_t *holds = calloc(n_ids, sizeof *holds);
	bool *done = calloc(n_ids, sizeof *done);
	struct found to = { calloc(n_ids, sizeof *to.tracks), calloc(n_ids, sizeof *to.is_shown),
			    calloc(n_ids, sizeof *to.lanes) };
	int code = -ENOMEM;

	if (!stack || !nodes || !holds || !done || !to.is_shown || !to.tracks || !to.lanes) {
		free(to.tracks);
		free(to.is_shown);
		free(to.lanes);
		goto out;
	}
	mark(store, to.is_shown);
	mark_kinds(store, holds);
	for (uint32_t id = 1; id < n_ids; id++)
		if (to.is_shown[id])
			nodes[n++] = node_of(store, id, to.is_shown, holds);
	qsort(nodes, n, sizeof *nodes, by_place);
	to.n_tracks = put_below(nodes, n, stack, done, to.tracks);
	for (uint32_t i = 0; i < to.n_tracks; i++)
		to.tracks[i].kind = kind_of(store, store_track(store, to.tracks[i].id), holds);
	find_lanes(store, &to);
	take_found(view, &to);
	code = 0;
out:
	free(stack);
	free(nodes);
	free(holds);
	free(done);
	return code;
}
