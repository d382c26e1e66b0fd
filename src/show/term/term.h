/* SPDX-License-Identifier: Apache-2.0 */
/* What a terminal can show. Everything degrades to plain text when the stream is a file or a pipe. */
#ifndef SHOW_TERM_TERM_H
#define SHOW_TERM_TERM_H

#include <stdbool.h>
#include <stdio.h>

enum term_style { TERM_PLAIN, TERM_BOLD, TERM_DIM, TERM_RED, TERM_GREEN, TERM_YELLOW };

/* The escape sequence that starts a style (TERM_PLAIN ends it); "" unless the stream is a terminal without NO_COLOR. */
const char *term_style(FILE *stream, enum term_style style);

/* A line on standard error, "inftrace: ...", disarmed (base/err.h). */
__attribute__((format(printf, 1, 2))) void term_say(const char *format, ...);

/* "inftrace: reading FILE (274 MiB) ...", if standard error is a terminal and the file is large: true. Takes it away.
 */
bool term_reading(const char *path);
void term_has_read(bool is_shown);

/* Prints text in lines of at most width columns, each after indent spaces; empty lines stay. The first line is
 * already `used` columns long. Ends the last line. */
void term_wrap(FILE *stream, const char *text, int indent, int used, int width);

/* Columns of a page on standard output: COLUMNS, else those of its terminal; 0: neither is known. */
int term_page_width(void);

/* Does the locale ask for something other than UTF-8? None set says nothing. */
bool term_wants_ascii(void);

#endif
