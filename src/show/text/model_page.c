// SPDX-License-Identifier: Apache-2.0
/* Texts of strangers, and which runs stand beside each other in a table. */
#include "show/text/model_page.h"

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
	uint32_t n = view->analysis->report->n_results;

	view->first = view->end;
	view->end = view->first + MODEL_PAGE_RUNS < n ? view->first + MODEL_PAGE_RUNS : n;
	return view->first < view->end;
}
