// SPDX-License-Identifier: Apache-2.0
/*
 * A program that loads its model grows, too, and then stays. So the second half alone counts, and it must grow in most
 * of its parts, up to the end: one step up, for a larger input, is no leak. Nor is what is given back after each
 * inference: the least values must climb as well, and where they climb less, they are what grows. The last point is
 * left out: a program that ends gives its memory back just before. A few points must each be above the one before: of
 * 120 rows of five, chance makes one such.
 */
#include "analyze/summary/course/growth.h"

#include <math.h>
#include <stdbool.h>

enum { PARTS = 4, LEAST_POINTS = 2 * PARTS, LEAST_CLIMB = 5 };

/* Of twice as many points, every second one stays. */
static void thin_out(struct growth *growth)
{
	for (uint32_t i = 0; i < GROWTH_POINTS / 2; i++) {
		growth->time_ns[i] = growth->time_ns[2 * i];
		growth->value[i] = growth->value[2 * i];
	}
	growth->n = GROWTH_POINTS / 2;
	growth->every *= 2;
}

void growth_add(struct growth *growth, uint64_t time_ns, double value)
{
	growth->every += !growth->every;
	if (growth->n_seen++ % growth->every)
		return;
	if (growth->n == GROWTH_POINTS) {
		thin_out(growth);
		if ((growth->n_seen - 1) % growth->every)
			return;
	}
	growth->time_ns[growth->n] = time_ns;
	growth->value[growth->n++] = value;
}

/* The mean of one of the equal parts of the points from `first` on. */
static double mean_of(const struct growth *growth, uint32_t first, uint32_t part)
{
	uint32_t n = growth->n - first, from = first + n * part / PARTS, to = first + n * (part + 1) / PARTS;
	double sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += growth->value[i];
	return sum / (to - from);
}

/* How much the least value of the last part is above that of the first, and in what time. */
static double kept_of(const struct growth *growth, uint32_t first, double *seconds)
{
	uint32_t n = growth->n - first, part = n / PARTS, last = growth->n - part;
	double before = growth->value[first], after = growth->value[last];

	for (uint32_t i = 1; i < part; i++) {
		before = fmin(before, growth->value[first + i]);
		after = fmin(after, growth->value[last + i]);
	}
	*seconds = (double)(growth->time_ns[last] - growth->time_ns[first]) / 1e9;
	return after - before;
}

/* Least squares. */
static double slope_of(const struct growth *growth, uint32_t first)
{
	double n = growth->n - first, time = 0, value = 0, both = 0, square = 0;

	for (uint32_t i = first; i < growth->n; i++) {
		time += (double)(growth->time_ns[i] - growth->time_ns[first]) / n;
		value += growth->value[i] / n;
	}
	for (uint32_t i = first; i < growth->n; i++) {
		double own = (double)(growth->time_ns[i] - growth->time_ns[first]) - time;

		both += own * (growth->value[i] - value);
		square += own * own;
	}
	return square > 0 ? both / square * 1e9 : NAN;
}

/* Does the last part go on as the whole does, by a quarter of its slope or more? What was loaded before it stays. */
static bool goes_on(const struct growth *growth, uint32_t first, double slope)
{
	uint32_t n = growth->n - first, from = first + n * (PARTS - 1) / PARTS - 1, last = growth->n - 1;
	double span_s = (double)(growth->time_ns[last] - growth->time_ns[from]) / 1e9;

	return growth->value[last] - growth->value[from] >= slope * span_s / 4;
}

static bool is_climbing(const struct growth *growth, uint32_t first)
{
	for (uint32_t i = first + 1; i < growth->n; i++)
		if (growth->value[i] <= growth->value[i - 1])
			return false;
	return growth->n - first >= LEAST_CLIMB;
}

/* Whether its parts climb; the first and the last of these. */
static bool has_climbed(const struct growth *growth, uint32_t first, double *begin, double *end)
{
	if (growth->n - first < LEAST_POINTS) {
		*begin = growth->value[first];
		*end = growth->value[growth->n - 1];
		return is_climbing(growth, first);
	}
	for (uint32_t part = 1; part < PARTS; part++)
		if (mean_of(growth, first, part) <= mean_of(growth, first, part - 1))
			return false;
	*begin = mean_of(growth, first, 0);
	*end = mean_of(growth, first, PARTS - 1);
	return true;
}

static double growth_of(const struct growth *growth)
{
	uint64_t middle_ns;
	uint32_t first = 0;
	double begin, end, slope, kept, seconds;

	if (growth->n < LEAST_CLIMB)
		return NAN;
	middle_ns = growth->time_ns[0] + (growth->time_ns[growth->n - 1] - growth->time_ns[0]) / 2;
	while (growth->time_ns[first] < middle_ns)
		first++;
	if (!has_climbed(growth, first, &begin, &end))
		return NAN;
	slope = slope_of(growth, first);
	kept = kept_of(growth, first, &seconds);
	if (!(end - begin >= end / 50) || !(kept >= end / 50) || !goes_on(growth, first, slope))
		return NAN;
	return kept < (end - begin) / 2 ? kept / seconds : slope;
}

double growth_per_s(const struct growth *growth)
{
	struct growth alive = *growth;

	alive.n -= alive.n > 0;
	return growth_of(&alive);
}

double growth_last(const struct growth *growth)
{
	return growth->n > 1 ? growth->value[growth->n - 2] : NAN;
}
