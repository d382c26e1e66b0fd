// SPDX-License-Identifier: Apache-2.0
/*
 * A trace file, any bytes, kept in a store: pictures of each of its rows and counters end, at any zoom, also at the end
 * of all time; and tiles side by side have each slice once.
 */
#include "analyze/pyramid/pyramid.h"

#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "trace/perfetto/perfetto_read.h"

enum { N_PX = 512, MOST_ROWS = 64 };

static void require(bool claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "not true: %s\n", what);
	abort();
}

/* How many slices begin in the picture. */
static uint64_t draw(const struct pyramid *pyramid, const struct pyramid_row *row, const struct pyramid_range *range)
{
	static struct pyramid_big big[N_PX + 1];
	static struct pyramid_run run[N_PX + 1];
	struct pyramid_picture picture = { .big = big, .run = run };
	uint64_t n = 0;

	pyramid_draw(pyramid, row, range, &picture);
	require(picture.n_big <= N_PX + 1 && picture.n_runs <= N_PX, "a picture has a bound");
	for (size_t i = 0; i < picture.n_runs; i++) {
		require(run[i].x + run[i].length <= N_PX && run[i].fill && run[i].count, "a run lies in the picture");
		n += run[i].count;
	}
	for (size_t i = 0; i < picture.n_big; i++) {
		require(big[i].slice < row->n && big[i].end_ns - big[i].begin_ns >= range->px_ns, "a big slice is big");
		n += big[i].begin_ns >= range->from_ns;
	}
	return n;
}

static void check_row(const struct pyramid *pyramid, const struct pyramid_row *row)
{
	uint64_t begin_ns = pyramid_begin(pyramid), span_ns = pyramid_end(pyramid) - begin_ns, n = 0;
	unsigned level = 0;

	pyramid_covered(row, 0, row->n);
	for (unsigned k = 0; k < 51; k += 5)
		draw(pyramid, row, &(struct pyramid_range){ begin_ns + span_ns / 2, UINT64_C(1) << k, N_PX });
	/* two to four tiles are all of it */
	while (span_ns >> level >= 4 * N_PX)
		level++;
	if (level > 50 || span_ns > UINT64_MAX / 4 || begin_ns > UINT64_MAX / 4)
		return;
	for (uint64_t i = 0; i <= span_ns >> level; i += N_PX)
		n += draw(pyramid, row, &(struct pyramid_range){ begin_ns + (i << level), UINT64_C(1) << level, N_PX });
	require(n == row->n, "each slice is counted once");
}

static void check_counter(const struct pyramid *pyramid, uint32_t track)
{
	struct pyramid_sample samples[N_PX];
	double before;

	for (unsigned k = 0; k < 51; k += 10)
		require(pyramid_draw_counter(pyramid, track,
					     &(struct pyramid_range){ pyramid_begin(pyramid), UINT64_C(1) << k, N_PX },
					     samples, &before) <= N_PX,
			"a picture has a bound");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct names *names = names_new();
	uint32_t last_track = 0;
	struct store *store = names ? store_new(names, &last_track) : NULL;
	struct perfetto_read_result result;
	struct pyramid *pyramid;
	struct err err;

	require(store, "there is memory");
	perfetto_read(data, size, store_sink(store), &result, &err);
	pyramid = pyramid_new(store);
	require(pyramid, "there is memory");
	for (uint32_t row = 0; row < pyramid_n_rows(pyramid) && row < MOST_ROWS; row++)
		check_row(pyramid, pyramid_row(pyramid, row));
	for (uint32_t id = 1; id <= store_n_tracks(store) && id < MOST_ROWS; id++)
		check_counter(pyramid, id);
	pyramid_free(pyramid);
	store_free(store);
	names_free(names);
	return 0;
}
