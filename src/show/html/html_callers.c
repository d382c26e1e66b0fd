// SPDX-License-Identifier: Apache-2.0
/* Which lines of the program ask for a model's inferences: a sentence, or a table of several. */
#include "show/html/html_model.h"
#include "show/words/caller_words.h"

enum { MAX_ROWS = 50, MOST_OF_SESSIONS = 3 };

static void put_table(struct html_page *page, const struct summary_model *model)
{
	const struct summary_tally *tally = page->summary->tallies + model->tallies.first;
	struct table table = { 0 };

	table_column(&table, "line", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "inferences", TABLE_RIGHT);
	table_column(&table, "mean latency", TABLE_RIGHT);
	for (uint32_t i = 0; i < model->tallies.n && table_n_rows(&table) < MAX_ROWS; i++) {
		const char *caller = names_text(page->summary->names, tally[i].text);

		if (tally[i].key != KEY_CALLER)
			continue;
		table_cell(&table, TABLE_PLAIN, "%s", printable_text(caller, strlen(caller), 200, false).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(tally[i].n).s);
		table_cell(&table, TABLE_PLAIN, "%s",
			   tally[i].n_typical ? units_duration((double)tally[i].wall_ns / (double)tally[i].n_typical).s
					      : "-");
	}
	html_table_of(page->out, "Lines of the program that ask for inferences", &table);
}

static uint32_t count(const struct summary *summary, const struct summary_model *model)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < model->tallies.n; i++)
		n += summary->tallies[model->tallies.first + i].key == KEY_CALLER;
	return n;
}

void html_callers(struct html_page *page)
{
	const struct summary_model *model = &page->summary->models[page->model];
	struct printable runs = caller_words(page->summary, model, 1, false);
	struct printable sessions = caller_words_creation(page->summary, model, MOST_OF_SESSIONS, false);

	if (count(page->summary, model) > 1) {
		html_section(page, "callers", "Called from", "Lines of the program that ask for inferences.%s%s%s",
			     *sessions.s ? " Sessions are created from " : "", sessions.s, *sessions.s ? "." : "");
		put_table(page, model);
		fputs("</section>\n", page->out);
	} else if (*runs.s || *sessions.s) {
		html_paragraph(page, "%s%s%s%s%s.", *runs.s ? "Called from " : "", runs.s,
			       *runs.s && *sessions.s ? "; " : "",
			       !*sessions.s ? ""
			       : *runs.s    ? "created from "
					    : "Created from ",
			       sessions.s);
	}
}
