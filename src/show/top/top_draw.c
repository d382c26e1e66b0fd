// SPDX-License-Identifier: Apache-2.0
/* The page as a whole: header, tables or what stands in their place, footer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show/top/top_in.h"

static void draw_title(const struct top *top, struct grid *grid)
{
	struct live_interval last;
	char text[80] = "";
	int x = grid_put(grid, 0, 0, grid->columns, GRID_BOLD, "inftrace top");

	if (top->is_paused)
		snprintf(text, sizeof text, "paused");
	else if (live_interval(top->live, 0, &last))
		snprintf(text, sizeof text, "%u model%s, %s", top_rows_n(top), top_rows_n(top) == 1 ? "" : "s",
			 units_duration((double)(last.end_ns - last.begin_ns)).s);
	grid_put_right(grid, 0, 0, grid->columns, top->is_paused ? GRID_WARN : GRID_DIM, text);
	grid_put(grid, x + 2, 0, grid->columns - x - 4 - (int)strlen(text), GRID_PLAIN,
		 top_cells_text(top, top->what, 200).s);
}

static int draw_stuck(const struct top *top, struct grid *grid, int y)
{
	struct printable text = top_stuck_words(top);

	if (*text.s)
		grid_put(grid, 0, y, grid->columns, GRID_BAD, text.s);
	return y + (*text.s != 0);
}

/* The newest thing that cannot be seen of a program, with what to do about it. */
static int draw_warning(const struct top *top, struct grid *grid, int y)
{
	const struct top_help_lines lines = { 0, y, grid->rows < 20 ? 1 : 2, 0 };
	int n;

	for (uint32_t i = 0; i < live_n_notes(top->live); i++) {
		const struct live_note *note = live_note(top->live, i);

		if (note->kind != LIVE_NOTE_UNSEEN)
			continue;
		n = top_help_wrap(grid, &lines, GRID_WARN, top_cells_text(top, note->text, 900).s);
		if (n > lines.most)
			grid_put_right(grid, 0, y + lines.most - 1, grid->columns, GRID_WARN, " (F2: all)");
		return y + (n < lines.most ? n : lines.most);
	}
	return y;
}

static void add_figure(struct printable *line, const char *text)
{
	printable_add(line, "%s%s", *line->s ? "  " : "", text);
}

/* "python (42) may use 0.50 of 2 CPUs": of the chosen row, where these are not all. */
static void add_usable(const struct top *top, const struct live_model *model, struct printable *line)
{
	double usable = model ? live_process_usable(top->live, model->process, top->n_cpus) : NAN;
	struct printable text = { "" };

	if (!(usable < top->n_cpus))
		return;
	printable_add(&text, "%s (%d) may use ", top_cells_text(top, model->process_name, 30).s, (int)model->pid);
	printable_add(&text, "%s of %u CPUs", units_decimal(usable).s, top->n_cpus);
	add_figure(line, text.s);
}

static void draw_status(const struct top *top, struct grid *grid, int y, const struct live_model *chosen)
{
	const struct live_totals *totals = live_totals(top->live);
	struct printable line = { "" };
	char text[160];
	int x = 0;

	snprintf(text, sizeof text, "%s event%s lost", units_count(totals->n_lost).s, totals->n_lost == 1 ? "" : "s");
	x = grid_put(grid, 0, y, grid->columns, totals->n_lost ? GRID_BAD : GRID_DIM, text) + 2;
	add_usable(top, chosen, &line);
	if (!isnan(top->cost.cpu)) {
		snprintf(text, sizeof text, "own cost %s of a CPU, %s", units_percent(top->cost.cpu).s,
			 units_bytes((double)top->cost.bytes).s);
		add_figure(&line, text);
	}
	if (totals->n_sampled_out) {
		snprintf(text, sizeof text, "%s inferences only counted (--sample, --rate)",
			 units_count(totals->n_sampled_out).s);
		add_figure(&line, text);
	}
	if (totals->others.n) {
		snprintf(text, sizeof text, "%s inferences of other models", units_count(totals->others.n).s);
		add_figure(&line, text);
	}
	if (totals->gone.n) {
		snprintf(text, sizeof text, "%s of programs that ended", units_count(totals->gone.n).s);
		add_figure(&line, text);
	}
	if (totals->n_unplaced) {
		snprintf(text, sizeof text, "%s operators of no known inference", units_count(totals->n_unplaced).s);
		add_figure(&line, text);
	}
	if (totals->n_processes_left_out || totals->n_counters_left_out) {
		snprintf(text, sizeof text, "left out: %.40s, %.40s",
			 printable_count(totals->n_processes_left_out, "process").s,
			 printable_count(totals->n_counters_left_out, "counter").s);
		add_figure(&line, text);
	}
	if (top->n_bytes) {
		snprintf(text, sizeof text, "recording %s", units_bytes((double)top->n_bytes).s);
		add_figure(&line, text);
	}
	grid_put(grid, x, y, grid->columns - x, GRID_DIM, line.s);
}

