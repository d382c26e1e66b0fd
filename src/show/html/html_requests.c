// SPDX-License-Identifier: Apache-2.0
/* Requests by name, and the slowest of each: what their time outside of inferences was. */
#include "show/html/html_model.h"
#include "show/words/request_words.h"

enum { NAME = 60, MOST_ROWS = 40 };

static void put_row(struct table *table, const struct summary *summary, const struct summary_request *request)
{
	uint64_t begin_ns = summary->recording.begin_ns;
	const char *name = names_text(summary->names, request->name);

	table_cell(table, TABLE_PLAIN, "%s", printable_text(name, strlen(name), NAME, false).s);
	if (request->begin_ns)
		table_cell(table, TABLE_PLAIN, "at %s", units_duration((double)(request->begin_ns - begin_ns)).s);
	else
		table_cell(table, TABLE_PLAIN, "%s", units_count(request->n).s);
	table_cell(table, TABLE_PLAIN, "%s", request_words(summary, request, false).s);
}

void html_requests(struct html_page *page)
{
	const struct summary *summary = page->summary;
	struct table table = { 0 };

	if (!summary->n_requests)
		return;
	html_section(
	    page, "requests", "Requests",
	    "Slices of the program's own around inferences: the mean of each name, then its slowest ones. What "
	    "was done outside of inferences is by samples of the thread.");
	table_column(&table, "name", TABLE_LEFT);
	table_column(&table, "requests", TABLE_RIGHT);
	table_column(&table, "time", TABLE_LEFT);
	for (uint32_t i = 0; i < summary->n_requests && i < MOST_ROWS; i++)
		put_row(&table, summary, &summary->requests[i]);
	html_table_of(page->out, "Requests, and what their time was", &table);
	fputs("</section>\n", page->out);
}
