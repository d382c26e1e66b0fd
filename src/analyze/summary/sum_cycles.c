// SPDX-License-Identifier: Apache-2.0
/*
 * Nodes on a device whose profiler counts cycles. These are no time, as the number of cycles in a microsecond differs
 * between executions, and such a node has no place in its execution: it is an instant. Cycles are added up by name and
 * type, those of the whole recording, as for kernels (sum_kernels.c). The first MAX_NODES have rows, others are
 * counted.
 */
#include "analyze/summary/sum_cycles.h"

#include <errno.h>
#include <stdlib.h>

enum { MAX_NODES = 2048 };

struct cycles {
	struct array rows; /* struct summary_cycles */
	struct keys keys;
	uint64_t n_left_out;
};

static const struct arg *arg_of(const struct event *event, enum event_key key)
{
	for (size_t i = 0; i < event->n_args; i++)
		if (event->args[i].key == key)
			return &event->args[i];
	return NULL;
}

static int add(struct summary_maker *maker, uint32_t name, uint32_t op_type, uint64_t cycles)
{
	struct cycles *all = maker->cycles;
	uint32_t known = (uint32_t)all->rows.n, index;
	struct summary_cycles *row;

	index = known < MAX_NODES ? keys_number(&all->keys, name, op_type) : keys_find(&all->keys, name, op_type);
	if (index == KEYS_NONE && known < MAX_NODES)
		return -ENOMEM;
	if (index == KEYS_NONE) {
		all->n_left_out++;
		return 0;
	}
	if (index == known && !array_add(&all->rows, sizeof *row))
		return -ENOMEM;
	row = (struct summary_cycles *)all->rows.data + index;
	if (index == known)
		*row = (struct summary_cycles){ .name = name, .op_type = op_type };
	row->n++;
	row->cycles = stats_sum(row->cycles, cycles);
	return 0;
}

int sum_cycles_put(struct summary_maker *maker, const struct event *event)
{
	int64_t cycles = store_int(arg_of(event, KEY_CYCLES), -1);
	uint32_t op_type = store_text(arg_of(event, KEY_OP_TYPE));
	const struct summary_opts *opts = &maker->opts;

	if (cycles < 0 || opts->model || opts->from_ns || opts->to_ns)
		return 0;
	if (!maker->cycles && !(maker->cycles = calloc(1, sizeof *maker->cycles)))
		return -ENOMEM;
	if (names_is_passing(event->name) && maker->cycles->rows.n >= MAX_NODES) {
		maker->cycles->n_left_out++;
		return 0;
	}
	return add(maker, names_keep(maker->names, event->name), op_type ? names_keep(maker->names, op_type) : 0,
		   (uint64_t)cycles);
}

static int by_cycles(const void *a_, const void *b_)
{
	const struct summary_cycles *a = a_, *b = b_;

	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	return a->name != b->name ? (a->name > b->name) - (a->name < b->name)
				  : (a->op_type > b->op_type) - (a->op_type < b->op_type);
}

int sum_cycles_make(struct summary_maker *maker, struct end *end)
{
	struct cycles *all = maker->cycles;
	const struct summary_cycles *row = all ? all->rows.data : NULL;

	for (size_t i = 0; all && i < all->rows.n; i++) {
		struct summary_cycles *to = array_add(&end->cycles, sizeof *to);

		if (!to)
			return -ENOMEM;
		*to = row[i];
		maker->to->all_cycles = stats_sum(maker->to->all_cycles, row[i].cycles);
	}
	if (end->cycles.n)
		qsort(end->cycles.data, end->cycles.n, sizeof *row, by_cycles);
	maker->to->n_cycles_left_out = all ? all->n_left_out : 0;
	return 0;
}

void sum_cycles_done(struct summary_maker *maker)
{
	struct cycles *all = maker->cycles;

	if (all) {
		array_done(&all->rows, sizeof(struct summary_cycles));
		keys_done(&all->keys);
	}
	free(all);
}
