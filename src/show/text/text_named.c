// SPDX-License-Identifier: Apache-2.0
/* Slices that the program made itself, or of another program's trace, by name. */
#include "show/text/page.h"
#include "show/words/request_words.h"

enum { BRIEF = 15, NAME_COLUMNS = 60 };

static void put_row(const struct page *page, struct table *table, const struct summary_named *row)
{
	const struct summary_spread *duration = &row->duration;

	table_cell(table, TABLE_PLAIN, "%s", page_name(page, row->name, NAME_COLUMNS).s);
	table_cell(table, TABLE_PLAIN, "%s", units_count(duration->n).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)duration->total_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)duration->p50_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)duration->p99_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)duration->max_ns).s);
}

/* By name, and the slowest of each that took longer than all others. */
static void put_requests(const struct page *page)
{
	const struct summary *summary = page->summary;
	const uint64_t begin_ns = summary->recording.begin_ns;
	double mean_ns = 0;

	for (uint32_t i = 0; i < summary->n_requests; i++) {
		const struct summary_request *request = &summary->requests[i];
		bool is_all = !request->begin_ns;

		if (is_all)
			mean_ns = (double)request->wall_ns / (double)request->n;
		else if ((double)request->wall_ns < 1.1 * mean_ns)
			continue;
		if (is_all)
			page_text(page, 2, TABLE_PLAIN, "%s, on average %s",
				  page_name(page, request->name, NAME_COLUMNS).s,
				  request_words(summary, request, page->opts.is_ascii).s);
		else
			page_text(page, 4, TABLE_PLAIN, "slow at %s: %s",
				  units_duration((double)(request->begin_ns - begin_ns)).s,
				  request_words(summary, request, page->opts.is_ascii).s);
	}
}

void text_named(const struct page *page)
{
	const struct summary *summary = page->summary;
	uint32_t most = page->opts.n_top > 0 ? (uint32_t)page->opts.n_top : BRIEF;
	uint32_t n = page->opts.is_all || summary->n_named < most ? summary->n_named : most;
	struct table table = page_table(page);

	if (!summary->n_named)
		return;
	page_heading(page, "Slices by name");
	table_column(&table, "name", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME);
	table_column(&table, "count", TABLE_RIGHT);
	table_column(&table, "total", TABLE_RIGHT);
	table_column(&table, "median", TABLE_RIGHT);
	table_column(&table, "p99", TABLE_RIGHT);
	table_column(&table, "max", TABLE_RIGHT);
	for (uint32_t i = 0; i < n; i++)
		put_row(page, &table, &summary->named[i]);
	table_print(&table, page->out);
	if (n < summary->n_named)
		page_text(page, 2, TABLE_DIM, "and %s more (--all shows them)",
			  printable_count(summary->n_named - n, "name").s);
	if (summary->n_named_left_out)
		page_text(page, 2, TABLE_DIM, "and %s of other names",
			  printable_count(summary->n_named_left_out, "slice").s);
	put_requests(page);
}
