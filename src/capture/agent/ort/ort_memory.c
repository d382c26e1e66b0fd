// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of ONNX Runtime, at level detail: hooks for the virtual functions of IAllocator. Each call that takes or gives
 * back memory becomes one record; the recorder keeps the blocks, their sizes and the sums. Keeps no table of blocks.
 *
 * An arena takes regions from an allocator of its own, inside a call to the arena on the same thread: that tells which
 * allocator is behind which arena, and what is the arena's growth. A call inside a call to the same object is the same
 * allocation; a class that only passes calls on is left alone.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/ort/ort_in.h"
#include "event/phase.h"
#include "runtime/find/peek.h"

typedef word memory_function(ORT_REGISTERS);

/* Fields of the hot path come first. */
struct allocator {
	word self, vptr;
	memory_function *alloc, *reserve, *on_stream, *free;
	uint32_t generation, id;
	uint32_t session;  /* number of the only session that uses it; 0: none, unknown or several */
	bool is_ours_only; /* an arena: belongs to the session that uses it first, until another one does */
	bool is_arena, is_behind_arena;
	bool passes_on; /* its calls reach another allocator, which is hooked as well */
	struct allocator *next_free;
};

static struct map allocators; /* IAllocator -> struct allocator */
static struct allocator *free_allocators;

/* Ids of the segment of this generation. Allocators without an owner come and go: those of one class share an id. */
static struct {
	uint32_t generation, last;
	struct {
		word vptr;
		uint32_t id;
	} shared[16];
	unsigned n_shared;
} ids;

/* Call under the lock. */
static void free_allocator(struct allocator *allocator)
{
	allocator->vptr = 0;
	allocator->next_free = free_allocators;
	free_allocators = allocator;
}

void ort_memory_forget_all(void)
{
	const struct map_table *table;

	agent_lock();
	table = allocators.table;
	for (uint64_t i = 0; table && i <= table->mask; i++) {
		struct allocator *allocator = table->entry[i].value;
		if (!allocator)
			continue;
		map_put(&allocators, allocator->self, NULL);
		free_allocator(allocator);
	}
	agent_unlock();
}

static struct allocator *allocator_new(word self)
{
	struct allocator *allocator;

	agent_lock();
	allocator = map_get(&allocators, self);
	if (!allocator) {
		allocator = free_allocators;
		if (allocator)
			free_allocators = allocator->next_free;
		else
			allocator = arena_alloc(&agent.arena, sizeof *allocator);
		if (allocator) {
			memset(allocator, 0, sizeof *allocator);
			allocator->self = self;
			if (!map_put(&allocators, self, allocator)) {
				free_allocator(allocator);
				allocator = NULL;
			}
		}
	}
	agent_unlock();
	return allocator;
}

/* Sets its id. Whether the id is new. */
static bool take_id(struct allocator *allocator, word vptr)
{
	bool is_shared = !allocator->is_arena && !allocator->is_behind_arena, is_new = true;

	agent_lock();
	if (ids.generation != hot->generation) {
		ids.generation = hot->generation;
		ids.last = ids.n_shared = 0;
	}
	for (unsigned i = 0; is_shared && i < ids.n_shared; i++)
		if (ids.shared[i].vptr == vptr) {
			allocator->id = ids.shared[i].id;
			is_new = false;
		}
	if (is_new)
		allocator->id = ++ids.last;
	if (is_new && is_shared && ids.n_shared < sizeof ids.shared / sizeof *ids.shared) {
		ids.shared[ids.n_shared].vptr = vptr;
		ids.shared[ids.n_shared++].id = allocator->id;
	}
	agent_unlock();
	return is_new;
}

/* "cpu", "cuda:1". */
static uint32_t device_text(const struct ort_copy *copy, word self)
{
	void *const *api = (void *const *)copy->api;
	word info = self + ORT_MEMORY_INFO;
	char name[64] = "", *end;
	word text = peek_word(info);
	int id = 0;

	/* a string, or a pointer to a text: both start with the address of the text */
	if (!text || !peek_read(text, name, sizeof name - 8))
		return dict_text("unknown device", 14);
	for (end = name; *end && end < name + sizeof name - 8; end++)
		*end = (char)(*end >= 'A' && *end <= 'Z' ? *end + 32 : *end);
	*end = 0;
	if (api && copy->minor >= 14 && strcmp(name, "cpu")) {
		void *status = ((void *(*)(word, int *))api[ORT_API_MEMORY_DEVICE_ID])(info, &id);
		if (status)
			((void (*)(void *))api[ORT_API_RELEASE_STATUS])(status);
		if (!status && id >= 0 && id < 100) {
			*end++ = ':';
			if (id > 9)
				*end++ = (char)('0' + id / 10);
			*end++ = (char)('0' + id % 10);
			*end = 0;
		}
	}
	return dict_text(name, strlen(name));
}

