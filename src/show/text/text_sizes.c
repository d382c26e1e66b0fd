// SPDX-License-Identifier: Apache-2.0
/* Latency by the size of inputs, where a model has inputs of several sizes. */
#include <stdlib.h>

#include "analyze/result/input_sizes.h"
#include "show/text/page.h"

enum { MAX_ROWS = 10 };

static void put_row(const struct page *page, struct table *table, const struct summary_size *size, uint64_t n,
		    uint64_t wall_ns, const char *other)
{
	const char *shapes = names_text(page->names, size->shapes);

	table_cell(table, TABLE_PLAIN, "%s", input_sizes_part(shapes, other, 40).s);
	table_cell(table, TABLE_DIM, "%s", units_count(size->elements).s);
	table_cell(table, TABLE_PLAIN, "%s", units_count(size->n).s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent((double)size->n / (double)n).s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent((double)size->wall_ns / (double)wall_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)size->p50_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", size->n >= 10 ? units_duration((double)size->p90_ns).s : "-");
	table_cell(table, TABLE_PLAIN, "%s", size->n >= 100 ? units_duration((double)size->p99_ns).s : "-");
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

void text_sizes(const struct page *page, uint32_t index)
{
	const struct summary_model *model = &page->summary->models[index];
	const struct summary_size *size = page->summary->sizes + model->sizes.first, *usual, *row[64];
	uint32_t n_all = model->sizes.n < 64 ? model->sizes.n : 64;
	uint32_t n = page->opts.is_all || n_all <= MAX_ROWS ? n_all : MAX_ROWS;
	uint64_t runs = 0, wall_ns = 0;
	struct table table = page_table(page);

	if (n_all < 2)
		return;
	usual = input_sizes_usual(page->summary, model);
	for (uint32_t i = 0; i < n_all; i++) {
		row[i] = &size[i];
		runs += size[i].n;
		wall_ns += size[i].wall_ns;
	}
	/* those that take most of the time, in the order of their sizes */
	qsort(row, n_all, sizeof *row, by_time);
	qsort(row, n, sizeof *row, by_place);
	page_heading(page, "Latency by size of the inputs, %s", page_model(page, index, 40).s);
	table_column(&table, "input", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "elements", TABLE_RIGHT);
	table_column(&table, "inferences", TABLE_RIGHT);
	table_column(&table, "share", TABLE_RIGHT);
	table_column(&table, "time", TABLE_RIGHT);
	table_column(&table, "p50", TABLE_RIGHT);
	table_column(&table, "p90", TABLE_RIGHT);
	table_column(&table, "p99", TABLE_RIGHT);
	for (uint32_t i = 0; i < n; i++)
		put_row(page, &table, row[i], runs, wall_ns,
			names_text(page->names, row[i] == usual ? row[row[0] == usual]->shapes : usual->shapes));
	table_print(&table, page->out);
	if (n < n_all)
		page_text(page, 2, TABLE_DIM, "and %s more; --all shows them", printable_count(n_all - n, "size").s);
}
