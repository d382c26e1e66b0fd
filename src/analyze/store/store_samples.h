/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the threads of a recording did, by samples of their stacks (event/sample.h): per thread, in the order of time,
 * and all of them together. The frames are in the stream's callstacks (event/callstack.h).
 */
#ifndef ANALYZE_STORE_STORE_SAMPLES_H
#define ANALYZE_STORE_STORE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/store/store.h"
#include "event/callstack.h"
#include "event/sample.h"

struct store_sample {
	uint64_t time_ns; /* the end of the stretch that it stands for */
	struct event_sample is;
};

/* Each borrowed and valid until the next event. */
struct store_thread {
	uint32_t process; /* its track */
	int32_t tid;
	uint32_t name; /* the last that it had; 0: not known */
	size_t n;
	const struct store_sample *sample; /* in the order of time */
};

/* Threads are numbered from 0; NULL beyond. A thread has a sample at least, unless all were dropped. */
uint32_t store_n_threads(const struct store *store);
const struct store_thread *store_thread(const struct store *store, uint32_t number);
/* The number of a thread of this store. */
uint32_t store_thread_number(const struct store *store, const struct store_thread *thread);
/* The TRACK_THREAD of a thread, on which its slices are; 0: it has none. Looks through all tracks. */
uint32_t store_thread_track(const struct store *store, const struct store_thread *thread);
/* Samples of all threads that are kept. */
uint64_t store_n_samples(const struct store *store);
/* The first sample of a thread that is taken at this time or later; thread->n: there is none. */
size_t store_sample_from(const struct store_thread *thread, uint64_t time_ns);

/* The part of a sample that lies in a stretch, in nanoseconds of its weight. */
uint64_t store_sample_within(const struct store_sample *sample, uint64_t begin_ns, uint64_t end_ns);

/*
 * All samples in the order of time; of one time, in the order of threads:
 *
 *	struct store_walk walk = { 0 };
 *	if (store_walk_begin(&walk, store)) ... -ENOMEM
 *	while ((sample = store_walk_next(&walk, &thread)))
 *	store_walk_done(&walk);
 */
struct store_walk {
	const struct store *store;
	size_t *at;	/* by thread */
	uint32_t *heap; /* threads that have more, the one with the oldest sample first */
	uint32_t n;
};

int store_walk_begin(struct store_walk *walk, const struct store *store);
const struct store_sample *store_walk_next(struct store_walk *walk, const struct store_thread **thread);
void store_walk_done(struct store_walk *walk);

/* The stacks of the recording; never NULL. */
const struct callstacks *store_callstacks(const struct store *store);

#endif