/* The session that this thread creates or runs; NULL: none. */
static const struct session *session_here(const struct thread *thread)
{
	if (thread->creation.start)
		return thread->creation.session;
	return thread->n_runs ? thread->run[thread->n_runs - 1].session : NULL;
}

static struct allocator *open_arena(const struct thread *thread, word frame)
{
	struct allocator *open = thread->allocating.frame > frame ? thread->allocating.in : NULL;

	return open && open->is_arena ? open : NULL;
}

static void announce(const struct ort_copy *copy, const struct allocator *allocator, const char *class_name)
{
	dict_allocator(&(struct dict_memory){ .id = allocator->id,
					      .device = device_text(copy, allocator->self),
					      .name = dict_text(class_name, strlen(class_name)),
					      .session = allocator->session,
					      .is_behind_arena = allocator->is_behind_arena,
					      .is_arena = allocator->is_arena });
}

/* First call of an allocator, or of a new one at a known address. NULL: out of memory, or no class of the runtime. */
static __attribute__((noinline)) struct allocator *allocator_learn(const struct thread *thread, word self, word frame)
{
	const struct ort_copy *copy = ort_copy_of(self);
	struct allocator *allocator = copy ? allocator_new(self) : NULL;
	const struct allocator *arena = open_arena(thread, frame);
	const struct session *session = session_here(thread);
	const word vptr = *(word *)self;
	char name[64] = "";
	int saved = errno;

	if (!allocator)
		return NULL;
	if (peek_class(self, name, sizeof name) < 0)
		strcpy(name, "allocator");
	allocator->alloc = (memory_function *)copies_original(copy->copy, vptr, ORT_ALLOC);
	allocator->reserve = (memory_function *)copies_original(copy->copy, vptr, ORT_RESERVE);
	allocator->on_stream = (memory_function *)copies_original(copy->copy, vptr, ORT_ALLOC_ON_STREAM);
	allocator->free = (memory_function *)copies_original(copy->copy, vptr, ORT_FREE);
	allocator->is_arena = strstr(name, "Arena");
	allocator->passes_on = !strcmp(name, "AccountingAllocator");
	allocator->is_behind_arena = arena && arena->self != self;
	allocator->is_ours_only = allocator->is_arena;
	allocator->session = allocator->is_arena && session ? session->number : 0;
	if (allocator->is_behind_arena)
		allocator->session = arena->session;
	if (take_id(allocator, vptr) && !allocator->passes_on)
		announce(copy, allocator, name);
	allocator->generation = hot->generation;
	__atomic_store_n(&allocator->vptr, vptr, __ATOMIC_RELEASE);
	errno = saved;
	return allocator;
}

static inline struct allocator *allocator_get(const struct thread *thread, word self, word frame)
{
	struct allocator *allocator = map_get(&allocators, self);

	if (__builtin_expect(!allocator || allocator->self != self || allocator->vptr != *(word *)self ||
				 allocator->generation != hot->generation,
			     0))
		allocator = allocator_learn(thread, self, frame);
	return allocator;
}

/* A session uses an arena that another one used first: from now on it is nobody's, or this one's if it was none's. */
static __attribute__((noinline)) void change_owner(struct allocator *allocator, uint32_t session)
{
	const struct ort_copy *copy = ort_copy_of(allocator->self);
	char name[64];
	int saved = errno;

	agent_lock();
	if (!allocator->is_ours_only || allocator->session == session) { /* another thread was faster */
		agent_unlock();
		return;
	}
	allocator->is_ours_only = !allocator->session;
	allocator->session = allocator->session ? 0 : session;
	agent_unlock();
	if (copy && peek_class(allocator->self, name, sizeof name) >= 0)
		announce(copy, allocator, name);
	errno = saved;
}

