// SPDX-License-Identifier: Apache-2.0
/* Many slices that overlap, joined to times that do not. */
#include "analyze/summary/course/times.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/stats/stats_sort.h"

/* With begins and ends sorted, the first i slices are all over before the next begins if end i - 1 lies before begin i.
 */
int times_join(struct times *times, uint64_t *at, size_t n)
{
	uint64_t *begin = at, *end = at + n;

	*times = (struct times){ .at = malloc((2 * n + 2) * sizeof *times->at) };
	if (!times->at)
		return -ENOMEM;
	stats_sort(begin, n, end + n);
	stats_sort(end, n, end + n);
	for (size_t i = 0; i < n; i++) {
		if (i && end[i - 1] >= begin[i])
			continue;
		if (i)
			times->at[2 * times->n - 1] = end[i - 1];
		times->at[2 * times->n++] = begin[i];
	}
	if (n)
		times->at[2 * times->n - 1] = end[n - 1];
	return 0;
}

/* The first that ends at time_ns or later. */
static size_t first_at(const struct times *times, uint64_t time_ns)
{
	size_t low = 0, high = times->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (times->at[2 * middle + 1] < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool times_touch(const struct times *times, uint64_t begin_ns, uint64_t end_ns)
{
	size_t first = first_at(times, begin_ns);

	return first < times->n && times->at[2 * first] <= end_ns;
}

uint64_t times_within(const struct times *times, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t sum_ns = 0;

	for (size_t i = first_at(times, begin_ns); i < times->n && times->at[2 * i] < end_ns; i++) {
		uint64_t from_ns = times->at[2 * i] > begin_ns ? times->at[2 * i] : begin_ns;
		uint64_t to_ns = times->at[2 * i + 1] < end_ns ? times->at[2 * i + 1] : end_ns;

		sum_ns += to_ns > from_ns ? to_ns - from_ns : 0;
	}
	return sum_ns;
}

void times_done(struct times *times)
{
	free(times->at);
	*times = (struct times){ 0 };
}
