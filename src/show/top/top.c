// SPDX-License-Identifier: Apache-2.0
/* What keys do to the state of the page. Draws nothing. */
#include <stdio.h>
#include <string.h>

#include "base/text/utf8.h"
#include "show/top/top_in.h"

void top_init(struct top *top, const struct live *live, const struct names *names, const char *what)
{
	*top = (struct top){ .live = live, .names = names, .what = what, .sort = TOP_RATE, .operator_sort = TOP_SHARE };
}

bool top_is_paused(const struct top *top)
{
	return top->is_paused;
}

static void choose(struct top *top, const struct top_rows *rows, int at)
{
	if (!rows->n)
		return;
	at = at < 0 ? 0 : at >= rows->n ? rows->n - 1 : at;
	if (top->chosen != rows->row[at].model->id)
		top->operator_at = top->operator_first = 0;
	top->chosen = rows->row[at].model->id;
}

/* How far a key moves; false: it does not. */
static bool step_of(uint32_t key, int page, int *step)
{
	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		*step = -1;
		return true;
	case TOP_KEY_DOWN:
	case 'j':
		*step = 1;
		return true;
	case TOP_KEY_PAGE_UP:
		*step = -(page > 1 ? page - 1 : 1);
		return true;
	case TOP_KEY_PAGE_DOWN:
		*step = page > 1 ? page - 1 : 1;
		return true;
	case TOP_KEY_HOME:
	case 'g':
		*step = -LIVE_OPERATORS;
		return true;
	case TOP_KEY_END:
	case 'G':
		*step = LIVE_OPERATORS;
		return true;
	default:
		return false;
	}
}

static bool move(struct top *top, uint32_t key)
{
	static struct top_rows rows;
	int step;

	if (!step_of(key, top->pane == TOP_MODELS ? top->page_rows : top->operator_rows, &step))
		return false;
	top_rows_make(top, &rows);
	if (top->pane == TOP_OPERATORS) {
		top->operator_at += step;
		if (top->operator_at < 0)
			top->operator_at = 0; /* the other end is known when it is drawn */
	} else {
		choose(top, &rows, rows.chosen + step);
	}
	return true;
}

/* The first row that fits from the chosen one on, or the next one behind it. */
static void find(struct top *top, bool is_next)
{
	static struct top_rows rows;

	top_rows_make(top, &rows);
	for (int i = is_next; i <= rows.n - !is_next && rows.n && *top->search; i++) {
		int at = (rows.chosen + i) % rows.n;
		if (top_rows_match(top, &rows.row[at], top->search)) {
			choose(top, &rows, at);
			return;
		}
	}
}

static void erase_last(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = 0;
}

static void add_character(char *text, uint32_t key)
{
	char one[5] = "";
	size_t n = utf8_encode(one, key), len = strlen(text);

	if (n && len + n < TOP_TEXT) {
		memcpy(text + len, one, n);
		text[len + n] = 0;
	}
}

static enum top_action type_text(struct top *top, uint32_t key)
{
	char *text = top->mode == TOP_SEARCH ? top->search : top->filter;

	if (key == TOP_KEY_ENTER || key == TOP_KEY_ESCAPE) {
		if (key == TOP_KEY_ESCAPE)
			*text = 0;
		top->mode = TOP_TABLES;
	} else if (top->mode == TOP_SEARCH && (key == TOP_KEY_F1 + 2 || key == TOP_KEY_DOWN)) {
		find(top, true);
	} else if (key == TOP_KEY_BACKSPACE) {
		erase_last(text);
	} else if (key >= ' ' && key != 0x7f && key < TOP_KEY_UP) {
		add_character(text, key);
	} else if (key >= TOP_KEY_UP) {
		return TOP_NOTHING;
	}
	if (top->mode == TOP_SEARCH)
		find(top, false);
	return TOP_DRAW;
}

static enum top_action choose_sort(struct top *top, uint32_t key)
{
	bool is_models = top->pane == TOP_MODELS;
	int n = is_models ? N_TOP_COLUMNS : N_TOP_OPERATORS, step;

