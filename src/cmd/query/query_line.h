/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a shell: from a terminal with history and completion where libedit is there, else as they are. Knows nothing
 * of SQL but what may be completed.
 */
#ifndef CMD_QUERY_LINE_H
#define CMD_QUERY_LINE_H

#include <stdbool.h>

/* history: a file, or NULL. word: the nth text that can be completed to, NULL: no more. */
void query_line_begin(const char *history, const char *(*word)(int n));
/* The next line without its end, for the caller to free; NULL: no more. */
char *query_line_next(const char *prompt);
/* What was typed can be found again. */
void query_line_keep(const char *line);
void query_line_end(void);

#endif
