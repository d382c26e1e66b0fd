/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generations as slices, so that the timeline has them: below a process the group "requests", in it a lane for each
 * that goes on at a time. A slice is one request; inside it are its inferences, prefills and tokens. They are of kind
 * `user`; their category is what they are.
 */
#ifndef SHOW_VIEW_VIEW_GENERATIONS_H
#define SHOW_VIEW_VIEW_GENERATIONS_H

#include "analyze/generation/generations.h"
#include "analyze/store/store.h"

/* Zeroed: nothing was taken. */
struct view_generations {
	struct generations *finder;
	struct store *store; /* while something is taken */
	struct array lanes;  /* struct lane of view_generations.c */
	struct array parts;  /* struct part of that; while something is taken */
	uint64_t until_ns;   /* inferences that ended until then were looked at */
};

/*
 * Puts what has come into the store itself; is_over: nothing follows, and what is open ends. What memory does not
 * suffice for is left out.
 */
void view_generations_take(struct view_generations *generations, struct store *store, bool is_over);
void view_generations_done(struct view_generations *generations);

#endif
