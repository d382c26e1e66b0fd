// SPDX-License-Identifier: Apache-2.0
/*
 * JSON lines in a file, which is renamed when it has grown too large. A batch is written whole or not at all: what a
 * full disk left of it is cut off again, and the batch is counted.
 */
#include "fleet/door/door_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/door/channel.h"
#include "fleet/door/door_in.h"
#include "fleet/door/doors.h"

struct writer {
	const struct door_lines_opts *opts;
	int fd;
	uint64_t n_bytes, n_dropped;
	bool is_in_trouble, is_file;
};

static bool encode(const struct door_in *in, int section, FILE *out)
{
	if (!section)
		lines_write(in, out);
	return !section;
}

static int open_file(struct writer *writer, struct err *err)
{
	struct stat stat_;

	writer->fd =
	    open(writer->opts->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
	if (writer->fd < 0)
		return err_set(err, errno, "cannot write %.200s: %s", writer->opts->path, strerror(errno));
	writer->is_file = !fstat(writer->fd, &stat_) && S_ISREG(stat_.st_mode);
	writer->n_bytes = writer->is_file ? (uint64_t)stat_.st_size : 0;
	return 0;
}

static int open_lines(struct door_child *child, struct err *err)
{
	struct writer *writer = calloc(1, sizeof *writer);

	if (!writer)
		return err_no_memory(err, "cannot write lines");
	child->state = writer;
	writer->opts = child->opts;
	writer->fd = STDOUT_FILENO;
	return strcmp(writer->opts->path, "-") ? open_file(writer, err) : 0;
}

/* PATH.2 becomes PATH.3, and so on; the last one goes. */
static void rotate(struct writer *writer)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct err ignored;

	for (int i = writer->opts->n_kept; i-- > 0;) {
		snprintf(to, sizeof to, "%s.%d", writer->opts->path, i + 1);
		if (i)
			snprintf(from, sizeof from, "%s.%d", writer->opts->path, i);
		else
			snprintf(from, sizeof from, "%s", writer->opts->path);
		rename(from, to);
	}
	if (!writer->opts->n_kept)
		unlink(writer->opts->path);
	close(writer->fd);
	open_file(writer, &ignored);
}

static bool write_all(struct writer *writer, const char *data, size_t size)
{
	while (size) {
		ssize_t put = write(writer->fd, data, size);
		struct pollfd poller = { writer->fd, POLLOUT, 0 };

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EAGAIN && poll(&poller, 1, 1000) > 0)
			continue;
		if (put <= 0)
			return false;
		data += put;
		size -= (size_t)put;
	}
	return true;
}

/* One message when it begins to fail, and one when it goes on. */
static void write_batch(struct writer *writer, int channel, const struct channel_batch *batch)
{
	size_t size = (size_t)batch->head.size[0];
	struct err ignored;

	if (!batch->section[0])
		return;
	if (writer->is_file && writer->n_bytes && writer->n_bytes + size > writer->opts->most_bytes)
		rotate(writer);
	if (writer->fd < 0)
		open_file(writer, &ignored);
	if (writer->fd >= 0 && write_all(writer, batch->section[0], size)) {
		writer->n_bytes += size;
		if (writer->is_in_trouble)
			channel_tell(channel, "%.120s is written again; %llu intervals are missing from it",
				     writer->opts->path, (unsigned long long)writer->n_dropped);
		writer->is_in_trouble = false;
		return;
	}
	writer->n_dropped++;
	if (!writer->is_in_trouble)
		channel_tell(channel, "cannot write %.120s: %s; intervals are dropped until that works again",
			     writer->opts->path, strerror(errno));
	writer->is_in_trouble = true;
	if (writer->fd >= 0 && writer->is_file && ftruncate(writer->fd, (off_t)writer->n_bytes))
		writer->n_bytes = writer->opts->most_bytes;
}

static void serve(struct door_child *child)
{
	struct pollfd poller = { child->channel, POLLIN, 0 };
	struct channel_batch batch;
	int got;

	do {
		poll(&poller, 1, -1);
		while ((got = channel_receive(child->channel, &batch)) > 0) {
			write_batch(child->state, child->channel, &batch);
			channel_release(&batch);
		}
	} while (!got);
}

const struct door door_lines = {
	.name = "lines", .keeps_user = true, .encode = encode, .open = open_lines, .serve = serve
};
