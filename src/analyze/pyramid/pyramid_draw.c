// SPDX-License-Identifier: Apache-2.0
/* Pictures of rows: what n pixels show. See pyramid.h. */
#include <math.h>

#include "analyze/pyramid/pyramid_in.h"

enum { SHARE_ONE = 65535, TOP = 2 };

void pyramid_tally_node(struct pyramid_tally *tally, const struct pyramid_node *node)
{
	for (int t = 0; t < TOP && node->share[t]; t++) {
		if (tally->ns[node->top[t]] == 0)
			tally->seen[tally->n_seen++] = node->top[t];
		tally->ns[node->top[t]] += (float)node->covered_ns * (float)node->share[t] / SHARE_ONE + 1;
	}
	tally->covered_ns += node->covered_ns;
	if (node->longest_ns >= tally->longest_ns) {
		tally->longest_ns = node->longest_ns;
		tally->longest = node->longest;
	}
}

/* A slice is a node of one. One of 0 ns counts as 1, so that its class is not lost. */
void pyramid_tally_slice(const struct pyramid *pyramid, struct pyramid_tally *tally, const struct pyramid_row *row,
			 uint32_t slice)
{
	uint64_t ns = pyramid_slice_end(row, slice) - pyramid_slice_begin(row, slice);
	uint16_t class = pyramid_class_of(pyramid, &row->track->slices, pyramid_at(row, slice));

	if (tally->ns[class] == 0)
		tally->seen[tally->n_seen++] = class;
	tally->ns[class] += (float)ns + 1;
	tally->covered_ns += ns;
	if ((float)ns >= tally->longest_ns) {
		tally->longest_ns = (float)ns;
		tally->longest = slice;
	}
}

void pyramid_tally_take(struct pyramid_tally *tally, struct pyramid_node *to)
{
	float first_ns = 0, second_ns = 0, all_ns = (float)tally->covered_ns + 1;
	uint16_t first = 0, second = 0;

	for (uint32_t s = 0; s < tally->n_seen; s++) {
		uint16_t class = tally->seen[s];
		float ns = tally->ns[class];

		tally->ns[class] = 0;
		if (ns > first_ns) {
			second_ns = first_ns;
			second = first;
			first_ns = ns;
			first = class;
		} else if (ns > second_ns) {
			second_ns = ns;
			second = class;
		}
	}
	to->top[0] = first;
	to->top[1] = second;
	to->share[0] = (uint16_t)fminf(first_ns / all_ns * SHARE_ONE + (first_ns > 0), SHARE_ONE);
	to->share[1] = (uint16_t)fminf(second_ns / all_ns * SHARE_ONE + (second_ns > 0), SHARE_ONE);
	to->covered_ns = tally->covered_ns;
	to->longest = tally->longest;
	to->longest_ns = tally->longest_ns;
	tally->n_seen = 0;
	tally->covered_ns = 0;
	tally->longest_ns = 0;
}

static uint64_t length(const struct pyramid_row *row, uint32_t slice)
{
	return pyramid_slice_end(row, slice) - pyramid_slice_begin(row, slice);
}

/*
 * Whether all slices of a node, whose first begins in a pixel, end before end_ns, where the pixel does. level 1: nodes
 * of 16 slices. They do where the next node begins before: so none is as wide as the pixel. The last node of a level
 * never fits: where it ends is not known.
 */
static bool fits(const struct pyramid_row *row, unsigned level, uint32_t slice, uint64_t end_ns)
{
	uint32_t number = slice >> level * PYRAMID_FAN_BITS;

	return level <= row->n_levels && number + 1 < row->n_nodes[level - 1] &&
	       row->level[level - 1][number + 1].begin_ns < end_ns;
}

