/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store of what happens now: it takes the live stream of a recorder, for as long as that goes on, and keeps the
 * newest part within a bound of memory. In a live stream the number of a track that has ended comes again for another
 * one; here each track has a number of its own until nothing of it is left. Texts that differ from inference to
 * inference are kept up to a number; later ones are left out.
 *
 * One thread.
 */
#ifndef ANALYZE_STORE_STORE_LIVE_H
#define ANALYZE_STORE_STORE_LIVE_H

#include "analyze/store/store.h"

struct store_live_opts {
	uint64_t window_ns; /* how much is kept, at least; at most one and a half times as much */
	uint64_t max_bytes; /* then older parts lose detail, see store_thin; 0: never */
};

struct store_live;

/* names and last_track are those of the stream, borrowed. NULL: out of memory. */
struct store_live *store_live_new(struct names *names, uint32_t *last_track, const struct store_live_opts *opts);
void store_live_free(struct store_live *live); /* NULL does nothing */
/* It never fails, so that a recording goes on: once memory is short, nothing more is kept, and what comes is counted.
 */
struct sink *store_live_sink(struct store_live *live);
const struct store *store_live_store(const struct store_live *live);
/* Events that were left out for want of memory. */
uint64_t store_live_n_left_out(const struct store_live *live);

#endif