static void draw_keys(const struct top *top, struct grid *grid, int y)
{
	static const struct {
		const char *key, *what;
	} keys[] = { { "F1", "Help" }, { "F2", "Notes" },  { "F3", "Search" }, { "F4", "Filter" }, { "F5", "Type" },
		     { "F6", "Sort" }, { "Spc", "Pause" }, { "Tab", "Table" }, { "o", "Write" },   { "F10", "Quit" } };
	int x = 0, n = sizeof keys / sizeof *keys;

	for (int i = 0; i < n; i++) {
		int width = (int)(strlen(keys[i].key) + strlen(keys[i].what)) + 1;
		bool is_last = i == n - 1;

		/* how to leave is always shown */
		if (!is_last && x + width > grid->columns - 8)
			continue;
		x = grid_put(grid, x, y, grid->columns, GRID_PLAIN, keys[i].key);
		grid_paint(grid, x, y, (int)strlen(keys[i].what) + 1, GRID_LABEL);
		x = grid_put(grid, x, y, grid->columns, GRID_LABEL,
			     !strcmp(keys[i].what, "Type") && top->is_by_type ? "Node" : keys[i].what) +
		    1;
	}
}

static void draw_prompt(const struct top *top, struct grid *grid, int y)
{
	bool is_search = top->mode == TOP_SEARCH;
	int x = grid_put(grid, 0, y, grid->columns, GRID_LABEL, is_search ? "Search:" : "Filter:") + 1;

	x = grid_put(grid, x, y, grid->columns, GRID_BOLD,
		     top_cells_text(top, is_search ? top->search : top->filter, 60).s);
	grid_put(grid, x, y, grid->columns, GRID_BOLD, "_");
	grid_put_right(grid, 0, y, grid->columns, GRID_DIM, is_search ? "F3 next  Enter  Esc" : "Enter  Esc: all");
}

static void draw_last(const struct top *top, struct grid *grid, int y)
{
	char text[TOP_TEXT + 40];

	if (top->mode == TOP_SEARCH || top->mode == TOP_FILTER) {
		draw_prompt(top, grid, y);
	} else if (*top->message) {
		grid_put(grid, 0, y, grid->columns, GRID_BOLD, top_cells_text(top, top->message, grid->columns).s);
	} else if (top->mode == TOP_TABLES && *top->filter) {
		draw_keys(top, grid, y);
		snprintf(text, sizeof text, " filter: %s ", top->filter);
		grid_put_right(grid, 0, y, grid->columns, GRID_WARN, top_cells_text(top, text, 30).s);
	} else if (top->mode == TOP_TABLES) {
		draw_keys(top, grid, y);
	} else {
		grid_put(grid, 0, y, grid->columns, GRID_LABEL,
			 top->mode == TOP_SORT ? "Enter: sort  Esc: back" : "any key: back   arrows: move");
	}
}

/* How many lines the models get: as many as they need, at most half. */
static int rows_of_models(const struct top_rows *list, int rows)
{
	int wanted = (list->n ? list->n : 1) + 1, half = rows / 2;

	if (rows < 8)
		return rows;
	if (wanted < 4)
		wanted = 4;
	return wanted < half ? wanted : half;
}

/* The chosen model; NULL: none is shown. */
static const struct live_model *draw_body(struct top *top, struct grid *grid, int y, int rows)
{
	static struct top_rows list;
	int models;

	switch (top->mode) {
	case TOP_HELP:
		top_help_draw(top, grid, y, rows);
		return NULL;
	case TOP_NOTES:
		top_notes_draw(top, grid, y, rows);
		return NULL;
	case TOP_SORT:
		top_sort_draw(top, grid, y, rows);
		return NULL;
	default:
		break;
	}
	top_rows_make(top, &list);
	/* it stays chosen, wherever its row goes */
	if (list.chosen >= 0)
		top->chosen = list.row[list.chosen].model->id;
	models = rows_of_models(&list, rows);
	top_table_models(top, grid, y, models, &list);
	if (list.chosen < 0)
		return NULL;
	if (rows - models > 3)
		top_table_operators(top, grid, y + models + 1, rows - models - 1, list.row[list.chosen].model);
	return list.row[list.chosen].model;
}

void top_draw(struct top *top, struct grid *grid)
{
	const struct live_model *chosen;
	int y = 1;

	if (grid->columns < TOP_LEAST_COLUMNS || grid->rows < TOP_LEAST_ROWS) {
		char text[80];

		snprintf(text, sizeof text, "inftrace top needs %dx%d", (int)TOP_LEAST_COLUMNS, (int)TOP_LEAST_ROWS);
		grid_put(grid, 0, 0, grid->columns, GRID_PLAIN, text);
		return;
	}
	draw_title(top, grid);
	if (grid->rows >= 10)
		y += top_meters_draw(top, grid, y, grid->rows / 6);
	y = draw_stuck(top, grid, y);
	y = draw_warning(top, grid, y);
	y += grid->rows >= 20;
	chosen = draw_body(top, grid, y, grid->rows - y - 2);
	draw_status(top, grid, grid->rows - 2, chosen);
	draw_last(top, grid, grid->rows - 1);
}
