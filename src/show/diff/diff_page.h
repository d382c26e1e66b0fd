/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page about a comparison says, in order: headings, paragraphs and tables, which each format for people writes
 * in its own way. Texts of files are harmless for a terminal already; other formats escape them.
 */
#ifndef SHOW_DIFF_DIFF_PAGE_H
#define SHOW_DIFF_DIFF_PAGE_H

#include "base/text/table.h"
#include "show/words/diff/diff_words.h"
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
