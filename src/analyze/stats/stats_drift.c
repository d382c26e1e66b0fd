// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/stats_drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_TO_DRIFT = 40 };

static const double least_step = 0.1; /* of the whole change */

static int by_size(const void *a, const void *b)
{
	return (*(const uint64_t *)a > *(const uint64_t *)b) - (*(const uint64_t *)a < *(const uint64_t *)b);
}

static double median_of(const uint64_t *values, size_t n)
{
	uint64_t *sorted = malloc(n * sizeof *sorted);
	double median = NAN;

	if (sorted && n) {
		memcpy(sorted, values, n * sizeof *sorted);
		qsort(sorted, n, sizeof *sorted, by_size);
		median = (double)sorted[n / 2];
	}
	free(sorted);
	return median;
}

/* The median of a quarter by that of an earlier one. */
static double ratio_of(const struct stats *stats, size_t earlier, size_t later)
{
	size_t n = (size_t)stats->n / STATS_QUARTERS, last = (size_t)stats->n - n;
	size_t from = later + 1 < STATS_QUARTERS ? later * n : last;

	return median_of(stats->value + from, n) / median_of(stats->value + earlier * n, n);
}

/* What is left of a change of the time once the change of the size is taken off. */
static double unexplained(double time, double size)
{
	if ((time > 1) != (size > 1))
		return time;
	return time > 1 ? fmax(1, time / size) : fmin(1, time / size);
}

void stats_drift_add(struct stats_within *drift, const struct stats *durations, const struct stats *sizes)
{
	const size_t last = STATS_QUARTERS - 1;
	double ratio;

	if (!stats_is_exact(durations) || durations->n < LEAST_TO_DRIFT)
		return;
	ratio = unexplained(ratio_of(durations, 0, last), ratio_of(sizes, 0, last));
	if (!(ratio > 0))
		return;
	drift->sum += log(ratio) * (double)durations->n;
	drift->weight += (double)durations->n;
	for (size_t i = 0; i < last; i++)
		drift->step[i] +=
		    log(unexplained(ratio_of(durations, i, i + 1), ratio_of(sizes, i, i + 1))) * (double)durations->n;
}

bool stats_drift_is_gradual(const double step[STATS_QUARTERS - 1])
{
	double all = 0;

	for (int i = 0; i < STATS_QUARTERS - 1; i++)
		all += step[i];
	for (int i = 0; i < STATS_QUARTERS - 1; i++)
		if (!(step[i] * all > 0) || fabs(step[i]) < least_step * fabs(all))
			return false;
	return true;
}

double stats_drift_ratio(const struct stats_within *drift, uint64_t n_all)
{
	return drift->weight > 0 && stats_drift_is_gradual(drift->step) && drift->weight >= 0.5 * (double)n_all
		   ? exp(drift->sum / drift->weight)
		   : NAN;
}