	if (key == TOP_KEY_ENTER && is_models) {
		top->sort = (enum top_column)top->sort_at;
		top->is_ascending = !top_fields[top->sort].is_right || top->sort == TOP_PID;
	} else if (key == TOP_KEY_ENTER) {
		top->operator_sort = (enum top_operator_column)top->sort_at;
		top->is_operator_ascending = !top_operator_fields[top->operator_sort].is_right;
	}
	if (key == TOP_KEY_ENTER || key == TOP_KEY_ESCAPE || key == 'q') {
		top->mode = TOP_TABLES;
		return TOP_DRAW;
	}
	if (!step_of(key, n, &step))
		return TOP_NOTHING;
	top->sort_at += step;
	top->sort_at = top->sort_at < 0 ? 0 : top->sort_at >= n ? n - 1 : top->sort_at;
	return TOP_DRAW;
}

static enum top_action turn_page(struct top *top, uint32_t key)
{
	int step;

	if (!step_of(key, 10, &step)) {
		top->mode = TOP_TABLES;
		return TOP_DRAW;
	}
	top->help_first = top->help_first + step < 0 ? 0 : top->help_first + step;
	return TOP_DRAW;
}

static void enter(struct top *top, enum top_mode mode)
{
	top->mode = mode;
	top->help_first = 0;
	top->sort_at = top->pane == TOP_MODELS ? (int)top->sort : (int)top->operator_sort;
	if (mode == TOP_SEARCH)
		*top->search = 0;
}

static void reverse(struct top *top)
{
	if (top->pane == TOP_MODELS)
		top->is_ascending = !top->is_ascending;
	else
		top->is_operator_ascending = !top->is_operator_ascending;
}

static enum top_action press(struct top *top, uint32_t key)
{
	switch (key) {
	case 'q':
	case TOP_KEY_F10:
		return TOP_QUIT;
	case '?':
	case 'h':
	case TOP_KEY_F1:
		enter(top, TOP_HELP);
		break;
	case 'n':
	case TOP_KEY_F1 + 1:
		enter(top, TOP_NOTES);
		break;
	case '/':
	case TOP_KEY_F1 + 2:
		enter(top, TOP_SEARCH);
		break;
	case '\\':
	case TOP_KEY_F1 + 3:
		enter(top, TOP_FILTER);
		break;
	case 't':
	case TOP_KEY_F1 + 4:
		top->is_by_type = !top->is_by_type;
		top->operator_at = top->operator_first = 0;
		break;
	case '<':
	case '>':
	case 's':
	case TOP_KEY_F1 + 5:
		enter(top, TOP_SORT);
		break;
	case 'p':
		top->is_by_process = !top->is_by_process;
		top->chosen = 0;
		break;
	case 'I':
		reverse(top);
		break;
	case 'o':
		return TOP_WRITE;
	case ' ':
		top->is_paused = !top->is_paused;
		break;
	case TOP_KEY_TAB:
		top->pane = top->pane == TOP_MODELS ? TOP_OPERATORS : TOP_MODELS;
		break;
	case TOP_KEY_ESCAPE:
		*top->filter = *top->search = 0;
		break;
	case TOP_KEY_REDRAW:
		return TOP_REDRAW;
	default:
		return move(top, key) ? TOP_DRAW : TOP_NOTHING;
	}
	return TOP_DRAW;
}

enum top_action top_key(struct top *top, uint32_t key)
{
	*top->message = 0;
	switch (top->mode) {
	case TOP_SEARCH:
	case TOP_FILTER:
		return type_text(top, key);
	case TOP_SORT:
		return choose_sort(top, key);
	case TOP_HELP:
	case TOP_NOTES:
		return key == TOP_KEY_REDRAW ? TOP_REDRAW : key == TOP_KEY_F10 ? TOP_QUIT : turn_page(top, key);
	default:
		return press(top, key);
	}
}
