// SPDX-License-Identifier: Apache-2.0
/* What was done while no model ran: each tree, children below their parents. */
#include "show/text/page.h"
#include "show/words/time_words.h"

enum { MAX_ROWS = 40, NAME = 70 };

/* Below this share of the time a row is left to the other formats. */
static const double least_share = 0.005;

static void put_row(const struct page *page, struct table *table, const struct summary_outside *row)
{
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)row->is.ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent(row->share).s);
	table_cell(table, TABLE_DIM, "%s", row->is.n ? units_count(row->is.n).s : "-");
	table_cell(table, row->is.depth ? TABLE_PLAIN : TABLE_BOLD, "%*s%s", 2 * (int)row->is.depth, "",
		   page_name(page, row->is.name, NAME).s);
}

static void print_view(const struct page *page, enum outside_view view, const char *heading)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);
	uint32_t n = 0;

	table_column(&table, "time", TABLE_RIGHT);
	table_column(&table, "share", TABLE_RIGHT);
	table_column(&table, "samples", TABLE_RIGHT);
	table_column(&table, heading, TABLE_LEFT | TABLE_SHRINKS);
	for (uint32_t i = 0; i < summary->n_outside && n < MAX_ROWS; i++)
		if (summary->outside[i].is.view == view && summary->outside[i].share >= least_share) {
			put_row(page, &table, &summary->outside[i]);
			n++;
		}
	table_print(&table, page->out);
}

void text_outside(const struct page *page)
{
	if (!page->summary->n_outside)
		return;
	page_heading(page, "%s: %s", time_outside_title(page->summary),
		     units_duration((double)page->summary->time.outside_ns).s);
	print_view(page, OUTSIDE_BY_WHAT, "what was done");
	fputc('\n', page->out);
	print_view(page, OUTSIDE_BY_THREAD, "by thread");
	fputc('\n', page->out);
	print_view(page, OUTSIDE_BY_PATH, "by calling path");
	page_text(page, 2, TABLE_DIM, "%s",
		  "Rows below 0.5 % of the time are left out: inftrace query has them (table outside).");
}
