// SPDX-License-Identifier: Apache-2.0
/* What is missing from the recording, and what recording has cost. */
#include "analyze/remark/cost_words.h"
#include "analyze/remark/remarks.h"
#include "show/text/page.h"

enum { MAX_OF_A_KIND = 4 };

static void print_lost(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);

	table_column(&table, "lost", TABLE_RIGHT);
	table_column(&table, "process", TABLE_RIGHT);
	table_column(&table, "where", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "first seen", TABLE_RIGHT);
	table_column(&table, "last seen", TABLE_RIGHT);
	for (uint32_t i = 0; i < summary->n_losses; i++) {
		const struct summary_loss *loss = &summary->losses[i];

		table_cell(&table, TABLE_RED, "%s", units_count(loss->n).s);
		if (loss->process == SUMMARY_NONE)
			table_cell(&table, TABLE_PLAIN, "-");
		else
			table_cell(&table, TABLE_PLAIN, "%d", summary->processes[loss->process].pid);
		table_cell(&table, TABLE_PLAIN, "%s", page_name(page, loss->where, 120).s);
		table_cell(&table, TABLE_PLAIN, "%s", page_offset(page, loss->first_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", page_offset(page, loss->last_ns).s);
	}
	table_print(&table, page->out);
}

static void print_cost(const struct page *page)
{
	struct printable line[COST_LINES];
	uint32_t n = cost_words(page->summary, line);

	page_heading(page, "Cost of recording");
	for (uint32_t i = 0; i < n; i++)
		page_text(page, 2, TABLE_PLAIN, "%s", line[i].s);
}

static void print_remark(void *page, const struct remark *remark)
{
	page_text(page, 2, remark->is_loss ? TABLE_RED : TABLE_PLAIN, "%s", remark->text.s);
}

static void count_only(void *page, const struct remark *remark)
{
}

void text_losses(const struct page *page)
{
	const struct summary *summary = page->summary;
	const struct remarks remarks = { .summary = summary,
					 .is_running = page->report->is_running,
					 .is_ascii = page->opts.is_ascii,
					 .n_most = page->opts.is_all ? 0 : MAX_OF_A_KIND,
					 .more = ": --all" };

	if (!page->opts.is_all && !summary->n_losses && !remarks_give(&remarks, count_only, NULL))
		return;
	page_heading(page, "Losses");
	if (summary->n_losses)
		print_lost(page);
	else
		page_text(page, 2, summary->recording.is_ours ? TABLE_PLAIN : TABLE_DIM, "%s",
			  remarks_headline(summary));
	remarks_give(&remarks, print_remark, (void *)page);
	if (summary->cost.is_known && page->opts.is_all)
		print_cost(page);
}
