/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of an HTML page that needs nothing but itself. What is written is well-formed XML too. Markup is the caller's;
 * texts go through html_words, which escapes all of them. Numbers: see model_locale_enter.
 */
#ifndef EXPORT_HTML_H
#define EXPORT_HTML_H

#include <stdbool.h>
#include <stdio.h>

/* The style sheet, line by line; NULL ends it. */
extern const char *const html_style[];

/* Text, for between tags and for attributes in double quotes. */
void html_words(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* doctype to the open <main>; then to the end of the page. */
void html_begin(FILE *out, const char *title);
void html_end(FILE *out);

/* Headers "name" and ">number" (right-aligned), NULL at the end; then cells, row by row. */
void html_table(FILE *out, const char *caption, const char *const *headers);
void html_header(FILE *out, bool is_number, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void html_row(FILE *out); /* the next row starts */
/* kind: a class, "n" for numbers, "" for text, "n dim" ... */
void html_cell(FILE *out, const char *kind, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void html_table_end(FILE *out);

#endif
