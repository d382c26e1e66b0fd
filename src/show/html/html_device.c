// SPDX-License-Identifier: Apache-2.0
/* Kernels and copies of devices in a whole recording: treemap, tables by type and name, and how busy each line was. */
#include <stdlib.h>

#include "show/html/html_model.h"
#include "show/words/kernel_words.h"

enum { MAX_ROWS = 40, COLUMNS = 120 };

static struct printable name_of(const struct html_page *page, uint32_t id, const char *none)
{
	return model_text(id ? names_text(page->summary->names, id) : none, COLUMNS, false);
}

static const char *type_of(const struct summary *summary, uint32_t op_type)
{
	return op_type ? names_text(summary->names, op_type) : "of no operator";
}

static void put_tree(struct html_page *page)
{
	const struct summary *summary = page->summary;
	struct html_leaf *leaf = calloc((size_t)summary->n_kernels + 1, sizeof *leaf);
	struct html_tree tree = { .title = "Kernels by type and name",
				  .what = "kernels",
				  .inside = "kernels",
				  .smaller = "smaller kernel",
				  .leaf = leaf,
				  .n = leaf ? summary->n_kernels : 0 };

	for (uint32_t i = 0; i < tree.n; i++) {
		const struct summary_kernel *kernel = &summary->kernels[i];

		leaf[i] = (struct html_leaf){ .name = names_text(summary->names, kernel->name),
					      .op_type = type_of(summary, kernel->op_type),
					      .ns = (double)kernel->duration.total_ns,
					      .n_calls = kernel->duration.n };
	}
	html_tree(page, &tree);
	free(leaf);
}

static double share(const struct summary *summary, uint64_t ns)
{
	return summary->kernels_ns ? (double)ns / (double)summary->kernels_ns : 0;
}

static void put_types(struct html_page *page)
{
	const struct summary *summary = page->summary;
	struct table table = { 0 };

	table_column(&table, "type", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "kernels", TABLE_RIGHT);
	table_column(&table, "time", TABLE_RIGHT);
	table_column(&table, "on the host", TABLE_RIGHT);
	table_column(&table, "share", TABLE_LEFT | TABLE_SHARE);
	for (uint32_t i = 0; i < summary->n_kernel_types && i < MAX_ROWS; i++) {
		const struct summary_kernel_type *type = &summary->kernel_types[i];
		uint64_t host_ns = kernel_host_ns(summary, type->op_type);

		table_cell(&table, TABLE_PLAIN, "%s", name_of(page, type->op_type, "of no operator").s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(type->n).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)type->total_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", host_ns ? units_duration((double)host_ns).s : "-");
		table_cell(&table, TABLE_PLAIN, "%s", units_percent(share(summary, type->total_ns)).s);
	}
	html_table_of(page->out, "By type of the operator that launched them, or their own", &table);
}

static void put_names(struct html_page *page)
{
	const struct summary *summary = page->summary;
	struct table table = { 0 };
	uint64_t so_far_ns = 0;

	table_column(&table, "kernel", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "type", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "calls", TABLE_RIGHT);
	table_column(&table, "time", TABLE_RIGHT);
	table_column(&table, "share", TABLE_LEFT | TABLE_SHARE);
	table_column(&table, "so far", TABLE_RIGHT);
	table_column(&table, "mean", TABLE_RIGHT);
	table_column(&table, "median", TABLE_RIGHT);
	table_column(&table, "p90", TABLE_RIGHT);
	table_column(&table, "longest", TABLE_RIGHT);
	for (uint32_t i = 0; i < summary->n_kernels && i < MAX_ROWS; i++) {
		const struct summary_kernel *kernel = &summary->kernels[i];

		so_far_ns += kernel->duration.total_ns;
		table_cell(&table, TABLE_PLAIN, "%s", name_of(page, kernel->name, "-").s);
		table_cell(&table, TABLE_PLAIN, "%s", name_of(page, kernel->op_type, "-").s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(kernel->duration.n).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)kernel->duration.total_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_percent(share(summary, kernel->duration.total_ns)).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_percent(share(summary, so_far_ns)).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration(kernel->duration.mean_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)kernel->duration.p50_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)kernel->duration.p90_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)kernel->duration.max_ns).s);
	}
	html_table_of(page->out, "By name", &table);
	if (summary->n_kernels > MAX_ROWS)
		html_paragraph(page, "%s more: see the JSON report.",
			       printable_count(summary->n_kernels - MAX_ROWS, "name").s);
}

