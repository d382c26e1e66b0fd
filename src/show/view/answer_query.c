// SPDX-License-Identifier: Apache-2.0
/*
 * The answer to SQL over the recording, for the page. A process of its own reads the recording again and runs one
 * statement (analyze/query: it can read tables and nothing else), with bounds on time, memory, rows and bytes. What is
 * live has no file to read again.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyze/query/query.h"
#include "show/view/view_in.h"

enum { MOST_AT_A_TIME = 2, MOST_SECONDS = 10, MOST_ROWS = 1000, MOST_BYTES = 4 << 20, MEMORY = 512 << 20 };

static const int64_t EXACT = (INT64_C(1) << 53) - 1;

struct table {
	FILE *out;
	struct json json;
	size_t n_statements, n_rows;
	bool is_cut; /* there is more */
};

struct view_query {
	struct http_job job; /* must be first */
	struct view *view;
	struct view_report report;
	uint64_t by;   /* the page that asks; 0: not said */
	bool is_ended; /* nobody waits for it any more */
	struct view_query *next;
};

static struct query *volatile running;

static void end_it(int signal_)
{
	query_interrupt(running);
}

static int begin(void *ctx, const struct query_heading *columns, size_t n, struct err *err)
{
	struct table *table = ctx;
	struct json *json = &table->json;

	if (table->n_statements++)
		return err_set(err, EINVAL, "give one statement at a time");
	json_init(json, table->out);
	json_object(json, NULL);
	json_array(json, "columns");
	for (size_t i = 0; i < n; i++)
		json_text(json, NULL, columns[i].name);
	json_end(json, ']');
	json_array(json, "rows");
	return 0;
}

static void put_value(struct json *json, const struct query_value *value)
{
	char words[48];

	switch (value->type) {
	case QUERY_INT:
		/* a browser's numbers are exact up to here: a larger one is a text */
		snprintf(words, sizeof words, "%" PRId64, value->integer);
		if (value->integer >= -EXACT && value->integer <= EXACT)
			json_int(json, NULL, value->integer);
		else
			json_text(json, NULL, words);
		break;
	case QUERY_REAL:
		json_real_in_full(json, NULL, value->real);
		break;
	case QUERY_TEXT:
		json_text(json, NULL, value->text ? value->text : "");
		break;
	case QUERY_BYTES:
		snprintf(words, sizeof words, "%zu bytes", value->len);
		json_text(json, NULL, words);
		break;
	default:
		json_null(json, NULL);
	}
}

static size_t bytes_of(const struct query_value *values, size_t n)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += values[i].type == QUERY_TEXT ? values[i].len : 0;
	return bytes;
}

static int row(void *ctx, const struct query_value *values, size_t n, struct err *err)
{
	struct table *table = ctx;

	table->is_cut = table->n_rows == MOST_ROWS || (size_t)ftello(table->out) + bytes_of(values, n) > MOST_BYTES;
	if (table->is_cut)
		return err_set(err, ECANCELED, "that is enough");
	table->n_rows++;
	json_array(&table->json, NULL);
	for (size_t i = 0; i < n; i++)
		put_value(&table->json, &values[i]);
	json_end(&table->json, ']');
	return 0;
}

static int run(struct query *query, const char *sql, struct table *table, struct err *err)
{
	const struct sigaction ours = { .sa_handler = end_it };
	const struct query_taker to = { table, begin, row, NULL };
	struct query_place place = { 0 };
	int code;

	running = query;
	sigaction(SIGALRM, &ours, NULL);
	alarm(MOST_SECONDS);
	code = query_run(query, sql, &to, &place, err);
	alarm(0);
	if (code == -EINTR)
		return err_set(err, EINTR,
			       "it was ended after %d s: choose fewer rows, or run inftrace query, which has no limit",
			       MOST_SECONDS);
	if (code == -ENOMEM)
		return err_set(
		    err, ENOMEM,
		    "it needs more than %d MiB of memory: add a WHERE, sort fewer rows, or run inftrace query "
		    "--memory SIZE",
		    MEMORY >> 20);
	if (code && !table->is_cut)
		return place.is_known ? err_wrap(err, "at byte %zu", place.at + 1) : code;
	if (!table->n_statements)
		return err_set(err, EINVAL, "there is no statement");
	json_end(&table->json, ']');
	json_bool(&table->json, "more", table->is_cut);
	json_end(&table->json, '}');
	return 0;
}

struct asked {
	const char *path, *sql;
};

static int write_answer(FILE *out, const void *ctx, struct err *err)
{
	const struct asked *asked = ctx;
	const struct query_opts limits = { .memory_bytes = MEMORY };
	struct recording recording = { 0 };
	struct table table = { .out = out };
	int code = recording_open_with(&recording, asked->path, &query_looks, err);
	struct query *query = code ? NULL : query_new(recording.summary, &limits, err);

	if (!code)
		code = query ? run(query, asked->sql, &table, err) : -err->code;
	query_free(query);
	recording_close(&recording);
	return code;
}

static bool step(struct http_job *job, struct http_answer *answer)
{
	struct view_report *report = &((struct view_query *)job)->report;

	if (!view_report_is_done(report))
		return false;
	view_report_answer(report, answer);
	return true;
}

static void free_job(struct http_job *job)
{
	struct view_query *own = (struct view_query *)job, **at = &own->view->queries;

	while (*at != own)
		at = &(*at)->next;
	*at = own->next;
	view_report_stop(&own->report);
	free(own);
}

/* A page that asks anew wants no answer to what it asked before, also where an editor keeps the connection. */
static void end_those_of(struct view *view, uint64_t by)
{
	for (struct view_query *query = by ? view->queries : NULL; query; query = query->next) {
		if (query->by != by || query->is_ended)
			continue;
		query->is_ended = true;
		if (query->report.pid > 0)
			kill(query->report.pid, SIGKILL);
	}
}

static const char *refuse(const struct view *view)
{
	int n = 0;

	for (const struct view_query *query = view->queries; query; query = query->next)
		n += !query->is_ended;
	return n >= MOST_AT_A_TIME ? "two queries are running; ask again later" : view_refuse_again(view);
}

static struct view_query *start(struct view *view, const struct asked *asked, uint64_t by)
{
	struct view_report_source source = { .write = write_answer, .ctx = asked };
	struct view_query *query = calloc(1, sizeof *query);
	struct err err;

	if (!query || view_report_start(&query->report, &source, &err)) {
		free(query);
		return NULL;
	}
	query->report.is_question = true;
	query->job = (struct http_job){ step, free_job, true };
	query->view = view;
	query->by = by;
	query->next = view->queries;
	view->queries = query;
	return query;
}

VIEW_ANSWER(query)
{
	const struct asked asked = { view->path, http_request_text(request, "sql") };
	struct view_query *query;
	const char *refused;
	uint64_t by = 0;

	if (!asked.sql || !*asked.sql || !http_request_count(request, "by", UINT32_MAX, &by)) {
		http_say(answer, 400, "sql must be a statement, and by a number");
		return NULL;
	}
	end_those_of(view, by);
	refused = refuse(view);
	if (refused) {
		http_say(answer, 503, "%s", refused);
		return NULL;
	}
	query = start(view, &asked, by);
	if (!query) {
		view_say_no_memory(answer);
		return NULL;
	}
	return &query->job;
}
