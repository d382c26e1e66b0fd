/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink that makes samples of events: whole inferences, each with its operators. Keeps what belongs to inferences that
 * are open, and nothing else. One thread.
 */
#ifndef LIBRARY_GATHER_H
#define LIBRARY_GATHER_H

#include "base/array.h"
#include "event/sink.h"

enum { GATHER_ARGS = 24 };

/* A slice, complete or not. */
struct gather_slice {
	enum event_kind kind;
	uint32_t name, track;
	uint64_t begin_ns, end_ns;
	size_t n_args;
	struct arg args[GATHER_ARGS];
};

/* An inference. Valid during the call that hands it over. */
struct sample {
	struct gather_slice run, setup; /* setup.kind KIND_NONE: not known */
	uint32_t model;			/* id of its name */
	const struct gather_slice *operators;
	size_t n_operators;
};

struct gather {
	struct sink sink;
	uint32_t last_track;
	bool with_operators; /* somebody wants them */
	struct array tracks; /* struct gather_track, by number */
	struct array runs;   /* struct gather_run: operators of inferences that have not ended */
	/* Called for each inference that was seen whole, in the order of ends. */
	void (*take)(void *ctx, const struct sample *sample);
	void *ctx;
};

/* false: out of memory. */
bool gather_init(struct gather *gather);
void gather_done(struct gather *gather);
/* NULL: the track is not defined. */
const struct track_def *gather_track(const struct gather *gather, uint32_t track);

#endif
