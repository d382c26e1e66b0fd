// SPDX-License-Identifier: Apache-2.0
/* What a provider's own profiler saw inside the operators of a model's runs. */
#include "export/html_model.h"

#include <math.h>

enum { MAX_KERNELS = 400 };

static bool counts_cycles(const struct model_result *result)
{
	for (uint32_t i = 0; i < result->n_kernels; i++)
		if (result->kernels[i].cycles >= 0)
			return true;
	return false;
}

static void put_kernel(struct html_page *page, const struct model_kernel *kernel)
{
	double n = (double)kernel->n;

	html_row(page->out);
	html_cell(page->out, kernel->is_whole ? "off" : "main", "%s", html_name(kernel->name).s);
	html_cell(page->out, "", "%s", kernel->op_type ? html_name(kernel->op_type).s : "");
	html_cell(page->out, "", "%s", kernel->implementation ? html_name(kernel->implementation).s : "");
	html_cell(page->out, "", "%s", kernel->source_ops ? html_name(kernel->source_ops).s : "");
	html_cell(page->out, "n", "%s", units_count((uint64_t)kernel->n).s);
	if (isnan(kernel->time_ns))
		html_cell(page->out, "n", "%s cycles", units_count((uint64_t)((double)kernel->cycles / n + 0.5)).s);
	else
		html_cell(page->out, "n", "%s", units_duration(kernel->time_ns / n).s);
	html_cell(page->out, "n", "%s", kernel->is_whole ? "" : units_percent(kernel->share).s);
}

static void put_run(struct html_page *page, uint32_t r)
{
	static const char *const headers[] = { "kernel", "type",  "implementation", "made from",
					       ">calls", ">mean", ">share",	    NULL };
	const struct model_result *result = &page->report->results[r];
	struct printable caption = { "" };
	uint32_t n = result->n_kernels < MAX_KERNELS ? result->n_kernels : MAX_KERNELS;

	printable_add(&caption, "%s: ", page->label[r].s);
	printable_add(&caption, "%s", html_name(result->kernels_source).s);
	html_table(page->out, caption.s, headers);
	for (uint32_t i = 0; i < n; i++)
		put_kernel(page, &result->kernels[i]);
	html_table_end(page->out);
	fputs("<p>", page->out);
	if (n < result->n_kernels)
		html_words(page->out, "%u others. ", result->n_kernels - n);
	if (counts_cycles(result))
		html_words(
		    page->out,
		    "Cycles tell shares, not times: how many there are in a microsecond differs between executions. ");
	if (result->kernels_note)
		html_words(page->out, "%s: %s.", page->label[r].s, html_name(result->kernels_note).s);
	fputs("</p>\n", page->out);
}

void html_kernels(struct html_page *page)
{
	bool has_any = false;

	for (uint32_t r = 0; r < page->report->n_results; r++)
		has_any |= page->report->results[r].n_kernels || page->report->results[r].is_kernels_asked;
	if (!has_any)
		return;
	html_section(page, "inside", "Inside the provider",
		     "What the provider's own profiler saw run in its operators; it may have slowed them down.");
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];

		if (result->n_kernels) {
			put_run(page, r);
		} else if (result->kernels_missing) {
			fputs("<p>", page->out);
			html_words(page->out, "%s: %s.", page->label[r].s, html_name(result->kernels_missing).s);
			fputs("</p>\n", page->out);
		}
	}
	fputs("</section>\n", page->out);
}
