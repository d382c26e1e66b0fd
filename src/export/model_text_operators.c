// SPDX-License-Identifier: Apache-2.0
/* Operators of a model's runs side by side, where they ran, and what bounds them, as text. */
#include "export/model_page.h"

#include <string.h>

enum { MAX_TYPES = 12, MAX_NODES = 20, MAX_BOUNDS = 12 };

static bool has_operators(const struct model_page *page, const struct model_span *span)
{
	for (uint32_t r = span->first; r < span->end; r++)
		if (page->report->results[r].n_operators)
			return true;
	return false;
}

static uint32_t n_shown(const struct model_page *page, uint32_t n, uint32_t n_most)
{
	return page->page.opts.is_all || n <= n_most + 1 ? n : n_most;
}

static void put_placements(const struct model_page *page, struct table *table, uint32_t r)
{
	const struct model_result *result = &page->report->results[r];
	const struct model_reach *reach = &page->analysis->comparison.reach[r];
	double total_ns = 0;

	for (uint32_t i = 0; i < result->n_placements; i++)
		total_ns += result->placements[i].share_ns;
	for (uint32_t i = 0; i < result->n_placements; i++) {
		const struct model_placement *place = &result->placements[i];
		bool is_own = model_is_provider(result->provider, place->provider);

		table_cell(table, TABLE_PLAIN, "%s", i ? "" : page->label[r].s);
		table_cell(table, is_own ? TABLE_BOLD : TABLE_PLAIN, "%s",
			   model_provider(place->provider, 30, page->page.opts.is_ascii).s);
		table_cell(table, TABLE_PLAIN, "%s",
			   place->n_nodes < 0 ? "-" : units_count((uint64_t)place->n_nodes).s);
		/* with two providers at most, the nodes of the model that are not one's are the other's */
		if (!page->report->model.n_listed || result->n_placements > 2)
			table_cell(table, TABLE_PLAIN, "%s", "");
		else
			table_cell(table, TABLE_PLAIN, "%u", is_own ? reach->n_own_nodes : reach->n_other_nodes);
		table_cell(table, TABLE_PLAIN, "%s", total_ns > 0 ? units_percent(place->share_ns / total_ns).s : "-");
	}
}

