// SPDX-License-Identifier: Apache-2.0
/* Pictures of counters: the smallest, largest and last value of each pixel. Nodes hold those of 16 samples, or nodes.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/pyramid/pyramid_in.h"

static void widen(struct pyramid_extreme *to, float min, float max)
{
	/* the first makes NAN a number; a sample that is none leaves it */
	to->min = fminf(to->min, min);
	to->max = fmaxf(to->max, max);
}

/* Nodes of the level whose nodes are 16^(level+1) samples; 0: there is no such level. */
static size_t nodes_at(size_t n, unsigned level)
{
	size_t below = level ? nodes_at(n, level - 1) : n;

	return below > PYRAMID_FAN ? (below - 1) / PYRAMID_FAN + 1 : 0;
}

static size_t first_at(size_t n, unsigned level)
{
	return level ? first_at(n, level - 1) + nodes_at(n, level - 1) : 0;
}

int pyramid_build_counter(struct pyramid_track *to, const struct store_samples *samples)
{
	size_t n = 0;

	for (unsigned level = 0; nodes_at(samples->n, level); level++)
		n += nodes_at(samples->n, level);
	free(to->samples);
	to->samples = NULL;
	to->n_samples = 0;
	if (!n)
		return 0;
	to->samples = malloc(n * sizeof *to->samples);
	if (!to->samples)
		return -ENOMEM;
	to->n_samples = n;
	for (size_t i = 0; i < n; i++)
		to->samples[i] = (struct pyramid_extreme){ NAN, NAN };
	for (size_t i = 0; i < samples->n; i++)
		widen(&to->samples[i / PYRAMID_FAN], (float)samples->value[i], (float)samples->value[i]);
	for (unsigned level = 1; nodes_at(samples->n, level); level++) {
		const struct pyramid_extreme *below = to->samples + first_at(samples->n, level - 1);

		for (size_t i = 0; i < nodes_at(samples->n, level - 1); i++)
			widen(&to->samples[first_at(samples->n, level) + i / PYRAMID_FAN], below[i].min, below[i].max);
	}
	return 0;
}

/* The extremes of samples i..end-1, by the largest nodes. */
static struct pyramid_extreme extreme_of(const struct pyramid_track *track, const struct store_samples *samples,
					 size_t i, size_t end)
{
	struct pyramid_extreme all = { NAN, NAN };

	while (i < end) {
		const struct pyramid_extreme *node;
		unsigned level = 0;
		size_t step = 1;

		while (!(i % (step * PYRAMID_FAN)) && i + step * PYRAMID_FAN <= end && nodes_at(samples->n, level)) {
			step *= PYRAMID_FAN;
			level++;
		}
		if (level) {
			node = track->samples + first_at(samples->n, level - 1) + i / step;
			widen(&all, node->min, node->max);
		} else {
			widen(&all, (float)samples->value[i], (float)samples->value[i]);
		}
		i += step;
	}
	return all;
}

uint32_t pyramid_draw_counter(const struct pyramid *pyramid, uint32_t id, const struct pyramid_range *range,
			      struct pyramid_sample *to, double *before)
{
	const struct store_track *track = store_track(pyramid->store, id);
	const struct store_samples *samples = track ? &track->samples : NULL;
	uint32_t n = 0;
	size_t i, next;

	*before = NAN;
	if (!samples || !samples->n)
		return 0;
	i = store_first_from(samples->time_ns, samples->n, range->from_ns);
	if (i)
		*before = samples->value[i - 1];
	for (; i < samples->n; i = next) {
		uint64_t x = (samples->time_ns[i] - range->from_ns) / range->px_ns;
		struct pyramid_extreme extreme;

		if (x >= range->n_px)
			break;
		next = i + store_first_from(samples->time_ns + i, samples->n - i,
					    pyramid_sum(range->from_ns, (x + 1) * range->px_ns));
		if (next == i)
			break; /* at the end of all time */
		extreme = extreme_of(&pyramid->tracks[id], samples, i, next);
		to[n++] =
		    (struct pyramid_sample){ extreme.min, extreme.max, (float)samples->value[next - 1], (uint16_t)x };
	}
	return n;
}
