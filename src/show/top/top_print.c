// SPDX-License-Identifier: Apache-2.0
/* The page as plain lines, for a pipe or a file: one block an interval, without cursor and colour. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text/table.h"
#include "show/top/top_in.h"

enum { OPERATORS = 5, NAMES = 30 };

static void print_models(const struct top *top, const struct top_rows *list, FILE *out, int width)
{
	struct table table = { .indent = 2, .width = width, .is_ascii = top->is_ascii };

	for (int i = 0; i < N_TOP_COLUMNS; i++)
		if (top_rows_have(list, (enum top_column)i))
			table_column(&table, top_fields[i].title,
				     (top_fields[i].is_right ? TABLE_RIGHT : TABLE_LEFT) |
					 (i == TOP_MODEL ? TABLE_SHRINKS : 0));
	for (int i = 0; i < list->n; i++)
		for (int column = 0; column < N_TOP_COLUMNS; column++) {
			struct printable cell = top_rows_cell(top, &list->row[i], (enum top_column)column, NAMES);

			if (top_rows_have(list, (enum top_column)column))
				table_cell(&table, TABLE_PLAIN, "%s", *cell.s ? cell.s : "-");
		}
	table_print(&table, out);
}

static void print_operators(const struct top *top, const struct live_model *model, FILE *out)
{
	int n;
	const struct live_operator **list = top_operators_sort(top, model, &n);
	struct printable deferred = top_operators_deferred(top, model);

	for (int i = 0; i < n && i < OPERATORS && list[i]->window_n; i++)
		fprintf(out, "  %s %s %s %s, %s/s, %s\n", top_cells_text(top, model->name, NAMES).s,
			top_operators_cell(top, model, list[i], TOP_SHARE, NAMES).s,
			top_operators_cell(top, model, list[i], TOP_TYPE, NAMES).s,
			top_operators_cell(top, model, list[i], TOP_NODE, NAMES).s,
			top_operators_cell(top, model, list[i], TOP_CALLS, NAMES).s,
			top_operators_cell(top, model, list[i], TOP_MEAN, NAMES).s);
	if (n && list[0]->window_n && *deferred.s)
		fprintf(out, "  %s: %s\n", top_cells_text(top, model->name, NAMES).s, deferred.s);
}

void top_print(struct top *top, FILE *out, int width)
{
	static struct top_rows list;
	const struct live_totals *totals = live_totals(top->live);
	time_t now = time(NULL);
	struct tm local;
	char clock[32] = "";

	top_rows_make(top, &list);
	if (localtime_r(&now, &local))
		strftime(clock, sizeof clock, "%H:%M:%S", &local);
	fprintf(out, "%s  %s\n", clock, top_meters_text(top).s);
	if (list.n)
		print_models(top, &list, out, width);
	else
		fprintf(out, "  %s\n",
			live_n_processes(top->live) ? "no model has run yet"
						    : "waiting for a program that loads a runtime");
	for (int i = 0; i < list.n && i < 3; i++)
		print_operators(top, list.row[i].model, out);
	if (*top_stuck_words(top).s)
		fprintf(out, "  %s\n", top_stuck_words(top).s);
	if (totals->n_lost)
		fprintf(out, "  %s events lost\n", units_count(totals->n_lost).s);
	for (uint32_t i = 0; i < live_n_notes(top->live); i++)
		if (live_note(top->live, i)->kind == LIVE_NOTE_UNSEEN) {
			fprintf(out, "  not seen: %s\n", top_cells_text(top, live_note(top->live, i)->text, 400).s);
			break;
		}
	fputc('\n', out);
}
