// SPDX-License-Identifier: Apache-2.0
/* Builds a pyramid from a store: rows of each track, their nodes, nodes of counters. Answers nothing itself. */
#include "analyze/pyramid/pyramid.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/pyramid/pyramid_in.h"

static uint32_t depths_of(const struct store_slices *slices)
{
	uint32_t deepest = 0;

	for (size_t i = 0; i < slices->n; i++)
		if (slices->depth[i] > deepest)
			deepest = slices->depth[i];
	return slices->n ? deepest + 1 : 0;
}

/* Counts the rows of all tracks. A depth may be empty: slices around it that cannot be believed are not kept. */
static int find_tracks(struct pyramid *pyramid)
{
	uint64_t n_rows = 0;

	pyramid->n_tracks = store_n_tracks(pyramid->store) + 1;
	pyramid->tracks = calloc(pyramid->n_tracks, sizeof *pyramid->tracks);
	if (!pyramid->tracks)
		return -ENOMEM;
	for (uint32_t id = 1; id < pyramid->n_tracks; id++) {
		const struct store_track *track = store_track(pyramid->store, id);

		pyramid->tracks[id].first_row = (uint32_t)n_rows;
		pyramid->tracks[id].n_rows = track ? depths_of(&track->slices) : 0;
		n_rows += pyramid->tracks[id].n_rows;
	}
	if (n_rows >= UINT32_MAX)
		return -ENOMEM;
	pyramid->n_rows = (uint32_t)n_rows;
	pyramid->rows = calloc(n_rows + 1, sizeof *pyramid->rows);
	return pyramid->rows ? 0 : -ENOMEM;
}

/* Lists the slices of each depth. */
static int sort_by_depth(struct pyramid_track *to, const struct store_slices *slices, struct pyramid_row *rows)
{
	uint32_t *next = calloc(to->n_rows, sizeof *next), first = 0;

	to->at = array_resize(NULL, 0, slices->n * sizeof *to->at);
	to->n_at = to->at ? slices->n : 0;
	if (!next || !to->at) {
		free(next);
		return -ENOMEM;
	}
	for (size_t i = 0; i < slices->n; i++)
		rows[slices->depth[i]].n++;
	for (uint32_t depth = 0; depth < to->n_rows; depth++) {
		next[depth] = first;
		rows[depth].at = to->at + first;
		first += rows[depth].n;
	}
	for (size_t i = 0; i < slices->n; i++)
		to->at[next[slices->depth[i]]++] = (uint32_t)i;
	free(next);
	return 0;
}

static int make_rows(struct pyramid *pyramid, uint32_t id)
{
	struct pyramid_track *to = &pyramid->tracks[id];
	const struct store_track *track = store_track(pyramid->store, id);
	struct pyramid_row *rows = pyramid->rows + to->first_row;

	for (uint32_t depth = 0; depth < to->n_rows; depth++)
		rows[depth] =
		    (struct pyramid_row){ .track = track, .depth = (uint16_t)depth, .end_ns = pyramid->end_ns };
	if (to->n_rows > 1)
		return sort_by_depth(to, &track->slices, rows);
	if (to->n_rows)
		rows[0].n = (uint32_t)track->slices.n;
	return 0;
}

/* How many nodes each level has; the number of all. */
static size_t plan_levels(struct pyramid_row *row)
{
	uint32_t n_below = row->n;
	size_t n = 0;

	while (n_below > PYRAMID_FAN && row->n_levels < PYRAMID_LEVELS) {
		n_below = (n_below - 1) / PYRAMID_FAN + 1;
		row->first[row->n_levels] = (uint32_t)n;
		row->n_nodes[row->n_levels++] = n_below;
		n += n_below;
	}
	return n;
}

static void fill_level(struct pyramid *pyramid, struct pyramid_row *row, uint16_t level)
{
	const struct pyramid_node *below = level ? row->levels + row->first[level - 1] : NULL;
	struct pyramid_node *to = row->levels + row->first[level];
	uint32_t n_below = level ? row->n_nodes[level - 1] : row->n, at = 0;

	for (uint32_t i = 0; i < row->n_nodes[level]; i++) {
		to[i].begin_ns = below ? below[at].begin_ns : pyramid_slice_begin(row, at);
		for (int k = 0; k < PYRAMID_FAN && at < n_below; k++, at++)
			if (below)
				pyramid_tally_node(&pyramid->tally, &below[at]);
			else
				pyramid_tally_slice(pyramid, &pyramid->tally, row, at);
		pyramid_tally_take(&pyramid->tally, &to[i]);
	}
}

