// SPDX-License-Identifier: Apache-2.0
/* Kernels and copies of devices: by type of the operator that launched them, by name, and how busy each line was. */
#include "show/text/page.h"
#include "show/words/kernel_words.h"

enum { BRIEF = 15, NAME_COLUMNS = 60 };

static double share(const struct page *page, uint64_t ns)
{
	return page->summary->kernels_ns ? (double)ns / (double)page->summary->kernels_ns : 0;
}

static uint32_t n_shown(const struct page *page, uint32_t n)
{
	uint32_t most = page->opts.n_top > 0 ? (uint32_t)page->opts.n_top : BRIEF;

	return page->opts.is_all || n < most ? n : most;
}

static void put_types(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);

	table_column(&table, "type", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME);
	table_column(&table, "kernels", TABLE_RIGHT);
	table_column(&table, "total", TABLE_RIGHT);
	table_column(&table, "on the host", TABLE_RIGHT);
	table_column(&table, "share", TABLE_LEFT | TABLE_SHARE);
	for (uint32_t i = 0; i < n_shown(page, summary->n_kernel_types); i++) {
		const struct summary_kernel_type *type = &summary->kernel_types[i];
		uint64_t host_ns = kernel_host_ns(summary, type->op_type);

		table_cell(&table, TABLE_PLAIN, "%s",
			   type->op_type ? page_name(page, type->op_type, NAME_COLUMNS).s : "of no operator");
		table_cell(&table, TABLE_PLAIN, "%s", units_count(type->n).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)type->total_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", host_ns ? units_duration((double)host_ns).s : "-");
		table_cell(&table, TABLE_PLAIN, "%s", units_percent(share(page, type->total_ns)).s);
	}
	table_print(&table, page->out);
}

static void put_names(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);
	uint64_t so_far_ns = 0;

	table_column(&table, "kernel", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME);
	table_column(&table, "type", TABLE_LEFT);
	table_column(&table, "calls", TABLE_RIGHT);
	table_column(&table, "total", TABLE_RIGHT);
	table_column(&table, "share", TABLE_RIGHT);
	table_column(&table, "so far", TABLE_RIGHT);
	table_column(&table, "mean", TABLE_RIGHT);
	table_column(&table, "max", TABLE_RIGHT);
	for (uint32_t i = 0; i < n_shown(page, summary->n_kernels); i++) {
		const struct summary_kernel *kernel = &summary->kernels[i];

		so_far_ns += kernel->duration.total_ns;
		table_cell(&table, TABLE_PLAIN, "%s", page_name(page, kernel->name, NAME_COLUMNS).s);
		table_cell(&table, TABLE_PLAIN, "%s", kernel->op_type ? page_name(page, kernel->op_type, 24).s : "");
		table_cell(&table, TABLE_PLAIN, "%s", units_count(kernel->duration.n).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)kernel->duration.total_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_percent(share(page, kernel->duration.total_ns)).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_percent(share(page, so_far_ns)).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration(kernel->duration.mean_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)kernel->duration.max_ns).s);
	}
	table_print(&table, page->out);
	if (summary->n_kernels_left_out)
		page_text(page, 2, TABLE_DIM, "and %s of other names",
			  printable_count(summary->n_kernels_left_out, "kernel").s);
}

static void put_streams(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);

	table_column(&table, "process", TABLE_RIGHT);
	table_column(&table, "stream", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME);
	table_column(&table, "kernels", TABLE_RIGHT);
	table_column(&table, "kernels run", TABLE_RIGHT);
	table_column(&table, "copies", TABLE_RIGHT);
	table_column(&table, "idle", TABLE_RIGHT);
	table_column(&table, "in an inference", TABLE_RIGHT);
	table_column(&table, "idle of it", TABLE_RIGHT);
	table_column(&table, "gaps", TABLE_RIGHT);
	table_column(&table, "longest", TABLE_RIGHT);
	for (uint32_t i = 0; i < n_shown(page, summary->n_streams); i++)
		kernel_stream_row(&table, summary, &summary->streams[i],
				  page_name(page, summary->streams[i].name, NAME_COLUMNS).s);
	table_print(&table, page->out);
}

static void put_cycles(const struct page *page)
{
	const struct summary *summary = page->summary;
	double all = summary->all_cycles ? (double)summary->all_cycles : 1;
	struct table table = page_table(page);

	page_heading(page, "Nodes on the device by cycles, in the whole recording");
	table_column(&table, "node", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME);
	table_column(&table, "calls", TABLE_RIGHT);
	table_column(&table, "cycles", TABLE_RIGHT);
	table_column(&table, "of a call", TABLE_RIGHT);
	table_column(&table, "share", TABLE_LEFT | TABLE_SHARE);
	for (uint32_t i = 0; i < n_shown(page, summary->n_cycles); i++) {
		const struct summary_cycles *node = &summary->cycles[i];

		table_cell(&table, TABLE_PLAIN, "%s", page_name(page, node->name, NAME_COLUMNS).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(node->n).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(node->cycles).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(node->cycles / node->n).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_percent((double)node->cycles / all).s);
	}
	table_print(&table, page->out);
	if (summary->n_cycles_left_out)
		page_text(page, 2, TABLE_DIM, "and %s of other names",
			  printable_count(summary->n_cycles_left_out, "call").s);
	page_text(page, 2, TABLE_DIM,
		  "Cycles give shares, not times: the number of cycles in a microsecond differs between executions.");
}

void text_cycles(const struct page *page)
{
	if (page->summary->n_cycles)
		put_cycles(page);
}

void text_kernels(const struct page *page)
{
	if (!page->summary->n_kernels)
		return;
	page_heading(page, "Kernels of devices, in the whole recording");
	put_types(page);
	page_text(page, 0, TABLE_PLAIN, "%s", "");
	put_names(page);
	page_text(page, 0, TABLE_PLAIN, "%s", "");
	put_streams(page);
	page_text(page, 2, TABLE_DIM,
		  "A line is idle between its first and its last kernel where it runs none: in an inference, until the "
		  "next kernel has been launched, or between inferences. On the host an operator launches its kernels: "
		  "that time is not its latency. Copies are those that are called memcpy or "
		  "memset.");
	if (page->summary->n_device_clocks)
		page_text(page, 2, TABLE_DIM, "%s", kernel_clock_words(page->summary).s);
}
