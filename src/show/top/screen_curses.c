// SPDX-License-Identifier: Apache-2.0
/* The terminal by ncursesw, which sends only what has changed. Knows nothing of what is shown. */
#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "show/top/keys.h"
#include "show/top/screen.h"

static SCREEN *screen;
static attr_t look[N_GRID_STYLES];

bool screen_is_built(void)
{
	return true;
}

static bool has_colour(void)
{
	const char *no_colour = getenv("NO_COLOR");

	return !(no_colour && *no_colour) && has_colors() && start_color() == OK && use_default_colors() == OK;
}

/* Without colour, bold and reverse alone. Whoever cannot tell colours apart has the words. */
static void choose_looks(void)
{
	static const short colours[N_GRID_STYLES][2] = { [GRID_GOOD] = { COLOR_GREEN, -1 },
							 [GRID_WARN] = { COLOR_YELLOW, -1 },
							 [GRID_BAD] = { COLOR_RED, -1 },
							 [GRID_BAR] = { COLOR_CYAN, -1 },
							 [GRID_HEAD] = { COLOR_BLACK, COLOR_GREEN },
							 [GRID_SORTED] = { COLOR_BLACK, COLOR_CYAN },
							 [GRID_CHOSEN] = { COLOR_BLACK, COLOR_CYAN },
							 [GRID_LABEL] = { COLOR_BLACK, COLOR_CYAN } };
	static const attr_t plain[N_GRID_STYLES] = {
		[GRID_BOLD] = A_BOLD,	   [GRID_DIM] = A_DIM,	    [GRID_WARN] = A_BOLD,
		[GRID_BAD] = A_BOLD,	   [GRID_HEAD] = A_REVERSE, [GRID_SORTED] = A_REVERSE | A_BOLD | A_UNDERLINE,
		[GRID_CHOSEN] = A_REVERSE, [GRID_LABEL] = A_REVERSE
	};
	bool is_coloured = has_colour();

	for (int i = 0; i < N_GRID_STYLES; i++) {
		look[i] = plain[i];
		if (!is_coloured || (!colours[i][0] && !colours[i][1]))
			continue;
		init_pair((short)(i + 1), colours[i][0], colours[i][1]);
		look[i] = (attr_t)COLOR_PAIR(i + 1) | (i == GRID_BAD || i == GRID_SORTED ? A_BOLD : 0);
	}
}

int screen_open(struct err *err)
{
	int code = screen_check(err);

	if (code)
		return code;
	setlocale(LC_CTYPE, "");
	use_env(TRUE);
	/* of an Escape that is alone: how long a sequence may take to come */
	set_escdelay(50);
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return err_set(err, ENOTTY, "cannot show the page: ncurses cannot use this terminal");
	set_term(screen);
	atexit(screen_close);
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	curs_set(0);
	choose_looks();
	screen_resize();
	return 0;
}

void screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

void screen_size(int *columns, int *rows)
{
	*columns = COLS;
	*rows = LINES;
}

void screen_resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row &&
	    is_term_resized(size.ws_row, size.ws_col))
		resizeterm(size.ws_row, size.ws_col);
}

void screen_paint(const struct grid *grid, bool is_all)
{
	if (is_all)
		clearok(curscr, TRUE);
	for (int y = 0; y < grid->rows && y < LINES; y++) {
		move(y, 0);
		for (int x = 0; x < grid->columns && x < COLS; x++) {
			const struct grid_cell *cell = &grid->cell[y * grid->columns + x];

			if (!*cell->s)
				continue;
			attrset((int)look[cell->style]);
			mvaddstr(y, x, cell->s);
		}
	}
	refresh();
}

static uint32_t named_key(wint_t key)
{
	static const struct {
		wint_t from;
		uint32_t to;
	} keys[] = { { KEY_UP, TOP_KEY_UP },	     { KEY_DOWN, TOP_KEY_DOWN },
		     { KEY_LEFT, TOP_KEY_LEFT },     { KEY_RIGHT, TOP_KEY_RIGHT },
		     { KEY_PPAGE, TOP_KEY_PAGE_UP }, { KEY_NPAGE, TOP_KEY_PAGE_DOWN },
		     { KEY_HOME, TOP_KEY_HOME },     { KEY_END, TOP_KEY_END },
		     { KEY_ENTER, TOP_KEY_ENTER },   { KEY_BACKSPACE, TOP_KEY_BACKSPACE } };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].from == key)
			return keys[i].to;
	if (key >= KEY_F(1) && key <= KEY_F(10))
		return TOP_KEY_F1 + (key - KEY_F(1));
	return TOP_KEY_REDRAW; /* such as KEY_RESIZE */
}

static uint32_t control_key(wint_t key)
{
	switch (key) {
	case '\t':
		return TOP_KEY_TAB;
	case '\r':
	case '\n':
		return TOP_KEY_ENTER;
	case 27:
		return TOP_KEY_ESCAPE;
	case 8:
	case 127:
		return TOP_KEY_BACKSPACE;
	case 12:
		return TOP_KEY_REDRAW;
	default:
		return key;
	}
}

uint32_t screen_key(void)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
	wint_t key;
	int got = get_wch(&key);

	if (got == KEY_CODE_YES)
		return named_key(key);
	if (got == OK)
		return control_key(key);
	/* readable, but nothing there: the terminal has hung up */
	if (poll(&in, 1, 0) > 0 && in.revents & (POLLHUP | POLLERR | POLLNVAL))
		return UINT32_MAX;
	return 0;
}
