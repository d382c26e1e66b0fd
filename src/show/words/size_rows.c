// SPDX-License-Identifier: Apache-2.0
#include "show/words/size_rows.h"

#include <stdlib.h>

#include "analyze/result/input_sizes.h"
#include "base/text/units.h"

enum { MOST_SIZES = 256, SHAPE = 40, LEAST_P90 = 10, LEAST_P99 = 100 };

static void put_row(struct table *table, const char *cell, const struct summary_size *size,
		    const struct summary_size *all)
{
	table_cell(table, TABLE_PLAIN, "%s", cell);
	table_cell(table, TABLE_DIM, "%s", units_count(size->elements).s);
	table_cell(table, TABLE_PLAIN, "%s", units_count(size->n).s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent((double)size->n / (double)all->n).s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent((double)size->wall_ns / (double)all->wall_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)size->p50_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", size->n >= LEAST_P90 ? units_duration((double)size->p90_ns).s : "-");
	table_cell(table, TABLE_PLAIN, "%s", size->n >= LEAST_P99 ? units_duration((double)size->p99_ns).s : "-");
}

static int by_time(const void *a_, const void *b_)
{
	const struct summary_size *const *a = a_, *const *b = b_;

	return ((*a)->wall_ns < (*b)->wall_ns) - ((*a)->wall_ns > (*b)->wall_ns);
}

static int by_place(const void *a_, const void *b_)
{
	const struct summary_size *const *a = a_, *const *b = b_;

	return (*a > *b) - (*a < *b);
}

/* is_mixed: rows hold any inputs with so many elements. */
static void put_columns(struct table *table, uint64_t n_inputs, bool is_mixed)
{
	table_column(table, is_mixed ? "for example" : "input", TABLE_LEFT | TABLE_SHRINKS);
	table_column(table, n_inputs > 1 ? "elements of all" : "elements", TABLE_RIGHT);
	table_column(table, "inferences", TABLE_RIGHT);
	table_column(table, "share", TABLE_RIGHT);
	table_column(table, "time", TABLE_RIGHT);
	table_column(table, "p50", TABLE_RIGHT);
	table_column(table, "p90", TABLE_RIGHT);
	table_column(table, "p99", TABLE_RIGHT);
}

/* What tells a row from the usual one; of the usual one, from the first other. */
static struct input_sizes_row name_of(const struct summary *summary, const struct summary_model *model,
				      const struct summary_size *const *row, uint32_t i)
{
	const struct summary_size *usual = input_sizes_usual(summary, model);
	const struct summary_size *other = row[i] == usual ? row[row[0] == usual] : usual;
	const char *shapes = names_text(summary->names, row[i]->shapes);

	return model->are_sizes_mixed ? (struct input_sizes_row){ shapes, 0 }
				      : input_sizes_row(shapes, names_text(summary->names, other->shapes));
}

uint32_t size_rows(struct table *table, const struct summary *summary, const struct summary_model *model,
		   uint32_t n_most)
{
	const struct summary_size *size = summary->sizes + model->sizes.first, *row[MOST_SIZES];
	struct input_sizes_row name[MOST_SIZES];
	uint32_t n_all = model->sizes.n < MOST_SIZES ? model->sizes.n : MOST_SIZES;
	uint32_t n = n_all <= n_most ? n_all : n_most;
	struct summary_size all = { .n = 0 };

	if (n_all < 2)
		return 0;
	for (uint32_t i = 0; i < n_all; i++) {
		row[i] = &size[i];
		all.n += size[i].n;
		all.wall_ns += size[i].wall_ns;
	}
	qsort(row, n_all, sizeof *row, by_time);
	qsort(row, n, sizeof *row, by_place);
	for (uint32_t i = 0; i < n; i++)
		name[i] = name_of(summary, model, row, i);
	put_columns(table, input_sizes_count(name[0].shapes), model->are_sizes_mixed);
	for (uint32_t i = 0; i < n; i++)
		put_row(table, input_sizes_cell(name, n, i, SHAPE).s, row[i], &all);
	return model->sizes.n - n;
}
