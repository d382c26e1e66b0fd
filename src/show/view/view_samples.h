/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of threads as slices, so that the timeline has them: below each thread a lane of its states and one of its
 * stacks, in which calls that go on from sample to sample are one slice. Slices are of kind `user`; their category is
 * the state, or the kind of code.
 */
#ifndef SHOW_VIEW_VIEW_SAMPLES_H
#define SHOW_VIEW_VIEW_SAMPLES_H

#include "analyze/store/store_samples.h"
#include "base/text/printable.h"

/* Names of the lanes. */
#define VIEW_STATES "state"
#define VIEW_STACKS "stack"

/* Zeroed: nothing was taken. */
struct view_samples {
	struct array lanes;  /* struct lane of view_samples.c, by thread of the store */
	struct array labels; /* uint32_t: texts, by frame */
};

/*
 * Puts what has come into the store itself; is_over: nothing follows, and what is open ends. Returns whether there was
 * something; what memory does not suffice for is left out.
 */
bool view_samples_take(struct view_samples *samples, struct store *store, bool is_over);
void view_samples_done(struct view_samples *samples);

/* Slices of kind `user` in the store itself. */
void view_slice_begin(struct sink *to, uint32_t track, uint64_t time_ns, uint32_t name, const char *category);
void view_slice_end(struct sink *to, uint32_t track, uint64_t time_ns);

/* "ran", "recvfrom on 10.0.0.7:443", "waited for the GIL, held by burn (gil.py:4)" */
struct printable view_state_words(const struct names *names, const struct event_sample *sample);

#endif
