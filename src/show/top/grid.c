// SPDX-License-Identifier: Apache-2.0
/* Cells, and texts that are put into them character by character. */
#include "show/top/grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/printable.h"
#include "base/text/utf8.h"

int grid_init(struct grid *grid, int columns, int rows)
{
	size_t n = (size_t)columns * (size_t)rows;

	*grid = (struct grid){ columns, rows, calloc(n ? n : 1, sizeof *grid->cell) };
	if (!grid->cell)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		grid->cell[i].s[0] = ' ';
	return 0;
}

void grid_done(struct grid *grid)
{
	free(grid->cell);
	*grid = (struct grid){ 0 };
}

static struct grid_cell *at(const struct grid *grid, int x, int y)
{
	return x >= 0 && y >= 0 && x < grid->columns && y < grid->rows ? &grid->cell[y * grid->columns + x] : NULL;
}

static int width_of(const char *text, size_t len)
{
	char one[8];

	memcpy(one, text, len);
	one[len] = 0;
	return printable_width(one);
}

/* A mark without a width of its own belongs to the character before it. */
static void add_mark(struct grid_cell *cell, const char *text, size_t len)
{
	size_t used = cell ? strlen(cell->s) : sizeof cell->s;

	if (used + len < sizeof cell->s)
		memcpy(cell->s + used, text, len + 1);
}

int grid_put(struct grid *grid, int x, int y, int width, enum grid_style style, const char *text)
{
	int end = x + width;

	while (*text) {
		size_t broken, len = utf8_char_len(text, strlen(text), &broken);
		struct grid_cell *cell = at(grid, x, y);
		char one[8] = "?";
		int columns = 1;

		if (len) {
			memcpy(one, text, len);
			one[len] = 0;
			columns = width_of(text, len);
		}
		text += len ? len : broken;
		if (!columns) {
			add_mark(at(grid, x - 1, y), one, strlen(one));
			continue;
		}
		if (x + columns > end)
			break;
		for (int i = 0; i < columns; i++) {
			cell = at(grid, x + i, y);
			if (!cell)
				continue;
			memset(cell, 0, sizeof *cell);
			cell->style = (uint8_t)style;
			if (!i)
				strcpy(cell->s, x + columns <= grid->columns ? one : " ");
		}
		x += columns;
	}
	return x;
}

void grid_put_right(struct grid *grid, int x, int y, int width, enum grid_style style, const char *text)
{
	int columns = printable_width(text);

	grid_put(grid, columns < width ? x + width - columns : x, y, columns < width ? columns : width, style, text);
}

void grid_paint(struct grid *grid, int x, int y, int width, enum grid_style style)
{
	for (int i = 0; i < width; i++)
		if (at(grid, x + i, y))
			at(grid, x + i, y)->style = (uint8_t)style;
}
