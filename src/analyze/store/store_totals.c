// SPDX-License-Identifier: Apache-2.0
/* What was forgotten comes to: rows by track, name and kind. Does not know what is forgotten when. */
#include <errno.h>

#include "analyze/store/store_in.h"

uint64_t store_totals_add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

struct store_total *store_totals_find(struct totals *totals, uint32_t track, uint32_t name, enum event_kind kind,
				      enum event_type type)
{
	uint32_t n = totals->keys.n;
	uint32_t index = keys_number(&totals->keys, keys_pair(track, name), keys_pair((uint32_t)kind, (uint32_t)type));
	struct store_total *total;

	if (index == KEYS_NONE || (index == totals->rows.n && !array_add(&totals->rows, sizeof *total)))
		return NULL;
	total = (struct store_total *)totals->rows.data + index;
	if (index == n)
		*total = (struct store_total){ track, name, kind, type, .min_ns = UINT64_MAX };
	return total;
}

static int add_total(struct totals *to, uint32_t track, const struct store_total *from)
{
	struct store_total *total = store_totals_find(to, track, from->name, from->kind, from->type);

	if (!total)
		return -ENOMEM;
	if (from->type == EVENT_COUNTER) {
		total->min = !total->n || from->min < total->min ? from->min : total->min;
		total->max = !total->n || from->max > total->max ? from->max : total->max;
	}
	total->n += from->n;
	total->n_cut += from->n_cut;
	total->sum_ns = store_totals_add(total->sum_ns, from->sum_ns);
	total->min_ns = from->min_ns < total->min_ns ? from->min_ns : total->min_ns;
	total->max_ns = from->max_ns > total->max_ns ? from->max_ns : total->max_ns;
	total->count = store_totals_add(total->count, from->count);
	total->sum += from->sum;
	return 0;
}

int store_totals_move(struct totals *totals, const struct keys *dead)
{
	const struct store_total *from = totals->rows.data;
	struct totals moved = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < totals->rows.n; i++)
		rc = add_total(&moved, keys_find(dead, from[i].track, 0) == KEYS_NONE ? from[i].track : 0, &from[i]);
	if (rc) {
		store_totals_done(&moved);
		return rc;
	}
	store_totals_done(totals);
	*totals = moved;
	return 0;
}

void store_totals_done(struct totals *totals)
{
	keys_done(&totals->keys);
	array_done(&totals->rows, sizeof(struct store_total));
}
