// SPDX-License-Identifier: Apache-2.0
/* Begins of inferences and values of counters, put in the order of time: a heap. Knows nothing of what they are for. */
#include <errno.h>

#include "analyze/summary/sum_in.h"

static bool is_before(const struct moment *a, const struct moment *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

int sum_moments_put(struct moments *moments, const struct moment *moment)
{
	struct moment *heap, put = *moment;
	size_t at;

	if (!array_add(&moments->heap, sizeof put))
		return -ENOMEM;
	put.order = moments->order++;
	moments->n_runs += put.what == MOMENT_RUN;
	heap = moments->heap.data;
	for (at = moments->heap.n - 1; at && is_before(&put, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = put;
	return 0;
}

bool sum_moments_take(struct moments *moments, struct moment *first)
{
	struct moment *heap = moments->heap.data, last;
	size_t at = 0, n = moments->heap.n, child;

	if (!n)
		return false;
	*first = heap[0];
	moments->n_runs -= first->what == MOMENT_RUN;
	last = heap[--moments->heap.n];
	n--;
	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
	}
	if (n)
		heap[at] = last;
	return true;
}
