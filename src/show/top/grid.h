/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A grid of characters with styles, of a terminal's size: what a page is drawn into before it is shown. Knows no
 * terminal, so that tests read what was drawn.
 */
#ifndef SHOW_TOP_GRID_H
#define SHOW_TOP_GRID_H

#include <stdint.h>

enum grid_style {
	GRID_PLAIN,
	GRID_BOLD,
	GRID_DIM,
	GRID_GOOD,
	GRID_WARN,
	GRID_BAD,
	GRID_BAR,    /* sparklines and bars */
	GRID_HEAD,   /* the line of column names */
	GRID_SORTED, /* in it, the column that is sorted by */
	GRID_CHOSEN, /* the selected row */
	GRID_LABEL,  /* what a key does, in the last line */
	N_GRID_STYLES
};

struct grid_cell {
	char s[12];    /* UTF-8, with its marks; "": the second half of a wide character */
	uint8_t style; /* enum grid_style */
};

struct grid {
	int columns, rows;
	struct grid_cell *cell; /* row after row */
};

/* Spaces. 0 or -ENOMEM. */
int grid_init(struct grid *grid, int columns, int rows);
void grid_done(struct grid *grid);

/*
 * Puts a text that is safe already (base/printable.h) at (x, y), at most `width` columns of it; what lies outside is
 * left out. Returns the column behind it.
 */
int grid_put(struct grid *grid, int x, int y, int width, enum grid_style style, const char *text);
/* The same, right-aligned in `width` columns. */
void grid_put_right(struct grid *grid, int x, int y, int width, enum grid_style style, const char *text);
/* Gives these cells a style and leaves what is in them. */
void grid_paint(struct grid *grid, int x, int y, int width, enum grid_style style);

#endif
