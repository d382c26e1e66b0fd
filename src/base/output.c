// SPDX-License-Identifier: Apache-2.0
/* Creates an output file and names it when it is complete. Writes no bytes into it. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/invoker.h"
#include "base/new_name.h"

/* Keeps errno. */
static bool is_writable(const char *path)
{
	int error = errno;
	bool is = !access(path, W_OK);

	errno = error;
	return is;
}

static int failed(const struct output *output, struct err *err)
{
	if (errno == EEXIST)
		return err_set(err, EEXIST,
			       "cannot write %s: it exists already; name another file, or use --force to overwrite it",
			       output->path);
	/* a folder of somebody else's, or a file that is mounted by itself */
	if (output->is_forced && (errno == EACCES || errno == EROFS || errno == EBUSY) && is_writable(output->path))
		return err_set(err, errno, "cannot replace %s: %s; to write into it, name the format and use -o - > %s",
			       output->path, strerror(errno), output->path);
	return err_set(err, errno, "cannot write %s: %s", output->path, strerror(errno));
}

/* Created in the file's folder, because a link must stay on its file system. */
static int open_unnamed(struct output *output, struct err *err)
{
	char folder[PATH_MAX];

	if (strlen(output->path) > sizeof folder - 8)
		return err_set(err, ENAMETOOLONG, "cannot write %.100s...: its name is too long", output->path);
	strcpy(folder, output->path);
	output->fd = open(dirname(folder), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (output->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		snprintf(output->temporary, sizeof output->temporary, "%s.XXXXXX", output->path);
		output->fd = mkostemp(output->temporary, O_CLOEXEC);
		if (output->fd < 0)
			*output->temporary = 0;
	}
	if (output->fd < 0)
		return failed(output, err);
	invoker_give(output->fd);
	return 0;
}

int output_open(struct output *output, const char *path, bool is_forced, struct err *err)
{
	struct stat there;
	bool is_link, exists;

	*output = (struct output){ .path = path, .fd = -1, .is_forced = is_forced };
	if (!strcmp(path, "-")) {
		output->is_direct = true;
		output->fd = dup(STDOUT_FILENO);
		return output->fd < 0 ? failed(output, err) : 0;
	}
	is_link = !lstat(path, &there) && S_ISLNK(there.st_mode);
	exists = !stat(path, &there);
	if (exists && S_ISDIR(there.st_mode))
		return err_set(err, EISDIR, "cannot write %s: it is a folder; name a file in it", path);
	if (exists && (S_ISCHR(there.st_mode) || S_ISFIFO(there.st_mode) || (is_forced && S_ISBLK(there.st_mode)))) {
		output->is_direct = true;
		output->fd = open(path, O_WRONLY | O_CLOEXEC);
		return output->fd < 0 ? failed(output, err) : 0;
	}
	if ((exists || is_link) && !is_forced) {
		errno = EEXIST;
		return failed(output, err);
	}
	if (is_link)
		return err_set(err, ELOOP,
			       "cannot write %s: it is a symbolic link, which is not followed; name the file that it "
			       "leads to",
			       path);
	return open_unnamed(output, err);
}

/* Links the unnamed file to this name, which must be new. */
static int link_to(const struct output *output, const char *name)
{
	char link[40];

	/* needs rights before Linux 6.10, the other way needs /proc */
	if (!linkat(output->fd, "", AT_FDCWD, name, AT_EMPTY_PATH))
		return 0;
	if (errno == EEXIST)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", output->fd);
	return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* Gives the file its name in one step, replacing an existing file if allowed. */
static int give_name(struct output *output)
{
	char other[PATH_MAX];

	if (*output->temporary && !output->is_forced)
		return new_name_give(AT_FDCWD, output->temporary, output->path);
	if (!*output->temporary && !link_to(output, output->path))
		return 0;
	if (!*output->temporary) {
		if (errno != EEXIST || !output->is_forced)
			return -1;
		snprintf(other, sizeof other, "%s.%d", output->path, (int)getpid());
		if (link_to(output, other))
			return -1;
		strcpy(output->temporary, other);
	}
	return rename(output->temporary, output->path);
}

int output_keep(struct output *output, struct err *err)
{
	int code = 0;

	if (!output->is_direct && give_name(output))
		code = failed(output, err);
	else
		*output->temporary = 0;
	output_drop(output);
	return code;
}

void output_drop(struct output *output)
{
	if (*output->temporary)
		unlink(output->temporary);
	if (output->fd >= 0)
		close(output->fd);
	output->fd = -1;
	*output->temporary = 0;
}

/* Owner and rights of the file that it replaces, as far as this user may give it away; NULL: it is new. */
static void look_like(int fd, const struct stat *before, mode_t mode)
{
	bool is_given = before && !fchown(fd, before->st_uid, before->st_gid);

	/* another group must not get what this one had */
	fchmod(fd, !before ? mode : before->st_mode & (is_given ? 0777 : 0707));
}

int output_stream_open(struct output_stream *stream, const char *path, bool is_forced, struct err *err)
{
	struct stat before;
	bool is_there = !stat(path, &before);
	mode_t mask = umask(0);
	int code, fd;

	umask(mask);
	code = output_open(&stream->output, path, is_forced, err);
	if (code)
		return code;
	fd = fcntl(stream->output.fd, F_DUPFD_CLOEXEC, 0);
	stream->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!stream->out) {
		code = err_set(err, errno, "cannot write %s: %s", path, strerror(errno));
		output_drop(&stream->output);
		return code;
	}
	if (!stream->output.is_direct)
		look_like(stream->output.fd, is_there ? &before : NULL, 0666 & ~mask);
	return 0;
}

int output_stream_close(struct output_stream *stream, int code, struct err *err)
{
	bool has_failed = fflush(stream->out) || ferror(stream->out);

	has_failed |= fclose(stream->out) != 0;
	stream->out = NULL;
	if (!code && has_failed)
		code = err_set(err, errno ? errno : EIO, "cannot write %s: %s", stream->output.path,
			       strerror(errno ? errno : EIO));
	if (!code)
		code = output_keep(&stream->output, err);
	output_drop(&stream->output);
	return code;
}

void output_stream_drop(struct output_stream *stream)
{
	if (!stream->out)
		return;
	fclose(stream->out);
	stream->out = NULL;
	output_drop(&stream->output);
}
