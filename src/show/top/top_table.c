// SPDX-License-Identifier: Apache-2.0
/* The two tables: how wide their columns are in this terminal, and which rows of them are on the page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show/top/top_in.h"

enum { ROOMY = 100 };

/* clang-format off */
const struct top_field top_fields[N_TOP_COLUMNS] = {
	[TOP_PID]      = { "PID", 7, 0, 7, true },
	[TOP_PROGRAM]  = { "PROGRAM", 10, 0, 11, false },
	[TOP_MODEL]    = { "MODEL", 0, 12, 0, false },
	[TOP_RUNTIME]  = { "RUNTIME", 11, 0, 9, false },
	[TOP_PROVIDER] = { "EP", 6, 0, 8, false },
	[TOP_RATE]     = { "INF/S", 6, 0, 0, true },
	[TOP_MEDIAN]   = { "MEDIAN", 7, 0, 0, true },
	[TOP_P99]      = { "P99", 7, 0, 1, true },
	[TOP_TOKENS]   = { "TOK/S", 6, 0, 5, true },
	[TOP_FIRST]    = { "1ST TOK", 7, 0, 6, true },
	[TOP_BUSY]     = { "BUSY%", 5, 0, 12, true },
	[TOP_CPU]      = { "CPU%", 4, 0, 4, true },
	[TOP_SESSIONS] = { "SESSIONS", 8, 0, 13, true },
	[TOP_PHASE]    = { "PHASE", 10, 0, 10, false },
	[TOP_TOTAL]    = { "TOTAL", 7, 0, 3, true },
	[TOP_FAILED]   = { "FAIL", 5, 0, 2, true },
};

const struct top_field top_operator_fields[N_TOP_OPERATORS] = {
	[TOP_SHARE]  = { "SHARE", 6, 0, 0, true },
	[TOP_CALLS]  = { "CALLS/S", 7, 0, 3, true },
	[TOP_MEAN]   = { "TIME/CALL", 9, 0, 0, true },
	[TOP_TIME]   = { "TOTAL TIME", 10, 0, 4, true },
	[TOP_RAN_ON] = { "EP", 8, 0, 5, false },
	[TOP_TYPE]   = { "TYPE", 16, 0, 2, false },
	[TOP_NODE]   = { "NODE", 0, 12, 0, false },
};
/* clang-format on */

/* A column without room has no width. The one that is flexible gets what the others leave. */
static void top_table_layout(const struct top_field *fields, int n, int columns, int *widths)
{
	int used = -1, flexible = 0;

	for (int i = 0; i < n; i++) {
		widths[i] = fields[i].width + fields[i].least;
		used += widths[i] + (widths[i] > 0);
		if (fields[i].least)
			flexible = i;
	}
	while (used > columns) {
		int worst = -1;

		for (int i = 0; i < n; i++)
			if (widths[i] && fields[i].drop && (worst < 0 || fields[i].drop > fields[worst].drop))
				worst = i;
		if (worst < 0)
			break;
		used -= widths[worst] + 1;
		widths[worst] = 0;
	}
	if (used < columns)
		widths[flexible] += columns - used;
}

struct place {
	int x, y, width;
};

static void put(struct grid *grid, const struct place *at, bool is_right, enum grid_style style, const char *text)
{
	if (is_right)
		grid_put_right(grid, at->x, at->y, at->width, style, text);
	else
		grid_put(grid, at->x, at->y, at->width, style, text);
}

static void draw_titles(struct grid *grid, int y, const struct top_field *fields, int n, const int *widths, int sorted)
{
	int x = 0;

	grid_paint(grid, 0, y, grid->columns, GRID_HEAD);
	for (int i = 0; i < n; i++) {
		if (!widths[i])
			continue;
		grid_paint(grid, x, y, widths[i], i == sorted ? GRID_SORTED : GRID_HEAD);
		put(grid, &(struct place){ x, y, widths[i] }, fields[i].is_right, i == sorted ? GRID_SORTED : GRID_HEAD,
		    fields[i].title);
		x += widths[i] + 1;
	}
}

static enum grid_style style_of(const struct top_row *row, enum top_column column)
{
	if (row->model->phase == LIVE_OVER)
		return GRID_DIM;
	if (column == TOP_FAILED)
		return row->model->sum.n_failed ? GRID_BAD : GRID_DIM;
	if (column == TOP_PHASE)
		return row->model->phase == LIVE_RUNNING ? GRID_GOOD
		       : row->model->phase == LIVE_IDLE	 ? GRID_DIM
							 : GRID_WARN;
	if (column == TOP_RATE && row->rate > 0)
		return GRID_BOLD;
	return GRID_PLAIN;
}

static void draw_row(const struct top *top, struct grid *grid, int y, const struct top_row *row, const int *widths,
		     bool is_chosen)
{
	int x = 0;

	if (is_chosen)
		grid_paint(grid, 0, y, grid->columns, GRID_CHOSEN);
	for (int i = 0; i < N_TOP_COLUMNS; i++) {
		if (!widths[i])
			continue;
		put(grid, &(struct place){ x, y, widths[i] }, top_fields[i].is_right,
		    is_chosen ? GRID_CHOSEN : style_of(row, (enum top_column)i),
		    top_rows_cell(top, row, (enum top_column)i, widths[i]).s);
		x += widths[i] + 1;
	}
}

/* What stands where there is no row, as long as its line is. */
static void draw_nothing(const struct top *top, struct grid *grid, int y, const struct top_rows *list)
{
	char text[200];

	if (list->n_hidden)
		snprintf(text, sizeof text, "no model matches: %d hidden by the filter", list->n_hidden);
	else if (live_n_processes(top->live))
		snprintf(text, sizeof text, "no model has run since top began (n: notes)");
	else
		snprintf(text, sizeof text, "waiting for a program that loads a runtime");
	grid_put(grid, 0, y, grid->columns, GRID_DIM, text);
}

