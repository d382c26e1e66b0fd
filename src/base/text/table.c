// SPDX-License-Identifier: Apache-2.0
/* Columns that line up. */
#include "base/text/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/printable.h"

struct table_cell {
	char *text;
	enum table_style style;
};

enum { LEAST_WIDTH = 8, NAME_WIDTH = 30 }; /* a shrinking column keeps at least this */

const char *table_style(bool has_color, enum table_style style)
{
	static const char *const sequences[] = {
		[TABLE_PLAIN] = "\033[0m", [TABLE_BOLD] = "\033[1m",   [TABLE_DIM] = "\033[2m",
		[TABLE_RED] = "\033[31m",  [TABLE_GREEN] = "\033[32m",
	};

	return has_color ? sequences[style] : "";
}

void table_column(struct table *table, const char *header, int flags)
{
	assert(table->n_columns < TABLE_MAX_COLUMNS);
	table->column[table->n_columns].header = header;
	table->column[table->n_columns++].flags = flags;
}

void table_cell(struct table *table, enum table_style style, const char *fmt, ...)
{
	struct table_cell *cell = array_add(&table->cells, sizeof *cell);
	va_list args;

	va_start(args, fmt);
	if (!cell || vasprintf(&cell->text, fmt, args) < 0)
		table->has_failed = true;
	else
		cell->style = style;
	va_end(args);
}

static int width_of(const char *text)
{
	return text ? printable_width(text) : 0;
}

static int gap_before(const struct table *table, int column)
{
	return !column ? 0 : table->column[column].flags & TABLE_CLOSE ? 1 : 2;
}

/* The width that a shrinking column keeps. A column of numbers keeps its cells, so only its header is cut. */
static int kept_of(const struct table *table, int column, bool cuts_names)
{
	int flags = table->column[column].flags;

	if (flags & TABLE_RIGHT && table->column[column].cells > LEAST_WIDTH)
		return table->column[column].cells;
	return flags & TABLE_KEEPS && !cuts_names ? NAME_WIDTH : LEAST_WIDTH;
}

/* The widest of the columns that may shrink; NULL: none can shrink further. */
static int *widest(struct table *table, bool cuts_names)
{
	int *found = NULL;

	for (int c = 0; c < table->n_columns; c++) {
		int *width = &table->column[c].width;

		if (table->column[c].flags & TABLE_SHRINKS && *width > kept_of(table, c, cuts_names) &&
		    (!found || *width > *found))
			found = width;
	}
	return found;
}

static int total_of(const struct table *table)
{
	int total = table->indent;

	for (int c = 0; c < table->n_columns; c++)
		total += table->column[c].is_hidden ? 0 : table->column[c].width + gap_before(table, c);
	return total;
}

/* Shrinks texts, then names down to 30 columns, then hides optional columns, and at last cuts names. */
static void fit(struct table *table)
{
	int total = total_of(table);

	for (int *width; total > table->width && (width = widest(table, false)); total--)
		--*width;
	for (int c = table->n_columns - 1; c > 0 && total > table->width; c--) {
		table->column[c].is_hidden = table->column[c].flags & TABLE_OPTIONAL;
		total = total_of(table);
	}
	for (int *width; total > table->width && (width = widest(table, true)); total--)
		--*width;
}

/* Makes each column as wide as its widest cell, then shrinks what is too much. */
static void find_widths(struct table *table)
{
	const struct table_cell *cell = table->cells.data;

	for (int c = 0; c < table->n_columns; c++)
		table->column[c].width = width_of(table->column[c].header);
	for (size_t i = 0; i < table->cells.n; i++) {
		int c = (int)(i % (size_t)table->n_columns), own = width_of(cell[i].text);

		if (own > table->column[c].cells)
			table->column[c].cells = own;
	}
	for (int c = 0; c < table->n_columns; c++) {
		int *width = &table->column[c].width, own = table->column[c].cells;

		*width = own > *width ? own : *width;
	}
	fit(table);
}

static void print_cell(struct table *table, FILE *out, int column, const char *text, enum table_style style)
{
	int width = table->column[column].width, own = width_of(text);
	bool is_right = table->column[column].flags & TABLE_RIGHT;
	struct printable shown;

	if (table->column[column].is_hidden)
		return;
	if (own > width) {
		shown = printable_text(text, strlen(text), width, table->is_ascii);
		text = shown.s;
		own = width_of(text);
	}
	table->n_spaces += gap_before(table, column) + (is_right ? width - own : 0);
	if (*text) {
		fprintf(out, "%*s%s%s%s", table->n_spaces, "", style ? table_style(table->has_color, style) : "", text,
			style ? table_style(table->has_color, TABLE_PLAIN) : "");
		table->n_spaces = 0;
	}
	table->n_spaces += is_right ? 0 : width - own;
}

static void print_header(struct table *table, FILE *out)
{
	bool has_header = false;

	for (int c = 0; c < table->n_columns; c++)
		has_header |= table->column[c].header != NULL;
	if (!has_header)
		return;
	table->n_spaces = table->indent;
	for (int c = 0; c < table->n_columns; c++)
		print_cell(table, out, c, table->column[c].header ? table->column[c].header : "", TABLE_DIM);
	fputc('\n', out);
}

void table_print(struct table *table, FILE *out)
{
	struct table_cell *cell = table->cells.data;

	if (table->has_failed)
		fputs("(out of memory: this table cannot be shown)\n", out);
	else
		find_widths(table);
	if (!table->has_failed && table->cells.n)
		print_header(table, out);
	for (size_t i = 0; i < table->cells.n; i++) {
		int column = (int)(i % (size_t)table->n_columns);

		if (table->has_failed)
			continue;
		if (!column)
			table->n_spaces = table->indent;
		print_cell(table, out, column, cell[i].text, cell[i].style);
		if (column == table->n_columns - 1)
			fputc('\n', out);
	}
	table_done(table);
}

size_t table_n_rows(const struct table *table)
{
	return table->has_failed || !table->n_columns ? 0 : table->cells.n / (size_t)table->n_columns;
}

const char *table_text(const struct table *table, size_t row, int column, enum table_style *style)
{
	const struct table_cell *cell = table->cells.data;

	cell += row * (size_t)table->n_columns + (size_t)column;
	*style = cell->style;
	return cell->text;
}

void table_done(struct table *table)
{
	struct table_cell *cell = table->cells.data;

	for (size_t i = 0; i < table->cells.n; i++)
		free(cell[i].text);
	array_done(&table->cells, sizeof *cell);
	*table = (struct table){ .indent = table->indent,
				 .width = table->width,
				 .has_color = table->has_color,
				 .is_ascii = table->is_ascii };
}
