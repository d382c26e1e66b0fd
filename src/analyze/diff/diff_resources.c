// SPDX-License-Identifier: Apache-2.0
/* Resources on both sides, by scope and name: those that every run has, or of rows of watch some machine of base. */
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

/* Of a fleet, not all machines run a service. Where each is compared with itself, it counts if both sides have it. */
static bool counts(const struct diff *diff, const struct diff_side *side, const struct diff_side *other, uint32_t run,
		   const struct diff_resource *like)
{
	return side->runs[run].source != DIFF_OF_WATCH ||
	       (find(&side->runs[run], like) && (!diff->is_paired || find(&other->runs[run], like)));
}

/* Amounts, not logarithms: many are 0. Only ratios of what is above 0 are estimated. Returns the mean amount. */
static double take(struct diff_sample *to, const struct diff *diff, const struct diff_side *side,
		   const struct diff_side *other, const struct diff_resource *like, enum which which)
{
	double sum = 0;

	for (uint32_t i = 0; i < side->n_runs; i++) {
		const struct diff_resource *own = find(&side->runs[i], like);
		double value = value_of(own, which);

		if (!counts(diff, side, other, i, like))
			continue;
		sum += value;
		to->scatter[to->n] = is_peak(&side->runs[i], own, which) ? 0 : NAN;
		to->value[to->n++] = log(value);
	}
	return sum / to->n;
}

static void compare(const struct diff *diff, const struct diff_resource *like, enum which which, struct diff_value *to)
{
	double room[4 * DIFF_MAX_RUNS], mean[2];
	struct diff_sample base = { room, room + DIFF_MAX_RUNS, 0 },
			   fresh = { room + 2 * DIFF_MAX_RUNS, room + 3 * DIFF_MAX_RUNS, 0 };
	const struct diff_prior prior = { .between = BETWEEN_PEAKS, .is_paired = diff->is_paired };
	struct diff_estimate estimate;

	mean[0] = take(&base, diff, &diff->base, &diff->fresh, like, which);
	mean[1] = take(&fresh, diff, &diff->fresh, &diff->base, like, which);
	*to = (struct diff_value){ .base = mean[0], .fresh = mean[1], .n_base = base.n, .n_fresh = fresh.n };
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

static bool is_added(const struct diff *diff, const struct diff_resource *like)
{
	for (uint32_t i = 0; i < diff->n_resources; i++)
		if (!strcmp(diff->resources[i].scope, like->scope) && !strcmp(diff->resources[i].name, like->name))
			return true;
	return false;
}

int diff_make_resources(struct diff *diff, struct arena *arena)
{
	const struct diff_run *runs = diff->base.runs;
	uint32_t n_runs = runs->source == DIFF_OF_WATCH ? diff->base.n_runs : 1, n = 0;

	for (uint32_t i = 0; i < n_runs; i++)
		n += runs[i].n_resources;
	diff->resources = arena_alloc(arena, (n + 1) * sizeof *diff->resources);
	if (!diff->resources)
		return -ENOMEM;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < n_runs; i++)
			for (uint32_t k = 0; k < runs[i].n_resources; k++) {
				const struct diff_resource *like = &runs[i].resources[k];

				if (is_memory(like->unit, like->scope) == !pass && (!i || !is_added(diff, like)))
					add(diff, like);
			}
	return 0;
}
