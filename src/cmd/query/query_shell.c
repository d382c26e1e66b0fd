// SPDX-License-Identifier: Apache-2.0
/* Reads until a statement is complete, runs it, goes on. */
#include "cmd/query/query_shell.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/query/query_line.h"
#include "cmd/query/query_run_text.h"
#include "show/term/term.h"

struct shell {
	struct query *query;
	struct query_writer *writer;
	bool is_terminal, is_over;
	char *sql; /* what was typed of a statement; NULL: nothing */
	size_t len;
};

struct dot {
	const char *name, *argument, *help;
	int (*run)(struct shell *shell, const char *argument, struct err *err);
};

static int show_tables(struct shell *shell, const char *argument, struct err *err)
{
	struct query_table_words table;

	for (size_t i = 0; query_table_at(i, &table); i++)
		printf("%-16s %s\n", table.name, table.what);
	return 0;
}

static void show_schema(size_t i, const struct query_table_words *table)
{
	printf("%s %s: %s\n", table->is_view ? "view" : "table", table->name, table->what);
	for (size_t k = 0; k < table->n_columns; k++) {
		struct query_column_words column = query_column_at(i, k);

		printf("  %-20s %-8s ", column.name, column.type);
		term_wrap(stdout, column.what, 32, 32, 110);
	}
}

static int show_schemas(struct shell *shell, const char *argument, struct err *err)
{
	struct query_table_words table;
	bool is_found = false;

	for (size_t i = 0; query_table_at(i, &table); i++)
		if (!*argument || !strcasecmp(argument, table.name)) {
			if (is_found)
				putchar('\n');
			show_schema(i, &table);
			is_found = true;
		}
	return is_found ? 0 : err_set(err, ENOENT, "there is no table '%s'; .tables lists them", argument);
}

static int set_format(struct shell *shell, const char *argument, struct err *err)
{
	const struct query_format *format = query_format_named(argument);

	if (!format)
		return err_set(err, EINVAL, "there is no format '%s': it is one of " QUERY_FORMAT_NAMES, argument);
	shell->writer->format = format;
	return 0;
}

static int set_units(struct shell *shell, const char *argument, struct err *err)
{
	if (strcmp(argument, "on") != 0 && strcmp(argument, "off") != 0)
		return err_set(err, EINVAL, "write .units on, or .units off");
	shell->writer->is_human = !strcmp(argument, "on");
	return 0;
}

static int quit(struct shell *shell, const char *argument, struct err *err)
{
	shell->is_over = true;
	return 0;
}

static int show_help(struct shell *shell, const char *argument, struct err *err);

static const struct dot dots[] = {
	{ ".tables", "", "list the tables and views", show_tables },
	{ ".schema", "[TABLE]", "list the columns of a table, or of all", show_schemas },
	{ ".format", "FORMAT", "print answers as " QUERY_FORMAT_NAMES, set_format },
	{ ".units", "on|off", "print 12.3 ms for 12345678 in tables", set_units },
	{ ".help", "", "list these commands", show_help },
	{ ".quit", "", "leave", quit },
	{ 0 },
};

static int show_help(struct shell *shell, const char *argument, struct err *err)
{
	struct query_column_words function;

	puts(
	    "A statement of SQL ends with a semicolon. Ctrl-C ends a query that runs, Ctrl-D leaves. Functions besides "
	    "SQLite's:");
	for (size_t i = 0; query_function_at(i, &function); i++) {
		printf("  %-20s ", function.name);
		term_wrap(stdout, function.what, 23, 23, 110);
	}
	puts("Commands:");
	for (const struct dot *dot = dots; dot->name; dot++)
		printf("  %-8s %-11s %s\n", dot->name, dot->argument, dot->help);
	return 0;
}

static int run_dot(struct shell *shell, char *line, struct err *err)
{
	size_t len = strcspn(line, " \t;"), end = strlen(line);
	const char *argument = line + len + strspn(line + len, " \t;");

	while (end > len && strchr(" \t;\r", line[end - 1]))
		line[--end] = 0;
	for (const struct dot *dot = dots; dot->name; dot++)
		if (strlen(dot->name) == len && !strncmp(dot->name, line, len))
			return dot->run(shell, argument, err);
	return err_set(err, EINVAL, "there is no command '%.*s'; .help lists them", (int)len, line);
}

static int add_line(struct shell *shell, const char *line, struct err *err)
{
	size_t len = strlen(line);
	char *sql = realloc(shell->sql, shell->len + len + 2);

	if (!sql)
		return err_no_memory(err, "cannot read the statement");
	memcpy(sql + shell->len, line, len);
	memcpy(sql + shell->len + len, "\n", 2);
	shell->sql = sql;
	shell->len += len + 1;
	return 0;
}

static void forget(struct shell *shell)
{
	free(shell->sql);
	shell->sql = NULL;
	shell->len = 0;
}

static bool is_blank(const char *text)
{
	return !text[strspn(text, " \t\r\n")];
}

