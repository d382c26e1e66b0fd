// SPDX-License-Identifier: Apache-2.0
/*
 * A detour is two pieces of code near the function: a jump to the hook, and the function's first instructions followed
 * by a jump to the rest. The pieces have no unwind information: nothing is called from them.
 */
#include "capture/agent/replace/detour.h"

#include <errno.h>
#include <string.h>

#include "base/processor.h"
#include "base/syscalls.h"
#include "capture/agent/agent.h"

enum { PIECE = 96, TRIES = 64, STEP = 16 << 20 };

/* Memory for pieces; a page for each neighbourhood. */
static struct pieces {
	uint64_t start, used;
	struct pieces *next;
} *all;

static bool is_near(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) < detour_reach - page_size();
}

/* A free page within reach, wherever the kernel has one. */
static uint64_t map_near(uint64_t function)
{
	for (int i = 1; i <= TRIES; i++) {
		uint64_t by = (uint64_t)i * STEP;
		uint64_t wanted = (i & 1 ? function - by : function + by) & ~(page_size() - 1);
		void *page =
		    call_map((void *)wanted, page_size(), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			return 0;
		if (is_near((uint64_t)page, function))
			return (uint64_t)page;
		call_unmap(page, page_size());
	}
	return 0;
}

/* Under the lock. 0: none. */
static uint64_t piece_near(uint64_t function)
{
	struct pieces *at = all;

	while (at && (!is_near(at->start, function) || at->used + PIECE > page_size()))
		at = at->next;
	if (!at) {
		at = arena_alloc(&agent.arena, sizeof *at);
		if (!at || !(at->start = map_near(function)))
			return 0;
		at->used = 0;
		at->next = all;
		all = at;
	}
	return at->start + at->used;
}

static void keep_piece(uint64_t at)
{
	struct pieces *of = all;

	while (of && at != of->start + of->used)
		of = of->next;
	if (of)
		of->used += PIECE;
}

/* Code is not writable while it may run, except for this moment. */
bool detour_write(uint64_t to, const uint8_t *code, size_t size)
{
	uint64_t page = to & ~(page_size() - 1), end = (to + size + page_size() - 1) & ~(page_size() - 1);
	bool is_done;

	call_begin();
	is_done = !call_protect((void *)page, end - page, PROT_READ | PROT_WRITE | PROT_EXEC);
	if (is_done) {
		memcpy((void *)to, code, size);
		__builtin___clear_cache((char *)to, (char *)to + size);
		call_protect((void *)page, end - page, PROT_READ | PROT_EXEC);
	}
	call_end();
	return is_done;
}

static void *put(uint64_t function, void *hook)
{
	uint8_t code[PIECE], jump[DETOUR_MOST_JUMP];
	uint64_t at = piece_near(function);
	size_t to_hook = detour_far_jump(code, (uint64_t)hook), size, moved;
	uint64_t next = at + to_hook;

	moved = at ? detour_move(code + to_hook, (const uint8_t *)function, function, next) : 0;
	if (!moved)
		return NULL;
	size = to_hook + moved;
	size += detour_far_jump(code + size, function + moved);
	if (!detour_write(at, code, size) || !detour_write(function, jump, detour_near_jump(jump, function, at)))
		return NULL;
	keep_piece(at);
	return (void *)next;
}

void *detour_put(uint64_t function, void *hook)
{
	int saved = errno;
	void *next;

	agent_lock();
	next = put(function, hook);
	agent_unlock();
	errno = saved;
	return next;
}

uint64_t detour_jump(uint64_t near, void *to)
{
	uint8_t code[PIECE];
	int saved = errno;
	uint64_t at;

	agent_lock();
	at = piece_near(near);
	if (at && !detour_write(at, code, detour_far_jump(code, (uint64_t)to)))
		at = 0;
	if (at)
		keep_piece(at);
	agent_unlock();
	errno = saved;
	return at;
}
