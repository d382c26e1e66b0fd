// SPDX-License-Identifier: Apache-2.0
/* What a provider's own profiler saw inside the operators of a model's runs, as text. */
#include "show/text/page.h"

enum { MAX_KERNELS = 20 };

static void print_kernels(const struct model_page *page, uint32_t r)
{
	const struct model_result *result = &page->report->results[r];
	struct table table = page_table(&page->page);
	struct model_view view = model_page_view(page);
	uint32_t n = page->page.opts.is_all || result->n_kernels <= MAX_KERNELS + 1 ? result->n_kernels : MAX_KERNELS;

	if (result->n_kernel_runs < 0)
		page_text(&page->page, 2, TABLE_BOLD, "%s: %s", page->label[r].s,
			  model_page_text(page, result->kernels_source, 40).s);
	else
		page_text(&page->page, 2, TABLE_BOLD, "%s: %s of %s", page->label[r].s,
			  model_page_text(page, result->kernels_source, 40).s,
			  printable_count((uint64_t)result->n_kernel_runs, "execution").s);
	model_rows_kernels(&table, &view, r, n);
	table_print(&table, page->page.out);
	if (n < result->n_kernels)
		page_text(&page->page, 2, TABLE_DIM, "%s (--all)", printable_count(result->n_kernels - n, "other").s);
	for (uint32_t i = 0; i < result->n_kernels; i++) {
		if (result->kernels[i].cycles < 0)
			continue;
		page_text(
		    &page->page, 2, TABLE_DIM,
		    "cycles give shares, not times: the number of cycles in a microsecond differs between executions");
		break;
	}
	if (result->kernels_note)
		page_text(&page->page, 2, TABLE_PLAIN, "%s", model_page_text(page, result->kernels_note, 300).s);
}

void model_text_kernels(const struct model_page *page)
{
	bool was_asked = false;

	for (uint32_t r = 0; r < page->report->n_results; r++)
		was_asked |= page->report->results[r].n_kernels || page->report->results[r].is_kernels_asked;
	if (!was_asked)
		return;
	page_heading(&page->page, "Inside the provider");
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];

		if (result->n_kernels)
			print_kernels(page, r);
		else if (result->kernels_missing)
			page_text(&page->page, 2, TABLE_DIM, "%s: %s", page->label[r].s,
				  model_page_text(page, result->kernels_missing, 200).s);
	}
}
