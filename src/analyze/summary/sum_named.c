// SPDX-License-Identifier: Apache-2.0
/*
 * Slices that no other table has: those of programs that annotate themselves, and of other programs' traces. They are
 * added up by name, those of the first MAX_NAMED names each, all others together.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_rows.h"

enum { MAX_NAMED = 2048, MANY_VALUES = 1 << 14, SOME_VALUES = 1 << 9, N_WITH_MANY = 64 };

struct named {
	uint32_t name;
	struct stats durations;
};

struct named_slices {
	struct sum_rows all; /* struct named */
};

bool sum_named_has(enum event_kind kind)
{
	return kind == KIND_USER || kind == KIND_NONE;
}

int sum_named_add(struct summary_maker *maker, uint32_t name, uint64_t ns)
{
	struct summary_opts *opts = &maker->opts;
	struct named_slices *all = maker->named;
	struct named *row;
	void *found;
	int code;

	if (opts->model || opts->from_ns || opts->to_ns)
		return 0;
	if (!all && !(all = maker->named = calloc(1, sizeof *all)))
		return -ENOMEM;
	all->all.size = sizeof *row;
	all->all.max = MAX_NAMED;
	code = sum_rows_find(maker, &all->all, &name, 0, &found);
	if (code || !(row = found))
		return code;
	if (!row->durations.limit)
		*row = (struct named){ name, { .limit = all->all.rows.n <= N_WITH_MANY ? MANY_VALUES : SOME_VALUES } };
	return stats_add(&row->durations, ns);
}

static int by_total(const void *a_, const void *b_)
{
	const struct summary_named *a = a_, *b = b_;

	if (a->duration.total_ns != b->duration.total_ns)
		return a->duration.total_ns > b->duration.total_ns ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

int sum_named_make(struct summary_maker *maker, struct end *end)
{
	struct named_slices *all = maker->named;
	struct named *named = all ? all->all.rows.data : NULL;

	for (size_t i = 0; all && i < all->all.rows.n; i++) {
		struct summary_named *row = array_add(&end->named, sizeof *row);

		if (!row)
			return -ENOMEM;
		*row = (struct summary_named){ named[i].name, sum_spread(&named[i].durations) };
	}
	if (end->named.n)
		qsort(end->named.data, end->named.n, sizeof(struct summary_named), by_total);
	maker->to->n_named_left_out = all ? all->all.n_left_out : 0;
	return 0;
}

void sum_named_done(struct summary_maker *maker)
{
	struct named_slices *all = maker->named;
	struct named *named = all ? all->all.rows.data : NULL;

	for (size_t i = 0; all && i < all->all.rows.n; i++)
		stats_done(&named[i].durations);
	if (all)
		sum_rows_done(&all->all);
	free(all);
}
