// SPDX-License-Identifier: Apache-2.0
/*
 * The runtime's warnings and errors: the result keeps the last ones; --verbose prints all to stderr. Called from any
 * thread of the runtime.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "model/run/run.h"

static struct {
	struct run_result *result;
	bool is_verbose;
	pthread_mutex_t lock;
} keeper = { .lock = PTHREAD_MUTEX_INITIALIZER };

void run_log_start(struct run_result *result, bool is_verbose)
{
	keeper.result = result;
	keeper.is_verbose = is_verbose;
}

/* Makes room for len more bytes and a NUL by dropping the oldest lines. */
static size_t make_room(char *log, size_t len)
{
	size_t used = strnlen(log, RUN_LOG - 1);

	while (used + len + 1 > RUN_LOG) {
		char *end = memchr(log, '\n', used);
		size_t gone = end ? (size_t)(end - log) + 1 : used;

		memmove(log, log + gone, used - gone);
		used -= gone;
		log[used] = 0;
	}
	return used;
}

static void keep(const char *level, const char *text)
{
	char line[2048];
	size_t used, n;

	snprintf(line, sizeof line - 1, "%s: %s", level, text);
	ort_api_plain(line);
	n = strlen(line);
	line[n++] = '\n';
	line[n] = 0;
	pthread_mutex_lock(&keeper.lock);
	if (keeper.result) {
		used = make_room(keeper.result->log, n);
		memcpy(keeper.result->log + used, line, n + 1);
	}
	if (keeper.is_verbose)
		fprintf(stderr, "%s", line);
	pthread_mutex_unlock(&keeper.lock);
}

void run_log_take(void *ctx, int severity, const char *category, const char *log_id, const char *where,
		  const char *text)
{
	static const char *const names[] = { "verbose", "info", "warning", "error", "fatal" };

	keep(severity >= ORT_VERBOSE && severity <= ORT_FATAL ? names[severity] : "log", text ? text : "");
}

void run_log_line(const char *text)
{
	keep("inftrace-run", text);
}

/* The last line that the runtime logged as an error; "" none. */
static void last_error(const char *log, char *text, size_t size)
{
	const char *found = NULL, *end;
	size_t len;

	*text = 0;
	for (const char *at = log; (at = strstr(at, "error: ")); at += 7)
		if (at == log || at[-1] == '\n')
			found = at + 7;
	if (!found)
		return;
	end = strchrnul(found, '\n');
	len = (size_t)(end - found);
	snprintf(text, size, "%.*s", (int)len, found);
}

void run_log_explain(struct err *err)
{
	char text[180], known[40];
	size_t len;

	pthread_mutex_lock(&keeper.lock);
	last_error(keeper.result->log, text, sizeof text);
	pthread_mutex_unlock(&keeper.lock);
	len = strlen(text);
	snprintf(known, sizeof known, "%s", len < sizeof known ? text : text + len - sizeof known + 1);
	if (len && !strstr(err->msg, known) && strlen(err->msg) + len + 30 < sizeof err->msg)
		snprintf(err->msg + strlen(err->msg), sizeof err->msg - strlen(err->msg), "; the runtime's log: %s",
			 text);
}
