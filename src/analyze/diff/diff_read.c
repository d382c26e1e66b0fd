// SPDX-License-Identifier: Apache-2.0
/* Finds out what a file is, and reads it: a recording, or a result of `inftrace model`. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/diff/diff_run.h"
#include "analyze/summary/recording.h"

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

int diff_read(struct diff_run *run, const char *path, struct arena *arena, struct err *err)
{
	size_t len = 0;
	char *text = map(path, &len);
	int code;

	*run = (struct diff_run){ .path = path };
	if (text && is_result(text, len)) {
		code = diff_result_of(run, text, len, arena, err);
		if (code)
			err_wrap(err, "cannot compare %s", path);
	} else {
		code = read_recording(run, arena, err);
	}
	if (text)
		munmap(text, len);
	return code;
}
