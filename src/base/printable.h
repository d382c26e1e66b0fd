/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts from a recording, made harmless for a terminal: names come from strangers' files. Control
 * characters, escapes, marks that change the direction of writing, invisible characters and bytes that are
 * not UTF-8 are shown as \n, \x1b, \u202e; all else stays as it is.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct printable {
	char s[1024];
};

/*
 * At most `columns` wide: longer ones lose their middle. With is_ascii nothing but ASCII comes out.
 */
struct printable printable_text(const char *text, size_t len, int columns, bool is_ascii);
/* Appends what has been made harmless before; what does not fit is left off, character by character. */
void printable_add(struct printable *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "2,000 inferences", "1 inference". what: the singular, harmless. */
struct printable printable_count(uint64_t n, const char *what);
/* Columns that harmless UTF-8 takes. */
int printable_width(const char *text);

#endif
