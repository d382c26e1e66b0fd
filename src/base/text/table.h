/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of texts whose columns line up, for terminals. Cells are added row by row. A column is as wide as its widest
 * cell; columns that may shrink do so when the table would be too wide.
 *
 *   struct table table = { .indent = 2, .width = 96 };
 *   table_column(&table, "type", TABLE_LEFT | TABLE_SHRINKS);
 *   table_column(&table, "share", TABLE_RIGHT);
 *   table_cell(&table, TABLE_PLAIN, "%s", type);
 *   table_cell(&table, TABLE_PLAIN, "%s", share);
 *   table_print(&table, stdout);
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"

enum { TABLE_MAX_COLUMNS = 16 };
enum table_flag {
	TABLE_LEFT = 0,
	TABLE_RIGHT = 1,
	TABLE_SHRINKS = 2,
	TABLE_CLOSE = 4,     /* one space before it instead of two */
	TABLE_NAME = 8,	     /* a name of a program or file: fixed-width letters on a page */
	TABLE_KEEPS = 16,    /* keeps 30 columns as long as other columns can shrink */
	TABLE_OPTIONAL = 32, /* hidden when the table would be too wide; the last of several first */
	TABLE_SHARE = 64     /* texts begin with a percentage: a page shows a bar with it */
};
enum table_style { TABLE_PLAIN, TABLE_BOLD, TABLE_DIM, TABLE_RED, TABLE_GREEN };

struct table {
	int indent, width;
	bool has_color, is_ascii;
	int n_columns;
	struct {
		const char *header;
		int flags, width, cells; /* cells: the width of the widest cell */
		bool is_hidden;
	} column[TABLE_MAX_COLUMNS];
	struct array cells; /* struct table_cell, row after row */
	int n_spaces;	    /* to print before the next text: a line never ends in spaces */
	bool has_failed;    /* out of memory: table_print prints that */
};

/* At most TABLE_MAX_COLUMNS. header: borrowed; NULL in all columns: no header line. */
void table_column(struct table *table, const char *header, int flags);
/* Adds the next cell. Its text is safe already, see printable.h. */
void table_cell(struct table *table, enum table_style style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints the table and empties it. */
void table_print(struct table *table, FILE *out);

/* For writers of other formats: the number of rows, and a cell's text, owned by the table. table_done empties it. */
size_t table_n_rows(const struct table *table);
const char *table_text(const struct table *table, size_t row, int column, enum table_style *style);
void table_done(struct table *table);

/* The escape sequence of a style, "" without colour. */
const char *table_style(bool has_color, enum table_style style);

#endif