/* Moves what is on the page as little as possible. */
static void scroll(int *first, int at, int rows, int n)
{
	if (at >= 0 && at < *first)
		*first = at;
	if (at >= *first + rows)
		*first = at - rows + 1;
	if (*first > n - rows)
		*first = n - rows;
	if (*first < 0)
		*first = 0;
}

static bool has_failures(const struct top_rows *list)
{
	for (int i = 0; i < list->n; i++)
		if (list->row[i].model->sum.n_failed)
			return true;
	return false;
}

int top_table_models(struct top *top, struct grid *grid, int y, int rows, const struct top_rows *list)
{
	struct top_field fields[N_TOP_COLUMNS];
	int widths[N_TOP_COLUMNS], last;

	memcpy(fields, top_fields, sizeof fields);
	/* names are worth more than a column of zeros */
	if (!has_failures(list) && grid->columns < ROOMY)
		fields[TOP_FAILED].width = 0;
	for (int i = 0; i < N_TOP_COLUMNS; i++)
		if (!top_rows_have(list, (enum top_column)i))
			fields[i].width = 0;
	top_table_layout(fields, N_TOP_COLUMNS, grid->columns, widths);
	draw_titles(grid, y++, top_fields, N_TOP_COLUMNS, widths, (int)top->sort);
	rows--;
	top->page_rows = rows;
	scroll(&top->first, list->chosen, rows, list->n);
	if (!list->n)
		draw_nothing(top, grid, y, list);
	last = top->first + rows < list->n ? top->first + rows : list->n;
	for (int i = top->first; i < last; i++)
		draw_row(top, grid, y + i - top->first, &list->row[i], widths, i == list->chosen);
	return rows + 1;
}

static void draw_operator(const struct top *top, struct grid *grid, int y, const struct live_model *model,
			  const struct live_operator *op, const int *widths)
{
	int x = 0;

	for (int i = 0; i < N_TOP_OPERATORS; i++) {
		if (!widths[i])
			continue;
		put(grid, &(struct place){ x, y, widths[i] }, top_operator_fields[i].is_right,
		    i == TOP_SHARE ? GRID_BOLD : GRID_PLAIN,
		    top_operators_cell(top, model, op, (enum top_operator_column)i, widths[i]).s);
		x += widths[i] + 1;
	}
}

static void title_operators(const struct top *top, struct grid *grid, int y, const struct live_model *model, int n)
{
	char text[1200];

	snprintf(text, sizeof text, "Operators of %s by %s", top_cells_text(top, model->name, 40).s,
		 top->is_by_type ? "type" : "node");
	grid_put(grid, 0, y, grid->columns, top->pane == TOP_OPERATORS ? GRID_BOLD : GRID_PLAIN, text);
	snprintf(text, sizeof text, "%d %s%s%s, last %d intervals", n, top->is_by_type ? "type" : "node",
		 n == 1 ? "" : "s", model->other_nodes.n ? " and others" : "", (int)LIVE_WINDOW);
	if ((int)strlen(text) + 60 < grid->columns)
		grid_put_right(grid, 0, y, grid->columns, GRID_DIM, text);
}

/* Below the rows, where there is room for some of these as well; the lines that it takes. */
static int draw_deferred(const struct top *top, struct grid *grid, int end, int rows, const struct live_model *model)
{
	struct printable words = top_operators_deferred(top, model);
	struct top_help_lines lines = { 0, end, 0, 0 };
	int n;

	if (!*words.s)
		return 0;
	n = top_help_wrap(grid, &lines, GRID_DIM, words.s); /* counts only */
	if (rows < n + 4)
		return 0;
	lines = (struct top_help_lines){ 0, end - n, n, 0 };
	return top_help_wrap(grid, &lines, GRID_DIM, words.s);
}

int top_table_operators(struct top *top, struct grid *grid, int y, int rows, const struct live_model *model)
{
	struct top_field fields[N_TOP_OPERATORS];
	int n, widths[N_TOP_OPERATORS], shown = rows - 2;
	const struct live_operator **list = top_operators_sort(top, model, &n);

	if (!model || shown < 1)
		return 0;
	memcpy(fields, top_operator_fields, sizeof fields);
	if (top->is_by_type) {
		fields[TOP_NODE] = (struct top_field){ "", 0, 0, 0, false };
		fields[TOP_TYPE] = (struct top_field){ "TYPE", 0, 12, 0, false };
	}
	shown -= draw_deferred(top, grid, y + rows, rows, model);
	title_operators(top, grid, y, model, n);
	top_table_layout(fields, N_TOP_OPERATORS, grid->columns, widths);
	draw_titles(grid, y + 1, fields, N_TOP_OPERATORS, widths, (int)top->operator_sort);
	top->operator_rows = shown;
	if (top->operator_at >= n)
		top->operator_at = n ? n - 1 : 0;
	scroll(&top->operator_first, top->operator_at, shown, n);
	if (!n)
		grid_put(grid, 0, y + 2, grid->columns, GRID_DIM,
			 "none seen (level inference does not show operators)");
	for (int i = top->operator_first; i < n && i < top->operator_first + shown; i++) {
		draw_operator(top, grid, y + 2 + i - top->operator_first, model, list[i], widths);
		if (top->pane == TOP_OPERATORS && i == top->operator_at)
			grid_paint(grid, 0, y + 2 + i - top->operator_first, grid->columns, GRID_CHOSEN);
	}
	return rows;
}
