/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink that passes each event on to several sinks of one stream, in the order of the list. It owns none of them, and
 * keeps no events. One thread.
 *
 * If a sink fails, the others still get that event and all later ones.
 *   put    0 when at least one sink took the event, else the first error
 *   flush  flushes all; the first error, of the flush or of an event that only some sinks took
 */
#ifndef EVENT_TEE_H
#define EVENT_TEE_H

#include "event/sink.h"

struct tee {
	struct sink sink;
	struct sink *const *to;
	size_t n;
	struct err missed; /* the first error of a sink while another one took the event; code 0: none */
};

/* to: n sinks, borrowed, as long as the tee is used; at least one. Names and track numbers are those of the first. */
void tee_init(struct tee *tee, struct sink *const *to, size_t n);

#endif
