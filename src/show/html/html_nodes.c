// SPDX-License-Identifier: Apache-2.0
/* The nodes of a recording's model: what each takes of an inference, and how its calls are spread. */
#include "show/html/html_model.h"

enum { FIRST_ROWS = 30, MAX_ROWS = 400 };

static bool has_device(const struct summary *summary, const struct summary_model *model)
{
	const struct summary_operator *type = summary->types + model->types.first;

	for (uint32_t i = 0; i < model->types.n; i++)
		if (type[i].n_kernels)
			return true;
	return false;
}

static void put_columns(struct table *table, bool has_device)
{
	static const char *const spread[] = { "calls", "median", "mean", "p99", "max" };

	table_column(table, "node", TABLE_LEFT | TABLE_NAME);
	table_column(table, "type", TABLE_LEFT | TABLE_NAME);
	table_column(table, "share", TABLE_LEFT | TABLE_SHARE);
	table_column(table, "so far", TABLE_RIGHT);
	if (has_device)
		table_column(table, "on the device, each inference", TABLE_RIGHT);
	for (size_t i = 0; i < sizeof spread / sizeof *spread; i++)
		table_column(table, spread[i], TABLE_RIGHT);
}

/* n: inferences, if the table has the device's time; else 0. */
static void put_row(struct table *table, const struct summary *summary, const struct summary_operator *node,
		    double share, double so_far, uint64_t n)
{
	const struct summary_spread *duration = &node->duration;
	const uint64_t ns[] = { duration->p99_ns, duration->max_ns };

	table_cell(table, TABLE_PLAIN, "%s", html_name(names_text(summary->names, node->name)).s);
	table_cell(table, TABLE_PLAIN, "%s", html_name(names_text(summary->names, node->op_type)).s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent(share).s);
	table_cell(table, TABLE_DIM, "%s", units_percent(so_far).s);
	if (n)
		table_cell(table, TABLE_PLAIN, "%s",
			   node->n_kernels ? units_duration((double)node->device_ns / (double)n).s : "-");
	table_cell(table, TABLE_PLAIN, "%s", units_count(node->n).s);
	table_cell(table, TABLE_PLAIN, "%s", duration->n ? units_duration((double)duration->p50_ns).s : "-");
	table_cell(table, TABLE_PLAIN, "%s", duration->n ? units_duration(duration->mean_ns).s : "-");
	for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) /* of a single call all of them are the same */
		table_cell(table, TABLE_PLAIN, "%s", duration->n > 1 ? units_duration((double)ns[i]).s : "-");
}

/* Rows from first to end; *so_far: the share of those before. */
static void put_rows(struct html_page *page, uint32_t first, uint32_t end, double *so_far)
{
	const struct summary_model *model = &page->summary->models[page->model];
	const struct summary_operator *node = page->summary->nodes + model->nodes.first;
	bool is_on_device = has_device(page->summary, model);
	struct table table = { 0 };

	put_columns(&table, is_on_device);
	for (uint32_t i = first; i < end; i++) {
		double share = (double)node[i].share_ns / (double)model->coverage.wall_ns;

		*so_far += share;
		put_row(&table, page->summary, &node[i], share, *so_far, is_on_device ? model->coverage.n : 0);
	}
	html_table_of(page->out,
		      first ? "Nodes that take less" : "By node: share of the inferences' time, and of a call", &table);
}

void html_nodes(struct html_page *page)
{
	const struct summary_model *model = &page->summary->models[page->model];
	uint32_t n = model->nodes.n < MAX_ROWS ? model->nodes.n : MAX_ROWS;
	uint32_t n_first = n <= FIRST_ROWS + 5 ? n : FIRST_ROWS;
	double so_far = 0;

	if (!model->coverage.wall_ns)
		return;
	put_rows(page, 0, n_first, &so_far);
	if (n_first < n) {
		fprintf(page->out, "<details><summary>%s more of %s</summary>\n", units_count(n - n_first).s,
			units_count(model->nodes.n).s);
		put_rows(page, n_first, n, &so_far);
		fputs("</details>\n", page->out);
	}
	if (n < model->nodes.n)
		html_paragraph(page, "%s more are in the CSV and JSON exports.", units_count(model->nodes.n - n).s);
}
