// SPDX-License-Identifier: Apache-2.0
/* Many slices that overlap, joined to times that do not. */
#include "analyze/summary/times.h"

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

bool times_touch(const struct times *times, uint64_t begin_ns, uint64_t end_ns)
{
	size_t low = 0, high = times->n;

	/* the first that ends at begin_ns or later */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (times->at[2 * middle + 1] < begin_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < times->n && times->at[2 * low] <= end_ns;
}

void times_done(struct times *times)
{
	free(times->at);
	*times = (struct times){ 0 };
}
