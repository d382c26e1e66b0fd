// SPDX-License-Identifier: Apache-2.0
/* Writes progress as lines of JSON; see record_lines.h. */
#include "cmd/record/record_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/invoker.h"
#include "base/text/json.h"

/* A new file belongs to the one who called sudo. A pipe that no program reads is refused, a full one not waited for. */
static int open_lines(const char *path)
{
	const int flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK;
	int fd = open(path, flags | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		return open(path, flags | O_CREAT | O_TRUNC, 0600);
	invoker_give(fd);
	return fd;
}

int record_lines_open(struct record_lines *lines, const char *path, const char *const *recording, struct err *err)
{
	int fd;

	*lines = (struct record_lines){ .recording = recording };
	if (!path)
		return 0;
	fd = open_lines(path);
	lines->to = fd < 0 ? NULL : fdopen(fd, "w");
	if (lines->to)
		return 0;
	if (fd >= 0)
		close(fd);
	return err_set(err, errno, "cannot write progress to %s: %s", path,
		       errno == ENXIO ? "no program reads this pipe" : strerror(errno));
}

/* null: unknown. */
static void put_known(FILE *to, const char *name, uint64_t value, bool is_known)
{
	if (is_known)
		fprintf(to, ",\"%s\":%" PRIu64, name, value);
	else
		fprintf(to, ",\"%s\":null", name);
}

static void put_line(void *ctx, const struct say_progress *progress)
{
	const struct record_lines *lines = ctx;
	FILE *to = lines->to;

	if (lines->next)
		lines->next(NULL, progress);
	fprintf(to, "{\"state\":\"%s\",\"file\":",
		progress->is_over      ? "over"
		: progress->elapsed_ns ? "recording"
				       : "waiting");
	json_put_text(to, *lines->recording ? *lines->recording : "");
	put_known(to, "elapsed_ns", progress->elapsed_ns, true);
	put_known(to, "inferences", progress->n_inferences, true);
	put_known(to, "processes", progress->n_processes, true);
	put_known(to, "events", progress->n_events, true);
	put_known(to, "lost", progress->n_lost, true);
	put_known(to, "bytes", progress->n_bytes, true);
	put_known(to, "left_bytes", progress->left_bytes, progress->left_bytes != UINT64_MAX);
	put_known(to, "median_ns", progress->median_ns, progress->median_ns != 0);
	put_known(to, "p99_ns", progress->p99_ns, progress->p99_ns != 0);
	fputs("}\n", to);
	/* who reads it may have gone: the recording goes on */
	fflush(to);
	clearerr(to);
}

void record_lines_join(struct record_lines *lines, struct say *say)
{
	if (!lines->to)
		return;
	lines->next = say->progress;
	say->progress = put_line;
	say->ctx = lines;
}

void record_lines_close(struct record_lines *lines)
{
	if (lines->to)
		fclose(lines->to);
	lines->to = NULL;
}
