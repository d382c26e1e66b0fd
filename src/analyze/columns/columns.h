/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of lists in a summary, once for every format: JSON takes rows as objects, queries as tables. A new figure
 * is a row in columns_<list>.c. Reads nothing: formats read a value by its type and place.
 */
#ifndef ANALYZE_COLUMNS_COLUMNS_H
#define ANALYZE_COLUMNS_COLUMNS_H

#include <stddef.h>

#include "analyze/summary/summary.h"

/* Of a field, and how it is written. What is not known is null. */
enum column_type {
	COLUMN_TEXT,	     /* uint32_t: an id of names; 0: none */
	COLUMN_COUNT,	     /* uint64_t */
	COLUMN_KNOWN,	     /* int64_t; below 0: not known */
	COLUMN_NUMBER,	     /* uint32_t */
	COLUMN_ID,	     /* uint32_t; 0: none */
	COLUMN_PID,	     /* int32_t; below 0: not known */
	COLUMN_REAL,	     /* double; NAN: not known */
	COLUMN_FLAG,	     /* bool */
	COLUMN_TIME,	     /* uint64_t; 0: not known. JSON: since the recording began */
	COLUMN_MONOTONIC,    /* the same, CLOCK_MONOTONIC in JSON, too */
	COLUMN_BETWEEN,	     /* two uint64_t: from the first to the second */
	COLUMN_PROCESS,	     /* uint32_t: its place in processes. JSON: its pid; queries: processes.id */
	COLUMN_MODEL,	     /* uint32_t: its place in models. Its number, from 1 */
	COLUMN_MODEL_NAME,   /* uint32_t: the same. Its name */
	COLUMN_ORDINAL,	     /* uint32_t: its place in another list. Its number there, from 1 */
	COLUMN_ROW,	     /* number of the row, from 1 */
	COLUMN_SPREAD,	     /* struct summary_spread: an object of JSON */
	COLUMN_SHARE,	     /* uint64_t, as a share of the list's whole */
	COLUMN_SHARE_SO_FAR, /* the same, with the rows before. JSON only */
};

struct column {
	const char *json, *sql; /* its name there; NULL: it is not there */
	const char *words;	/* for doc/query.md */
	enum column_type type;
	size_t at;
	size_t if_any;			   /* offset of a uint64_t: 0: the value is not known */
	bool (*is_known)(const void *row); /* the same, computed */
	bool is_for_some;		   /* only of lists that have_all */
};

struct column_list {
	size_t rows, n_rows, row_size; /* offsets of the array and of its uint32_t in the summary */
	const struct column *columns;
	size_t n_columns;
	bool have_all;
	uint64_t (*whole)(const struct summary *summary, const void *row); /* of shares; 0: not known */
};

extern const struct column_list columns_device_clocks, columns_inference_stats, columns_models, columns_nodes,
    columns_other_runtimes, columns_outside, columns_processes, columns_runtimes, columns_sessions, columns_sizes,
    columns_types, columns_generations, columns_tokens, columns_token_lengths, columns_requests, columns_request_parts;

#define COLUMN_ROWS(list) \
	.rows = offsetof(struct summary, list), .n_rows = offsetof(struct summary, n_##list), \
	.row_size = sizeof *((struct summary *)0)->list
#define COLUMN_LIST(list) .columns = list, .n_columns = sizeof list / sizeof *list

uint32_t column_n_rows(const struct column_list *list, const struct summary *summary);
const void *column_row(const struct column_list *list, const struct summary *summary, size_t row);
/* Is the value of this row known, as far as its type does not tell? */
bool column_is_known(const struct column *column, const void *row);
/* Has the list this column? */
bool column_is_in(const struct column_list *list, const struct column *column);
/* The column of this place in queries; NULL: there are no more. */
const struct column *column_of_query(const struct column_list *list, size_t place);

#endif
