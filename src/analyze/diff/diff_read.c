// SPDX-License-Identifier: Apache-2.0
/* Finds out what files are, and reads them: recordings, results of `inftrace model`, rows of `inftrace watch`. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/diff/diff_run.h"
#include "analyze/diff/diff_watch.h"
#include "analyze/summary/recording.h"
#include "trace/import/import.h"

/* A result begins with these, and no other JSON that is read here does. */
static bool is_result(const char *text, size_t len)
{
	static const char first[] = "\"verdict\"";
	size_t at = 0;

	while (at < len && strchr(" \t\r\n", text[at]))
		at++;
	if (at == len || text[at++] != '{')
		return false;
	while (at < len && strchr(" \t\r\n", text[at]))
		at++;
	return len - at > sizeof first && !memcmp(text + at, first, sizeof first - 1);
}

/* JSON that nothing here reads: often rows of watch in another format of ClickHouse. */
static bool is_other_json(const char *text, size_t len)
{
	return (*text == '{' || *text == '[') && !import_find(text, len);
}

/* The whole file; NULL: not a plain file, or empty. */
static char *map(const char *path, size_t *len)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	struct stat own;
	char *text = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &own) && S_ISREG(own.st_mode) && own.st_size > 0) {
		*len = (size_t)own.st_size;
		text = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		close(fd);
	return text == MAP_FAILED ? NULL : text;
}

static int read_recording(struct diff_run *run, struct arena *arena, struct err *err)
{
	const struct summary_opts opts = { .with_typical = true };
	struct recording recording = { 0 };
	int code = recording_sum_up(&recording, run->path, &opts, err);

	if (!code)
		code = diff_recording_of(run, recording.summary, arena, err);
	recording_close(&recording);
	return code;
}

static int read_file(struct diff_side *side, struct diff_watch *watch, const char *path, struct arena *arena,
		     struct err *err)
{
	size_t len = 0;
	char *text = map(path, &len);
	bool is_watch = text && diff_watch_is(text, len);
	struct diff_run *run = is_watch ? NULL : diff_side_add(side, arena, err);
	int code = 0;

	if (run)
		*run = (struct diff_run){ .path = path };
	if (is_watch)
		code = diff_watch_add(watch, path, text, len, err);
	else if (!run)
		code = -err->code;
	else if (text && is_result(text, len))
		code = diff_result_of(run, text, len, arena, err) ? err_wrap(err, "cannot compare %s", path) : 0;
	else if (text && is_other_json(text, len))
		code = err_set(
		    err, EBADMSG,
		    "cannot compare %s: its format is unknown; give recordings, results of inftrace model "
		    "--json, or rows of inftrace watch as they are (of ClickHouse: SELECT * ... FORMAT JSONEachRow)",
		    path);
	else
		code = read_recording(run, arena, err);
	if (text)
		munmap(text, len);
	return code;
}

int diff_read(struct diff_side *side, const char *const *path, uint32_t n, struct arena *arena, struct err *err)
{
	struct diff_watch watch = { .arena = arena };
	int code = 0;

	*side = (struct diff_side){ 0 };
	for (uint32_t i = 0; !code && i < n; i++)
		code = read_file(side, &watch, path[i], arena, err);
	if (!code)
		code = diff_watch_take(&watch, side, err);
	diff_watch_done(&watch);
	return code;
}
