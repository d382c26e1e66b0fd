// SPDX-License-Identifier: Apache-2.0
/* Looks threads up by id, and keeps as many as there are at a time. Defines no track. */
#include "capture/decode/workers.h"

#include <stdlib.h>
#include <string.h>

static uint32_t first_slot(const struct workers *workers, int32_t inner_tid)
{
	return (uint32_t)inner_tid * 0x9e3779b1u >> 7 & (workers->n_slots - 1);
}

/* Where the thread is, or would be. */
static uint32_t find_slot(const struct workers *workers, int32_t inner_tid)
{
	uint32_t at = first_slot(workers, inner_tid);

	while (workers->slot[at] && workers->at[workers->slot[at] - 1].inner_tid != inner_tid)
		at = (at + 1) & (workers->n_slots - 1);
	return at;
}

struct worker *workers_find(const struct workers *workers, int32_t inner_tid)
{
	uint32_t at = workers->n_slots ? workers->slot[find_slot(workers, inner_tid)] : 0;

	return at ? &workers->at[at - 1] : NULL;
}

static bool grow_slots(struct workers *workers)
{
	uint32_t n = workers->n_slots ? workers->n_slots * 2 : 64, *old = workers->slot;
	uint32_t *slot = calloc(n, sizeof *slot), n_old = workers->n_slots;

	if (!slot)
		return false;
	workers->slot = slot;
	workers->n_slots = n;
	for (uint32_t i = 0; i < n_old; i++)
		if (old[i])
			slot[find_slot(workers, workers->at[old[i] - 1].inner_tid)] = old[i];
	free(old);
	return true;
}

/* Whoever was put behind this slot because it was taken moves up. */
static void remove_slot(struct workers *workers, uint32_t at)
{
	uint32_t mask = workers->n_slots - 1, next = at, home;

	workers->slot[at] = 0;
	while (workers->slot[next = (next + 1) & mask]) {
		home = first_slot(workers, workers->at[workers->slot[next] - 1].inner_tid);
		if (((next - home) & mask) < ((next - at) & mask))
			continue;
		workers->slot[at] = workers->slot[next];
		workers->slot[at = next] = 0;
	}
}

static bool grow(struct workers *workers)
{
	uint32_t capacity = workers->capacity ? workers->capacity * 2 : 16;
	struct worker *at = realloc(workers->at, capacity * sizeof *at);
	uint32_t *numbers;

	if (!at)
		return false;
	workers->at = at;
	numbers = realloc(workers->free, capacity * sizeof *numbers);
	if (!numbers)
		return false;
	workers->free = numbers;
	workers->capacity = capacity;
	return true;
}

/* The place in `free` of one whose line is to be taken over: best the one before in the ring. n_free: none. */
static uint32_t find_free(const struct workers *workers, uint64_t begin_ns, uint32_t before)
{
	uint32_t found = workers->n_free;

	for (uint32_t i = workers->n_free; i-- > 0;) {
		uint32_t number = workers->free[i];
		const struct worker *worker = &workers->at[number];

		if (number + 1 == before)
			return i;
		if (found == workers->n_free && (!worker->track || worker->last_ns <= begin_ns))
			found = i;
	}
	return found;
}

struct worker *workers_add(struct workers *workers, int32_t inner_tid, uint64_t begin_ns, uint32_t before)
{
	uint32_t place = find_free(workers, begin_ns, before), number = workers->n;
	struct worker *worker;

	if (workers->n_living * 2 >= workers->n_slots && !grow_slots(workers))
		return NULL;
	if (place < workers->n_free) {
		number = workers->free[place];
		workers->free[place] = workers->free[--workers->n_free];
	} else {
		if (workers->n == workers->capacity && !grow(workers))
			return NULL;
		workers->at[workers->n++] = (struct worker){ 0 };
	}
	worker = &workers->at[number];
	worker->inner_tid = inner_tid;
	worker->is_free = false;
	worker->is_shared = worker->is_shared || workers->n_ended >= WORKERS_EARLY;
	workers->slot[find_slot(workers, inner_tid)] = number + 1;
	workers->n_living++;
	return worker;
}

void workers_end(struct workers *workers, struct worker *worker, uint64_t last_ns)
{
	if (worker->is_free)
		return;
	remove_slot(workers, find_slot(workers, worker->inner_tid));
	workers->n_living--;
	workers->n_ended++;
	worker->role = worker->ring = 0;
	worker->runs = false;
	worker->last_ns = last_ns;
	worker->is_free = true;
	if (!worker->is_shared) /* its line is its own */
		*worker = (struct worker){ .tid = worker->tid, .inner_tid = worker->inner_tid, .is_free = true };
	workers->free[workers->n_free++] = workers_number(workers, worker);
}

void workers_done(struct workers *workers)
{
	free(workers->at);
	free(workers->slot);
	free(workers->free);
	memset(workers, 0, sizeof *workers);
}
