// SPDX-License-Identifier: Apache-2.0
/* Whose memory: what the runtime's allocators gave to each session. */
#include "show/html/html_model.h"
#include "show/words/memory_words.h"

enum { MAX_ROWS = 30, MAX_DETAILS = 3 };

static void put_bytes(struct table *table, int64_t bytes)
{
	if (bytes < 0)
		table_cell(table, TABLE_PLAIN, "-");
	else
		table_cell(table, TABLE_PLAIN, "%s", units_bytes((double)bytes).s);
}

static void put_table(struct html_page *page)
{
	static const char *const columns[] = { "in use at most", "arenas at most", "in use at the end",
					       "weights",	 "packed",	   "of inferences",
					       "arenas" };
	const struct summary *summary = page->summary;
	struct table table = { 0 };

	table_column(&table, "whose", TABLE_LEFT);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		table_column(&table, columns[i], TABLE_RIGHT);
	for (uint32_t i = 0; i < summary->n_memory && i < MAX_ROWS; i++) {
		const struct summary_memory *memory = &summary->memory[i];

		table_cell(&table, TABLE_PLAIN, "%s%s", memory_whose(summary, memory, false).s,
			   memory->is_released ? " (released)" : "");
		put_bytes(&table, memory->peak);
		put_bytes(&table, memory->held_peak);
		put_bytes(&table, memory->in_use);
		put_bytes(&table, memory_of_creation(memory));
		put_bytes(&table, memory->packed);
		put_bytes(&table, memory->runs);
		put_bytes(&table, memory->held);
	}
	html_table_of(page->out, "Memory of sessions", &table);
	if (summary->n_memory > MAX_ROWS)
		html_paragraph(page, "%s more: see the JSON report.",
			       printable_count(summary->n_memory - MAX_ROWS, "session").s);
}

static void put_details(struct html_page *page, const struct summary_memory *memory)
{
	const struct summary *summary = page->summary;
	struct printable peak = memory_at_peak(summary, memory), holders = memory_holders(summary, memory, false);

	if (*peak.s)
		html_paragraph(page, "%s, when most was in use: %s.", memory_whose(summary, memory, false).s, peak.s);
	if (*holders.s)
		html_paragraph(page, "Its operators had %s at most: %s.", units_bytes((double)memory->operators_peak).s,
			       holders.s);
}

void html_allocators(struct html_page *page)
{
	const struct summary *summary = page->summary;
	struct printable missing = memory_missing(summary), doubt[MEMORY_DOUBTS];
	unsigned n_doubts = memory_doubts(summary, doubt);

	if (*missing.s && !summary->n_inferences)
		return;
	html_section(page, "allocators", "Memory of sessions", "%s%s%s",
		     *missing.s ? "Not known: " : "What the runtime's allocators gave, and what was given back",
		     missing.s, ".");
	if (!*missing.s)
		put_table(page);
	for (uint32_t i = 0; i < summary->n_memory && i < MAX_DETAILS; i++)
		put_details(page, &summary->memory[i]);
	for (uint32_t i = 0; i < summary->n_memory && i < MAX_ROWS; i++)
		if (*memory_left(summary, &summary->memory[i], false).s)
			html_paragraph(page, "%s.", memory_left(summary, &summary->memory[i], false).s);
	for (uint32_t i = 0; i < summary->n_processes && summary->n_memory; i++)
		if (*memory_of_process(&summary->processes[i]).s)
			html_paragraph(page, "Process %d: %s.", summary->processes[i].pid,
				       memory_of_process(&summary->processes[i]).s);
	for (unsigned i = 0; i < n_doubts && !*missing.s; i++)
		html_paragraph(page, "%s", doubt[i].s);
	fputs("</section>\n", page->out);
}
