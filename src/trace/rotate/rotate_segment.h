/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One segment of a recording, a recording by itself:
 *
 *   head | what is open, and notes that hold (KEY_CONTINUED) | head, events
 *                                                            ^ body_at
 *
 * From body_at on it continues the segment before: the bodies of consecutive segments, behind the whole of the first,
 * are one recording. The middle part is on sequences of its own, so that what follows does not depend on it. A reader
 * that gets several segments in one leaves the middle part of all but the first out.
 */
#ifndef TRACE_ROTATE_ROTATE_SEGMENT_H
#define TRACE_ROTATE_ROTATE_SEGMENT_H

#include "trace/perfetto/perfetto_write.h"
#include "trace/rotate/rotate_live.h"

struct rotate_segment {
	uint64_t number; /* of the file; from 1 */
	uint64_t begin_ns;
	uint64_t body_at, bytes; /* bytes: once it is complete */
	uint64_t n_events;	 /* slices and instants */
};

/* The stream that segments are written of. */
struct rotate_stream {
	struct names *names;
	uint32_t *last_track;
	struct rotate_live *live;
	uint64_t salt;
	bool compress;
	int folder; /* descriptor */
};

/*
 * Creates the file of segment->number with its head. The writer, and *fd, which the caller closes after it; NULL and
 * err: no file is left.
 */
struct perfetto_writer *rotate_segment_open(struct rotate_segment *segment, const struct rotate_stream *stream, int *fd,
					    struct err *err);

/* What tells the tracks that a segment's body has defined from those of its middle part. */
static inline uint32_t rotate_segment_body(const struct rotate_segment *segment)
{
	return 2 * (uint32_t)segment->number + 1;
}

#endif
