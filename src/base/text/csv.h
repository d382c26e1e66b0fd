/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts as fields of CSV: RFC 4180, UTF-8. A field is quoted where it must be. What a spreadsheet would run as a
 * formula is quoted and gets an apostrophe in front. Errors stay in the stream (ferror).
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Would a spreadsheet run it? */
bool csv_is_formula(const char *text, size_t len);
bool csv_is_quoted(const char *text, size_t len);
/* Bytes that are not UTF-8 become U+FFFD. Out of memory: the field stays empty. */
void csv_put_text(FILE *out, const char *text, size_t len);

#endif
