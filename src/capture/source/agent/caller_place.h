/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of native programs that ask for inferences: what is at an address that the agent saw. A child without rights
 * reads the files (capture/code/code_reader.h), one question after the other; rings are read meanwhile. One thread.
 */
#ifndef CAPTURE_SOURCE_AGENT_CALLER_PLACE_H
#define CAPTURE_SOURCE_AGENT_CALLER_PLACE_H

#include "base/array.h"
#include "capture/code/code_reader.h"
#include "capture/decode/recorded.h"

/* Zeroed: no question so far. */
struct caller_places {
	struct code_reader reader;
	struct array file, asked; /* private */
	size_t n_answered;	  /* of asked, in order */
	uint32_t n_sent;
	bool is_sent; /* the question after those */
	uint64_t sent_ns;
};

/*
 * callers_finder's find; ctx is a struct caller_places. "main (/src/app.c:42)", or without a line "main
 * (/usr/bin/app+0x1234)". A file that takes longer than two seconds is not asked about again.
 */
uint32_t caller_place_find(const struct callers_finder *finder, struct names *names, uint32_t caller, bool waits);
/* Whether questions are open: answers come within milliseconds. */
static inline bool caller_places_wait(const struct caller_places *places)
{
	return places->n_answered < places->asked.n;
}
void caller_places_done(struct caller_places *places);

#endif
