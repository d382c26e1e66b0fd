// SPDX-License-Identifier: Apache-2.0
/* Creates and closes the file of -o FILE. Writes nothing into it. */
#include "cmd/record/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/invoker.h"
#include "base/opt.h"

int page_file_check_json(bool json, const char *format, struct err *err)
{
	return json && format && strcmp(format, "json")
		   ? opt_misused(err, "--json and --format %s contradict each other", format)
		   : 0;
}

bool page_file_is_named(const char *path)
{
	return path && strcmp(path, "-") != 0;
}

FILE *page_file_open(const char *path, bool is_forced, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (is_forced ? O_TRUNC : O_EXCL), 0666);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (file && !is_forced)
		invoker_give(fd);
	if (!file && errno == EEXIST)
		err_set(err, EEXIST, "cannot write %s: it exists already (--force overwrites it)", path);
	else if (!file)
		err_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	return file;
}

int page_file_close(FILE *file, const char *path, struct err *err)
{
	bool has_failed = fflush(file) || ferror(file);

	has_failed |= fclose(file) != 0;
	return has_failed ? err_set(err, EIO, "cannot write %s: %s", path, strerror(errno ? errno : EIO)) : 0;
}