/* Ctrl-C came since the last line was asked for. */
static volatile sig_atomic_t is_woken;

static int run_sql(struct shell *shell, struct err *err)
{
	int code;

	/* Ctrl-C came when the line was complete */
	if (is_woken)
		query_interrupt(shell->query);
	/* the end of the last line is none of a person's text */
	shell->sql[shell->len - 1] = 0;
	query_line_keep(shell->sql);
	code = query_run_text(shell->query, shell->sql, NULL, shell->writer, err);
	forget(shell);
	fflush(stdout);
	shell->is_over |= shell->writer->is_closed;
	return code;
}

static int take_line(struct shell *shell, char *line, struct err *err)
{
	int code;

	if (!shell->sql && *line == '.') {
		query_line_keep(line);
		return run_dot(shell, line, err);
	}
	if (!shell->sql && is_blank(line))
		return 0;
	code = add_line(shell, line, err);
	return !code && query_is_complete(shell->sql) ? run_sql(shell, err) : code;
}

/* In a terminal an error is said and the shell goes on. */
static int survive(const struct shell *shell, int code, const struct err *err)
{
	if (!code || !shell->is_terminal)
		return code;
	fflush(stdout);
	term_say("%s", err->msg);
	return 0;
}

/* Everything that Tab may complete: commands, tables, their columns, functions, words of SQL. */
static const char *word_at(int n)
{
	static const char *const words[] = { "SELECT",	    "FROM",    "WHERE",	       "GROUP BY",
					     "ORDER BY",    "LIMIT",   "JOIN",	       "LEFT JOIN",
					     "USING",	    "HAVING",  "DISTINCT",     "count(*)",
					     "sum(",	    "avg(",    "min(",	       "max(",
					     "percentile(", "median(", "DESC",	       "BETWEEN",
					     "LIKE",	    "GLOB",    "IS NULL",      "IS NOT NULL",
					     "CASE",	    "WHEN",    "THEN",	       "END",
					     "WITH",	    "OVER",    "PARTITION BY", "EXPLAIN QUERY PLAN" };
	struct query_table_words table;
	size_t left = (size_t)n;

	for (const struct dot *dot = dots; dot->name; dot++)
		if (!left--)
			return dot->name;
	for (size_t i = 0; query_table_at(i, &table); i++) {
		if (!left--)
			return table.name;
		if (left < table.n_columns)
			return query_column_at(i, left).name;
		left -= table.n_columns;
	}
	return left < sizeof words / sizeof *words ? words[left] : NULL;
}

/* A file for the history, in a folder that only its user can read; NULL: there is no place for it. */
static const char *history_path(char *path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char folder[PATH_MAX];
	int n = state && *state == '/' ? snprintf(folder, sizeof folder, "%s/inftrace", state)
		: home && *home == '/' ? snprintf(folder, sizeof folder, "%s/.local/state/inftrace", home)
				       : 0;

	if (n <= 0 || n >= (int)sizeof folder)
		return NULL;
	for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(folder, 0700);
		*slash = '/';
	}
	if ((mkdir(folder, 0700) && errno != EEXIST) || snprintf(path, size, "%s/query_history", folder) >= (int)size)
		return NULL;
	return path;
}

/* Ctrl-C at the prompt drops what was typed; it does not end the shell. */
static void wake(int signal_)
{
	is_woken = 1;
}

/* NULL: the end, or Ctrl-C (is_woken). */
static char *next_line(struct shell *shell)
{
	char *line;

	is_woken = 0;
	line = query_line_next(shell->sql ? "     ...> " : "inftrace> ");
	if (!line && is_woken) {
		clearerr(stdin);
		forget(shell);
	}
	return line;
}

int query_shell(struct query *query, struct query_writer *writer, struct err *err)
{
	struct shell shell = { query, writer, isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) };
	char path[PATH_MAX], *line;
	const struct sigaction ours = { .sa_handler = wake };
	struct sigaction before;
	mode_t mask = umask(077);
	int code = 0;

	sigaction(SIGINT, NULL, &before);
	if (shell.is_terminal)
		sigaction(SIGINT, &ours, NULL);
	if (shell.is_terminal)
		puts("SQL over the recording. .help lists commands, .tables what there is.");
	query_line_begin(shell.is_terminal ? history_path(path, sizeof path) : NULL, word_at);
	while (!code && !shell.is_over && ((line = next_line(&shell)) || is_woken)) {
		if (!line)
			continue;
		code = survive(&shell, take_line(&shell, line, err), err);
		free(line);
	}
	/* a last statement may lack its semicolon */
	if (!code && shell.sql && !is_blank(shell.sql))
		code = survive(&shell, run_sql(&shell, err), err);
	forget(&shell);
	query_line_end();
	sigaction(SIGINT, &before, NULL);
	umask(mask);
	if (shell.is_terminal && !shell.is_over)
		putchar('\n');
	return code;
}