/* Takes all slices from this one on that begin before end_ns, up to the first of a pixel; where it stopped. */
static uint32_t tally_pixel(const struct pyramid *pyramid, struct pyramid_tally *tally, const struct pyramid_row *row,
			    uint32_t i, const struct pyramid_range *pixel)
{
	uint64_t end_ns = pyramid_sum(pixel->from_ns, pixel->px_ns);
	unsigned level = 0;

	while (i < row->n) {
		uint64_t above = UINT64_C(1) << (level + 1) * PYRAMID_FAN_BITS;

		if (level && !fits(row, level, i, end_ns)) {
			level--;
		} else if (!(i & (above - 1)) && fits(row, level + 1, i, end_ns)) {
			level++;
		} else if (level) {
			pyramid_tally_node(tally, row->level[level - 1] + (i >> level * PYRAMID_FAN_BITS));
			i += (uint32_t)(above / PYRAMID_FAN);
		} else {
			if (pyramid_slice_begin(row, i) >= end_ns || length(row, i) >= pixel->px_ns)
				break;
			pyramid_tally_slice(pyramid, tally, row, i++);
		}
	}
	return i;
}

/* Lengthens the run before it if it has the same class and fill, and ends here. */
static void put_pixel(struct pyramid_picture *to, size_t first, uint32_t x, const struct pyramid_run *pixel)
{
	struct pyramid_run *last = to->n_runs > first ? &to->run[to->n_runs - 1] : NULL;

	if (!last || last->x + last->length != (int)x || last->class != pixel->class || last->fill != pixel->fill) {
		to->run[to->n_runs] = *pixel;
		to->run[to->n_runs].x = (uint16_t)x;
		to->run[to->n_runs++].length = 1;
		return;
	}
	last->length++;
	last->count += pixel->count;
	if (pixel->longest > last->longest)
		last->longest = pixel->longest;
}

static void put_big(const struct pyramid *pyramid, const struct pyramid_row *row, uint32_t slice,
		    struct pyramid_picture *to)
{
	const struct store_slices *slices = &row->track->slices;
	size_t at = pyramid_at(row, slice);

	to->big[to->n_big++] = (struct pyramid_big){ .begin_ns = slices->begin_ns[at],
						     .end_ns = pyramid_slice_end(row, slice),
						     .slice = slice,
						     .name = slices->name[at],
						     .class = pyramid_class_of(pyramid, slices, at),
						     .is_open = slices->end_ns[at] == STORE_OPEN };
}

/* Fills come in steps of 16, so that runs are long. */
static uint8_t fill_of(uint64_t covered_ns, uint64_t px_ns)
{
	enum { STEPS = 15 };
	double fill = 1 + (double)covered_ns / (double)px_ns * STEPS;

	return fill >= STEPS ? PYRAMID_FULL : (uint8_t)((int)(fill + 0.5) * PYRAMID_FULL / STEPS);
}

void pyramid_draw(const struct pyramid *pyramid, const struct pyramid_row *row, const struct pyramid_range *range,
		  struct pyramid_picture *to)
{
	/* A question leaves the tally as it was: empty. */
	struct pyramid_tally tally = pyramid->tally;
	struct pyramid_range pixel = { .px_ns = range->px_ns };
	uint64_t end_ns = pyramid_sum(range->from_ns, range->px_ns * range->n_px);
	size_t first = to->n_runs;

	for (uint32_t i = pyramid_first_after(row, range->from_ns), next; i < row->n; i = next) {
		uint64_t begin_ns = pyramid_slice_begin(row, i);
		struct pyramid_node node;
		uint32_t x;

		if (begin_ns >= end_ns)
			break;
		next = i + 1;
		if (length(row, i) >= range->px_ns) {
			put_big(pyramid, row, i, to);
			continue;
		}
		if (begin_ns < range->from_ns)
			continue; /* it belongs to the pixel before */
		x = (uint32_t)((begin_ns - range->from_ns) / range->px_ns);
		pixel.from_ns = range->from_ns + x * range->px_ns;
		next = tally_pixel(pyramid, &tally, row, i, &pixel);
		if (next == i)
			break; /* at the end of all time */
		pyramid_tally_take(&tally, &node);
		put_pixel(to, first, x,
			  &(struct pyramid_run){ .count = next - i,
						 .class = node.top[0],
						 .fill = fill_of(node.covered_ns, range->px_ns),
						 .longest = (uint8_t)(4 * log2f(node.longest_ns + 1)) });
	}
}
