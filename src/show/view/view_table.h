/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table for the page: columns, and rows of cells, sorted by a column and cut to what was asked for. Rows that are too
 * many to keep are the business of whoever makes them (table_inferences.c).
 */
#ifndef SHOW_VIEW_VIEW_TABLE_H
#define SHOW_VIEW_VIEW_TABLE_H

#include "show/view/view_scan.h"

enum { TABLE_MAX_LIMIT = 1000, TABLE_MAX_OFFSET = 100000, TABLE_MAX_ROWS = 100000, TABLE_MAX_COLUMNS = 20 };

struct view_table_column {
	const char *name, *title;
	const char *unit; /* "ns", "bytes", "percent", "" */
	const char *type; /* "number", "text", "time" */
};

/* A number; or a text, borrowed. */
struct view_table_cell {
	const char *text;
	double number; /* NAN: none */
};

/* What a request asks of a table. */
struct view_table_query {
	char model[256], text[256]; /* "": any */
	uint32_t sort;		    /* column */
	bool is_ascending;
	uint32_t limit, offset;
};

struct view_table {
	const struct view_table_column *columns;
	uint32_t n_columns;
	struct view_table_query query;
	struct array cells; /* struct view_table_cell: n_columns for each row */
	uint64_t n_rows;    /* with those beyond TABLE_MAX_ROWS */
	bool has_failed;
};

/* columns end with a name that is NULL. false: the request makes no sense, and the answer says why. */
bool view_table_init(struct view_table *table, const struct view_table_column *columns,
		     const struct http_request *request, struct http_answer *answer);
void view_table_done(struct view_table *table);
/* The cells of a new row, to be filled; NULL: there are too many, or no memory. */
struct view_table_cell *view_table_row(struct view_table *table);
/* Does the query want a row of this model, with one of these texts? NULL is no text. */
bool view_table_wants(const struct view_table *table, const char *model, const char *a, const char *b);
/* Sorts and writes what was asked for. */
void view_table_finish(struct view_table *table, struct http_answer *answer);
/* The same of rows that are sorted and cut already. */
void view_table_write(const struct view_table *table, const struct view_table_cell *cells, size_t n_rows,
		      struct http_answer *answer);

/* The tables, by the word of the request that asks for them (answer_table.c). */
#define TABLES(F) \
	F(inferences) \
	F(kernels) \
	F(losses) \
	F(models) \
	F(operators) \
	F(operator_types) \
	F(phases) \
	F(processes) \
	F(resources) \
	F(sessions) \
	F(sizes) \
	F(threads)

#define TABLE_DECLARE(name) \
	struct http_job *table_##name(struct view *view, const struct http_request *request, \
				      struct http_answer *answer);
TABLES(TABLE_DECLARE)

static inline struct view_table_cell view_table_number(double number)
{
	return (struct view_table_cell){ NULL, number };
}

static inline struct view_table_cell view_table_text(const char *text)
{
	return (struct view_table_cell){ text ? text : "", 0 };
}

#endif
