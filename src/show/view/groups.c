// SPDX-License-Identifier: Apache-2.0
/* Sums slices up by what they are; see view_scan.h. */
#include <stdlib.h>

#include "show/view/view_scan.h"

static struct group *group_at(struct groups *groups, uint32_t number)
{
	return (struct group *)groups->rows.data + number;
}

/* KEYS_NONE: out of memory, or too many. */
static uint32_t find_by_keys(struct groups *groups, const struct group *wanted)
{
	uint64_t a = keys_pair(wanted->model, wanted->name), b = keys_pair(wanted->class, wanted->kind);
	uint32_t number =
	    groups->rows.n < GROUPS_MOST ? keys_number(&groups->keys, a, b) : keys_find(&groups->keys, a, b);
	struct group *group;

	if (number == KEYS_NONE || number < groups->rows.n) {
		groups->scan.has_failed |= number == KEYS_NONE && groups->rows.n < GROUPS_MOST;
		return number;
	}
	group = array_add(&groups->rows, sizeof *group);
	if (!group) {
		groups->scan.has_failed = true;
		return KEYS_NONE;
	}
	*group = *wanted;
	group->min_ns = UINT64_MAX;
	return number;
}

/* Mostly the group of the slice of this name before: keys are looked up for others alone. */
static uint32_t find_group(struct groups *groups, const struct store_track *track, size_t at)
{
	const struct store_slices *slices = &track->slices;
	const struct view *view = groups->scan.view;
	struct group wanted = { .model = model_of(view, &groups->cache, track, at),
				.name = groups->by_type ? 0 : slices->name[at],
				.class = pyramid_class_of(view->pyramid, slices, at),
				.kind = (enum event_kind)slices->kind[at] };
	uint32_t *last = slices->name[at] < groups->n_last ? &groups->last[slices->name[at]] : NULL, number;

	if (last && *last) {
		const struct group *group = group_at(groups, *last - 1);

		if (group->model == wanted.model && group->class == wanted.class && group->kind == wanted.kind)
			return *last - 1;
	}
	wanted.provider = store_text(store_slice_arg(view->store, track, at, KEY_PROVIDER));
	number = find_by_keys(groups, &wanted);
	if (number != KEYS_NONE && !group_at(groups, number)->provider) /* a kernel of it came first */
		group_at(groups, number)->provider = wanted.provider;
	if (last && number != KEYS_NONE)
		*last = number + 1;
	return number;
}

/* What is inside another slice is not that one's own time. */
static void take_from_parent(struct groups *groups, unsigned depth, uint64_t end_ns, uint64_t ns)
{
	while (depth-- > 0) {
		if (groups->open[depth].group == KEYS_NONE || groups->open[depth].end_ns < end_ns)
			continue;
		*(groups->open[depth].is_halted ? &group_at(groups, groups->open[depth].group)->halted_ns
						: &group_at(groups, groups->open[depth].group)->self_ns) -= ns;
		return;
	}
}

/* An inference did take as long as it took. */
static bool is_halted(const struct groups *groups, const struct store_slices *slices, size_t at)
{
	return (slices->kind[at] == KIND_OPERATOR || slices->kind[at] == KIND_SETUP) &&
	       halts_hit(groups->of_track, slices->begin_ns[at], slices->end_ns[at]);
}

static void add(struct group *group, uint64_t ns, bool was_halted)
{
	if (was_halted) {
		group->n_halted++;
		group->halted_ns += ns;
		return;
	}
	group->n++;
	group->total_ns += ns;
	group->self_ns += ns;
	group->min_ns = ns < group->min_ns ? ns : group->min_ns;
	group->max_ns = ns > group->max_ns ? ns : group->max_ns;
}

/* A kernel counts where its operator does; one inside another is in that one's time. */
static void take_kernel(struct groups *groups, const struct store_track *track, size_t at)
{
	const struct store_slices *slices = &track->slices;
	const struct view *view = groups->scan.view;
	struct group wanted = { .model = model_of(view, &groups->cache, track, at),
				.name = store_text(store_slice_arg(view->store, track, at, KEY_OPERATOR)),
				.class = pyramid_type_of(view->pyramid, slices, at),
				.kind = KIND_OPERATOR };
	uint32_t number;

	if (!wanted.name || slices->depth[at] || slices->end_ns[at] == STORE_OPEN)
		return;
	wanted.name = groups->by_type ? 0 : wanted.name;
	wanted.class = wanted.class ? wanted.class : (uint16_t)KIND_OPERATOR;
	wanted.provider = store_text(store_slice_arg(view->store, track, at, KEY_PROVIDER));
	number = find_by_keys(groups, &wanted);
	if (number != KEYS_NONE)
		group_at(groups, number)->device_ns += slices->end_ns[at] - slices->begin_ns[at];
}

static void take_one(struct groups *groups, const struct store_track *track, size_t at)
{
	const struct store_slices *slices = &track->slices;
	unsigned depth = slices->depth[at];
	uint32_t number = KEYS_NONE;
	struct group *group;
	bool was_halted;
	uint64_t ns;

	if (groups->with_device && slices->kind[at] == KIND_KERNEL)
		take_kernel(groups, track, at);
	if (groups->kinds >> slices->kind[at] & 1)
		number = find_group(groups, track, at);
	if (depth < GROUPS_DEPTH) {
		groups->open[depth].group = number;
		groups->open[depth].end_ns = slices->end_ns[at];
	}
	if (number == KEYS_NONE)
		return;
	group = group_at(groups, number);
	if (slices->end_ns[at] == STORE_OPEN) {
		group->n++;
		if (depth < GROUPS_DEPTH)
			groups->open[depth].group = KEYS_NONE;
		return;
	}
	ns = slices->end_ns[at] - slices->begin_ns[at];
	was_halted = is_halted(groups, slices, at);
	if (depth < GROUPS_DEPTH)
		groups->open[depth].is_halted = was_halted;
	add(group, ns, was_halted);
	if (depth && depth < GROUPS_DEPTH)
		take_from_parent(groups, depth, slices->end_ns[at], ns);
}

static void take(struct view_scan *scan, const struct store_track *track, size_t at, size_t end)
{
	struct groups *groups = (struct groups *)scan;

	if (groups->track != track->id) {
		groups->track = track->id;
		groups->of_track =
		    store_halts_of(&groups->halts, store_process_of(groups->scan.view->store, track->id));
		for (int depth = 0; depth < GROUPS_DEPTH; depth++)
			groups->open[depth].group = KEYS_NONE;
	}
	for (; at < end; at++)
		take_one(groups, track, at);
}

static void finish(struct view_scan *scan, struct http_answer *answer)
{
	struct groups *groups = (struct groups *)scan;

	groups->finished(groups, answer);
}

static void done(struct view_scan *scan)
{
	struct groups *groups = (struct groups *)scan;

	if (groups->freed)
		groups->freed(groups);
	keys_done(&groups->keys);
	store_halts_done(&groups->halts);
	free(groups->last);
	array_done(&groups->rows, sizeof(struct group));
}

void *groups_new(struct view *view, size_t size, const struct http_request *request, struct http_answer *answer)
{
	struct groups *groups = view_scan_new(view, size, request, answer);

	if (!groups)
		return NULL;
	groups->n_last = names_count(store_names(view->store)) + 1;
	groups->last = calloc(groups->n_last, sizeof *groups->last);
	groups->scan.has_failed = !groups->last || store_halts_find(&groups->halts, view->store);
	groups->scan.take = take;
	groups->scan.finish = finish;
	groups->scan.done = done;
	return groups;
}
