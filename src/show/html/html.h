/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of an HTML page that needs nothing but itself. What is written is well-formed XML too. Markup is the caller's;
 * texts go through html_words, which escapes all of them. Numbers: see model_locale_enter.
 */
#ifndef SHOW_HTML_HTML_H
#define SHOW_HTML_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text/table.h"

/* The style sheet, line by line; NULL ends it. */
extern const char *const html_style[];

/* Text, for between tags and for attributes in double quotes. */
void html_words(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* doctype to the open <main>; then to the end of the page. */
void html_begin(FILE *out, const char *title);
void html_end(FILE *out);

/* A table, which is emptied; names of rows and columns are told as such to those who listen. Without rows: nothing. */
void html_table_of(FILE *out, const char *caption, struct table *table);

#endif
