/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink that passes on what happened in a part of a recording: slices that reach into it, instants, samples, and the
 * values that counters had when it began. Facts about the recording stay, at its edge. Tracks are all passed on.
 */
#ifndef TRACE_IMPORT_EXCERPT_H
#define TRACE_IMPORT_EXCERPT_H

#include "base/array.h"
#include "event/sink.h"

struct excerpt {
	struct sink sink;
	struct sink *out; /* borrowed */
	uint64_t from_ns, to_ns;
	struct array tracks; /* struct excerpt_track, by number */
};

/* Events from from_ns to to_ns; out has the names and tracks of the stream. */
void excerpt_init(struct excerpt *excerpt, struct sink *out, uint64_t from_ns, uint64_t to_ns);
/* After the last event: passes on what was never ended. 0, or -errno and err. */
int excerpt_end(struct excerpt *excerpt, struct err *err);
void excerpt_done(struct excerpt *excerpt);

#endif
