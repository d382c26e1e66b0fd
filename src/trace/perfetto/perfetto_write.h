/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a recording: a Perfetto protobuf trace, appended as events arrive. A sink: put buffers, flush writes whole
 * packets to the file. For one thread; a second one can write in the background.
 */
#ifndef TRACE_PERFETTO_PERFETTO_WRITE_H
#define TRACE_PERFETTO_PERFETTO_WRITE_H

#include <stdbool.h>

#include "base/err.h"
#include "event/sink.h"

struct perfetto_writer;

struct perfetto_write_opts {
	bool compress;	    /* packets in compressed bundles: about a seventh of the bytes */
	bool in_background; /* a thread compresses and writes: put waits only when 16 MiB are behind */
	bool overwrites;    /* the file's old content is cut off with the first write, not before */
	bool is_import;	    /* times are not this machine's CLOCK_MONOTONIC: the file does not relate them to its other
			       clocks */
	bool is_more;	    /* the file already holds a recording, to which this adds tracks: no second head is written,
			     * and times may lie anywhere in it. Tracks of the recording are identified by uuid (struct
			     * track_def) */
	/* of files that are the segments of one recording, in this order: */
	uint64_t salt;	  /* the same number for all: a track has the same uuid in each; 0: a random one */
	uint64_t from_ns; /* no sequence's own clock begins earlier; 0: at its first event */
};

/*
 * fd is borrowed: a file open for writing, positioned at its end. names and last_track belong to the stream. Writes the
 * head; with opts->overwrites it waits for the first flush, so that a writer dropped before that has not touched the
 * file. NULL and err: out of memory, or the head could not be written.
 */
struct perfetto_writer *perfetto_write_new(int fd, struct names *names, uint32_t *last_track,
					   const struct perfetto_write_opts *opts, struct err *err);
/*
 * The sink's flush passes everything put so far to the operating system, or to the thread in the background, in whole
 * packets; sync waits until they are written. On a full disk the file is cut back to the last whole packet, and the
 * writer accepts no more: with a thread, the error comes with a later call.
 */
struct sink *perfetto_write_sink(struct perfetto_writer *writer);
/* Flushes and frees; NULL does nothing. 0, or -errno and err. */
int perfetto_write_free(struct perfetto_writer *writer, struct err *err);
/* Frees without a flush: events since the last one are lost. NULL does nothing. */
void perfetto_write_drop(struct perfetto_writer *writer);

#endif
