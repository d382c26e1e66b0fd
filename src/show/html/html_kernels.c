// SPDX-License-Identifier: Apache-2.0
/* What a provider's own profiler saw inside the operators of a model's runs. */
#include <math.h>

#include "show/html/html_model.h"

enum { MAX_KERNELS = 400 };

static bool counts_cycles(const struct model_result *result)
{
	for (uint32_t i = 0; i < result->n_kernels; i++)
		if (result->kernels[i].cycles >= 0)
			return true;
	return false;
}

static void put_run(struct html_page *page, uint32_t r)
{
	const struct model_result *result = &page->report->results[r];
	struct model_view view = html_view(page);
	struct printable caption = { "" };
	struct table table = { 0 };
	uint32_t n = result->n_kernels < MAX_KERNELS ? result->n_kernels : MAX_KERNELS;

	printable_add(&caption, "%s: ", page->label[r].s);
	printable_add(&caption, "%s", html_name(result->kernels_source).s);
	model_rows_kernels(&table, &view, r, n);
	html_table_of(page->out, caption.s, &table);
	fputs("<p>", page->out);
	if (n < result->n_kernels)
		html_words(page->out, "%u others. ", result->n_kernels - n);
	if (counts_cycles(result))
		html_words(page->out, "Cycles give shares, not times: the number of cycles in a microsecond differs "
				      "between executions. ");
	if (result->kernels_note)
		html_words(page->out, "%s: %s.", page->label[r].s, html_name(result->kernels_note).s);
	fputs("</p>\n", page->out);
}

static bool has_kernels(const struct html_page *page)
{
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (page->report->results[r].n_kernels || page->report->results[r].is_kernels_asked)
			return true;
	return false;
}

void html_kernels(struct html_page *page)
{
	if (!has_kernels(page))
		return;
	html_section(page, "inside", "Inside the provider",
		     "As recorded by the provider's own profiler, which may have slowed the operators down.");
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];

		if (result->n_kernels) {
			put_run(page, r);
		} else if (result->kernels_missing) {
			html_paragraph(page, "%s: %s.", page->label[r].s, html_name(result->kernels_missing).s);
		}
	}
	fputs("</section>\n", page->out);
}
