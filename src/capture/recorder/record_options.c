// SPDX-License-Identifier: Apache-2.0
/* Checks the options that recordings share, and opens the file. Writes nothing into it. */
#include "capture/recorder/record_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char default_out[] = "inftrace.pftrace";

int record_options_check(const struct record_options *options, struct err *err)
{
	return options->interval_ns < 10000000 ? opt_misused(err, "--interval must be 10ms or more") : 0;
}

int record_options_open(const struct record_options *options, const char **path, char *buf, size_t size,
			struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (options->force ? 0 : O_EXCL), fd;

	*path = options->out ? options->out : default_out;
	fd = open(*path, flags, 0600);
	for (int i = 2; fd < 0 && errno == EEXIST && !options->out && i < 10000; i++) {
		snprintf(buf, size, "inftrace-%d.pftrace", i);
		*path = buf;
		fd = open(buf, flags, 0600);
	}
	if (fd >= 0)
		return fd;
	if (errno == EEXIST)
		return err_set(err, EEXIST,
			       "cannot write %s: it exists already (try another -o, or --force to overwrite it)",
			       *path);
	if (errno == ELOOP)
		return err_set(
		    err, ELOOP,
		    "cannot write %s: it is a symbolic link, and none is followed; name the file that it leads to",
		    *path);
	if (errno == EISDIR)
		return err_set(err, EISDIR, "cannot write %s: it is a folder; name a file in it", *path);
	return err_set(err, errno, "cannot write %s: %s", *path, strerror(errno));
}

int record_options_begin(int fd, const char *path, struct err *err)
{
	/* a pipe or a device has nothing to cut off */
	if (ftruncate(fd, 0) && errno != EINVAL)
		return err_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

void record_options_remove(int fd, const char *path)
{
	struct stat stat_;

	if (!fstat(fd, &stat_) && S_ISREG(stat_.st_mode))
		unlink(path);
}
