// SPDX-License-Identifier: Apache-2.0
/* Few processes are halted: they are looked up one after the other. */
#include "analyze/store/store_halts.h"

#include <errno.h>
#include <stdlib.h>

struct of_process {
	uint32_t process;
	struct halts halts;
};

static struct of_process *row_at(const struct store_halts *halts, size_t i)
{
	return (struct of_process *)halts->row.data + i;
}

static struct halts *find_or_add(struct store_halts *halts, uint32_t process)
{
	struct of_process *row;

	for (size_t i = 0; i < halts->row.n; i++)
		if (row_at(halts, i)->process == process)
			return &row_at(halts, i)->halts;
	row = array_add(&halts->row, sizeof *row);
	if (!row)
		return NULL;
	*row = (struct of_process){ .process = process };
	return &row->halts;
}

static uint64_t time_of(const struct arg *arg, uint64_t fallback)
{
	int64_t ns = store_int(arg, 0);

	return ns > 0 ? (uint64_t)ns : fallback;
}

static int add_track(struct store_halts *to, const struct store *store, const struct store_track *track)
{
	const struct store_slices *slices = &track->slices;
	struct halts *halts = find_or_add(to, store_process_of(store, track->id));

	for (size_t i = 0; halts && i < slices->n; i++) {
		const struct halt halt = {
			.begin_ns = slices->begin_ns[i],
			.from_ns = time_of(store_slice_arg(store, track, i, KEY_FROM_NS), 0),
			.what = slices->name[i],
			.who = store_text(store_slice_arg(store, track, i, KEY_TEXT)),
			.track = track->id,
		};

		if (slices->kind[i] != KIND_HALT)
			continue;
		if (halts_begin(halts, &halt))
			return -ENOMEM;
		if (slices->end_ns[i] != STORE_OPEN)
			halts_end(halts, track->id, slices->end_ns[i],
				  time_of(store_slice_arg(store, track, i, KEY_UNTIL_NS), STORE_OPEN));
	}
	return halts ? 0 : -ENOMEM;
}

static int compare(const void *a_, const void *b_)
{
	const struct halt *a = a_, *b = b_;

	return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

int store_halts_find(struct store_halts *to, const struct store *store)
{
	int rc = 0;

	for (uint32_t id = 1; !rc && id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);

		if (track && track->slices.n && track->slices.kind[0] == KIND_HALT)
			rc = add_track(to, store, track);
	}
	for (size_t i = 0; i < to->row.n; i++) {
		struct array *row = &row_at(to, i)->halts.row;

		if (row->n)
			qsort(row->data, row->n, sizeof(struct halt), compare);
	}
	return rc;
}

const struct halts *store_halts_of(const struct store_halts *halts, uint32_t process)
{
	static const struct halts none;

	for (size_t i = 0; i < halts->row.n; i++)
		if (row_at(halts, i)->process == process)
			return &row_at(halts, i)->halts;
	return &none;
}

void store_halts_done(struct store_halts *halts)
{
	for (size_t i = 0; i < halts->row.n; i++)
		halts_done(&row_at(halts, i)->halts);
	array_done(&halts->row, sizeof(struct of_process));
}
