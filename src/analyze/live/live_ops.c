// SPDX-License-Identifier: Apache-2.0
/* The sums of a model's operators over intervals. Does not know whose they are. */
#include <stdlib.h>

#include "analyze/live/live_in.h"

void live_ops_add(const struct live *live, struct live_op_sum *sum, uint64_t ns)
{
	uint32_t at = (uint32_t)(live->n_intervals % LIVE_WINDOW);

	sum->n++;
	sum->ns += ns;
	sum->window_n[at]++;
	sum->window_ns[at] += ns;
}

/* The sums of this kind; those of all others where there is no room. NULL: out of memory. */
struct live_op_sum *live_ops_sum(struct live_ops *ops, const struct live_waiting *op, uint32_t name, bool has_room)
{
	uint64_t pair = keys_pair(op->type, op->provider);
	uint32_t index = keys_find(&ops->keys, name, pair);
	struct live_operator *known;
	struct live_op_sum *sum;

	if (index != KEYS_NONE)
		return (struct live_op_sum *)ops->sums.data + index;
	if (!has_room)
		return &ops->other;
	known = array_add(&ops->known, sizeof *known);
	sum = array_add(&ops->sums, sizeof *sum);
	if (!known || !sum || keys_number(&ops->keys, name, pair) == KEYS_NONE)
		return NULL;
	*known = (struct live_operator){ .name = name, .type = op->type, .provider = op->provider };
	return sum;
}

static void show(struct live_operator *shown, struct live_op_sum *sum, uint32_t next)
{
	shown->n = sum->n;
	shown->self_ns = sum->ns;
	shown->window_n = shown->window_ns = 0;
	for (uint32_t i = 0; i < LIVE_WINDOW; i++) {
		shown->window_n += sum->window_n[i];
		shown->window_ns += sum->window_ns[i];
	}
	sum->window_n[next] = 0;
	sum->window_ns[next] = 0;
}

static void roll(struct live_ops *ops, struct live_operator *other, uint32_t next)
{
	while (ops->shown.n < ops->known.n) {
		struct live_operator *shown = array_add(&ops->shown, sizeof *shown);

		if (!shown)
			break;
		*shown = ((const struct live_operator *)ops->known.data)[ops->shown.n - 1];
	}
	for (size_t i = 0; i < ops->shown.n; i++)
		show((struct live_operator *)ops->shown.data + i, (struct live_op_sum *)ops->sums.data + i, next);
	show(other, &ops->other, next);
}

void live_ops_roll(struct live *live, struct live_row *row)
{
	uint32_t next = (uint32_t)((live->n_intervals + 1) % LIVE_WINDOW);

	roll(&row->nodes, &row->shown.other_nodes, next);
	roll(&row->types, &row->shown.other_types, next);
	row->shown.node = row->nodes.shown.data;
	row->shown.n_nodes = (uint32_t)row->nodes.shown.n;
	row->shown.type = row->types.shown.data;
	row->shown.n_types = (uint32_t)row->types.shown.n;
}

static void done(struct live_ops *ops)
{
	array_done(&ops->known, sizeof(struct live_operator));
	array_done(&ops->shown, sizeof(struct live_operator));
	array_done(&ops->sums, sizeof(struct live_op_sum));
	keys_done(&ops->keys);
}

void live_ops_done(struct live *live, struct live_row *row)
{
	live->n_nodes -= (uint32_t)row->nodes.known.n;
	done(&row->nodes);
	done(&row->types);
}
