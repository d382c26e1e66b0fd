/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes texts of a recording safe to print on a terminal: names are untrusted. Control characters, escapes, direction
 * marks, invisible characters and bytes that are not UTF-8 are shown as \n, \x1b, \u202e; all else stays as it is.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct printable {
	char s[1024];
};

/* At most `columns` wide: longer texts lose their middle. With is_ascii the result is pure ASCII. */
struct printable printable_text(const char *text, size_t len, int columns, bool is_ascii);
/* Appends a text that is already safe; drops whole characters that do not fit. */
void printable_add(struct printable *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "2,000 inferences", "1 inference". what: the singular, safe to print. */
struct printable printable_count(uint64_t n, const char *what);
/* The columns that a safe UTF-8 text takes. */
int printable_width(const char *text);

#endif
