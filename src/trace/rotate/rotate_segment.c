// SPDX-License-Identifier: Apache-2.0
/* Begins the file of a segment. Decides not when that is due. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/invoker.h"
#include "trace/rotate/rotate_folder.h"
#include "trace/rotate/rotate_in.h"

/* A head, and what holds, so that the segment can be read alone. */
static int write_middle(const struct rotate_segment *segment, const struct rotate_stream *stream, int fd,
			struct err *err)
{
	struct perfetto_write_opts opts = { .compress = stream->compress, .salt = stream->salt };
	struct perfetto_writer *writer = perfetto_write_new(fd, stream->names, stream->last_track, &opts, err);
	int code = writer ? perfetto_write_free(writer, err) : -err->code;

	opts.is_more = true;
	writer = code ? NULL : perfetto_write_new(fd, stream->names, stream->last_track, &opts, err);
	if (!writer)
		return code ? code : -err->code;
	code = rotate_live_repeat(stream->live, 2 * (uint32_t)segment->number, segment->begin_ns,
				  perfetto_write_sink(writer), err);
	if (code)
		perfetto_write_drop(writer);
	return code ? code : perfetto_write_free(writer, err);
}

static struct perfetto_writer *write_head(struct rotate_segment *segment, const struct rotate_stream *stream, int fd,
					  struct err *err)
{
	const struct perfetto_write_opts opts = { .compress = stream->compress,
						  .salt = stream->salt,
						  .from_ns = segment->number > 1 ? segment->begin_ns : 0,
						  .in_background = true };
	struct perfetto_writer *writer;

	if (segment->number > 1 && write_middle(segment, stream, fd, err))
		return NULL;
	segment->body_at = (uint64_t)lseek(fd, 0, SEEK_END);
	writer = perfetto_write_new(fd, stream->names, stream->last_track, &opts, err);
	if (writer &&
	    rotate_live_define_all(stream->live, rotate_segment_body(segment), perfetto_write_sink(writer), err)) {
		perfetto_write_drop(writer);
		return NULL;
	}
	return writer;
}

struct perfetto_writer *rotate_segment_open(struct rotate_segment *segment, const struct rotate_stream *stream, int *fd,
					    struct err *err)
{
	struct rotate_name name = rotate_folder_name(segment->number);
	struct perfetto_writer *writer;

	*fd = openat(stream->folder, name.s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*fd < 0) {
		err_set(err, errno, "cannot write the recording: cannot create %s: %s", name.s, strerror(errno));
		return NULL;
	}
	invoker_give(*fd);
	writer = write_head(segment, stream, *fd, err);
	if (!writer) {
		close(*fd);
		*fd = -1;
		unlinkat(stream->folder, name.s, 0);
	}
	return writer;
}
