// SPDX-License-Identifier: Apache-2.0
/* Texts of strangers, and which runs stand beside each other in a table. */
#include "show/text/page.h"

struct printable model_page_text(const struct model_page *page, const char *text, int columns)
{
	return model_text(text, columns, page->page.opts.is_ascii);
}

struct model_view model_page_view(const struct model_page *page)
{
	return (struct model_view){ .analysis = page->analysis,
				    .label = page->label,
				    .end = page->report->n_results,
				    .columns = 100,
				    .is_ascii = page->page.opts.is_ascii };
}

bool model_page_next(struct model_view *view)
{
	uint32_t n = view->analysis->report->n_results, most = MODEL_PAGE_RUNS;

	/* cut labels of runs that differ in several things could not be told apart */
	for (uint32_t r = 0; r < n; r++)
		if (view->label && printable_width(view->label[r].s) > MODEL_PAGE_LABEL)
			most = MODEL_PAGE_LONG;
	view->first = view->end;
	view->end = view->first + most < n ? view->first + most : n;
	return view->first < view->end;
}
