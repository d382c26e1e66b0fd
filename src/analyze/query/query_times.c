// SPDX-License-Identifier: Apache-2.0
/*
 * Instants in the order of their times, for conditions on them: the store keeps them as they came, which is nearly that
 * order. Made when a query first wants it, and kept: 4 bytes an instant; nothing if they came in order.
 */
#include <stdlib.h>

#include "analyze/query/query_in.h"

static bool is_sorted(const struct store_instant *instants, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (instants[i].time_ns < instants[i - 1].time_ns)
			return false;
	return true;
}

static int by_time(const void *left, const void *right, void *instants)
{
	const struct store_instant *all = instants, *a = &all[*(const uint32_t *)left],
				   *b = &all[*(const uint32_t *)right];

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* False: out of memory, or there are too many. */
static bool make(struct query_times *times, const struct store_instant *instants, size_t n)
{
	times->is_made = true;
	times->is_sorted = is_sorted(instants, n);
	if (times->is_sorted || n >= UINT32_MAX || !(times->rows = malloc(n * sizeof *times->rows)))
		return times->is_sorted;
	for (size_t i = 0; i < n; i++)
		times->rows[i] = (uint32_t)i;
	qsort_r(times->rows, n, sizeof *times->rows, by_time, (void *)(uintptr_t)instants);
	return true;
}

/* How many are earlier. */
static size_t count_before(const struct query_times *times, const struct store_instant *instants, size_t n,
			   uint64_t time_ns)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2, row = times->rows ? times->rows[middle] : middle;

		if (instants[row].time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void query_times_range(struct query_scan *scan)
{
	struct query_times *times = &scan->query->times;
	size_t n;
	const struct store_instant *instants = store_instants(scan->query->store, &n);

	scan->first_row = 0;
	scan->last_row = n;
	if ((!times->is_made && !make(times, instants, n)) || (!times->is_sorted && !times->rows))
		return;
	scan->list = times->rows;
	if (scan->from_ns)
		scan->first_row = count_before(times, instants, n, scan->from_ns);
	if (scan->to_ns != UINT64_MAX)
		scan->last_row = count_before(times, instants, n, scan->to_ns + 1);
}

void query_times_done(struct query *query)
{
	free(query->times.rows);
	query->times = (struct query_times){ 0 };
}
