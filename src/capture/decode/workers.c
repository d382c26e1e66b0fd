// SPDX-License-Identifier: Apache-2.0
/* Looks threads up by id, and keeps as many as there are at a time. Defines no track. */
#include "capture/decode/workers.h"

#include <stdlib.h>
#include <string.h>

struct workers_slot {
	uint64_t key;
	uint32_t number;
};

static uint64_t key_of(int32_t inner_tid)
{
	return (uint64_t)(uint32_t)inner_tid + 1;
}

struct worker *workers_find(const struct workers *workers, int32_t inner_tid)
{
	const struct workers_slot *slot = slots_find(&workers->living, key_of(inner_tid), sizeof *slot);

	return slot ? &workers->at[slot->number] : NULL;
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
	struct workers_slot *slot;
	struct worker *worker;

	if (!slots_room(&workers->living, sizeof *slot))
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
	slot = slots_get(&workers->living, key_of(inner_tid), sizeof *slot);
	slot->number = number;
	return worker;
}

void workers_end(struct workers *workers, struct worker *worker, uint64_t last_ns)
{
	struct workers_slot *slot;

	if (worker->is_free)
		return;
	slot = slots_find(&workers->living, key_of(worker->inner_tid), sizeof *slot);
	if (slot)
		slots_remove(&workers->living, slot, sizeof *slot);
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
	slots_done(&workers->living);
	free(workers->free);
	memset(workers, 0, sizeof *workers);
}
