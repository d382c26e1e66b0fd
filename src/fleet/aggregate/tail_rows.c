// SPDX-License-Identifier: Apache-2.0
/* Keeps the rows of the interval at hand. A slow inference pushes out the fastest of the slow ones. */
#include "fleet/aggregate/tail_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/text/units.h"

/* A cause takes at least this part of an inference to be named. */
static const double least_part = 0.2;

const char *tail_reason_name(enum tail_reason reason)
{
	static const char *const names[] = { "slow", "failed", "first" };

	return names[reason];
}

static void put(struct tail *tail, enum tail_reason reason, uint32_t at, const struct tail_run *run)
{
	tail->row[reason][at] = (struct tail_row){ .run = *run, .reason = reason, .weight = 1 };
}

/* The slowest of each series; series with none yet come before second ones. */
static void add_slow(struct tail *tail, const struct tail_run *run)
{
	struct tail_row *row = tail->row[TAIL_SLOW];
	uint32_t n = tail->n[TAIL_SLOW], fastest = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (row[i].run.series == run->series) {
			row[i].weight++;
			if (run->ns > row[i].run.ns)
				row[i].run = *run;
			return;
		}
		if (row[i].run.ns < row[fastest].run.ns)
			fastest = i;
	}
	if (n < TAIL_ROWS)
		put(tail, TAIL_SLOW, tail->n[TAIL_SLOW]++, run);
	else if (run->ns > row[fastest].run.ns)
		put(tail, TAIL_SLOW, fastest, run);
}

/* A few of each series, so that one that always fails leaves room for others; those behind them count with the last. */
static void add_some(struct tail *tail, enum tail_reason reason, const struct tail_run *run)
{
	struct tail_row *last = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < tail->n[reason]; i++)
		if (tail->row[reason][i].run.series == run->series) {
			last = &tail->row[reason][i];
			n++;
		}
	if (n < TAIL_OF_SERIES && tail->n[reason] < TAIL_ROWS)
		put(tail, reason, tail->n[reason]++, run);
	else if (last)
		last->weight++;
}

void tail_add(struct tail *tail, const struct tail_run *run)
{
	enum tail_reason reason = *run->status ? TAIL_FAILED : run->is_first ? TAIL_FIRST : TAIL_SLOW;

	tail->n_seen[reason]++;
	if (reason == TAIL_SLOW)
		add_slow(tail, run);
	else
		add_some(tail, reason, run);
}

void tail_add_unseen(struct tail *tail, const struct series *series, uint64_t count)
{
	for (uint32_t i = 0; i < tail->n[TAIL_SLOW]; i++)
		if (tail->row[TAIL_SLOW][i].run.series == series)
			tail->row[TAIL_SLOW][i].weight += count;
}

static size_t say(char *text, size_t size, size_t used, const char *words, double ns)
{
	int n = used < size
		    ? snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", units_duration(ns).s, words)
		    : 0;

	return used + (n > 0 ? (size_t)n : 0);
}

void tail_say_why(const struct tail_run *run, char *text, size_t size)
{
	double least = (double)run->ns * least_part;
	int64_t blocked = (int64_t)run->ns - run->cpu_ns - run->queued_ns;
	size_t used = 0;

	*text = 0;
	if (run->queued_ns >= 0 && (double)run->queued_ns >= least)
		used = say(text, size, used, "waiting for a CPU", (double)run->queued_ns);
	if (run->cpu_ns >= 0 && run->queued_ns >= 0 && (double)blocked >= least)
		used = say(text, size, used,
			   run->major_faults > 0 ? "waiting, also for a disk" : "waiting for something else",
			   (double)blocked);
	if (run->major_faults > 0 && used < size)
		used += (size_t)snprintf(text + used, size - used, "%s%lld page fault%s from a disk", used ? ", " : "",
					 (long long)run->major_faults, run->major_faults == 1 ? "" : "s");
	if (run->n_open > 1 && used && used < size)
		snprintf(text + used, size - used, ", %llu inferences of the model at a time",
			 (unsigned long long)run->n_open);
}
