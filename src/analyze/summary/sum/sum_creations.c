// SPDX-License-Identifier: Apache-2.0
/*
 * When sessions of a process were being created, for what happened at the same time. Keeps the last times of many: what
 * the slowest inferences have to do with earlier ones is found out before these are dropped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_in.h"

int sum_creations_begin(struct creations *creations, uint64_t begin_ns)
{
	uint64_t *open = array_add(&creations->open, sizeof *open);

	if (!open)
		return -ENOMEM;
	*open = begin_ns;
	return 0;
}

/* Of the times, those that lie before all that ended since stay as they are. */
static size_t count_before(const struct creations *creations, uint64_t begin_ns)
{
	size_t n = creations->times.n;

	while (n && creations->times.at[2 * n - 1] >= begin_ns)
		n--;
	return n;
}

static uint64_t first_begin(const struct creations *creations, size_t n_open)
{
	const struct creation *later = creations->later.data;
	const uint64_t *open = creations->open.data;
	uint64_t first_ns = UINT64_MAX;

	for (size_t i = 0; i < creations->later.n; i++)
		first_ns = later[i].begin_ns < first_ns ? later[i].begin_ns : first_ns;
	for (size_t i = 0; i < n_open; i++)
		first_ns = open[i] < first_ns ? open[i] : first_ns;
	return first_ns;
}

/* Begins, then ends, of n creations: times from the first-th on, later ones, open ones. */
static void gather(const struct creations *creations, size_t first, size_t n_open, uint64_t end_ns, uint64_t *at,
		   size_t n)
{
	const struct creation *later = creations->later.data;
	const uint64_t *open = creations->open.data;
	size_t k = 0;

	for (size_t i = first; i < creations->times.n; i++, k++) {
		at[k] = creations->times.at[2 * i];
		at[n + k] = creations->times.at[2 * i + 1];
	}
	for (size_t i = 0; i < creations->later.n; i++, k++) {
		at[k] = later[i].begin_ns;
		at[n + k] = later[i].end_ns;
	}
	for (size_t i = 0; i < n_open; i++, k++) {
		at[k] = open[i];
		at[n + k] = end_ns;
	}
}

/* Joins all that are known; open ones, if they are to be, end at end_ns. */
static int join(struct creations *creations, bool with_open, uint64_t end_ns)
{
	size_t n_open = with_open ? creations->open.n : 0;
	size_t first = count_before(creations, first_begin(creations, n_open));
	size_t n = creations->times.n - first + creations->later.n + n_open;
	uint64_t *at = malloc((3 * n + 1) * sizeof *at), *all;
	struct times times;
	int rc;

	if (!at)
		return -ENOMEM;
	gather(creations, first, n_open, end_ns, at, n);
	rc = times_join(&times, at, n);
	free(at);
	if (rc)
		return rc;
	all = realloc(creations->times.at, 2 * (first + times.n + 1) * sizeof *all);
	if (all) {
		memcpy(all + 2 * first, times.at, 2 * times.n * sizeof *all);
		creations->times = (struct times){ all, first + times.n };
		creations->later.n = 0;
	}
	times_done(&times);
	return all ? 0 : -ENOMEM;
}

/* Drops the earlier half of the times. */
static void forget(struct summary_maker *maker, uint32_t process)
{
	struct times *times = &process_at(maker, process)->creations.times;
	size_t n = times->n / 2;

	for (uint32_t i = 0; i < maker->buckets.n; i++) {
		struct bucket *bucket = bucket_at(maker, i);

		for (uint32_t k = 0; k < bucket->n_slowest; k++) {
			struct summary_slow *row = &bucket->slowest[k].row;

			if (bucket->slowest[k].process == process)
				row->is_in_creation |=
				    times_touch(times, row->begin_ns, row->begin_ns + row->duration_ns);
		}
	}
	memmove(times->at, times->at + 2 * n, 2 * (times->n - n) * sizeof *times->at);
	times->n -= n;
}

int sum_creations_end(struct summary_maker *maker, uint32_t process, uint64_t begin_ns, uint64_t end_ns)
{
	struct creations *creations = &process_at(maker, process)->creations;
	uint64_t *open = creations->open.data;
	struct creation *later = array_add(&creations->later, sizeof *later);
	int rc = 0;

	if (!later)
		return -ENOMEM;
	*later = (struct creation){ begin_ns, end_ns };
	for (size_t i = creations->open.n; i-- > 0;)
		if (open[i] == begin_ns) {
			open[i] = open[--creations->open.n];
			break;
		}
	if (creations->later.n >= LATER_CREATIONS)
		rc = join(creations, false, 0);
	if (!rc && creations->times.n > MAX_CREATIONS)
		forget(maker, process);
	return rc;
}

int sum_creations_finish(struct summary_maker *maker)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < maker->processes.n; i++) {
		struct creations *creations = &process_at(maker, i)->creations;

		rc = join(creations, true, maker->counts.last_ns);
		creations->open.n = 0;
	}
	return rc;
}

bool sum_creations_is_at(const struct creations *creations, uint64_t time_ns)
{
	const struct creation *later = creations->later.data;
	const uint64_t *open = creations->open.data;

	for (size_t i = creations->open.n; i-- > 0;)
		if (open[i] <= time_ns)
			return true;
	for (size_t i = creations->later.n; i-- > 0;)
		if (later[i].begin_ns <= time_ns && time_ns <= later[i].end_ns)
			return true;
	return times_touch(&creations->times, time_ns, time_ns);
}

void sum_creations_done(struct creations *creations)
{
	times_done(&creations->times);
	array_done(&creations->later, sizeof(struct creation));
	array_done(&creations->open, sizeof(uint64_t));
}
