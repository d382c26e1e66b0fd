/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a recording: a Perfetto protobuf trace, appended as it happens.
 * A sink: put buffers, its flush hands whole packets to the file. One thread.
 */
#ifndef TRACE_PERFETTO_PERFETTO_WRITE_H
#define TRACE_PERFETTO_PERFETTO_WRITE_H

#include <stdbool.h>

#include "base/err.h"
#include "event/sink.h"

struct perfetto_writer;

struct perfetto_write_opts {
	bool compress;	 /* packets in deflate-compressed bundles: a third of the bytes, more CPU */
	bool overwrites; /* what the file holds is cut off when the first packets are handed over, not before */
	bool is_import;	 /* times are not this machine's CLOCK_MONOTONIC: the file does not relate them to its other
			    clocks */
	bool is_more;	 /* the file holds a recording already, which this adds tracks to: it gets no second head, and
			    times may lie anywhere in it. Tracks of it are meant by their uuid (struct track_def) */
};

/*
 * fd is borrowed: a file open for writing, at its end. names and last_track are those of the stream. Writes the head;
 * with opts->overwrites it waits for the first flush, so that a writer that is dropped before has not touched the file.
 * NULL and err: out of memory, or the head could not be written.
 */
struct perfetto_writer *perfetto_write_new(int fd, struct names *names, uint32_t *last_track,
					   const struct perfetto_write_opts *opts, struct err *err);
/*
 * The sink's flush hands all that was put to the operating system, in whole packets. On a full disk it cuts the file
 * back to the last whole packet, and the writer takes no more.
 */
struct sink *perfetto_write_sink(struct perfetto_writer *writer);
/* Flushes and frees; NULL does nothing. 0, or -errno and err. */
int perfetto_write_free(struct perfetto_writer *writer, struct err *err);
/* Frees without a flush: what was put since the last one is gone. NULL does nothing. */
void perfetto_write_drop(struct perfetto_writer *writer);

#endif
