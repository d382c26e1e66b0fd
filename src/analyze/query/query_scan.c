// SPDX-License-Identifier: Apache-2.0
/*
 * Goes through the rows of a plan: the slices of each track between two times, found by bisection; those of an index;
 * one; the samples of counters; or a list, of which instants can be bounded by time, too. A scan may show more than was
 * asked for, never less: SQLite looks again.
 */
#include "analyze/query/query_in.h"

static bool has_kind(const struct query_scan *scan, uint32_t kind)
{
	return !scan->table->kinds || scan->table->kinds >> kind & 1;
}

/* The outermost slice around a row. */
static size_t root_of(const uint32_t *parents, size_t row)
{
	while (parents[row] != QUERY_NO_ROW)
		row = parents[row];
	return row;
}

/*
 * A row before which every slice has ended before a time. Ends of outermost slices ascend, and what is inside one ends
 * before it; those without an end are later than any.
 */
static size_t first_to_end(const struct query *query, const struct query_track *track, uint64_t time_ns)
{
	const struct store_slices *slices = &track->track->slices;
	const uint32_t *parents = time_ns ? query_parents(query, track) : NULL;
	size_t low = 0, high = slices->n;

	while (parents && low < high) {
		size_t middle = low + (high - low) / 2, root = root_of(parents, middle);

		if (slices->end_ns[root] < time_ns)
			low = middle + 1;
		else
			high = root;
	}
	return low < slices->n ? low : slices->n;
}

/* How many of the times are not later. */
static size_t count_until(const uint64_t *times_ns, size_t n, uint64_t time_ns)
{
	return time_ns == UINT64_MAX ? n : store_first_from(times_ns, n, time_ns + 1);
}

static void enter_slices(struct query_scan *scan, const struct query_track *track)
{
	const struct store_slices *slices = &track->track->slices;
	size_t row = scan->from_ns ? store_first_from(slices->begin_ns, slices->n, scan->from_ns) : 0;
	size_t ends = first_to_end(scan->query, track, scan->end_from_ns);

	scan->at.in = track;
	scan->at.track = track->track;
	scan->at.row = row > ends ? row : ends;
	scan->end_row = count_until(slices->begin_ns, slices->n, scan->to_ns);
}

/* The next track that has such slices; false: there is none. */
static bool next_track(struct query_scan *scan)
{
	while (scan->next < scan->query->n_tracks) {
		const struct query_track *track = &scan->query->tracks[scan->next++];

		if (scan->table->kinds && !(track->kinds & scan->table->kinds))
			continue;
		enter_slices(scan, track);
		return true;
	}
	return false;
}

/* From at.row on. */
static void find_slice(struct query_scan *scan)
{
	do {
		const uint8_t *kind = scan->at.track ? scan->at.track->slices.kind : NULL;

		for (; kind && scan->at.row < scan->end_row; scan->at.row++)
			if (has_kind(scan, kind[scan->at.row]))
				return;
	} while (next_track(scan));
	scan->is_end = true;
}

static bool go_to(struct query_scan *scan, uint64_t row)
{
	const struct query_track *in = query_track_of(scan->query, row, scan->at.in);

	if (!in)
		return false;
	scan->at.in = in;
	scan->at.track = in->track;
	scan->at.row = (size_t)(row - in->base);
	return has_kind(scan, in->track->slices.kind[scan->at.row]);
}

/* The next one of an index that is in time. */
static void find_indexed(struct query_scan *scan)
{
	while (scan->next < scan->n_rows) {
		const struct store_slices *slices;

		go_to(scan, scan->rows[scan->next++]);
		slices = &scan->at.track->slices;
		if (slices->begin_ns[scan->at.row] >= scan->from_ns && slices->begin_ns[scan->at.row] <= scan->to_ns &&
		    slices->end_ns[scan->at.row] >= scan->end_from_ns)
			return;
	}
	scan->is_end = true;
}

static bool wants_samples_of(struct query_scan *scan, const struct store_track *track)
{
	scan->at.track = track;
	return scan->key_column < 0 || scan->table->columns[scan->key_column].key(&scan->at) == scan->key;
}

static void find_sample(struct query_scan *scan)
{
	while (!scan->at.track || scan->at.row >= scan->end_row) {
		const struct store_track *track;

		if (scan->next >= store_n_tracks(scan->query->store)) {
			scan->is_end = true;
			return;
		}
		track = store_track(scan->query->store, (uint32_t)++scan->next);
		scan->at.row = scan->end_row = 0;
		if (!track || !track->samples.n || !wants_samples_of(scan, track))
			continue;
		scan->at.row = store_first_from(track->samples.time_ns, track->samples.n, scan->from_ns);
		scan->end_row = count_until(track->samples.time_ns, track->samples.n, scan->to_ns);
	}
}

static void begin_list(struct query_scan *scan)
{
	scan->list = NULL;
	scan->first_row = 0;
	scan->last_row = query_n_rows(scan->query, scan->table);
	if (scan->from_ns || scan->to_ns != UINT64_MAX)
		query_times_range(scan);
	scan->next = scan->first_row;
}

static void find_listed(struct query_scan *scan)
{
	while (scan->next < scan->last_row) {
		size_t row = scan->next++;

		scan->at.row = scan->list ? scan->list[row] : row;
		if (!scan->table->has || scan->table->has(scan->query, scan->at.row))
			return;
	}
	scan->is_end = true;
}

static void find(struct query_scan *scan)
{
	if (scan->table->rows == QUERY_SAMPLES)
		find_sample(scan);
	else if (scan->table->rows == QUERY_LIST)
		find_listed(scan);
	else if (scan->rows)
		find_indexed(scan);
	else
		find_slice(scan);
}

static bool find_one(struct query_scan *scan)
{
	if (scan->table->rows == QUERY_SLICES)
		return go_to(scan, scan->one - 1);
	scan->at.row = (size_t)scan->one - 1;
	return scan->at.row < query_n_rows(scan->query, scan->table) &&
	       (!scan->table->has || scan->table->has(scan->query, scan->at.row));
}

void query_scan_begin(struct query_scan *scan)
{
	scan->at = (struct query_at){ .query = scan->query };
	scan->next = scan->end_row = 0;
	scan->is_end = scan->is_empty;
	if (scan->is_end)
		return;
	if (scan->table->rows == QUERY_LIST)
		begin_list(scan);
	if (scan->one)
		scan->is_end = !find_one(scan);
	else
		find(scan);
}

void query_scan_next(struct query_scan *scan)
{
	if (scan->one) {
		scan->is_end = true;
		return;
	}
	if (!scan->rows)
		scan->at.row++;
	find(scan);
}
