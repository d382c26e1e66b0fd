// SPDX-License-Identifier: Apache-2.0
/*
 * Begins of inferences and values of counters, put in the order of time. Mostly they come in this order, and wait in a
 * row; one that does not goes into a heap. Knows nothing of what they are for.
 */
#include <errno.h>
#include <string.h>

#include "analyze/summary/sum_in.h"

static bool is_before(const struct moment *a, const struct moment *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

static int put_in_row(struct moments *moments, const struct moment *moment)
{
	struct moment *row = moments->row.data;

	/* what was taken makes room */
	if (moments->row.n == moments->row.capacity && moments->row_at > moments->row.n / 2) {
		memmove(row, row + moments->row_at, (moments->row.n - moments->row_at) * sizeof *row);
		moments->row.n -= moments->row_at;
		moments->row_at = 0;
	}
	row = array_add_raw(&moments->row, sizeof *row);
	if (!row)
		return -ENOMEM;
	*row = *moment;
	row->order = moments->order++;
	return 0;
}

static int put_in_heap(struct moments *moments, const struct moment *moment)
{
	struct moment *heap;
	size_t at;

	if (!array_add_raw(&moments->heap, sizeof *heap))
		return -ENOMEM;
	heap = moments->heap.data;
	for (at = moments->heap.n - 1; at && is_before(moment, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = *moment;
	return 0;
}

int sum_moments_put(struct moments *moments, const struct moment *moment)
{
	const struct moment *row = moments->row.data;
	struct moment put;

	moments->n_runs += moment->what == MOMENT_RUN;
	if (moments->row_at == moments->row.n || row[moments->row.n - 1].time_ns <= moment->time_ns)
		return put_in_row(moments, moment);
	put = *moment;
	put.order = moments->order++;
	return put_in_heap(moments, &put);
}

static void take_from_heap(struct moments *moments)
{
	struct moment *heap = moments->heap.data, last;
	size_t at = 0, n = --moments->heap.n, child;

	last = heap[n];
	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
	}
	if (n)
		heap[at] = last;
}

const struct moment *sum_moments_first(const struct moments *moments)
{
	const struct moment *row = array_from(&moments->row, moments->row_at, sizeof *row);
	const struct moment *heap = moments->heap.n ? moments->heap.data : NULL;

	if (moments->row_at == moments->row.n)
		return heap;
	return heap && is_before(heap, row) ? heap : row;
}

bool sum_moments_take(struct moments *moments, struct moment *first)
{
	const struct moment *next = sum_moments_first(moments);

	if (!next)
		return false;
	*first = *next;
	if (next == moments->heap.data)
		take_from_heap(moments);
	else
		moments->row_at++;
	moments->n_runs -= first->what == MOMENT_RUN;
	return true;
}
