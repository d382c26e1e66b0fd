// SPDX-License-Identifier: Apache-2.0
/* Opens, names and removes files of recordings. What is in them is perfetto_write.c's business. */
#include "cmd/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char default_out[] = "inftrace.pftrace";

static int refuse(const char *path, int code, struct err *err)
{
	if (code == EEXIST)
		return err_set(err, code,
			       "cannot write %s: it exists already; use another -o, or --force to overwrite it", path);
	if (code == ELOOP)
		return err_set(err, code,
			       "cannot write %s: it is a symbolic link, and inftrace follows none; name the file that "
			       "it leads to",
			       path);
	if (code == EISDIR)
		return err_set(err, code, "cannot write %s: it is a folder; name a file in it", path);
	return err_set(err, code, "cannot write %s: %s", path, strerror(code));
}

/* The descriptor, or -errno and err. */
static int open_path(struct recording_file *file, const struct record_options *options, struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (options->force ? 0 : O_EXCL), fd;

	file->path = options->out ? options->out : default_out;
	fd = open(file->path, flags, 0600);
	for (int i = 2; fd < 0 && errno == EEXIST && !options->out && i < 10000; i++) {
		snprintf(file->buf, sizeof file->buf, "inftrace-%d.pftrace", i);
		file->path = file->buf;
		fd = open(file->buf, flags, 0600);
	}
	return fd < 0 ? refuse(file->path, errno, err) : fd;
}

int recording_file_open(struct recording_file *file, const struct record_options *options, struct err *err)
{
	const struct perfetto_write_opts opts = { .compress = !options->no_compress,
						  .overwrites = true,
						  .in_background = true };

	*file = (struct recording_file){ .fd = -1 };
	file->fd = open_path(file, options, err);
	if (file->fd < 0)
		return -err->code;
	file->names = names_new();
	if (file->names)
		file->writer = perfetto_write_new(file->fd, file->names, &file->last_track, &opts, err);
	else
		err_set(err, ENOMEM, "cannot write %s: out of memory", file->path);
	if (!file->writer) {
		recording_file_drop(file);
		return -err->code;
	}
	file->sink = perfetto_write_sink(file->writer);
	return 0;
}

void recording_file_close(struct recording_file *file)
{
	perfetto_write_free(file->writer, NULL);
	names_free(file->names);
	close(file->fd);
}

void recording_file_drop(struct recording_file *file)
{
	bool has_begun = file->sink && file->sink->n_bytes;
	struct stat stat_;

	if (!fstat(file->fd, &stat_) && S_ISREG(stat_.st_mode) && (has_begun || !stat_.st_size))
		unlink(file->path);
	perfetto_write_drop(file->writer);
	names_free(file->names);
	close(file->fd);
}
