// SPDX-License-Identifier: Apache-2.0
/* Pages that stand in place of the tables: keys and columns, notes, the choice of a column. */
#include <stdio.h>
#include <string.h>

#include "show/top/top_in.h"

static const struct {
	const char *key, *what;
} help[] = {
	{ "", "Keys" },
	{ "arrows, j k", "choose a model, or an operator" },
	{ "PgUp PgDn Home End", "a page, the first, the last" },
	{ "Tab", "go to the other table" },
	{ "F1 ? h", "this page" },
	{ "F2 n", "notes: losses, what cannot be seen, messages" },
	{ "F3 /", "search: a row whose model, program, EP or PID fits" },
	{ "F4 \\", "filter: only such rows; Esc shows all again" },
	{ "F5 t", "operators by node, or by type" },
	{ "p", "a row for each process, or one for all that run a model" },
	{ "F6 < > s", "choose the column to sort by; I reverses" },
	{ "Space", "pause: the figures stand still, sums go on" },
	{ "o", "write what is shown to a file, as JSON" },
	{ "Ctrl-L", "draw the page again" },
	{ "F10 q Ctrl-C", "quit" },
	{ "", "" },
	{ "", "Columns of models" },
	{ "PID", "x4: 4 processes of the program" },
	{ "EP", "execution provider: ran most, else asked for first" },
	{ "INF/S", "inferences that ended in the last interval, per second" },
	{ "MEDIAN P99", "of the last 10 intervals, within 1.6 %" },
	{ "TOK/S 1ST TOK", "tokens that generations made; median to the first one" },
	{ "BUSY%", "time in inferences: 200 is two at a time without a pause" },
	{ "CPU%", "of the whole process, 100 is one CPU" },
	{ "SESSIONS", "that exist" },
	{ "PHASE", "creating, loading, specialize (compile), running, idle, ended" },
	{ "TOTAL FAIL", "inferences, and failed ones, since top began" },
	{ "", "" },
	{ "", "Columns of operators" },
	{ "SHARE", "of the time of all its operators, last 10 intervals" },
	{ "CALLS/S TIME/CALL", "last 10 intervals; without operators inside it" },
	{ "TOTAL TIME", "since top began" },
	{ "", "" },
	{ "", "Resources are those of the whole machine. An empty cell is not known." },
};

enum { LINES = sizeof help / sizeof *help, KEYS = 20 };

/* Where the page begins when it has so many lines. */
static int first_of(struct top *top, int n, int rows)
{
	if (top->help_first > n - rows)
		top->help_first = n > rows ? n - rows : 0;
	return top->help_first;
}

void top_help_draw(struct top *top, struct grid *grid, int y, int rows)
{
	int first = first_of(top, LINES, rows);

	for (int i = 0; i < rows && first + i < LINES; i++) {
		const char *key = help[first + i].key, *what = help[first + i].what;

		grid_put(grid, 1, y + i, KEYS, GRID_BOLD, key);
		grid_put(grid, *key ? KEYS + 1 : 1, y + i, grid->columns, *key ? GRID_PLAIN : GRID_BOLD, what);
	}
}

/* How many bytes of the text go on a line of so many columns. */
static size_t line_of(const char *text, int columns)
{
	size_t len = strlen(text), most = (size_t)(columns > 1 ? columns : 1);

	if (len <= most)
		return len;
	len = most;
	while (len > most / 2 && text[len] != ' ')
		len--;
	if (text[len] != ' ')
		len = most;
	while (len > 1 && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

int top_help_wrap(struct grid *grid, const struct top_help_lines *lines, enum grid_style style, const char *text)
{
	struct printable line;
	int n = 0;

	for (; *text; n++) {
		size_t len = line_of(text, grid->columns - lines->x - 1);

		snprintf(line.s, sizeof line.s, "%.*s", (int)len, text);
		if (n + lines->at >= 0 && n + lines->at < lines->most)
			grid_put(grid, lines->x, lines->y + lines->at + n, grid->columns, style, line.s);
		text += len;
		text += strspn(text, " ");
	}
	return n;
}

/* A note in as many lines as it needs; how many. */
static int draw_note(const struct top *top, struct grid *grid, const struct top_help_lines *lines,
		     const struct live_note *note)
{
	static const char *const kinds[] = { [LIVE_NOTE_INFO] = "",
					     [LIVE_NOTE_LOST] = "lost",
					     [LIVE_NOTE_UNSEEN] = "not seen",
					     [LIVE_NOTE_MISSING] = "missing" };
	static const enum grid_style styles[] = { GRID_PLAIN, GRID_BAD, GRID_WARN, GRID_DIM };
	struct printable text = { "" };

	if (note->kind == LIVE_NOTE_LOST)
		printable_add(&text, "%s events: ", units_count(note->n).s);
	else if (note->n > 1)
		printable_add(&text, "%s times: ", units_count(note->n).s);
	printable_add(&text, "%s", top_cells_text(top, note->text, 900).s);
	if (lines->at >= 0 && lines->at < lines->most)
		grid_put(grid, 1, lines->y + lines->at, 9, styles[note->kind], kinds[note->kind]);
	return top_help_wrap(grid, lines, GRID_PLAIN, text.s);
}

void top_notes_draw(struct top *top, struct grid *grid, int y, int rows)
{
	struct top_help_lines lines = { 11, y, rows, -top->help_first };

	for (uint32_t i = 0; i < live_n_notes(top->live); i++)
		lines.at += draw_note(top, grid, &lines, live_note(top->live, i));
	if (!live_n_notes(top->live))
		grid_put(grid, 1, y, grid->columns, GRID_DIM, "no notes: nothing was lost, and nothing is missing");
}

void top_sort_draw(struct top *top, struct grid *grid, int y, int rows)
{
	const struct top_field *fields = top->pane == TOP_MODELS ? top_fields : top_operator_fields;
	int n = top->pane == TOP_MODELS ? N_TOP_COLUMNS : N_TOP_OPERATORS;
	int first = top->sort_at >= rows - 1 ? top->sort_at - rows + 2 : 0;

	grid_put(grid, 1, y, grid->columns, GRID_BOLD, "Sort by (Enter; Esc leaves it as it is)");
	for (int i = first; i < n && i - first + 1 < rows; i++)
		grid_put(grid, 3, y + 1 + i - first, 14, i == top->sort_at ? GRID_CHOSEN : GRID_PLAIN, fields[i].title);
}
