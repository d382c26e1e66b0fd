// SPDX-License-Identifier: Apache-2.0
/* Resources on both sides: those that every run has, by scope and name. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/diff/diff_in.h"

static const struct diff_resource *find(const struct diff_run *run, const struct diff_resource *like)
{
	for (uint32_t i = 0; i < run->n_resources; i++)
		if (!strcmp(run->resources[i].scope, like->scope) && !strcmp(run->resources[i].name, like->name))
			return &run->resources[i];
	return NULL;
}

enum which { MEAN, MAX, LAST };

static double value_of(const struct diff_resource *of, enum which which)
{
	return !of ? NAN : which == MEAN ? of->mean : which == MAX ? of->max : of->last;
}

/* How far the peak of a process's memory differs from run to run: far less than times do. */
#define BETWEEN_PEAKS 0.015

/* A result knows the peak; a recording has read it now and then; that of a service depends on its load. */
enum { LEAST_READ = 4 };

static bool is_peak(const struct diff_run *run, const struct diff_resource *of, enum which which)
{
	return of && which == MAX && strstr(of->name, "rss") &&
	       (run->source == DIFF_OF_RESULT || (run->source == DIFF_OF_RECORDING && of->n >= LEAST_READ));
}

/* Amounts, not logarithms: many are 0. Only ratios of what is above 0 are estimated. */
static void compare(const struct diff *diff, const struct diff_resource *like, enum which which, struct diff_value *to)
{
	double room[4 * DIFF_MAX_RUNS], sum[2] = { 0, 0 };
	struct diff_sample base = { room, room + DIFF_MAX_RUNS, 0 },
			   fresh = { room + 2 * DIFF_MAX_RUNS, room + 3 * DIFF_MAX_RUNS, 0 };
	const struct diff_prior prior = { .between = BETWEEN_PEAKS, .is_paired = diff->is_paired };
	struct diff_estimate estimate;

	for (uint32_t i = 0; i < diff->base.n_runs; i++) {
		const struct diff_resource *own = find(&diff->base.runs[i], like);
		double value = value_of(own, which);

		sum[0] += value;
		base.scatter[base.n] = is_peak(&diff->base.runs[i], own, which) ? 0 : NAN;
		base.value[base.n++] = log(value);
	}
	for (uint32_t i = 0; i < diff->fresh.n_runs; i++) {
		const struct diff_resource *own = find(&diff->fresh.runs[i], like);
		double value = value_of(own, which);

		sum[1] += value;
		fresh.scatter[fresh.n] = is_peak(&diff->fresh.runs[i], own, which) ? 0 : NAN;
		fresh.value[fresh.n++] = log(value);
	}
	*to = (struct diff_value){
		.base = sum[0] / base.n, .fresh = sum[1] / fresh.n, .n_base = base.n, .n_fresh = fresh.n
	};
	estimate = diff_estimate(&base, &fresh, &prior);
	diff_value_set(to, &estimate);
}

static uint32_t most_processes(const struct diff_side *side, const struct diff_resource *like)
{
	uint32_t n = 1;

	for (uint32_t i = 0; i < side->n_runs; i++) {
		const struct diff_resource *own = find(&side->runs[i], like);

		if (own && own->n_processes > n)
			n = own->n_processes;
	}
	return n;
}

/* What is judged: the peak of memory. How much of a CPU was used is no figure of merit. */
static bool is_memory(const char *unit, const char *scope)
{
	return unit && !strcmp(unit, "bytes") && strcmp(scope, "machine") != 0;
}

bool diff_is_memory(const struct diff_resource_row *row)
{
	return is_memory(row->unit, row->scope);
}

static void add(struct diff *diff, const struct diff_resource *like)
{
	struct diff_resource_row *row = &diff->resources[diff->n_resources];

	*row = (struct diff_resource_row){ .scope = like->scope, .name = like->name, .unit = like->unit };
	compare(diff, like, MEAN, &row->mean);
	compare(diff, like, MAX, &row->max);
	compare(diff, like, LAST, &row->last);
	row->n_base = most_processes(&diff->base, like);
	row->n_fresh = most_processes(&diff->fresh, like);
	diff->n_resources += isfinite(row->mean.fresh) || isfinite(row->max.fresh);
}

int diff_make_resources(struct diff *diff, struct arena *arena)
{
	const struct diff_run *first = diff->base.runs;

	diff->resources = arena_alloc(arena, (first->n_resources + 1) * sizeof *diff->resources);
	if (!diff->resources)
		return -ENOMEM;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < first->n_resources; i++)
			if (is_memory(first->resources[i].unit, first->resources[i].scope) == !pass)
				add(diff, &first->resources[i]);
	return 0;
}