void model_text_placement(const struct model_page *page)
{
	struct table table = page_table(&page->page);

	page_heading(&page->page, "Where nodes ran");
	table_column(&table, "", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "provider", TABLE_LEFT);
	table_column(&table, "operators", TABLE_RIGHT);
	table_column(&table, "the model's nodes", TABLE_RIGHT);
	table_column(&table, "share", TABLE_RIGHT);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		put_placements(page, &table, r);
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

static void print_types(const struct model_page *page, const struct model_span *span)
{
	const struct model_comparison *comparison = &page->analysis->comparison;
	uint32_t n = n_shown(page, comparison->n_types, MAX_TYPES);
	struct table table = page_table(&page->page);

	table_column(&table, "type", TABLE_LEFT | TABLE_SHRINKS);
	model_page_columns(page, &table, span);
	for (uint32_t i = 0; i < n; i++) {
		const struct model_type_row *row = &comparison->types[i];

		table_cell(&table, TABLE_PLAIN, "%s", model_page_text(page, row->op_type, 60).s);
		for (uint32_t r = span->first; r < span->end; r++) {
			if (isnan(row->share_ns[r]))
				table_cell(&table, TABLE_DIM, "-");
			else
				table_cell(&table, TABLE_PLAIN, "%s (%u)", units_duration(row->share_ns[r]).s,
					   row->n_operators[r]);
		}
	}
	table_print(&table, page->page.out);
	if (n < comparison->n_types)
		page_text(&page->page, 2, TABLE_DIM, "%u other types (--all)", comparison->n_types - n);
}

void model_text_types(const struct model_page *page)
{
	struct model_span span = { 0, 0 };
	bool has_heading = false;

	while (model_page_next(page, &span)) {
		if (!has_operators(page, &span))
			continue;
		if (!has_heading)
			page_heading(&page->page, "Operators by type: time of one inference (how many)");
		has_heading = true;
		print_types(page, &span);
	}
}

static void put_join(const struct model_page *page, struct table *table, const struct model_row *row, uint32_t r)
{
	const struct model_join *join = &row->join[r];
	const struct model_result *result = &page->report->results[r];
	uint32_t n = join->how == MODEL_NOT_RUN ? 0 : page->analysis->comparison.n_nodes_of[r][join->at];

	switch (join->how) {
	case MODEL_SAME:
	case MODEL_RENAMED:
		if (n > 1 && row->node != MODEL_NONE)
			table_cell(table, TABLE_PLAIN, "%s [%u]", units_duration(result->operators[join->at].mean_ns).s,
				   n);
		else
			table_cell(table, TABLE_PLAIN, "%s", units_duration(result->operators[join->at].mean_ns).s);
		break;
	case MODEL_FUSED:
		table_cell(table, TABLE_DIM, "fused");
		break;
	case MODEL_INSIDE:
		table_cell(table, TABLE_DIM, "subgraph");
		break;
	case MODEL_NOT_RUN:
		table_cell(table, TABLE_DIM, result->n_operators ? "-" : "?");
		break;
	}
}

static void print_nodes(const struct model_page *page, const struct model_span *span)
{
	const struct model_comparison *comparison = &page->analysis->comparison;
	uint32_t n = n_shown(page, comparison->n_rows, MAX_NODES);
	struct table table = page_table(&page->page);

	table_column(&table, "node", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "type", TABLE_LEFT | TABLE_SHRINKS);
	model_page_columns(page, &table, span);
	for (uint32_t i = 0; i < n; i++) {
		const struct model_row *row = &comparison->rows[i];
		struct printable name = model_page_text(page, row->name, 100);

		if (row->node == MODEL_NONE && page->report->model.n_listed)
			printable_add(&name, " *");
		table_cell(&table, TABLE_PLAIN, "%s", name.s);
		table_cell(&table, TABLE_PLAIN, "%s", model_page_text(page, row->op_type, 40).s);
		for (uint32_t r = span->first; r < span->end; r++)
			put_join(page, &table, row, r);
	}
	table_print(&table, page->page.out);
	if (n < comparison->n_rows)
		page_text(&page->page, 2, TABLE_DIM, "%u others (--all)", comparison->n_rows - n);
}

void model_text_nodes(const struct model_page *page)
{
	struct model_span span = { 0, 0 };
	bool has_heading = false, has_loose = false;

	while (model_page_next(page, &span)) {
		if (!has_operators(page, &span))
			continue;
		if (!has_heading)
			page_heading(&page->page, "Operators by node of the model: mean of a call");
		has_heading = true;
		print_nodes(page, &span);
	}
	for (uint32_t r = 0; r < page->report->n_results; r++)
		has_loose |= page->report->model.n_listed && page->analysis->comparison.reach[r].n_unjoined;
	if (!has_heading)
		return;
	page_text(
	    &page->page, 2, TABLE_DIM,
	    "[n] stands for n nodes of the model; fused: part of such a one; subgraph: taken with others as a whole.");
	if (has_loose)
		page_text(&page->page, 2, TABLE_DIM,
			  "* made by the runtime, or its name does not tell which node it is.");
}

static void put_bound(const struct model_page *page, struct table *table, uint32_t r, uint32_t i)
{
	const struct model_operator *op = &page->report->results[r].operators[i];
	const struct model_bound *bound = &page->analysis->runs[r].bounds[i];

	table_cell(table, TABLE_PLAIN, "%s", model_page_text(page, model_operator_name(page->analysis, r, i), 60).s);
	table_cell(table, TABLE_PLAIN, "%s", model_page_text(page, op->op_type, 30).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration(op->mean_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", model_metric(bound->flops_per_s, "FLOP/s").s);
	table_cell(table, TABLE_PLAIN, "%s", model_metric(bound->bytes_per_s, "B/s").s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent(bound->share).s);
	table_cell(table, TABLE_PLAIN, "%s", bound->by == MODEL_BOUND_UNKNOWN ? "-" : model_bound_words(bound->by));
}

static void print_roof(const struct model_page *page, uint32_t r)
{
	const struct model_run *run = &page->analysis->runs[r];
	const struct model_bound_sums *sums = &run->bound_sums;
	uint32_t n = n_shown(page, run->result->n_operators, MAX_BOUNDS);
	static const char *const headers[] = { "", "type", "mean", "", "", "of possible", "bound by" };
	struct table table = page_table(&page->page);
	struct printable text = { "" };

	for (int by = 0; by < N_MODEL_BOUNDS; by++)
		if (sums->n[by])
			printable_add(&text, "%s%s %s", *text.s ? ", " : "", model_bound_words(by),
				      units_percent(sums->ns[by] / sums->total_ns).s);
	page_heading(&page->page, "What bounds the operators of %s: %s", page->label[r].s, text.s);
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		table_column(&table, headers[i], i < 2 ? TABLE_LEFT | TABLE_SHRINKS : i < 6 ? TABLE_RIGHT : TABLE_LEFT);
	for (uint32_t i = 0; i < n; i++)
		put_bound(page, &table, r, i);
	table_print(&table, page->page.out);
	if (n < run->result->n_operators)
		page_text(&page->page, 2, TABLE_DIM, "%u others (--all)", run->result->n_operators - n);
}

void model_text_roofline(const struct model_page *page)
{
	bool has_any = false;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_bound_sums *sums = &page->analysis->runs[r].bound_sums;

		if (!(sums->total_ns > sums->ns[MODEL_BOUND_UNKNOWN]))
			continue;
		print_roof(page, r);
		has_any = true;
	}
	if (has_any)
		page_text(&page->page, 2, TABLE_DIM,
			  "Of possible: the least time that this machine's peaks allow by the time it took. Overhead: "
			  "below %.0f %%.",
			  100 * MODEL_OVERHEAD);
}
