// SPDX-License-Identifier: Apache-2.0
/* Lines without history and completion: libedit was not there when this was built. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/query/query_line.h"

static bool is_terminal;

void query_line_begin(const char *history, const char *(*word)(int n))
{
	is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

char *query_line_next(const char *prompt)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (is_terminal) {
		fputs(prompt, stdout);
		fflush(stdout);
	}
	n = getline(&line, &size, stdin);
	if (n < 0) {
		free(line);
		return NULL;
	}
	if (n && line[n - 1] == '\n')
		line[n - 1] = 0;
	return line;
}

void query_line_keep(const char *line)
{
}

void query_line_end(void)
{
}
