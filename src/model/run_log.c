// SPDX-License-Identifier: Apache-2.0
/*
 * The runtime's warnings and errors: the last ones stay in the result, all go to stderr with --verbose. Called from any thread of the runtime.
 */
#include "model/run.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

/* Room for len more bytes and an end: the oldest lines go. */
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
	int len = snprintf(line, sizeof line - 1, "%s: %s", level, text);
	size_t used, n = len < 0 ? 0 : (size_t)len < sizeof line - 1 ? (size_t)len : sizeof line - 2;

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < ' ')
			line[i] = ' ';
	while (n && line[n - 1] == ' ')
		n--;
	line[n++] = '\n';
	line[n] = 0;
	pthread_mutex_lock(&keeper.lock);
	if (keeper.result) {
		used = make_room(keeper.result->log, n);
		memcpy(keeper.result->log + used, line, n + 1);
		keeper.result->n_log_lines++;
	}
	if (keeper.is_verbose)
		fprintf(stderr, "%s", line);
	pthread_mutex_unlock(&keeper.lock);
}

void run_log_take(void *ctx, int severity, const char *category, const char *log_id, const char *where, const char *text)
{
	static const char *const names[] = { "verbose", "info", "warning", "error", "fatal" };

	keep(severity >= ORT_VERBOSE && severity <= ORT_FATAL ? names[severity] : "log", text ? text : "");
}

void run_log_line(const char *text)
{
	keep("inftrace-run", text);
}
