// SPDX-License-Identifier: Apache-2.0
/* Operators of a model's runs side by side, where they ran, and what bounds them, as text. */
#include <string.h>

#include "show/text/page.h"

enum { MAX_TYPES = 12, MAX_NODES = 20, MAX_BOUNDS = 12 };

static uint32_t n_shown(const struct model_page *page, uint32_t n, uint32_t n_most)
{
	return page->page.opts.is_all || n <= n_most + 1 ? n : n_most;
}

void model_text_placement(const struct model_page *page)
{
	struct table table = page_table(&page->page);
	struct model_view view = model_page_view(page);

	page_heading(&page->page, "Where nodes ran");
	model_rows_placement(&table, &view);
	table_print(&table, page->page.out);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];
		struct printable not_found = model_not_found(page->analysis, r);

		if (result->operators_missing)
			page_text(&page->page, 2, TABLE_DIM, "%s: %s", page->label[r].s,
				  model_page_text(page, result->operators_missing, 200).s);
		else if (*not_found.s)
			page_text(&page->page, 2, TABLE_DIM, "%s: %s", page->label[r].s, not_found.s);
	}
}

void model_text_types(const struct model_page *page)
{
	struct model_view view = model_page_view(page);
	bool has_heading = false;

	for (view.end = 0; model_page_next(&view);) {
		struct table table = page_table(&page->page);

		if (!model_view_has(&view, model_has_operators))
			continue;
		if (!has_heading)
			page_heading(&page->page, "Operators by type: time of one %s (how many)",
				     model_each(page->analysis));
		has_heading = true;
		model_rows_types(&table, &view, page->page.opts.is_all ? UINT32_MAX - 1 : MAX_TYPES);
		table_print(&table, page->page.out);
	}
	if (has_heading)
		page_text(&page->page, 2, TABLE_DIM,
			  "From %ss with every operator recorded, in a process of their own. Unattributed: no "
			  "operator explains it.%s",
			  model_each(page->analysis),
			  page->report->n_results && page->report->results[0].n_tokens
			      ? " A step is a prompt, or one more token of each sequence."
			      : "");
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		struct printable words = model_deferred_words(page->analysis, r, page->page.opts.is_ascii);

		if (*words.s)
			page_text(&page->page, 2, TABLE_PLAIN, "%s.", words.s);
	}
}

void model_text_nodes(const struct model_page *page)
{
	struct model_view view = model_page_view(page);
	uint32_t n_rows = page->analysis->comparison.n_rows, n = n_shown(page, n_rows, MAX_NODES);
	bool has_heading = false, has_loose = false;

	for (view.end = 0; model_page_next(&view);) {
		struct table table = page_table(&page->page);

		if (!model_view_has(&view, model_has_operators))
			continue;
		if (!has_heading)
			page_heading(&page->page, "Operators by node of the model: median of a call");
		has_heading = true;
		model_rows_nodes(&table, &view, 0, n);
		table_print(&table, page->page.out);
		if (n < n_rows)
			page_text(&page->page, 2, TABLE_DIM, "%s (--all)", printable_count(n_rows - n, "other").s);
	}
	for (uint32_t r = 0; r < page->report->n_results; r++)
		has_loose |= page->report->model.n_listed && page->analysis->comparison.reach[r].n_unjoined;
	if (!has_heading)
		return;
	page_text(
	    &page->page, 2, TABLE_DIM,
	    "[n] stands for n nodes of the model; fused: part of such a node; subgraph: taken with others as a whole.");
	if (has_loose)
		page_text(&page->page, 2, TABLE_DIM, "* made by the runtime, or its name does not identify a node.");
}

static void print_roof(const struct model_page *page, uint32_t r)
{
	const struct model_run *run = &page->analysis->runs[r];
	const struct model_bound_sums *sums = &run->bound_sums;
	uint32_t n = n_shown(page, run->result->n_operators, MAX_BOUNDS);
	struct model_view view = model_page_view(page);
	struct table table = page_table(&page->page);
	struct printable text = { "" };
	bool is_told[N_MODEL_BOUNDS] = { false };

	/* the largest first */
	for (int n_told = 0; n_told < N_MODEL_BOUNDS; n_told++) {
		int most = -1;

		for (int by = 0; by < N_MODEL_BOUNDS; by++)
			if (!is_told[by] && (most < 0 || sums->ns[by] > sums->ns[most]))
				most = by;
		is_told[most] = true;
		if (sums->n[most])
			printable_add(&text, "%s%s %s", *text.s ? ", " : "", model_bound_words(most),
				      units_percent(sums->ns[most] / sums->total_ns).s);
	}
	page_heading(&page->page, "What bounds the operators of %s: %s", page->label[r].s, text.s);
	model_rows_bounds(&table, &view, r, n);
	table_print(&table, page->page.out);
	if (n < run->result->n_operators)
		page_text(&page->page, 2, TABLE_DIM, "%s (--all)",
			  printable_count(run->result->n_operators - n, "other").s);
}

void model_text_roofline(const struct model_page *page)
{
	bool has_any = false;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		if (!model_has_bounds(&page->analysis->runs[r]))
			continue;
		print_roof(page, r);
		has_any = true;
	}
	if (has_any)
		page_text(
		    &page->page, 2, TABLE_DIM,
		    "Of possible: the least time that this machine's peaks allow, divided by the time taken; %s where "
		    "its bytes are not known. Overhead: below %.0f %%.",
		    page->page.opts.is_ascii ? ">=" : "\342\211\245", 100 * MODEL_OVERHEAD);
	if (has_any && model_was_busy(page->analysis))
		page_text(&page->page, 2, TABLE_PLAIN,
			  "Other programs used this machine at the same time: its peaks may be higher than measured, "
			  "and the shares of "
			  "the possible lower.");
}
