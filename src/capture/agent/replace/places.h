/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stand-ins call: one place for each function of a runtime that the imports of modules, or programs that look it
 * up, are bound to a stand-in of. The places of a runtime are an array of PLACES, and stand-in n serves place n.
 * Several modules may share a place; it is free when the last of them is unloaded. Take and forget under the agent's
 * lock.
 */
#ifndef CAPTURE_AGENT_REPLACE_PLACES_H
#define CAPTURE_AGENT_REPLACE_PLACES_H

#include "capture/agent/replace/copies.h"

enum { PLACES = 64 };

struct place {
	void *real;	 /* NULL: free */
	uint16_t users;	 /* bits: numbers of copies whose words lead here */
	bool is_kept;	 /* a program has looked it up */
	uint8_t role;	 /* the runtime's own */
	bool is_encoder; /* what is run encodes, and makes no tokens */
};

_Static_assert(MAX_COPIES <= 16, "users of a place");

/* copy NULL: the program keeps it. Returns its number; PLACES: all are in use. */
unsigned places_take(struct place *places, const struct copy *copy, uint8_t role, void *real);
/* Modules were unloaded. */
void places_forget_gone(struct place *places);

/* F(number), for each place. */
/* clang-format off */
#define PLACES_EIGHT(F, n) F(0##n##0) F(0##n##1) F(0##n##2) F(0##n##3) F(0##n##4) F(0##n##5) F(0##n##6) F(0##n##7)
#define PLACES_EACH(F) \
	PLACES_EIGHT(F, 0) PLACES_EIGHT(F, 1) PLACES_EIGHT(F, 2) PLACES_EIGHT(F, 3) \
	PLACES_EIGHT(F, 4) PLACES_EIGHT(F, 5) PLACES_EIGHT(F, 6) PLACES_EIGHT(F, 7)
/* clang-format on */

#endif
