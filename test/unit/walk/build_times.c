// SPDX-License-Identifier: Apache-2.0
/* When a process was busy with something: many slices that overlap, joined to times that do not. */
#include <errno.h>
#include <stdlib.h>

#include "walk.h"

/*
 * at holds n begins, then n ends, then room for n. With both sorted, the first i slices are all over before
 * the next one begins exactly if end i - 1 lies before begin i.
 */
static int join(uint64_t *at, size_t n, struct times *times)
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

/* One that was cut off lasts as far as is known: to the last event. */
static void put(uint64_t *at, size_t n_max, size_t *n, const struct build *build, uint64_t begin_ns, uint64_t end_ns)
{
	at[*n] = begin_ns;
	at[n_max + (*n)++] = end_ns == STORE_OPEN ? store_counts(build->store)->last_ns : end_ns;
}

static int finish(uint64_t *at, size_t n_max, size_t n, struct times *times)
{
	int rc;

	for (size_t i = 0; i < n; i++)
		at[n + i] = at[n_max + i];
	rc = join(at, n, times);
	free(at);
	return rc;
}

int build_busy(const struct build *build, uint32_t process, struct times *times)
{
	const struct summary_session *session = build->sessions.data;
	size_t n_max = build->runs.n, n = 0;
	uint64_t *at = malloc((3 * n_max + 1) * sizeof *at);

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < n_max; i++) {
		const struct run *run = build_run(build, (uint32_t)i);

		if (process == SUMMARY_NONE || session[run->session].process == process)
			put(at, n_max, &n, build, run->begin_ns, run->end_ns);
	}
	return finish(at, n_max, n, times);
}

int build_creations(const struct build *build, uint32_t process, struct times *times)
{
	const struct summary_session *session = build->sessions.data;
	size_t n_max = build->sessions.n, n = 0;
	uint64_t *at = malloc((3 * n_max + 1) * sizeof *at);

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < n_max; i++)
		if (session[i].has_slice && session[i].process == process)
			put(at, n_max, &n, build, session[i].begin_ns, session[i].end_ns);
	return finish(at, n_max, n, times);
}

uint64_t walk_times_overlap(const struct times *times, size_t *next, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t sum = 0;

	while (*next < times->n && times->at[2 * *next + 1] <= begin_ns)
		++*next;
	for (size_t i = *next; i < times->n && times->at[2 * i] < end_ns; i++) {
		uint64_t from = times->at[2 * i] > begin_ns ? times->at[2 * i] : begin_ns;
		uint64_t to = times->at[2 * i + 1] < end_ns ? times->at[2 * i + 1] : end_ns;

		sum += to > from ? to - from : 0;
	}
	return sum;
}

bool walk_times_touch(const struct times *times, uint64_t begin_ns, uint64_t end_ns)
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

void walk_times_done(struct times *times)
{
	free(times->at);
	*times = (struct times){ 0 };
}

int build_taken(const struct build *build, struct times *times)
{
	const struct summary_session *session = build->sessions.data;
	size_t n_max = build->sessions.n + build->runs.n, n = 0;
	uint64_t *at = malloc((3 * n_max + 1) * sizeof *at);

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < build->sessions.n; i++)
		if (session[i].has_slice)
			put(at, n_max, &n, build, session[i].begin_ns, session[i].end_ns);
	for (size_t i = 0; i < build->runs.n; i++) {
		const struct run *run = build_run(build, (uint32_t)i);

		put(at, n_max, &n, build, run->begin_ns, run->end_ns);
	}
	return finish(at, n_max, n, times);
}
