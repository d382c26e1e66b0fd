// SPDX-License-Identifier: Apache-2.0
/* Lines by libedit, which is under the BSD licence: its interface for programs that were written for readline. */
#include <editline/readline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/query/query_line.h"

enum { HISTORY = 1000 };

static const char *history_file;
static const char *(*word_at)(int n);
static bool is_terminal;

/* Called again and again: state is 0 the first time. */
static char *next_match(const char *text, int state)
{
	static int n;
	const char *word;

	n = state ? n : 0;
	while ((word = word_at(n++)))
		if (!strncasecmp(word, text, strlen(text)))
			return strdup(word);
	return NULL;
}

static char **complete(const char *text, int start, int end)
{
	rl_attempted_completion_over = 1; /* no names of files */
	return rl_completion_matches(text, next_match);
}

void query_line_begin(const char *history, const char *(*word)(int n))
{
	is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (!is_terminal)
		return;
	history_file = history;
	word_at = word;
	rl_readline_name = (char *)"inftrace";
	rl_attempted_completion_function = complete;
	using_history();
	stifle_history(HISTORY);
	if (history)
		read_history(history);
}

static char *plain_line(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n = getline(&line, &size, stdin);

	if (n < 0) {
		free(line);
		return NULL;
	}
	if (n && line[n - 1] == '\n')
		line[n - 1] = 0;
	return line;
}

char *query_line_next(const char *prompt)
{
	return is_terminal ? readline(prompt) : plain_line();
}

void query_line_keep(const char *line)
{
	if (is_terminal && *line)
		add_history(line);
}

void query_line_end(void)
{
	if (is_terminal && history_file)
		write_history(history_file);
}
