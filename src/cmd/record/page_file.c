// SPDX-License-Identifier: Apache-2.0
/* A stream into an output. Writes nothing into it. */
#include "cmd/record/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Owner and rights of the file that it replaces, as far as this user may give it away; NULL: it is new. */
static void look_like(int fd, const struct stat *before, mode_t mode)
{
	bool is_given = before && !fchown(fd, before->st_uid, before->st_gid);

	/* another group must not get what this one had */
	fchmod(fd, !before ? mode : before->st_mode & (is_given ? 0777 : 0707));
}

int page_file_open(struct page_file *file, const char *path, bool is_forced, struct err *err)
{
	struct stat before;
	bool is_there = !stat(path, &before);
	mode_t mask = umask(0);
	int code, fd;

	umask(mask);
	code = output_open(&file->output, path, is_forced, err);
	if (code)
		return code;
	fd = fcntl(file->output.fd, F_DUPFD_CLOEXEC, 0);
	file->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file->out) {
		code = err_set(err, errno, "cannot write %s: %s", path, strerror(errno));
		output_drop(&file->output);
		return code;
	}
	if (!file->output.is_direct)
		look_like(file->output.fd, is_there ? &before : NULL, 0666 & ~mask);
	return 0;
}

int page_file_close(struct page_file *file, int code, struct err *err)
{
	bool has_failed = fflush(file->out) || ferror(file->out);

	has_failed |= fclose(file->out) != 0;
	if (!code && has_failed)
		code = err_set(err, errno ? errno : EIO, "cannot write %s: %s", file->output.path,
			       strerror(errno ? errno : EIO));
	if (!code)
		code = output_keep(&file->output, err);
	output_drop(&file->output);
	return code;
}
