// SPDX-License-Identifier: Apache-2.0
/*
 * Turns the calls of libinftrace into records. A thread's open slices lie on a stack here, so that an end without a
 * begin in this recording writes nothing, and an end for which there was no room is written later.
 *
 * A name becomes ids of the dictionary once in each recording: the ids are put aside, and never changed, where the name
 * points to them.
 */
#include "capture/agent/run/annotate.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/run/inference.h"
#include "capture/agent/share.h"
#include "event/event.h"
#include "event/port.h"

enum { MAX_PORTS = 16, MAX_NAME = 1000 };

/* Libraries in the process: one, or one for each namespace of the loader. */
static struct port *ports[MAX_PORTS];
static uint32_t is_on;

/* What a name becomes in the recording of this generation: the begin of its slice, but for time and run. */
struct known {
	struct record begin;
	uint32_t generation;
};

static inline uint64_t both(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static uint32_t text_of(const char *text)
{
	return text ? dict_text(text, strnlen(text, MAX_NAME)) : 0;
}

static __attribute__((noinline)) const struct known *learn(struct port_name *name)
{
	/* the generation comes first: if another one begins meanwhile, the ids count for neither */
	uint32_t generation = __atomic_load_n(&hot->generation, __ATOMIC_ACQUIRE);
	struct record begin = { .text = text_of(name->name),
				.id = text_of(name->detail),
				.value = both(text_of(name->model), text_of(name->provider)),
				.type = RECORD_USER_BEGIN,
				.flags = (uint8_t)name->kind };
	const struct known now = { .generation = generation, .begin = begin };
	struct known *known = NULL;
	int saved = errno;

	if (agent_try_lock()) {
		known = arena_alloc(&agent.arena, sizeof *known);
		agent_unlock();
	}
	if (known) {
		*known = now;
		__atomic_store_n(&name->known, known, __ATOMIC_RELEASE);
	}
	errno = saved;
	return known;
}

static inline const struct known *known_of(struct port_name *name)
{
	const struct known *known = __atomic_load_n(&name->known, __ATOMIC_ACQUIRE);

	if (__builtin_expect(known && known->generation == hot->generation, 1))
		return known;
	return learn(name);
}

/* This thread, if it is recorded. In a child of fork whose recorder is gone, the ring finds out when it fills up. */
static inline struct thread *recorded_thread(void)
{
	struct thread *thread = self_thread;

	if (__builtin_expect(thread && thread->generation == hot->generation && hot->level, 1))
		return thread;
	return agent_is_wanted() ? agent_thread() : NULL;
}

static inline bool write_end(struct thread *thread, struct record end)
{
	struct record *record = agent_claim(thread);

	if (!record)
		return false;
	*record = end;
	agent_publish(thread);
	return true;
}

static __attribute__((noinline)) bool write_owed(struct thread *thread, uint64_t time)
{
	struct open_slices *slices = &thread->slices;

	while (slices->n_owed && write_end(thread, (struct record){ .time = time, .type = RECORD_USER_END }))
		slices->n_owed--;
	return !slices->n_owed;
}

/* Room for the next record, once the ends that found none are written. */
static inline __attribute__((always_inline)) struct record *claim(struct thread *thread)
{
	if (__builtin_expect(thread->slices.n_owed && !write_owed(thread, agent_now()), 0))
		return NULL;
	return agent_claim(thread);
}

static bool is_of_level(uint32_t kind)
{
	return hot->level >= LEVEL_OPERATOR || (kind != KIND_OPERATOR && kind != KIND_KERNEL);
}

/* As begin, in every case. */
static __attribute__((noinline)) void begin_slow(struct port_name *name)
{
	struct thread *thread = recorded_thread();
	const struct known *known;
	struct open_slice *open;
	struct record *record;

	if (!thread)
		return;
	if (thread->slices.depth++ >= MAX_SLICES) {
		ring_lose(&thread->ring);
		return;
	}
	open = &thread->slices.at[thread->slices.depth - 1];
	*open = (struct open_slice){ .run = thread->slices.run, .kind = (uint8_t)name->kind };
	if (!is_of_level(name->kind))
		return;
	known = known_of(name);
	if (!known || !(record = claim(thread))) {
		if (!known)
			ring_lose(&thread->ring);
		return;
	}
	open->is_told = true;
	if (name->kind == KIND_INFERENCE)
		thread->slices.run = inference_number(thread);
	*record = known->begin;
	if (name->kind != KIND_USER)
		record->run = thread->slices.run ? thread->slices.run : thread->current_run;
	record->time = agent_now();
	agent_publish(thread);
}

/*
 * Whether a record of this thread needs a place in its ring and no call. What calls nothing keeps no registers: begin
 * and end decide first, and leave every other case to the function that does all.
 */
static inline bool is_quick(const struct thread *thread)
{
	const struct ring_writer *ring = &thread->ring;

	return thread && thread->generation == hot->generation && hot->level && hot->use_ticks &&
	       !thread->slices.n_owed && !ring->busy && ring->head < ring->limit;
}

/* A signal handler that comes before this finds the slices as they are to be; one that comes later writes nothing. */
static inline struct record *claim_quick(struct thread *thread)
{
	thread->ring.busy = 1;
	__asm__ volatile("" ::: "memory");
	return &thread->ring.data[thread->ring.head & thread->ring.mask];
}

static void begin(struct port_name *name)
{
	struct thread *thread = self_thread;
	const struct known *known = __atomic_load_n(&name->known, __ATOMIC_ACQUIRE);
	struct open_slice *open;
	struct record *record;
	uint32_t depth, run;

	if (!is_quick(thread) || !known || known->generation != hot->generation || name->kind == KIND_INFERENCE ||
	    !is_of_level(name->kind) || thread->slices.depth >= MAX_SLICES) {
		begin_slow(name);
		return;
	}
	depth = thread->slices.depth++;
	record = claim_quick(thread);
	open = &thread->slices.at[depth];
	run = thread->slices.run;
	open->run = run;
	open->kind = (uint8_t)name->kind;
	open->is_told = true;
	*record = known->begin;
	if (name->kind != KIND_USER)
		record->run = run ? run : thread->current_run;
	record->time = clock_ticks();
	agent_publish(thread);
}

/* As end, in every case. */
static __attribute__((noinline)) void end_slow(const char *message)
{
	struct thread *thread = recorded_thread();
	struct record last = { .type = RECORD_USER_END };
	const struct open_slice *open;

	if (!thread || !thread->slices.depth)
		return;
	last.time = agent_now();
	if (--thread->slices.depth >= MAX_SLICES)
		return;
	open = &thread->slices.at[thread->slices.depth];
	thread->slices.run = open->run;
	if (!open->is_told)
		return;
	last.flags = open->kind;
	if (__builtin_expect(message != NULL, 0)) {
		last.more = FLAG_FAILED;
		last.text = dict_text_of_run(message, strnlen(message, MAX_NAME));
	}
	/* those before it, in their order */
	if (__builtin_expect(thread->slices.n_owed && !write_owed(thread, last.time), 0))
		thread->slices.n_owed++;
	else if (!write_end(thread, last))
		thread->slices.n_owed++;
}

static void end(const char *message)
{
	struct thread *thread = self_thread;
	struct open_slice open;
	struct record *record;
	uint64_t time;
	uint32_t depth;

	if (message || !is_quick(thread) || (depth = thread->slices.depth - 1) >= MAX_SLICES ||
	    !thread->slices.at[depth].is_told) {
		end_slow(message);
		return;
	}
	time = clock_ticks();
	open = thread->slices.at[depth];
	thread->slices.run = open.run;
	__asm__ volatile("" ::: "memory"); /* a handler may use that place from here on */
	thread->slices.depth = depth;
	record = claim_quick(thread);
	*record = (struct record){ .time = time, .type = RECORD_USER_END, .flags = open.kind };
	agent_publish(thread);
}

static void instant(struct port_name *name)
{
	struct thread *thread = recorded_thread();
	const struct known *known = thread ? known_of(name) : NULL;
	struct record *record = known ? claim(thread) : NULL;

	if (thread && !known)
		ring_lose(&thread->ring);
	if (!record)
		return;
	*record = (struct record){
		.time = agent_now(), .text = known->begin.text, .id = known->begin.id, .type = RECORD_USER_INSTANT
	};
	agent_publish(thread);
}

static void counter(struct port_name *name, double value)
{
	struct thread *thread = recorded_thread();
	const struct known *known = thread ? known_of(name) : NULL;
	struct record *record = known ? claim(thread) : NULL;

	if (thread && !known)
		ring_lose(&thread->ring);
	if (!record)
		return;
	*record = (struct record){
		.time = agent_now(), .text = known->begin.text, .id = known->begin.id, .type = RECORD_USER_COUNTER
	};
	memcpy(&record->value, &value, sizeof value);
	agent_publish(thread);
}

/* An instant to which the flow is tied: the slice around it may end after the flow does. */
static void flow(uint64_t id, bool is_end)
{
	static struct port_name name = { .name = "flow", .kind = KIND_USER };
	struct thread *thread = recorded_thread();
	const struct known *known = thread ? known_of(&name) : NULL;
	struct record *record = known ? claim(thread) : NULL;
	uint64_t now;

	if (!record)
		return;
	now = agent_now();
	*record = (struct record){ .time = now, .value = id, .type = RECORD_FLOW, .flags = is_end ? FLAG_END : 0 };
	agent_publish(thread);
	if ((record = agent_claim(thread))) {
		*record = (struct record){ .time = now, .text = known->begin.text, .type = RECORD_USER_INSTANT };
		agent_publish(thread);
	}
}

static void tokens(uint32_t sequence, int64_t position, uint32_t n_tokens, uint32_t n_results)
{
	struct thread *thread = recorded_thread();
	struct record *record = thread && n_tokens ? claim(thread) : NULL;

	if (!record)
		return;
	*record =
	    (struct record){ .value = both(position >= 0 && position < UINT32_MAX ? (uint32_t)position : UINT32_MAX,
					   n_results < n_tokens ? n_results : n_tokens),
			     .id = sequence,
			     .run = thread->slices.run,
			     .text = n_tokens,
			     .type = RECORD_RUN_TOKENS };
	agent_publish(thread);
}

static const struct port_calls calls = { sizeof calls, begin,	    end,       instant, counter,
					 flow,	       share_begin, share_end, tokens };

/* A join at the same moment may leave the word as it was: the calls themselves find out that nothing is recorded. */
static void set(struct port *port)
{
	if (!port)
		return;
	__atomic_store_n(&port->calls, &calls, __ATOMIC_RELEASE);
	__atomic_store_n(port->on, __atomic_load_n(&is_on, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
}

/* For the library, when it is loaded: event/port.h. */
void inftrace_agent_join(struct port *port) __attribute__((visibility("default")));

void inftrace_agent_join(struct port *port)
{
	uint32_t place;

	if (!port || port->magic != PORT_MAGIC || port->size < sizeof *port || !port->on)
		return;
	for (place = 0; place < MAX_PORTS; place++) {
		struct port *found = NULL;
		if (__atomic_compare_exchange_n(&ports[place], &found, port, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) ||
		    found == port)
			break;
	}
	if (place < MAX_PORTS)
		set(port);
}

void annotate_switch(bool on)
{
	__atomic_store_n(&is_on, on, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < MAX_PORTS; i++)
		set(__atomic_load_n(&ports[i], __ATOMIC_SEQ_CST));
}

void annotate_find_library(void)
{
	void *handle = glibc.dlsym ? guard_dlopen(PORT_LIBRARY, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *found = handle ? glibc.dlsym(handle, PORT_OF_LIBRARY) : NULL;

	if (found)
		inftrace_agent_join(((struct port * (*)(void)) found)());
	if (handle && glibc.dlclose)
		glibc.dlclose(handle);
}
