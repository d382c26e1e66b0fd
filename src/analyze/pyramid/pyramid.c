// SPDX-License-Identifier: Apache-2.0
/*
 * Builds a pyramid from a store: rows of each track, their nodes, nodes of counters. Answers nothing itself.
 *
 * When slices have come, rows grow at their ends. The last slice of a row may have been open: nodes are made anew from
 * the one on that has it. All others stay as they are.
 */
#include "analyze/pyramid/pyramid.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/pyramid/pyramid_in.h"

/* Depths of a track, from those of its new slices. */
static uint32_t depths_of(const struct pyramid_track *to, const struct store_slices *slices)
{
	uint32_t n = to->n_rows;

	for (size_t i = to->n_seen; i < slices->n; i++)
		if (slices->depth[i] >= n)
			n = slices->depth[i] + 1u;
	return n;
}

static int grow_tracks(struct pyramid *pyramid)
{
	uint32_t n = store_n_tracks(pyramid->store) + 1;
	struct pyramid_track *grown;

	if (n <= pyramid->n_tracks)
		return 0;
	grown = realloc(pyramid->tracks, n * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	for (uint32_t id = pyramid->n_tracks; id < n; id++)
		grown[id] = (struct pyramid_track){ 0 };
	pyramid->tracks = grown;
	pyramid->n_tracks = n;
	return 0;
}

static void free_row(struct pyramid_row *row)
{
	array_free(row->at, (size_t)row->at_capacity * sizeof *row->at);
	for (int level = 0; level < PYRAMID_LEVELS; level++)
		array_free(row->level[level], (size_t)row->node_capacity[level] * sizeof *row->level[level]);
	*row = (struct pyramid_row){ 0 };
}

/* Its rows are empty, and are filled from its first slice on. */
static void forget_track(struct pyramid *pyramid, struct pyramid_track *to)
{
	for (uint32_t depth = 0; depth < to->n_rows; depth++)
		free_row(&pyramid->rows[to->first_row + depth]);
	to->n_seen = 0;
}

/* Room for rows behind those that there are. */
static int add_rows(struct pyramid *pyramid, uint64_t n_rows)
{
	struct pyramid_row *rows;

	if (n_rows >= UINT32_MAX)
		return -ENOMEM;
	rows = realloc(pyramid->rows, (n_rows + 1) * sizeof *rows);
	if (!rows)
		return -ENOMEM;
	for (uint64_t i = pyramid->n_rows; i <= n_rows; i++)
		rows[i] = (struct pyramid_row){ 0 };
	pyramid->rows = rows;
	pyramid->n_rows = (uint32_t)n_rows;
	return 0;
}

/*
 * Numbers the rows of tracks that are new, or deeper, behind the others. A depth may be empty: slices around it that
 * cannot be believed are not kept.
 */
static int find_rows(struct pyramid *pyramid)
{
	uint64_t n_rows = pyramid->n_rows, n_used = 0;
	uint32_t next = pyramid->n_rows;
	int code = 0;

	for (uint32_t id = 1; id < pyramid->n_tracks; id++) {
		struct pyramid_track *to = &pyramid->tracks[id];
		const struct store_track *track = store_track(pyramid->store, id);

		to->n_wanted = track ? depths_of(to, &track->slices) : 0;
		n_used += to->n_wanted;
		n_rows += to->n_wanted != to->n_rows ? to->n_wanted : 0;
	}
	if (n_rows > pyramid->n_rows || !pyramid->rows)
		code = add_rows(pyramid, n_rows);
	if (code)
		return code;
	for (uint32_t id = 1; id < pyramid->n_tracks; id++) {
		struct pyramid_track *to = &pyramid->tracks[id];

		if (to->n_wanted == to->n_rows)
			continue;
		forget_track(pyramid, to);
		to->first_row = next;
		to->n_rows = to->n_wanted;
		next += to->n_wanted;
	}
	pyramid->n_used = (uint32_t)n_used;
	return 0;
}

/* Room for n elements: as many at first, then half as many again. */
static bool make_room(void *block_, uint32_t *capacity, uint32_t n, size_t size)
{
	void **block = block_, *grown;
	uint64_t wanted = *capacity ? (uint64_t)n + n / 2 : n;

	if (n <= *capacity)
		return true;
	if (wanted > UINT32_MAX)
		wanted = UINT32_MAX;
	grown = array_resize(*block, *capacity * size, (size_t)wanted * size);
	if (!grown)
		return false;
	*block = grown;
	*capacity = (uint32_t)wanted;
	return true;
}

/* Lists the new slices of each depth. */
static int sort_by_depth(struct pyramid_track *to, const struct store_slices *slices, struct pyramid_row *rows)
{
	uint32_t *more = calloc(to->n_rows, sizeof *more);
	bool has_room = more != NULL;

	for (size_t i = to->n_seen; has_room && i < slices->n; i++)
		more[slices->depth[i]]++;
	for (uint32_t depth = 0; has_room && depth < to->n_rows; depth++)
		has_room = make_room(&rows[depth].at, &rows[depth].at_capacity, rows[depth].n + more[depth],
				     sizeof *rows[depth].at);
	free(more);
	if (!has_room)
		return -ENOMEM;
	for (size_t i = to->n_seen; i < slices->n; i++) {
		struct pyramid_row *row = &rows[slices->depth[i]];

		row->at[row->n++] = (uint32_t)i;
	}
	return 0;
}

/* Makes nodes of a level from number `from` on. */
static void fill_level(struct pyramid *pyramid, struct pyramid_row *row, uint16_t level, uint32_t from)
{
	const struct pyramid_node *below = level ? row->level[level - 1] : NULL;
	struct pyramid_node *to = row->level[level];
	uint32_t n_below = level ? row->n_nodes[level - 1] : row->n, at = from * PYRAMID_FAN;

	for (uint32_t i = from; i < row->n_nodes[level]; i++) {
		to[i].begin_ns = below ? below[at].begin_ns : pyramid_slice_begin(row, at);
		for (int k = 0; k < PYRAMID_FAN && at < n_below; k++, at++)
			if (below)
				pyramid_tally_node(&pyramid->tally, &below[at]);
			else
				pyramid_tally_slice(pyramid, &pyramid->tally, row, at);
		pyramid_tally_take(&pyramid->tally, &to[i]);
	}
}

/* dirty: the first slice that is not in nodes as it is now. */
static int build_row(struct pyramid *pyramid, struct pyramid_row *row, uint32_t dirty)
{
	uint32_t n_below = row->n;

	for (uint16_t level = 0; n_below > PYRAMID_FAN && level < PYRAMID_LEVELS; level++) {
		n_below = (n_below - 1) / PYRAMID_FAN + 1;
		dirty = level < row->n_levels ? dirty / PYRAMID_FAN : 0;
		if (!make_room(&row->level[level], &row->node_capacity[level], n_below, sizeof *row->level[level]))
			return -ENOMEM;
		row->n_nodes[level] = n_below;
		fill_level(pyramid, row, level, dirty);
		if (level >= row->n_levels)
			row->n_levels = (uint16_t)(level + 1);
	}
	return 0;
}

static void note_changed(struct pyramid *pyramid, uint64_t time_ns)
{
	if (time_ns < pyramid->changed_ns)
		pyramid->changed_ns = time_ns;
}

/* The last slice that was there may have been open. */
static int extend_row(struct pyramid *pyramid, struct pyramid_row *row)
{
	uint32_t n_old = row->n_built, last = n_old ? n_old - 1 : 0;
	int code;

	if (n_old && row->was_open)
		note_changed(pyramid, pyramid_slice_begin(row, last));
	else if (n_old < row->n)
		note_changed(pyramid, pyramid_slice_begin(row, n_old));
	else
		return 0;
	code = build_row(pyramid, row, last);
	row->n_built = row->n;
	row->was_open = row->n && pyramid_is_open(row, row->n - 1);
	return code;
}

static int count_samples(struct pyramid *pyramid, struct pyramid_track *to, const struct store_samples *samples)
{
	if (samples->n == to->n_counted)
		return 0;
	note_changed(pyramid, samples->time_ns[to->n_counted < samples->n ? to->n_counted : 0]);
	to->n_counted = samples->n;
	return pyramid_build_counter(to, samples);
}

static int build_track(struct pyramid *pyramid, uint32_t id)
{
	struct pyramid_track *to = &pyramid->tracks[id];
	const struct store_track *track = store_track(pyramid->store, id);
	struct pyramid_row *rows = pyramid->rows + to->first_row;
	int code = 0;

	if (!track)
		return 0;
	for (uint32_t depth = 0; depth < to->n_rows; depth++) {
		rows[depth].track = track;
		rows[depth].depth = (uint16_t)depth;
		rows[depth].end_ns = pyramid->end_ns;
	}
	if (to->n_rows > 1) {
		code = sort_by_depth(to, &track->slices, rows);
	} else if (to->n_rows) {
		rows[0].n = (uint32_t)track->slices.n;
	}
	if (!code)
		to->n_seen = track->slices.n;
	for (uint32_t depth = 0; depth < to->n_rows && !code; depth++)
		code = extend_row(pyramid, &rows[depth]);
	return code ? code : count_samples(pyramid, to, &track->samples);
}

/* Slices have other numbers now; tracks keep their rows as long as not too many belong to none. */
static void empty_rows(struct pyramid *pyramid)
{
	enum { SPARE = 1024 };
	bool is_sparse = pyramid->n_rows / 2 > pyramid->n_used + SPARE;

	for (uint32_t id = 0; id < pyramid->n_tracks; id++) {
		struct pyramid_track *to = &pyramid->tracks[id];

		forget_track(pyramid, to);
		to->n_counted = 0;
		if (is_sparse || !store_track(pyramid->store, id))
			to->n_rows = 0;
	}
	if (is_sparse)
		pyramid->n_rows = 0;
	pyramid->n_lists = 0;
	pyramid->version++;
}

static void free_rows(struct pyramid *pyramid)
{
	for (uint32_t i = 0; pyramid->rows && i < pyramid->n_rows; i++)
		free_row(&pyramid->rows[i]);
	for (uint32_t id = 0; pyramid->tracks && id < pyramid->n_tracks; id++)
		free(pyramid->tracks[id].samples);
	free(pyramid->rows);
	free(pyramid->tracks);
	pyramid->rows = NULL;
	pyramid->tracks = NULL;
	pyramid->n_rows = pyramid->n_tracks = pyramid->n_lists = 0;
	pyramid->version++;
}

int pyramid_update(struct pyramid *pyramid)
{
	const struct store_counts *counts = store_counts(pyramid->store);
	int code;

	if (pyramid->store_version != store_version(pyramid->store)) {
		empty_rows(pyramid);
		pyramid->store_version = store_version(pyramid->store);
	}
	if (counts->first_ns <= counts->last_ns) {
		if (!pyramid->end_ns)
			pyramid->begin_ns = counts->first_ns;
		pyramid->end_ns = counts->last_ns;
	}
	code = pyramid_find_classes(pyramid);
	if (!code)
		code = grow_tracks(pyramid);
	if (!code)
		code = find_rows(pyramid);
	for (uint32_t id = 1; id < pyramid->n_tracks && !code; id++)
		code = build_track(pyramid, id);
	if (code)
		free_rows(pyramid);
	return code;
}

struct pyramid *pyramid_new(const struct store *store)
{
	struct pyramid *pyramid = calloc(1, sizeof *pyramid);

	if (!pyramid)
		return NULL;
	pyramid->store = store;
	pyramid->changed_ns = UINT64_MAX;
	if (!pyramid_update(pyramid))
		return pyramid;
	pyramid_free(pyramid);
	return NULL;
}

void pyramid_free(struct pyramid *pyramid)
{
	if (!pyramid)
		return;
	free_rows(pyramid);
	free(pyramid->class_of_list);
	free(pyramid->tally.ns);
	free(pyramid->tally.seen);
	keys_done(&pyramid->class_keys);
	array_done(&pyramid->classes, sizeof(struct pyramid_class));
	free(pyramid);
}
