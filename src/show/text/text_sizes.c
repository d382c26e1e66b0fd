// SPDX-License-Identifier: Apache-2.0
/* Latency by the size of inputs, where a model has inputs of several sizes. */
#include "show/text/page.h"
#include "show/words/size_rows.h"

void text_sizes(const struct page *page, uint32_t index)
{
	const struct summary_model *model = &page->summary->models[index];
	struct table table = page_table(page);
	uint32_t n_left = size_rows(&table, page->summary, model, page->opts.is_all ? UINT32_MAX : SIZE_ROWS);

	if (model->sizes.n < 2)
		return;
	page_heading(page, "Latency by size of the inputs, %s", page_model(page, index, 40).s);
	table_print(&table, page->out);
	if (n_left)
		page_text(page, 2, TABLE_DIM, "and %s more; --all shows them", printable_count(n_left, "size").s);
}
