// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/stats_drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_TO_DRIFT = 40 };

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

/* The median of the last quarter by that of the first. */
static double quarters_of(const struct stats *stats)
{
	size_t quarter = (size_t)stats->n / 4;

	return median_of(stats->value + stats->n - quarter, quarter) / median_of(stats->value, quarter);
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
	double ratio;

	if (!stats_is_exact(durations) || durations->n < LEAST_TO_DRIFT)
		return;
	ratio = unexplained(quarters_of(durations), quarters_of(sizes));
	if (!(ratio > 0))
		return;
	drift->sum += log(ratio) * (double)durations->n;
	drift->weight += (double)durations->n;
}

double stats_drift_ratio(const struct stats_within *drift, uint64_t n_all)
{
	return drift->weight > 0 && drift->weight >= 0.5 * (double)n_all ? exp(drift->sum / drift->weight) : NAN;
}
