// SPDX-License-Identifier: Apache-2.0
/* Keeps live blocks by address, and derives counters from them. Does not read records. */
#include "capture/decode/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ALLOCATORS = 1 << 16 };

static size_t slot_of(const struct memory *memory, uint64_t address)
{
	return (size_t)(address * 0x9e3779b97f4a7c15u >> 20) & (memory->n_slots - 1);
}

/* The slot of this address, or the free one where it belongs. There is always a free one. */
static size_t find_slot(const struct memory *memory, uint64_t address)
{
	size_t at = slot_of(memory, address);

	while (memory->block[at].address && memory->block[at].address != address)
		at = (at + 1) & (memory->n_slots - 1);
	return at;
}

static int grow_blocks(struct memory *memory)
{
	struct memory bigger = { .n_slots = memory->n_slots ? memory->n_slots * 2 : 64 };

	bigger.block = calloc(bigger.n_slots, sizeof *bigger.block);
	if (!bigger.block)
		return -ENOMEM;
	for (size_t i = 0; i < memory->n_slots; i++)
		if (memory->block[i].address)
			bigger.block[find_slot(&bigger, memory->block[i].address)] = memory->block[i];
	free(memory->block);
	memory->block = bigger.block;
	memory->n_slots = bigger.n_slots;
	return 0;
}

/* Closes the gap, so that look-ups do not end there too early. */
static void remove_block(struct memory *memory, size_t gap)
{
	size_t mask = memory->n_slots - 1, at = gap;

	for (;;) {
		at = (at + 1) & mask;
		if (!memory->block[at].address)
			break;
		if (((at - slot_of(memory, memory->block[at].address)) & mask) >= ((at - gap) & mask)) {
			memory->block[gap] = memory->block[at];
			gap = at;
		}
	}
	memory->block[gap].address = 0;
	memory->n_blocks--;
}

struct memory_allocator *memory_allocator(struct memory *memory, uint32_t id)
{
	struct memory_allocator *grown;

	if (!id || id >= MAX_ALLOCATORS)
		return NULL;
	if (id >= memory->n_allocators) {
		uint32_t n = id + 16;

		grown = realloc(memory->allocator, n * sizeof *grown);
		if (!grown)
			return NULL;
		memset(grown + memory->n_allocators, 0, (n - memory->n_allocators) * sizeof *grown);
		memory->allocator = grown;
		memory->n_allocators = n;
	}
	return &memory->allocator[id];
}

