// SPDX-License-Identifier: Apache-2.0
/* Takes samples of threads in, and gives them: one array per thread, merged through a heap for all together. */
#include "analyze/store/store_samples.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/store_in.h"

static struct sampled_thread *thread_at(const struct store *store, uint32_t number)
{
	return (struct sampled_thread *)store->sampled.threads.data + number;
}

static struct sampled_thread *find_or_add(struct store *store, uint32_t process, int32_t tid)
{
	uint32_t number = keys_number(&store->sampled.keys, process, (uint32_t)tid);
	struct sampled_thread *thread;

	if (number == KEYS_NONE)
		return NULL;
	while (store->sampled.threads.n <= number)
		if (!array_add(&store->sampled.threads, sizeof *thread))
			return NULL;
	thread = thread_at(store, number);
	thread->view.process = process;
	thread->view.tid = tid;
	return thread;
}

static bool make_room(struct sampled_thread *thread)
{
	size_t capacity = thread->capacity ? thread->capacity * 2 : 16;
	struct store_sample *samples;

	if (thread->view.n < thread->capacity)
		return true;
	samples =
	    array_resize((void *)thread->view.sample, thread->capacity * sizeof *samples, capacity * sizeof *samples);
	if (!samples)
		return false;
	thread->view.sample = samples;
	thread->capacity = capacity;
	return true;
}

int store_in_put_sample(struct store *store, const struct event *event)
{
	const struct track *track = store_in_track(store, event->track);
	struct sampled_thread *thread;
	struct store_sample *to;

	if (!track || track->view.def.type != TRACK_PROCESS || !event->sample) {
		store->counts.n_untracked++;
		return 0;
	}
	thread = find_or_add(store, event->track, event->sample->tid);
	if (!thread || !make_room(thread))
		return -ENOMEM;
	if (thread->view.n && thread->view.sample[thread->view.n - 1].time_ns > event->time_ns) {
		store->counts.n_disordered++;
		return 0;
	}
	if (event->sample->thread_name)
		thread->view.name = event->sample->thread_name;
	to = (struct store_sample *)thread->view.sample + thread->view.n++;
	*to = (struct store_sample){ event->time_ns, *event->sample };
	if (to->is.weight_ns > to->time_ns)
		to->is.weight_ns = to->time_ns;
	if (to->time_ns - to->is.weight_ns < store->counts.first_ns)
		store->counts.first_ns = to->time_ns - to->is.weight_ns;
	if (to->time_ns > store->counts.last_ns)
		store->counts.last_ns = to->time_ns;
	store->sampled.n++;
	return 0;
}

void store_in_drop_samples(struct store *store, uint64_t before_ns)
{
	for (uint32_t i = 0; i < store->sampled.threads.n; i++) {
		struct store_thread *thread = &thread_at(store, i)->view;
		size_t first = store_sample_from(thread, before_ns);

		if (!first)
			continue;
		memmove((void *)thread->sample, thread->sample + first, (thread->n - first) * sizeof *thread->sample);
		thread->n -= first;
		store->sampled.n -= first;
		store->counts.n_forgotten += first;
	}
}

void store_in_free_samples(struct store *store)
{
	for (uint32_t i = 0; i < store->sampled.threads.n; i++)
		array_free((void *)thread_at(store, i)->view.sample,
			   thread_at(store, i)->capacity * sizeof(struct store_sample));
	array_done(&store->sampled.threads, sizeof(struct sampled_thread));
	keys_done(&store->sampled.keys);
}

uint32_t store_n_threads(const struct store *store)
{
	return (uint32_t)store->sampled.threads.n;
}

const struct store_thread *store_thread(const struct store *store, uint32_t number)
{
	return number < store->sampled.threads.n ? &thread_at(store, number)->view : NULL;
}

uint32_t store_thread_number(const struct store *store, const struct store_thread *thread)
{
	const struct sampled_thread *all = store->sampled.threads.data;

	return (uint32_t)((const struct sampled_thread *)(const void *)thread - all);
}

uint64_t store_n_samples(const struct store *store)
{
	return store->sampled.n;
}

size_t store_sample_from(const struct store_thread *thread, uint64_t time_ns)
{
	size_t low = 0, high = thread->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (thread->sample[middle].time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t store_sample_within(const struct store_sample *sample, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t from_ns = sample->time_ns - sample->is.weight_ns;
	uint64_t first_ns = from_ns > begin_ns ? from_ns : begin_ns;
	uint64_t last_ns = sample->time_ns < end_ns ? sample->time_ns : end_ns;

	return last_ns > first_ns ? last_ns - first_ns : 0;
}

/* Whether thread a comes before thread b. */
static bool is_before(const struct store_walk *walk, uint32_t a, uint32_t b)
{
	uint64_t a_ns = thread_at(walk->store, a)->view.sample[walk->at[a]].time_ns;
	uint64_t b_ns = thread_at(walk->store, b)->view.sample[walk->at[b]].time_ns;

	return a_ns != b_ns ? a_ns < b_ns : a < b;
}

static void sink_down(struct store_walk *walk, uint32_t at)
{
	for (uint32_t child = 2 * at + 1; child < walk->n; at = child, child = 2 * at + 1) {
		uint32_t moved = walk->heap[at];

		if (child + 1 < walk->n && is_before(walk, walk->heap[child + 1], walk->heap[child]))
			child++;
		if (!is_before(walk, walk->heap[child], moved))
			return;
		walk->heap[at] = walk->heap[child];
		walk->heap[child] = moved;
	}
}

int store_walk_begin(struct store_walk *walk, const struct store *store)
{
	uint32_t n = store_n_threads(store);

	*walk = (struct store_walk){ store, calloc(n + 1, sizeof *walk->at), calloc(n + 1, sizeof *walk->heap), 0 };
	if (!walk->at || !walk->heap) {
		store_walk_done(walk);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		if (thread_at(store, i)->view.n)
			walk->heap[walk->n++] = i;
	for (uint32_t i = walk->n / 2; i-- > 0;)
		sink_down(walk, i);
	return 0;
}

const struct store_sample *store_walk_next(struct store_walk *walk, const struct store_thread **thread)
{
	const struct store_sample *sample;
	uint32_t first;

	if (!walk->n)
		return NULL;
	first = walk->heap[0];
	*thread = &thread_at(walk->store, first)->view;
	sample = &(*thread)->sample[walk->at[first]++];
	if (walk->at[first] == (*thread)->n)
		walk->heap[0] = walk->heap[--walk->n];
	sink_down(walk, 0);
	return sample;
}

void store_walk_done(struct store_walk *walk)
{
	free(walk->at);
	free(walk->heap);
	*walk = (struct store_walk){ 0 };
}

const struct callstacks *store_callstacks(const struct store *store)
{
	return names_callstacks(store->sink.names);
}
