// SPDX-License-Identifier: Apache-2.0
/* Processes, and the runtimes in them. */
#include <string.h>

#include "show/text/page.h"

enum { MAX_ROWS = 20 };

static void put_end(struct table *table, const struct summary_process *process)
{
	if (process->signal > 0)
		table_cell(table, TABLE_RED, "killed by %s", page_signal(process->signal).s);
	else if (process->exit_status >= 0)
		table_cell(table, process->exit_status ? TABLE_RED : TABLE_PLAIN, "exited %lld",
			   (long long)process->exit_status);
	else
		table_cell(table, TABLE_DIM, "%s", process->exit_ns ? "ended" : "still running");
}

static void put_process(const struct page *page, struct table *table, const struct summary_process *process)
{
	uint32_t name = process->command ? process->command : process->exe ? process->exe : process->name;

	if (process->pid < 0)
		table_cell(table, TABLE_DIM, "?");
	else
		table_cell(table, TABLE_PLAIN, "%d", process->pid);
	table_cell(table, TABLE_PLAIN, "%s", page_name(page, name, 200).s);
	table_cell(table, TABLE_PLAIN, "%s", units_count(process->n_sessions).s);
	table_cell(table, TABLE_PLAIN, "%s", units_count(process->n_inferences).s);
	put_end(table, process);
}

static void print_runtimes(const struct page *page, uint32_t process)
{
	const struct summary *summary = page->summary;

	for (uint32_t i = 0; i < summary->n_runtimes; i++) {
		const struct summary_runtime *runtime = &summary->runtimes[i];
		struct printable head;

		if (runtime->process != process)
			continue;
		head = page_name(page, runtime->runtime, 30);
		printable_add(&head, " %s", page_name(page, runtime->version, 30).s);
		if (process != SUMMARY_NONE)
			printable_add(&head, " in %d", summary->processes[process].pid);
		page_text(page, 2, TABLE_PLAIN, "%s: %s", head.s,
			  page_name(page, runtime->path, page->opts.width - printable_width(head.s) - 4).s);
		if (runtime->armed)
			page_text(page, 4, TABLE_DIM, "seen: %s", page_name(page, runtime->armed, 400).s);
		if (runtime->left_out)
			page_text(page, 4, TABLE_RED, "not seen: %s", page_name(page, runtime->left_out, 400).s);
	}
}

/* Most active ones first: those with inferences, then the others in their order. */
static uint32_t nth(const struct summary *summary, uint32_t n)
{
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < summary->n_processes; i++)
			if ((summary->processes[i].n_inferences == 0) == pass && !n--)
				return i;
	return 0;
}

void text_processes(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);
	uint32_t n = page->opts.is_all || summary->n_processes < MAX_ROWS ? summary->n_processes : MAX_ROWS;

	if (!summary->n_processes)
		return;
	page_heading(page, "Processes");
	table_column(&table, "pid", TABLE_RIGHT);
	table_column(&table, "command", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "sessions", TABLE_RIGHT);
	table_column(&table, "inferences", TABLE_RIGHT);
	table_column(&table, "end", TABLE_LEFT);
	for (uint32_t i = 0; i < n; i++)
		put_process(page, &table, &summary->processes[nth(summary, i)]);
	table_print(&table, page->out);
	if (n < summary->n_processes)
		page_text(page, 2, TABLE_DIM, "and %s more (--all shows them)",
			  printable_count(summary->n_processes - n, "process").s);
	for (uint32_t i = 0; i < n; i++) {
		const struct summary_process *process = &summary->processes[nth(summary, i)];

		print_runtimes(page, nth(summary, i));
		if (process->state && !process->n_runtimes && process->pid >= 0)
			page_text(page, 4, TABLE_DIM, "%d: %s", process->pid, page_name(page, process->state, 300).s);
	}
	print_runtimes(page, SUMMARY_NONE);
}
