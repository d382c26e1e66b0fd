/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page about a comparison says, in order: headings, paragraphs and tables, which each format for people writes
 * in its own way. Texts of files are harmless for a terminal already; other formats escape them.
 */
#ifndef SHOW_DIFF_DIFF_PAGE_H
#define SHOW_DIFF_DIFF_PAGE_H

#include "analyze/diff/diff.h"
#include "base/text/printable.h"
#include "base/text/table.h"
#include "base/text/units.h"
#include "show/words/export.h"

/* The writer of a format. to is its own. */
struct diff_writer {
	void *to;
	void (*answer)(void *to, enum diff_says says, const char *text);
	void (*heading)(void *to, const char *text);
	void (*text)(void *to, const char *text);
	void (*table)(void *to, const char *caption, struct table *table); /* empties it */
	void (*plot)(void *to, const struct diff_pair *pair); /* a picture of its changes; NULL: the format has none */
};

void diff_page(const struct diff_writer *writer, const struct diff *diff, const struct report_look *look);

/* The answer in a sentence. */
struct printable diff_verdict(const struct diff *diff, bool is_ascii);

enum { DIFF_SIZE_ROWS = 8 };

/* Words that the verdict, the tables and JSON share. */
struct units_text diff_change(double change);				   /* "+5.2 %" */
struct units_text diff_interval(const struct diff_value *value);	   /* "+3.9 to +6.5 %"; "-" */
struct units_text diff_amount(double value, enum diff_unit unit);	   /* "1.95 ms" */
enum diff_unit diff_unit_of(const char *unit);				   /* of a resource: "bytes" */
const char *diff_says_words(enum diff_says says, bool is_time);		   /* "slower" */
const char *diff_says_key(enum diff_says says);				   /* "worse" */
struct printable diff_name(const struct diff_operator *op, bool is_ascii); /* "Conv /layer1/conv" */
/* "2 of 3: 1x3x640x512": what tells a size of inputs from those of the other rows of a table, n <= DIFF_SIZE_ROWS. */
struct printable diff_size_cell(const struct diff_pair *pair, const struct diff_size_row *const *rows, uint32_t n,
				uint32_t row, bool is_ascii);
struct printable diff_mix(const struct diff_pair *pair, bool is_ascii); /* how it changed; "": it did not */

/* The formats. One file per format, diff_as_<name>.c, with one constant; diffs.c lists them. */
struct diff_format {
	const char *name, *suffix, *help;
	bool is_for_terminals;
	void (*write)(FILE *out, const struct diff *diff, const struct report_look *look);
};

#define DIFF_FORMAT_NAMES "text|markdown|json|html" /* for options; a test compares it with the table */

extern const struct diff_format *const diff_formats[]; /* the default first; NULL ends it */
const struct diff_format *diff_format_named(const char *name);
const struct diff_format *diff_format_of(const char *path); /* by suffix; the default for another one */
void diff_write(FILE *out, const struct diff_format *format, const struct diff *diff, const struct report_look *look);

#endif
