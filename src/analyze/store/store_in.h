/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a store, for its own files: store.c fills it, store_read.c reads it, store_forget.c and
 * store_thin.c make it smaller. */
#ifndef ANALYZE_STORE_STORE_IN_H
#define ANALYZE_STORE_STORE_IN_H

#include "analyze/store/keys.h"
#include "analyze/store/store.h"
#include "analyze/store/store_samples.h"
#include "base/array.h"
#include "base/index.h"
#include "event/event.h"

/*
 * Lists of arguments, by number. Equal lists may be kept once: most operators of a recording carry the
 * same few. List 0 is empty.
 */
struct args {
	struct array pool;  /* struct arg */
	struct array list;  /* struct args_list */
	struct index index; /* of lists that are kept once */
	uint32_t n_shared;
};

struct args_list {
	uint64_t first; /* in the pool */
	uint32_t n, hash;
};

/* Both: 0 and the number of the list, or -ENOMEM. The padding of args must be zero. */
int args_share(struct args *args, const struct arg *arg, uint32_t n, uint32_t *number); /* an equal list is reused */
int args_keep(struct args *args, const struct arg *arg, uint32_t n, uint32_t *number);
void args_done(struct args *args);

/* Borrowed; valid until the next list is added. */
static inline const struct arg *args_get(const struct args *args, uint32_t number, uint32_t *n)
{
	const struct args_list *list;

	if (!number || number >= args->list.n) {
		*n = 0;
		return NULL;
	}
	list = (const struct args_list *)args->list.data + number;
	*n = list->n;
	return (const struct arg *)args->pool.data + list->first;
}

/* Row of an open slice that was not kept. */
#define NO_ROW UINT32_MAX
enum { TRACKS_IN_BLOCK = 64 };

struct track {
	struct store_track view;
	bool is_defined;
	bool is_over; /* a process that has ended, before the time from which on all is kept */
	uint64_t last_ns;
	size_t slices_capacity, samples_capacity;
	uint32_t *open; /* rows of the open slices, outermost first */
	uint32_t n_open, open_capacity, n_not_kept;
};

/* A thread and its samples. */
struct sampled_thread {
	struct store_thread view;
	size_t capacity;
};

struct sampled {
	struct keys keys;     /* (track of the process, tid): index */
	struct array threads; /* struct sampled_thread */
	uint64_t n;
};

struct store {
	struct sink sink;
	struct store_counts counts;
	struct array blocks; /* struct track *: TRACKS_IN_BLOCK tracks, or NULL; index: id / TRACKS_IN_BLOCK */
	uint32_t n_tracks;
	struct array instants; /* struct store_instant */
	struct args args;
	struct array last_list; /* uint32_t by name: the list that a slice of this name had last */
	struct sampled sampled;
	uint64_t window_ns, kept_from_ns;
	uint64_t version;
	struct store_thinned thinned;
};

/* Which slices of a track, and which instants, stay. Open slices always do. */
struct store_choice {
	bool (*keeps_slice)(const struct store_choice *choice, const struct track *track, size_t row);
	bool (*keeps_instant)(const struct store_choice *choice, const struct store_instant *instant);
};

/* NULL: not defined. */
static inline struct track *store_in_track(const struct store *store, uint32_t id)
{
	struct track *block =
	    id && id <= store->n_tracks ? ((struct track **)store->blocks.data)[id / TRACKS_IN_BLOCK] : NULL;

	return block && block[id % TRACKS_IN_BLOCK].is_defined ? &block[id % TRACKS_IN_BLOCK] : NULL;
}

/* Both count what does not stay. */
void store_in_drop_slices(struct store *store, struct track *track, const struct store_choice *choice);
void store_in_drop_instants(struct store *store, const struct store_choice *choice);
/* 0 or -ENOMEM. */
int store_in_put_sample(struct store *store, const struct event *event);
/* Drops samples before this time. */
void store_in_drop_samples(struct store *store, uint64_t before_ns);
/* Memory of those that are kept, or all that is allocated. */
void store_in_free_samples(struct store *store);
/* Only lists that somebody has stay. 0 or -ENOMEM: they are as they were. */
int store_in_drop_lists(struct store *store);
void store_in_free_track(struct track *track);

#endif
