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

/* A track that gets a second depth needs at[] from its first slice on. */
static void start_track_again(struct pyramid *pyramid, struct pyramid_track *to)
{
	for (uint32_t depth = 0; depth < to->n_rows; depth++)
		free_row(&pyramid->rows[to->first_row + depth]);
	to->n_seen = 0;
}

/* Numbers the rows of all tracks; those that were there move. depths: by track. */
static int lay_rows(struct pyramid *pyramid, const uint32_t *depths, uint64_t n_rows)
{
	struct pyramid_row *rows = calloc(n_rows + 1, sizeof *rows);
	uint32_t next = 0;

	if (!rows)
		return -ENOMEM;
	for (uint32_t id = 1; id < pyramid->n_tracks; id++) {
		struct pyramid_track *to = &pyramid->tracks[id];

		for (uint32_t depth = 0; depth < to->n_rows; depth++)
			rows[next + depth] = pyramid->rows[to->first_row + depth];
		to->first_row = next;
		to->n_rows = depths[id];
		next += depths[id];
	}
	free(pyramid->rows);
	pyramid->rows = rows;
	pyramid->n_rows = (uint32_t)n_rows;
	pyramid->version++;
	return 0;
}

/* Counts the rows of all tracks. A depth may be empty: slices around it that cannot be believed are not kept. */
static int find_rows(struct pyramid *pyramid)
{
	uint32_t *depths = calloc(pyramid->n_tracks, sizeof *depths);
	bool has_changed = !pyramid->rows;
	uint64_t n_rows = 0;
	int code = depths ? 0 : -ENOMEM;

	for (uint32_t id = 1; !code && id < pyramid->n_tracks; id++) {
		struct pyramid_track *to = &pyramid->tracks[id];
		const struct store_track *track = store_track(pyramid->store, id);

		depths[id] = track ? depths_of(to, &track->slices) : 0;
		if (to->n_rows == 1 && depths[id] > 1)
			start_track_again(pyramid, to);
		has_changed |= depths[id] != to->n_rows;
		n_rows += depths[id];
	}
	if (!code && n_rows >= UINT32_MAX)
		code = -ENOMEM;
	if (!code && has_changed)
		code = lay_rows(pyramid, depths, n_rows);
	free(depths);
	return code;
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
	for (uint32_t depth = 0; depth < to->n_rows && !code; depth++) {
		uint32_t n_old = rows[depth].n_built;

		code = build_row(pyramid, &rows[depth], n_old ? n_old - 1 : 0);
		rows[depth].n_built = rows[depth].n;
	}
	if (!code && track->samples.n != to->n_counted)
		code = pyramid_build_counter(to, &track->samples);
	to->n_counted = track->samples.n;
	return code;
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
}

int pyramid_update(struct pyramid *pyramid)
{
	const struct store_counts *counts = store_counts(pyramid->store);
	int code;

	if (pyramid->store_version != store_version(pyramid->store)) {
		free_rows(pyramid);
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

uint64_t pyramid_bytes(const struct pyramid *pyramid)
{
	uint64_t bytes = sizeof *pyramid + pyramid->n_rows * sizeof *pyramid->rows +
			 pyramid->n_tracks * sizeof *pyramid->tracks + keys_bytes(&pyramid->class_keys) +
			 pyramid->list_capacity * sizeof *pyramid->class_of_list +
			 pyramid->classes.n * (sizeof(struct pyramid_class) + sizeof(float) + sizeof(uint16_t));

	for (uint32_t i = 0; i < pyramid->n_rows; i++) {
		const struct pyramid_row *row = &pyramid->rows[i];

		bytes += row->at_capacity * sizeof *row->at;
		for (int level = 0; level < PYRAMID_LEVELS; level++)
			bytes += row->node_capacity[level] * sizeof *row->level[level];
	}
	for (uint32_t id = 0; id < pyramid->n_tracks; id++)
		bytes += pyramid->tracks[id].n_samples * sizeof(struct pyramid_extreme);
	return bytes;
}
