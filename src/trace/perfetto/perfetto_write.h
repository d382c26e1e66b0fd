/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a recording: a Perfetto protobuf trace, appended as it happens.
 * A sink: put buffers, perfetto_write_flush hands whole packets to the file. One thread.
 */
#ifndef TRACE_PERFETTO_PERFETTO_WRITE_H
#define TRACE_PERFETTO_PERFETTO_WRITE_H

#include <stdbool.h>

#include "base/err.h"
#include "event/sink.h"

struct perfetto_writer;

struct perfetto_write_opts {
	bool compress;	/* packets in deflate-compressed bundles: a third of the bytes, more CPU */
	bool is_import; /* times are not this machine's CLOCK_MONOTONIC: the file does not relate them to its other
			   clocks */
	bool is_more;	/* the file holds a recording already, which this adds tracks to: it gets no second head, and
			   times may lie anywhere in it. Tracks of it are meant by their uuid (struct track_def) */
};

/*
 * fd is borrowed: an open file at its end, for writing. names and last_track are those of the stream.
 * NULL and err: out of memory, or the header could not be written.
 */
struct perfetto_writer *perfetto_write_new(int fd, struct names *names, uint32_t *last_track,
					   const struct perfetto_write_opts *opts, struct err *err);
struct sink *perfetto_write_sink(struct perfetto_writer *writer);
/* Everything put so far is handed to the operating system, in whole packets. 0 or -errno; on a full disk
 * the file is cut back to the last whole packet and the writer takes no more. */
int perfetto_write_flush(struct perfetto_writer *writer, struct err *err);
/* Bytes handed to the file so far. */
uint64_t perfetto_write_bytes(const struct perfetto_writer *writer);
/* Flushes and frees; NULL does nothing. */
int perfetto_write_free(struct perfetto_writer *writer, struct err *err);

#endif