static int build_row(struct pyramid *pyramid, struct pyramid_row *row)
{
	size_t n = plan_levels(row);

	if (!n)
		return 0;
	row->levels = array_resize(NULL, 0, n * sizeof *row->levels);
	if (!row->levels)
		return -ENOMEM;
	pyramid->n_node_bytes += n * sizeof *row->levels;
	for (uint16_t level = 0; level < row->n_levels; level++)
		fill_level(pyramid, row, level);
	return 0;
}

static int build(struct pyramid *pyramid)
{
	int code = pyramid_find_classes(pyramid);

	if (!code)
		code = find_tracks(pyramid);
	if (code)
		return code;
	pyramid->tally.ns = calloc(pyramid->classes.n, sizeof *pyramid->tally.ns);
	pyramid->tally.seen = calloc(pyramid->classes.n, sizeof *pyramid->tally.seen);
	if (!pyramid->tally.ns || !pyramid->tally.seen)
		return -ENOMEM;
	for (uint32_t id = 1; id < pyramid->n_tracks && !code; id++) {
		const struct store_track *track = store_track(pyramid->store, id);

		code = make_rows(pyramid, id);
		if (!code && track && track->samples.n)
			code = pyramid_build_counter(&pyramid->tracks[id], &track->samples);
	}
	for (uint32_t i = 0; i < pyramid->n_rows && !code; i++)
		code = build_row(pyramid, &pyramid->rows[i]);
	return code;
}

struct pyramid *pyramid_new(const struct store *store)
{
	const struct store_counts *counts = store_counts(store);
	struct pyramid *pyramid = calloc(1, sizeof *pyramid);

	if (!pyramid)
		return NULL;
	pyramid->store = store;
	if (counts->first_ns <= counts->last_ns) {
		pyramid->begin_ns = counts->first_ns;
		pyramid->end_ns = counts->last_ns;
	}
	if (!build(pyramid))
		return pyramid;
	pyramid_free(pyramid);
	return NULL;
}

static size_t nodes_of(const struct pyramid_row *row)
{
	return row->n_levels ? (size_t)row->first[row->n_levels - 1] + row->n_nodes[row->n_levels - 1] : 0;
}

void pyramid_free(struct pyramid *pyramid)
{
	if (!pyramid)
		return;
	for (uint32_t i = 0; pyramid->rows && i < pyramid->n_rows; i++)
		array_free(pyramid->rows[i].levels, nodes_of(&pyramid->rows[i]) * sizeof(struct pyramid_node));
	for (uint32_t id = 0; pyramid->tracks && id < pyramid->n_tracks; id++) {
		array_free(pyramid->tracks[id].at, pyramid->tracks[id].n_at * sizeof(uint32_t));
		free(pyramid->tracks[id].samples);
	}
	free(pyramid->rows);
	free(pyramid->tracks);
	free(pyramid->class_of_list);
	free(pyramid->tally.ns);
	free(pyramid->tally.seen);
	array_done(&pyramid->classes, sizeof(struct pyramid_class));
	free(pyramid);
}

uint64_t pyramid_bytes(const struct pyramid *pyramid)
{
	uint64_t bytes = sizeof *pyramid + pyramid->n_rows * sizeof *pyramid->rows +
			 pyramid->n_tracks * sizeof *pyramid->tracks + pyramid->n_node_bytes +
			 pyramid->n_lists * sizeof *pyramid->class_of_list +
			 pyramid->classes.n * (sizeof(struct pyramid_class) + sizeof(float) + sizeof(uint16_t));

	for (uint32_t id = 0; id < pyramid->n_tracks; id++)
		bytes += pyramid->tracks[id].n_at * sizeof(uint32_t) +
			 pyramid->tracks[id].n_samples * sizeof(struct pyramid_extreme);
	return bytes;
}