static void put_streams(struct html_page *page)
{
	const struct summary *summary = page->summary;
	struct table table = { 0 };

	table_column(&table, "process", TABLE_RIGHT);
	table_column(&table, "stream", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "kernels", TABLE_RIGHT);
	table_column(&table, "kernels run", TABLE_RIGHT);
	table_column(&table, "copies", TABLE_RIGHT);
	table_column(&table, "idle", TABLE_RIGHT);
	table_column(&table, "in an inference", TABLE_RIGHT);
	table_column(&table, "share that is idle", TABLE_LEFT | TABLE_SHARE);
	table_column(&table, "gaps", TABLE_RIGHT);
	table_column(&table, "longest", TABLE_RIGHT);
	for (uint32_t i = 0; i < summary->n_streams && i < MAX_ROWS; i++)
		kernel_stream_row(&table, summary, &summary->streams[i],
				  name_of(page, summary->streams[i].name, "-").s);
	html_table_of(page->out, "Each line, between its first and its last kernel", &table);
}

static void put_cycles(struct html_page *page)
{
	const struct summary *summary = page->summary;
	double all = summary->all_cycles ? (double)summary->all_cycles : 1;
	struct table table = { 0 };

	table_column(&table, "node", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "calls", TABLE_RIGHT);
	table_column(&table, "cycles", TABLE_RIGHT);
	table_column(&table, "of a call", TABLE_RIGHT);
	table_column(&table, "share", TABLE_LEFT | TABLE_SHARE);
	for (uint32_t i = 0; i < summary->n_cycles && i < MAX_ROWS; i++) {
		const struct summary_cycles *node = &summary->cycles[i];

		table_cell(&table, TABLE_PLAIN, "%s", name_of(page, node->name, "-").s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(node->n).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(node->cycles).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(node->cycles / node->n).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_percent((double)node->cycles / all).s);
	}
	html_table_of(page->out,
		      "Nodes by cycles. Cycles give shares, not times: the number of cycles in a microsecond differs "
		      "between executions",
		      &table);
	if (summary->n_cycles > MAX_ROWS)
		html_paragraph(page, "%s more: see the JSON report.",
			       printable_count(summary->n_cycles - MAX_ROWS, "node").s);
}

static void put_models(struct html_page *page)
{
	const struct summary *summary = page->summary;
	struct table table = { 0 };

	table_column(&table, "model", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "inferences", TABLE_RIGHT);
	table_column(&table, "the device in them", TABLE_LEFT);
	for (uint32_t i = 0; i < summary->n_models && i < MAX_ROWS; i++) {
		const struct summary_runs *runs = &summary->models[i].runs;
		struct printable words = kernel_device_words(runs);

		if (!*words.s)
			continue;
		table_cell(&table, TABLE_PLAIN, "%s", name_of(page, summary->models[i].name, "-").s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(runs->device.n_runs).s);
		table_cell(&table, TABLE_PLAIN, "%s", words.s);
	}
	html_table_of(page->out, "In inferences of each model, but for first and failed ones", &table);
}

static bool has_device(const struct html_page *page)
{
	return page->summary->n_kernels || page->summary->n_cycles;
}

void html_device(struct html_page *page)
{
	if (!has_device(page))
		return;
	html_section(
	    page, "device", "Kernels of devices",
	    page->summary->n_kernels
		? "All of the recording, with those of first and failed inferences. A line is a stream of a device, or "
		  "a lane of kernels that run side by side; it is idle where it runs none: in an inference, until the "
		  "next kernel has been launched, or between inferences."
		: "All of the recording, with those of first and failed inferences.");
	if (page->summary->n_kernels) {
		put_tree(page);
		put_models(page);
		put_types(page);
		put_names(page);
		put_streams(page);
		if (page->summary->n_device_clocks)
			fprintf(page->out, "<p>%s</p>\n", kernel_clock_words(page->summary).s);
	}
	if (page->summary->n_cycles)
		put_cycles(page);
	fputs("</section>\n", page->out);
}
