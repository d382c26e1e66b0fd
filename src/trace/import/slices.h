/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A track whose slices have a begin and an end, in the order of their begins: puts BEGIN and END so that they nest. For
 * importers of formats that write a slice as one event.
 */
#ifndef TRACE_IMPORT_SLICES_H
#define TRACE_IMPORT_SLICES_H

#include "event/sink.h"

enum { SLICES_DEPTH = 64 };

/* One track. Zeroed except for track. */
struct slices {
	uint32_t track;
	uint32_t depth; /* open slices */
	uint64_t end_ns[SLICES_DEPTH];
};

/* Shared by the tracks of one file. */
struct slices_stream {
	struct sink *out;
	struct err *err;
	uint64_t tolerance_ns; /* an end this far outside of the slice around it is a rounding error */
	uint64_t n_moved;      /* ends further outside: moved */
	uint64_t n_too_deep;   /* slices left out */
};

/* Defines a track. 0 and err: the sink is broken. */
uint32_t slices_define(struct slices_stream *stream, const struct track_def *def);
/*
 * begin: an EVENT_BEGIN on the track, not before the last one there; end_ns: not before it. 0, or -errno and err.
 */
int slices_put(struct slices_stream *stream, struct slices *slices, const struct event *begin, uint64_t end_ns);
/* Ends all slices that end by then; UINT64_MAX: all. */
int slices_close(struct slices_stream *stream, struct slices *slices, uint64_t until_ns);

#endif
