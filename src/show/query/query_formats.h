/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of answers to queries. One file per format, query_as_<name>.c, with one constant; query_formats.c lists
 * them. */
#ifndef SHOW_QUERY_QUERY_FORMATS_H
#define SHOW_QUERY_QUERY_FORMATS_H

#include <stdbool.h>
#include <stdio.h>

#include "analyze/query/query.h"

/* For options; a test compares it with the table. */
#define QUERY_FORMAT_NAMES "table|csv|json|jsonl|arrow"

/* Where rows go. Start from one with out, format and the looks set. */
struct query_writer {
	FILE *out;
	const struct query_format *format;
	bool is_human; /* units in tables: 12.3 ms; else exact numbers */
	bool is_ascii; /* tables are pure ASCII */
	char **columns;
	enum query_type *types; /* of the columns, as in struct query_heading */
	size_t n_columns;
	uint64_t n_rows; /* of the statement so far */
	void *state;	 /* the format's, freed behind the last row */
	bool is_closed;	 /* nobody reads on: query_run was stopped, and nothing went wrong */
};

/*
 * begin, row, end: 0, or -errno and err; end is called in any case, also in the middle, and frees the state. suffix: of
 * a file in this format.
 */
struct query_format {
	const char *name, *suffix;
	int (*begin)(struct query_writer *writer, struct err *err);
	int (*row)(struct query_writer *writer, const struct query_value *values, struct err *err);
	void (*end)(struct query_writer *writer);
	bool is_binary; /* no terminal should see it */
};

extern const struct query_format *const query_formats[]; /* the default first; NULL ends it */

/* NULL: there is none of that name. */
const struct query_format *query_format_named(const char *name);
/* By the suffix of a file; the default if there is none of that. */
const struct query_format *query_format_of(const char *path);
/* What query_run is to be given; the writer is borrowed. After a failure call query_writer_done, too. */
struct query_taker query_writer_taker(struct query_writer *writer);
void query_writer_done(struct query_writer *writer);

/* For formats: the shortest text that is this number when read again. */
void query_put_number_text(char text[32], double value);

#endif
