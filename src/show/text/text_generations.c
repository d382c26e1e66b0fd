// SPDX-License-Identifier: Apache-2.0
/* Generations of a model, one by one. */
#include "show/text/page.h"
#include "show/words/generation_words.h"

enum { MOST_ROWS = 10 };

void text_generations(const struct page *page, uint32_t index)
{
	const struct summary_model *model = &page->summary->models[index];
	struct table table = page_table(page);
	uint64_t n_left;

	if (!model->generations.n)
		return;
	n_left = generation_rows(&table, page->summary, model, page->opts.is_all ? UINT32_MAX : MOST_ROWS);
	page_heading(page, "Generations of %s", page_model(page, index, 40).s);
	table_print(&table, page->out);
	if (n_left)
		page_text(page, 2, TABLE_DIM, "and %s more%s", printable_count(n_left, "generation").s,
			  page->opts.is_all ? "" : "; --all shows them");
}
