// SPDX-License-Identifier: Apache-2.0
/* Frames and stacks lie in arrays under their ids; an index of each finds them. */
#include "event/callstack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"

struct callstacks {
	struct array frames, stacks; /* struct frame, struct callstack; of id 1 first */
	struct index frame_index, stack_index;
};

struct callstacks *callstacks_new(void)
{
	return calloc(1, sizeof(struct callstacks));
}

void callstacks_free(struct callstacks *stacks)
{
	if (!stacks)
		return;
	array_done(&stacks->frames, sizeof(struct frame));
	array_done(&stacks->stacks, sizeof(struct callstack));
	free(stacks->frame_index.number);
	free(stacks->stack_index.number);
	free(stacks);
}

static uint32_t mix(uint64_t hash)
{
	hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(hash >> 32);
}

static uint32_t hash_of_frame(const struct frame *frame)
{
	uint64_t hash = (uint64_t)frame->function << 32 | frame->file;

	hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u ^ ((uint64_t)frame->line << 32 | frame->module);
	return mix((hash ^ hash >> 31) * 0x94d049bb133111ebu ^ frame->offset ^ frame->kind);
}

static uint32_t hash_of_stack(const struct callstack *stack)
{
	return mix(((uint64_t)stack->caller << 32 | stack->frame) * 0xbf58476d1ce4e5b9u);
}

static bool is_frame(const struct frame *a, const struct frame *b)
{
	return a->kind == b->kind && a->function == b->function && a->file == b->file && a->line == b->line &&
	       a->module == b->module && a->build == b->build && a->offset == b->offset;
}

const struct frame *callstacks_frame_of(const struct callstacks *stacks, uint32_t frame)
{
	return frame && frame <= stacks->frames.n ? (const struct frame *)stacks->frames.data + frame - 1 : NULL;
}

const struct callstack *callstacks_get(const struct callstacks *stacks, uint32_t stack)
{
	return stack && stack <= stacks->stacks.n ? (const struct callstack *)stacks->stacks.data + stack - 1 : NULL;
}

static uint32_t hash_of_frame_id(const void *stacks, uint32_t id)
{
	return hash_of_frame(callstacks_frame_of(stacks, id));
}

static uint32_t hash_of_stack_id(const void *stacks, uint32_t id)
{
	return hash_of_stack(callstacks_get(stacks, id));
}

uint32_t callstacks_frame(struct callstacks *stacks, const struct frame *frame)
{
	struct index *index = &stacks->frame_index;
	struct frame *added;
	uint32_t at;

	if (!index_room(index, stacks->frames.n, hash_of_frame_id, stacks))
		return 0;
	for (at = hash_of_frame(frame) & index->mask; index->number[at]; at = (at + 1) & index->mask)
		if (is_frame(callstacks_frame_of(stacks, index->number[at]), frame))
			return index->number[at];
	if (stacks->frames.n >= CALLSTACK_MAX || !(added = array_add(&stacks->frames, sizeof *added)))
		return 0;
	*added = *frame;
	return index->number[at] = (uint32_t)stacks->frames.n;
}

uint32_t callstacks_push(struct callstacks *stacks, uint32_t caller, uint32_t frame)
{
	const struct callstack *outer = callstacks_get(stacks, caller);
	struct callstack wanted = { outer ? caller : 0, frame, outer ? outer->depth + 1 : 1 }, *added;
	struct index *index = &stacks->stack_index;
	uint32_t at;

	if (!callstacks_frame_of(stacks, frame) || !index_room(index, stacks->stacks.n, hash_of_stack_id, stacks))
		return wanted.caller;
	for (at = hash_of_stack(&wanted) & index->mask; index->number[at]; at = (at + 1) & index->mask) {
		const struct callstack *found = callstacks_get(stacks, index->number[at]);

		if (found->caller == wanted.caller && found->frame == frame)
			return index->number[at];
	}
	if (stacks->stacks.n >= CALLSTACK_MAX || !(added = array_add(&stacks->stacks, sizeof *added)))
		return wanted.caller;
	*added = wanted;
	return index->number[at] = (uint32_t)stacks->stacks.n;
}

uint32_t callstacks_n(const struct callstacks *stacks)
{
	return (uint32_t)stacks->stacks.n;
}
