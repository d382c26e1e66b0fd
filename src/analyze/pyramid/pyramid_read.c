// SPDX-License-Identifier: Apache-2.0
/* What a pyramid holds, for those who ask it, apart from pictures. Changes nothing. */
#include "analyze/pyramid/pyramid_in.h"

uint64_t pyramid_version(const struct pyramid *pyramid)
{
	return pyramid->version;
}

uint64_t pyramid_take_changed(struct pyramid *pyramid)
{
	uint64_t time_ns = pyramid->changed_ns;

	pyramid->changed_ns = UINT64_MAX;
	return time_ns;
}

uint64_t pyramid_begin(const struct pyramid *pyramid)
{
	return pyramid->begin_ns;
}

uint64_t pyramid_end(const struct pyramid *pyramid)
{
	return pyramid->end_ns;
}

uint32_t pyramid_n_rows(const struct pyramid *pyramid)
{
	return pyramid->n_rows;
}

const struct pyramid_row *pyramid_row(const struct pyramid *pyramid, uint32_t row)
{
	return row < pyramid->n_rows ? &pyramid->rows[row] : NULL;
}

uint32_t pyramid_rows_of(const struct pyramid *pyramid, uint32_t track, uint32_t *n)
{
	*n = track < pyramid->n_tracks ? pyramid->tracks[track].n_rows : 0;
	return *n ? pyramid->tracks[track].first_row : 0;
}

uint32_t pyramid_first_after(const struct pyramid_row *row, uint64_t time_ns)
{
	uint32_t low = 0, high = row->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (pyramid_slice_end(row, middle) <= time_ns && pyramid_slice_begin(row, middle) < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first slice for which this is not below. */
static uint32_t first_of(const struct pyramid_row *row, uint64_t (*of)(const struct pyramid_row *, uint32_t),
			 uint64_t least)
{
	uint32_t low = 0, high = row->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (of(row, middle) < least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t pyramid_first_from(const struct pyramid_row *row, uint64_t time_ns)
{
	return first_of(row, pyramid_slice_begin, time_ns);
}

uint32_t pyramid_slice_at(const struct pyramid_row *row, size_t at)
{
	uint32_t found = first_of(row, pyramid_at, at);

	return found < row->n && pyramid_at(row, found) == at ? found : row->n;
}

uint64_t pyramid_covered(const struct pyramid_row *row, uint32_t first, uint32_t end)
{
	uint64_t covered_ns = 0;

	for (uint32_t i = first, next; i < end; i = next) {
		unsigned level = 0;

		while (level < row->n_levels && !(i & ((UINT64_C(1) << (level + 1) * PYRAMID_FAN_BITS) - 1)) &&
		       i + (UINT64_C(1) << (level + 1) * PYRAMID_FAN_BITS) <= end)
			level++;
		if (level)
			covered_ns += row->level[level - 1][i >> level * PYRAMID_FAN_BITS].covered_ns;
		else
			covered_ns += pyramid_slice_end(row, i) - pyramid_slice_begin(row, i);
		next = i + (1u << level * PYRAMID_FAN_BITS);
	}
	return covered_ns;
}
