// SPDX-License-Identifier: Apache-2.0
/*
 * Nodes on a device whose profiler counts cycles. These are no time, as the number of cycles in a microsecond differs
 * between executions, and such a node has no place in its execution: it is an instant. Cycles are added up by name and
 * type, those of the whole recording, as for kernels (sum_kernels.c). The first MAX_NODES have rows, others are
 * counted.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_rows.h"
#include "event/event_args.h"

enum { MAX_NODES = 2048 };

struct cycles {
	struct sum_rows all; /* struct summary_cycles */
};

int sum_cycles_put(struct summary_maker *maker, const struct event *event)
{
	int64_t cycles = event_int(event, KEY_CYCLES, -1);
	uint32_t op_type = event_text(event, KEY_OP_TYPE), name = event->name;
	const struct summary_opts *opts = &maker->opts;
	struct summary_cycles *row;
	void *found;
	int code;

	if (cycles < 0 || opts->model || opts->from_ns || opts->to_ns)
		return 0;
	if (!maker->cycles && !(maker->cycles = calloc(1, sizeof *maker->cycles)))
		return -ENOMEM;
	maker->cycles->all.size = sizeof *row;
	maker->cycles->all.max = MAX_NODES;
	op_type = op_type ? names_keep(maker->names, op_type) : 0;
	code = sum_rows_find(maker, &maker->cycles->all, &name, op_type, &found);
	if (code || !(row = found))
		return code;
	row->name = name;
	row->op_type = op_type;
	row->n++;
	row->cycles = stats_sum(row->cycles, (uint64_t)cycles);
	return 0;
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
	const struct summary_cycles *row = all ? all->all.rows.data : NULL;

	for (size_t i = 0; all && i < all->all.rows.n; i++) {
		struct summary_cycles *to = array_add(&end->cycles, sizeof *to);

		if (!to)
			return -ENOMEM;
		*to = row[i];
		maker->to->all_cycles = stats_sum(maker->to->all_cycles, row[i].cycles);
	}
	if (end->cycles.n)
		qsort(end->cycles.data, end->cycles.n, sizeof *row, by_cycles);
	maker->to->n_cycles_left_out = all ? all->all.n_left_out : 0;
	return 0;
}

void sum_cycles_done(struct summary_maker *maker)
{
	struct cycles *all = maker->cycles;

	if (all)
		sum_rows_done(&all->all);
	free(all);
}