int memory_add(struct memory *memory, const struct memory_event *event)
{
	if (memory->n == memory->capacity) {
		size_t capacity = memory->capacity ? memory->capacity * 2 : 256;
		struct memory_event *grown = realloc(memory->event, capacity * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		memory->event = grown;
		memory->capacity = capacity;
	}
	memory->event[memory->n] = *event;
	memory->event[memory->n++].order = memory->order++;
	return 0;
}

static int by_time(const void *left, const void *right)
{
	const struct memory_event *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int define(struct sink *out, const struct track_def *def, uint32_t *track, struct err *err)
{
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(out), .def = def };

	*track = event.track;
	return sink_put(out, &event, err);
}

static int define_tracks(struct memory *memory, struct memory_allocator *allocator, struct sink *out, struct err *err)
{
	struct track_def group = { .type = TRACK_GROUP, .parent = memory->process_track };
	struct track_def counter = { .type = TRACK_COUNTER, .unit = names_of(out->names, "bytes") };
	char name[200];
	int code = 0;

	group.name = names_of(out->names, "memory");
	if (!memory->group)
		code = define(out, &group, &memory->group, err);
	if (code || allocator->counter)
		return code;
	snprintf(name, sizeof name, "%.60s %.60s%s", names_text(out->names, allocator->device),
		 names_text(out->names, allocator->name), allocator->is_behind_arena ? ", held by arenas" : "");
	if (allocator->session)
		snprintf(name + strlen(name), sizeof name - strlen(name), ", session %u", allocator->session);
	counter.parent = memory->group;
	counter.name = names_of(out->names, name);
	return define(out, &counter, &allocator->counter, err);
}

static int put_level(const struct memory_allocator *allocator, struct sink *out, uint64_t time_ns, struct err *err)
{
	struct event event = { .type = EVENT_COUNTER,
			       .track = allocator->counter,
			       .time_ns = time_ns,
			       .value = (double)allocator->live_bytes };

	return sink_put(out, &event, err);
}

static int put_growth(const struct memory *memory, const struct memory_allocator *allocator, struct sink *out,
		      const struct memory_event *event, struct err *err)
{
	struct arg args[4] = { arg_int(KEY_BYTES, (int64_t)event->bytes), arg_name(KEY_DEVICE, allocator->device),
			       arg_name(KEY_ALLOCATOR, allocator->name), arg_int(KEY_SESSION, allocator->session) };
	struct event instant = { .type = EVENT_INSTANT,
				 .kind = KIND_ALLOCATION,
				 .track = memory->group,
				 .name = names_of(out->names, "arena growth"),
				 .time_ns = event->time_ns,
				 .args = args,
				 .n_args = allocator->session ? 4 : 3 };

	return sink_put(out, &instant, err);
}

/* Frees the block at a slot. */
static int release(struct memory *memory, size_t at, struct sink *out, uint64_t time_ns, struct err *err)
{
	struct memory_allocator *allocator = &memory->allocator[memory->block[at].allocator];

	allocator->live_bytes -= memory->block[at].bytes;
	remove_block(memory, at);
	return put_level(allocator, out, time_ns, err);
}

static int put_value(const struct memory_event *from, struct sink *out, struct err *err)
{
	struct event event = {
		.type = EVENT_COUNTER, .track = from->counter, .time_ns = from->time_ns, .value = from->value
	};

	return sink_put(out, &event, err);
}

static int apply(struct memory *memory, struct sink *out, const struct memory_event *event, struct err *err)
{
	struct memory_allocator *allocator;
	size_t at;
	int code;

	if (memory->n_blocks * 2 >= memory->n_slots && (code = grow_blocks(memory)))
		return code;
	at = find_slot(memory, event->address);
	if (!event->allocator && !memory->block[at].address) {
		memory->n_unseen++;
		return 0;
	}
	/* an address that is allocated again was freed, and the record of that is lost */
	if (memory->block[at].address) {
		code = release(memory, at, out, event->time_ns, err);
		if (code || !event->allocator)
			return code;
		at = find_slot(memory, event->address);
	}
	allocator = &memory->allocator[event->allocator];
	code = define_tracks(memory, allocator, out, err);
	if (code)
		return code;
	memory->block[at] = (struct memory_block){ event->address, event->bytes, event->allocator };
	memory->n_blocks++;
	allocator->live_bytes += event->bytes;
	code = put_level(allocator, out, event->time_ns, err);
	return code || !allocator->is_behind_arena ? code : put_growth(memory, allocator, out, event, err);
}

int memory_put(struct memory *memory, struct sink *out, uint64_t until_ns, struct err *err)
{
	size_t i;
	int code = 0;

	if (!memory->n)
		return 0;
	qsort(memory->event, memory->n, sizeof *memory->event, by_time);
	for (i = 0; i < memory->n && memory->event[i].time_ns <= until_ns && !code; i++)
		code = memory->event[i].counter ? put_value(&memory->event[i], out, err)
						: apply(memory, out, &memory->event[i], err);
	memmove(memory->event, memory->event + i, (memory->n - i) * sizeof *memory->event);
	memory->n -= i;
	return code;
}

void memory_done(struct memory *memory)
{
	free(memory->allocator);
	free(memory->event);
	free(memory->block);
	memset(memory, 0, sizeof *memory);
}
