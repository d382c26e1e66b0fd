/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording in memory as tables of SQL, read where they are: SQLite's virtual tables over the store's columns and the
 * summary's rows. Nothing is copied, and nothing that a query says can write, load or open anything: see query_guard.c.
 * Knows no output format. One thread, except for query_interrupt.
 */
#ifndef ANALYZE_QUERY_QUERY_H
#define ANALYZE_QUERY_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/summary/summary.h"
#include "analyze/summary/summary_maker.h"
#include "base/err.h"

struct query;

/* What the summary of a recording must hold so that all tables are whole. */
extern const struct summary_opts query_looks;

struct query_opts {
	uint64_t memory_bytes; /* for all queries of the process, besides the recording; 0: 1 GiB */
	uint64_t max_steps;    /* of SQLite's machine for one query; 0: no limit */
};

enum query_type { QUERY_NULL, QUERY_INT, QUERY_REAL, QUERY_TEXT, QUERY_BYTES };

struct query_value {
	enum query_type type;
	int64_t integer;
	double real;
	const char *text; /* of texts and bytes, borrowed for the call */
	size_t len;
};

struct query_heading {
	const char *name;
	enum query_type type; /* that is documented; QUERY_NULL: a computed column, which may have any */
};

/* Takes the rows of a statement. 0, or a negative number to stop: query_run returns it. end may be NULL. */
struct query_taker {
	void *ctx;
	int (*begin)(void *ctx, const struct query_heading *columns, size_t n, struct err *err);
	int (*row)(void *ctx, const struct query_value *values, size_t n, struct err *err);
	int (*end)(void *ctx, struct err *err);
};

/* Where a query is wrong. */
struct query_place {
	bool is_known;
	size_t at; /* byte in the text */
};

/* The summary, its store and its names are borrowed. NULL and err: no store, or out of memory. */
struct query *query_new(const struct summary *summary, const struct query_opts *opts, struct err *err);
void query_free(struct query *query); /* NULL does nothing */

/*
 * Runs every statement of the text. 0; or a negative number and err: SQL that is wrong (-EINVAL) or not allowed
 * (-EPERM), interrupted (-EINTR), out of memory (-ENOMEM), or what the taker returned. place: of what is wrong.
 */
int query_run(struct query *query, const char *sql, const struct query_taker *to, struct query_place *place,
	      struct err *err);
/* Ends the query that runs, or else the next one. Any thread, and handlers of signals. */
void query_interrupt(struct query *query);
/* Does the text end with a complete statement? */
bool query_is_complete(const char *sql);

/* What there is, for lists and documents. Static. */
struct query_column_words {
	const char *name, *type, *what;
};

struct query_table_words {
	const char *name, *what;
	bool is_view;
	const char *sql; /* of a view; else NULL */
	size_t n_columns;
};

/* NULL: no more. */
const struct query_table_words *query_table_at(size_t i, struct query_table_words *words);
struct query_column_words query_column_at(size_t table, size_t column);
/* "percentile(x, p)", and what it is; false: no more. */
bool query_function_at(size_t i, struct query_column_words *words);

#endif
