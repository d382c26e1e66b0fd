/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording in memory: typed columns, per track, in order of time. Written only through its sink,
 * read-only to everyone else. One thread.
 *
 *	track 1   process              slices    begin_ns | end_ns | name | args | inference | depth | kind
 *	track 2     thread             (one row each, parents before children)
 *	track 3     counter  samples   time_ns | value
 *	instants  (all tracks, in order of arrival)
 *
 * An endless recording does not fit: store_forget drops what is over. What remains takes memory in proportion to what
 * happens in the time kept; to this come 8 bytes for each 64 tracks that ever were, and the texts, which belong to the
 * maker of the stream and are never dropped.
 *
 * A slice has a shared list of arguments (model, provider, shapes: the same for many) and, where the track has
 * that column, one of its own (numbers of one inference). What cannot be kept is counted, see struct store_counts.
 */
#ifndef ANALYZE_STORE_STORE_H
#define ANALYZE_STORE_STORE_H

#include <stdbool.h>

#include "event/sink.h"

struct store;

#define STORE_OPEN UINT64_MAX /* end_ns of a slice that was cut off */
enum { STORE_MAX_DEPTH = 4096, STORE_MAX_ARGS = 64 };

struct store_slices {
	size_t n;
	const uint64_t *begin_ns, *end_ns;
	const uint32_t *name;
	const uint32_t *args;	   /* store_args */
	const uint32_t *own_args;  /* the same; NULL: no slice of the track has any */
	const uint32_t *inference; /* argument `inference`, 0: none; it is in no list */
	const uint16_t *depth;	   /* open slices around it */
	const uint8_t *kind;	   /* enum event_kind */
};

struct store_samples {
	size_t n;
	const uint64_t *time_ns;
	const double *value;
};

struct store_track {
	struct track_def def;
	uint32_t id;
	struct store_slices slices;
	struct store_samples samples;
};

struct store_instant {
	uint64_t time_ns;
	uint32_t track, name, args;
	enum event_kind kind;
};

struct store_counts {
	uint64_t n_slices, n_instants, n_samples;
	uint64_t n_open;	    /* slices without an end, now */
	uint64_t n_disordered;	    /* events that lay before their predecessor on the track */
	uint64_t n_unmatched;	    /* ends without a begin */
	uint64_t n_untracked;	    /* events on a track that was never defined */
	uint64_t n_too_deep;	    /* slices deeper than STORE_MAX_DEPTH */
	uint64_t n_args_cut;	    /* arguments beyond STORE_MAX_ARGS */
	uint64_t first_ns, last_ns; /* of all events; first > last: there are none */
	uint64_t n_forgotten;	    /* slices, instants and samples that were dropped; counted above, too */
};

/* names and last_track are those of the stream, borrowed. NULL: out of memory. */
struct store *store_new(struct names *names, uint32_t *last_track);
void store_free(struct store *store);
struct sink *store_sink(struct store *store);

/*
 * Drops slices that ended before this time, instants and samples before it (of each counter the last one stays: it
 * holds until the next), and processes that ended before it, with all that is on their tracks. What is open stays, so
 * do notes about what is not over: processes that live, sessions that are not released. 0 or -ENOMEM.
 */
int store_forget(struct store *store, uint64_t before_ns);
/* From now on forgets by itself: at least the last window_ns stay, and at most one and a half times as much. 0: never.
 */
void store_set_window(struct store *store, uint64_t window_ns);
/* What store_thin has left out; all zero: nothing. */
struct store_thinned {
	uint64_t before_ns; /* of what began earlier only creations, inferences and those kept below are left */
	uint64_t inferences_before_ns; /* of what began earlier only those kept below are left; 0: none is left out */
	uint64_t n_details, n_inferences; /* left out */
};

/*
 * Drops slices until the rest takes at most max_bytes, the oldest first: operators and what else lies inside inferences
 * before the inferences themselves. The slowest and the failed inferences of each model stay longest, with their
 * operators. 0 or -ENOMEM.
 */
int store_thin(struct store *store, uint64_t max_bytes);
const struct store_thinned *store_thinned(const struct store *store);
/* Memory of what is kept now; room for more, of which nothing is touched, is not counted. */
uint64_t store_used_bytes(const struct store *store);
/* Another one: slices or lists have other numbers than before, because some were dropped. */
uint64_t store_version(const struct store *store);
/* From this time on nothing was dropped because it is old; 0: nothing was at all. */
uint64_t store_kept_from(const struct store *store);

/* All borrowed, and valid until the next event. */
const struct names *store_names(const struct store *store);
const struct store_counts *store_counts(const struct store *store);
/* Tracks are numbered 1..store_n_tracks; NULL for a number that no TRACK event has defined. */
uint32_t store_n_tracks(const struct store *store);
const struct store_track *store_track(const struct store *store, uint32_t id);
/* Whether a slice of this kind lies on it; a track that is NULL has none. */
bool store_has_kind(const struct store_track *track, enum event_kind kind);
/* The first of n times in order that is this one or later; n: there is none. */
size_t store_first_from(const uint64_t *times_ns, size_t n, uint64_t time_ns);
/* The process track that a track belongs to; 0: none (the machine). */
uint32_t store_process_of(const struct store *store, uint32_t id);
const struct store_instant *store_instants(const struct store *store, size_t *n);

/* Arguments by list number; NULL and 0 for list 0. */
const struct arg *store_args(const struct store *store, uint32_t list, uint32_t *n);
/* Lists are numbered below this. */
uint32_t store_n_lists(const struct store *store);
/* One argument of a list, or NULL: it has none of that key. */
const struct arg *store_arg(const struct store *store, uint32_t list, enum event_key key);
/* One argument of a slice, shared or its own (not `inference`), or NULL. */
const struct arg *store_slice_arg(const struct store *store, const struct store_track *track, size_t row,
				  enum event_key key);

/* What an argument holds; the fallback when arg is NULL or of another type. */
static inline int64_t store_int(const struct arg *arg, int64_t fallback)
{
	return arg && arg->type == ARG_INT ? arg->integer : fallback;
}

static inline uint32_t store_text(const struct arg *arg)
{
	return arg && arg->type == ARG_NAME ? arg->name : 0;
}

static inline bool store_is_lane(const struct store_track *track)
{
	return track->def.type == TRACK_LANE || track->def.type == TRACK_GROUP;
}

#endif
