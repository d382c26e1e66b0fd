// SPDX-License-Identifier: Apache-2.0
/* While a query runs, SIGINT ends it and not the program. */
#include "cmd/query/query_run_text.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/text/printable.h"

enum { BEFORE = 60, SHOWN = 100 };

static struct query *volatile running;

static void interrupt(int signal_)
{
	struct query *query = running;

	if (query)
		query_interrupt(query);
}

/* The line, or what is around the place in it, and a caret below. */
static void point_at(const char *sql, size_t at)
{
	const char *begin = sql + at, *end = sql + at + strcspn(sql + at, "\n");
	struct printable before;

	while (begin > sql && begin[-1] != '\n' && begin > sql + at - BEFORE)
		begin--;
	/* not in the middle of a character */
	while (begin < sql + at && ((unsigned char)*begin & 0xc0) == 0x80)
		begin++;
	before = printable_text(begin, (size_t)(sql + at - begin), 4 * SHOWN, false);
	fprintf(stderr, "  %s", before.s);
	fprintf(stderr, "%s\n", printable_text(sql + at, (size_t)(end - sql) - at, SHOWN - BEFORE + 20, false).s);
	fprintf(stderr, "  %*s^\n", printable_width(before.s), "");
}

static int line_of(const char *sql, size_t at)
{
	int line = 1;

	for (size_t i = 0; i < at; i++)
		line += sql[i] == '\n';
	return line;
}

static void say_where(const char *sql, const char *name, size_t at, struct err *err)
{
	fflush(stdout);
	point_at(sql, at);
	if (name)
		err_wrap(err, "%s: line %d", name, line_of(sql, at));
	else if (strchr(sql, '\n'))
		err_wrap(err, "line %d", line_of(sql, at));
}

int query_run_text(struct query *query, const char *sql, const char *name, struct query_writer *writer, struct err *err)
{
	const struct sigaction ours = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	const struct query_taker taker = query_writer_taker(writer);
	struct sigaction before;
	struct query_place place;
	int code;

	running = query;
	sigaction(SIGINT, &ours, &before);
	code = query_run(query, sql, &taker, &place, err);
	sigaction(SIGINT, &before, NULL);
	running = NULL;
	query_writer_done(writer);
	if (code && writer->is_closed)
		return 0;
	if (code && place.is_known && place.at <= strlen(sql))
		say_where(sql, name, place.at, err);
	return code;
}
