// SPDX-License-Identifier: Apache-2.0
/* Whose memory: what the runtime's allocators gave to each session, and to which operators. */
#include "show/text/page.h"
#include "show/words/memory_words.h"

enum { MAX_SESSIONS = 8, MAX_DETAILS = 3 };

static void put_bytes(struct table *table, int64_t bytes)
{
	if (bytes < 0)
		table_cell(table, TABLE_PLAIN, "-");
	else
		table_cell(table, TABLE_PLAIN, "%s", units_bytes((double)bytes).s);
}

static bool is_shown(const struct page *page, const struct summary_memory *memory)
{
	return memory->model == SUMMARY_NONE || page_shows(page, memory->model);
}

static void put_session(const struct page *page, struct table *table, const struct summary_memory *memory)
{
	if (memory->session)
		table_cell(table, TABLE_PLAIN, "%lld", (long long)memory->session);
	else
		table_cell(table, TABLE_PLAIN, "none");
	table_cell(table, TABLE_PLAIN, "%s", page_name(page, memory->name, 40).s);
	table_cell(table, TABLE_PLAIN, "%s", page_name(page, memory->device, 16).s);
	put_bytes(table, memory->peak);
	put_bytes(table, memory->held_peak);
	put_bytes(table, memory->in_use);
	put_bytes(table, memory_of_creation(memory));
	put_bytes(table, memory->packed);
	put_bytes(table, memory->runs);
	put_bytes(table, memory->held);
	table_cell(table, TABLE_DIM, "%s", memory->is_released ? "released" : "");
}

static void print_table(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);
	uint32_t n = 0, n_left = 0;

	table_column(&table, "session", TABLE_RIGHT);
	table_column(&table, "model", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "on", TABLE_LEFT);
	table_column(&table, "peak", TABLE_RIGHT);
	table_column(&table, "arena peak", TABLE_RIGHT);
	table_column(&table, "in use", TABLE_RIGHT);
	table_column(&table, "weights", TABLE_RIGHT);
	table_column(&table, "packed", TABLE_RIGHT);
	table_column(&table, "inferences", TABLE_RIGHT);
	table_column(&table, "arenas", TABLE_RIGHT);
	table_column(&table, "", TABLE_LEFT);
	for (uint32_t i = 0; i < summary->n_memory; i++) {
		if (!is_shown(page, &summary->memory[i]))
			continue;
		if (!page->opts.is_all && n == MAX_SESSIONS) {
			n_left++;
			continue;
		}
		put_session(page, &table, &summary->memory[i]);
		n++;
	}
	table_print(&table, page->out);
	if (n_left + summary->n_memory_left_out)
		page_text(page, 2, TABLE_DIM, "and %s more%s",
			  printable_count(n_left + summary->n_memory_left_out, "session").s,
			  n_left ? " (--all shows them)" : "");
}

static void print_details(const struct page *page, const struct summary_memory *memory)
{
	struct printable whose = memory_whose(page->summary, memory, page->opts.is_ascii);
	struct printable peak = memory_at_peak(page->summary, memory);
	struct printable holders = memory_holders(page->summary, memory, page->opts.is_ascii);
	int64_t n_more = memory->n_operators - (int64_t)memory->n_holders;

	if (*peak.s)
		page_text(page, 2, TABLE_PLAIN, "%s, when most was in use: %s", whose.s, peak.s);
	if (*holders.s)
		page_text(page, 2, TABLE_PLAIN, "its operators had %s at most: %s%s%s",
			  units_bytes((double)memory->operators_peak).s, holders.s, n_more > 0 ? " and less of " : "",
			  n_more > 0 ? printable_count((uint64_t)n_more, "other").s : "");
	if (memory->n_growths > 0)
		page_text(page, 2, TABLE_DIM, "its arenas grew %s",
			  printable_count((uint64_t)memory->n_growths, "time").s);
}

static void print_left(const struct page *page)
{
	const struct summary *summary = page->summary;
	uint32_t n = 0;

	for (uint32_t i = 0; i < summary->n_memory && n < MAX_SESSIONS; i++) {
		struct printable text = memory_left(summary, &summary->memory[i], page->opts.is_ascii);

		if (!*text.s || !is_shown(page, &summary->memory[i]))
			continue;
		page_text(page, 2, summary->memory[i].is_released ? TABLE_RED : TABLE_PLAIN, "%s", text.s);
		n++;
	}
}

static void print_processes(const struct page *page)
{
	const struct summary *summary = page->summary;

	for (uint32_t i = 0; i < summary->n_processes; i++) {
		struct printable text = memory_of_process(&summary->processes[i]);

		if (*text.s)
			page_text(page, 2, TABLE_PLAIN, "process %d: %s", summary->processes[i].pid, text.s);
	}
}

void text_memory(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct printable missing = memory_missing(summary), doubt[MEMORY_DOUBTS];
	unsigned n_doubts = memory_doubts(summary, doubt);
	uint32_t n = 0;

	if (*missing.s && !summary->n_inferences)
		return;
	page_heading(page, "Memory of sessions, from the runtime's allocators%s",
		     *missing.s ? "" : " (peaks, then at the end or release)");
	if (*missing.s) {
		page_text(page, 2, TABLE_DIM, "not known: %s", missing.s);
		return;
	}
	print_table(page);
	for (uint32_t i = 0; i < summary->n_memory && n < MAX_DETAILS; i++)
		if (is_shown(page, &summary->memory[i]) && summary->memory[i].session) {
			print_details(page, &summary->memory[i]);
			n++;
		}
	print_left(page);
	print_processes(page);
	for (unsigned i = 0; i < n_doubts; i++)
		page_text(page, 2, TABLE_RED, "%s", doubt[i].s);
}