/* What this thread is doing: an operator's node or a session in record->run, and which of both in its flags. */
static void put_purpose(struct thread *thread, struct allocator *allocator, struct record *record)
{
	const struct session *session = session_here(thread);
	const struct creation *creation = &thread->creation;

	if (session && allocator->is_ours_only && session->number != allocator->session)
		change_owner(allocator, session->number);
	record->run = session ? session->number : 0;
	if (creation->start)
		record->flags = thread->is_packing						 ? MEMORY_PACKED
				: creation->is_in_weights || creation->phase == EVENT_PHASE_COPY ? MEMORY_WEIGHTS
												 : MEMORY_CREATION;
	else if (thread->depth)
		record->flags = MEMORY_OPERATOR;
	else
		record->flags = thread->n_runs ? MEMORY_RUN : MEMORY_OTHER;
	if (record->flags == MEMORY_OPERATOR)
		record->run = thread->open[thread->depth - 1].node;
}

static void put_alloc(struct thread *thread, struct allocator *allocator, word block, word bytes, bool is_reserve)
{
	struct record told = { .value = block, .id = allocator->id, .type = RECORD_ALLOC }, *record;
	uint64_t size = bytes;

	put_purpose(thread, allocator, &told);
	if (is_reserve)
		told.flags |= MEMORY_RESERVED;
	for (; size > UINT32_MAX; size = (size + 1) >> 1)
		told.more++;
	told.text = (uint32_t)size;
	told.time = agent_now();
	record = agent_claim(thread);
	if (!record)
		return;
	*record = told;
	agent_publish(thread);
}

/* a: IAllocator; b: bytes */
static inline word take(word frame, enum ort_family family, ORT_REGISTERS)
{
	struct thread *thread = agent_thread();
	struct allocator *allocator = thread ? allocator_get(thread, a, frame) : NULL;
	memory_function *next;
	struct allocating outer;
	bool is_reserve;
	word r;

	if (__builtin_expect(!allocator, 0))
		return ((memory_function *)(word)ort_original(a, a, family))(a, b, c, d, e, f);
	next = family == ORT_ALLOC     ? allocator->alloc
	       : family == ORT_RESERVE ? allocator->reserve
				       : allocator->on_stream;
	if (__builtin_expect(!next, 0))
		return ((memory_function *)(word)ort_original(a, a, family))(a, b, c, d, e, f);
	outer = thread->allocating;
	if (allocator->passes_on || (outer.frame > frame && outer.in == allocator))
		return next(a, b, c, d, e, f);
	is_reserve = family == ORT_RESERVE || (outer.frame > frame && outer.is_reserve);
	thread->allocating = (struct allocating){ frame, allocator, is_reserve };
	r = next(a, b, c, d, e, f);
	thread->allocating = outer;
	if (r && thread->generation == hot->generation && allocator->generation == hot->generation)
		put_alloc(thread, allocator, r, b, is_reserve);
	return r;
}

word ort_on_alloc(ORT_REGISTERS)
{
	return take((word)__builtin_frame_address(0), ORT_ALLOC, a, b, c, d, e, f);
}

word ort_on_reserve(ORT_REGISTERS)
{
	return take((word)__builtin_frame_address(0), ORT_RESERVE, a, b, c, d, e, f);
}

word ort_on_alloc_on_stream(ORT_REGISTERS)
{
	return take((word)__builtin_frame_address(0), ORT_ALLOC_ON_STREAM, a, b, c, d, e, f);
}

/* a: IAllocator; b: the block. The time is taken before it is free: another thread may get it at once. */
word ort_on_free(ORT_REGISTERS)
{
	struct thread *thread = agent_thread();
	const word frame = (word)__builtin_frame_address(0);
	struct allocator *allocator = thread ? allocator_get(thread, a, frame) : NULL;
	struct record *record;

	if (__builtin_expect(!allocator || !allocator->free, 0))
		return ((memory_function *)(word)ort_original(a, a, ORT_FREE))(a, b, c, d, e, f);
	if (b && !allocator->passes_on && (record = agent_claim(thread))) {
		*record = (struct record){ .time = agent_now(), .value = b, .id = allocator->id, .type = RECORD_FREE };
		agent_publish(thread);
	}
	return allocator->free(a, b, c, d, e, f);
}

/* The deleting destructor: the address may be reused by another allocator. */
word ort_on_allocator_delete(ORT_ARGS)
{
	ort_function *next = ort_original(a, b, ORT_ALLOCATOR_DELETE);
	struct allocator *allocator = map_get(&allocators, a);

	if (allocator) {
		agent_lock();
		map_put(&allocators, a, NULL);
		free_allocator(allocator);
		agent_unlock();
	}
	return next(ORT_PASS);
}
