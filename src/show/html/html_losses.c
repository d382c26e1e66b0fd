// SPDX-License-Identifier: Apache-2.0
/* What is missing from a recording, and what recording has cost. */
#include "analyze/remark/cost_words.h"
#include "analyze/remark/halt_words.h"
#include "analyze/remark/remarks.h"
#include "show/html/html_model.h"
#include "show/words/merged_words.h"

enum { MAX_ROWS = 60, COLUMNS = 160 };

static struct printable name_of(const struct summary *summary, uint32_t id)
{
	return model_text(names_text(summary->names, id), COLUMNS, false);
}

static void put_cost(struct html_page *page)
{
	struct printable line[COST_LINES];
	uint32_t n = cost_words(page->summary, line);

	for (uint32_t i = 0; page->summary->cost.is_known && i < n; i++)
		html_paragraph(page, "%s.", line[i].s);
}

static void put_remark(void *page, const struct remark *remark)
{
	html_paragraph(page, "%s", remark->text.s);
}

void html_losses(struct html_page *page, const struct report *report)
{
	const struct summary *summary = report->summary;
	const struct remarks remarks = {
		.summary = summary, .is_running = report->is_running, .n_most = MAX_ROWS, .more = ""
	};
	struct table table = { 0 };

	html_section(page, "losses", "Losses and cost", "%s", remarks_headline(summary));
	table_column(&table, "lost", TABLE_RIGHT);
	table_column(&table, "where", TABLE_LEFT);
	for (uint32_t i = 0; i < summary->n_losses && i < MAX_ROWS; i++) {
		table_cell(&table, TABLE_RED, "%s", units_count(summary->losses[i].n).s);
		table_cell(&table, TABLE_PLAIN, "%s", name_of(summary, summary->losses[i].where).s);
	}
	html_table_of(page->out, "Lost events", &table);
	remarks_give(&remarks, put_remark, page);
	for (uint32_t i = 0; i < summary->n_merged; i++)
		html_paragraph(page, "File: %s.", merged_words(summary, i, false).s);
	for (uint32_t i = 0; i < summary->n_models && i < MAX_ROWS; i++)
		if (*halt_words_left_out(summary, &summary->models[i]).s)
			html_paragraph(page, "%s: %s.", name_of(summary, summary->models[i].name).s,
				       halt_words_left_out(summary, &summary->models[i]).s);
	put_cost(page);
	fputs("</section>\n", page->out);
}
