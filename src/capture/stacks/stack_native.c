// SPDX-License-Identifier: Apache-2.0
/*
 * A moment of a thread that runs Python is looked at as soon as the kernel has it, and the frames of Python are read
 * then. They belong to it if its registers or its stack name the innermost of them.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "capture/stacks/stack_thread.h"
#include "event/callstack.h"

enum { MOST_FRAMES = 256, MOST_COUNTED = 192, MOST_WATCHED = 96, AT_ONCE = 8 };
/* Moments that wake the sampler, a second: above it threads have them less often. */
enum { MOST_MOMENTS = 150 };
enum { INSTRUCTION = 32 }; /* bytes of the longest one, with what the interpreter caches there */
#define FRESH_NS UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

/* The module that has this address. */
static uint32_t image_of(struct stack_process *process, const struct stack_round *round, uint64_t address)
{
	const struct stack_map *map =
	    stack_maps_find(&process->maps, address, &round->shared->images, round->out->names, round->pid);

	return map ? map->image : 0;
}

static uint32_t interpreter_of(struct stack_process *process, const struct stack_round *round)
{
	const struct stack_python *python = &process->languages.python;

	return python->is_there && !*python->why ? image_of(process, round, python->python.place.this_thread) : 0;
}

static void set_languages(struct stack_unwind *unwind, struct stack_process *process, const struct stack_round *round)
{
	struct stack_v8 *v8 = &process->languages.v8;
	struct stack_java *java = &process->languages.java;

	if (stack_v8_is_readable(v8)) {
		unwind->v8 = v8;
		unwind->v8_image = image_of(process, round, v8->begin);
	}
	if (stack_java_is_readable(java)) {
		unwind->java = java;
		unwind->java_image = image_of(process, round, java->begin);
	}
}

/*
 * Machine code of a guest, and of V8 or HotSpot on its way to a function of JavaScript or Java: what such a function
 * calls itself stays, and so does the machine code of others that call it.
 */
static bool is_hidden(const struct stack_unwind *unwind, const struct stack_address *at, bool has_script)
{
	const struct stack_image *image = stack_image_at(unwind->images, at->image);

	if (at->frame || !image)
		return false;
	return image->is_agent || at->is_glue ||
	       (has_script &&
		((image->jit && !at->is_shown) || at->image == unwind->v8_image || at->image == unwind->java_image));
}

static uint32_t push_all(const struct stack_unwind *unwind, uint32_t stack, const struct stack_address *at, size_t n)
{
	struct callstacks *stacks = names_callstacks(unwind->names);
	size_t first = 0; /* the innermost function of JavaScript or Java */

	while (first < n && !at[first].frame)
		first++;
	while (n-- > 0)
		if (!is_hidden(unwind, &at[n], n > first))
			stack = callstacks_push(
			    stacks, stack,
			    at[n].frame ? at[n].frame
					: stack_image_frame(unwind->images, unwind->names, at[n].image, at[n].offset));
	return stack;
}

/* A wait of the interpreter itself. */
static bool are_libc(const struct stack_images *images, const struct stack_address *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct stack_image *image = stack_image_at(images, at[i].image);

		if (!image || !image->is_libc)
			return false;
	}
	return true;
}

static bool has_image(const struct stack_address *at, size_t n, uint32_t image)
{
	for (size_t i = 0; image && i < n; i++)
		if (at[i].image == image)
			return true;
	return false;
}

struct walk {
	const struct stack_registers *registers;
	const struct stack_moment *moment; /* NULL: it is blocked */
	uint32_t base;			   /* of its Python code; 0: none */
};

/* Whether the registers or the stack of the moment have an address from `from` on. */
static bool names_address(const struct stack_moment *moment, uint64_t from, uint64_t size)
{
	for (unsigned i = 0; i < CODE_REGISTERS; i++)
		if (moment->registers.value[i] - from < size)
			return true;
	for (size_t i = 0; i < moment->size / sizeof *moment->stack; i++)
		if (moment->stack[i] - from < size)
			return true;
	return false;
}

/*
 * Whether the frames of Python that were just read are those of the moment: the interpreter has both at hand. If the
 * part of the stack that was copied does not reach it, the call is a long one, and lasts.
 */
static bool is_of(const struct stack_unwind *unwind, const struct stack_python *python)
{
	const struct stack_moment *moment = unwind->moment;
	bool is_fresh = clock_ns() - moment->time_ns < FRESH_NS;

	if (names_address(moment, python->innermost, 1))
		return is_fresh || (python->instruction && names_address(moment, python->instruction, INSTRUCTION));
	return is_fresh && (unwind->is_cut || unwind->end - moment->registers.value[STACK_SP] >= moment->size);
}

static uint32_t walk(struct stack_process *process, const struct stack_round *round, const struct walk *of,
		     uint8_t *flags)
{
	struct stack_unwind unwind = { .maps = &process->maps,
				       .images = &round->shared->images,
				       .names = round->out->names,
				       .memory = &round->shared->memory,
				       .moment = of->moment,
				       .stop = of->base ? interpreter_of(process, round) : 0 };
	struct callstacks *stacks = names_callstacks(unwind.names);
	struct stack_address at[MOST_FRAMES];
	uint32_t base = of->base;
	size_t n;

	set_languages(&unwind, process, round);
	n = stack_unwind(&unwind, of->registers, at, MOST_FRAMES);

	if (unwind.is_torn) {
		*flags |= SAMPLE_TORN;
		return base;
	}
	if (base && (are_libc(unwind.images, at, n) || (of->moment && !is_of(&unwind, &process->languages.python))))
		return base;
	if (!base && has_image(at, n, interpreter_of(process, round)))
		return 0; /* its frames of Python are not known yet */
	if (!base && unwind.is_cut) {
		*flags |= SAMPLE_CUT;
		base = callstacks_push(stacks, 0, callstacks_frame(stacks, &(struct frame){ .kind = FRAME_CUT }));
	}
	return push_all(&unwind, base, at, n);
}

uint32_t stack_native_blocked(struct stack_process *process, const struct stack_round *round,
			      const struct stack_call *call, uint32_t base, uint8_t *flags)
{
	struct stack_registers registers = { .pc = call->pc };

	stack_register_set(&registers, STACK_SP, call->sp);
	return call->sp && call->pc ? walk(process, round, &(struct walk){ &registers, NULL, base }, flags) : base;
}

/* Not quite the time between two rounds: programs like to do something each 10 ms, too. */
static uint64_t period_of(const struct stack_shared *shared, const struct stack_round *round)
{
	return round->step_ns * (1 + shared->n_watched / AT_ONCE) / 100 * 97;
}

void stack_native_count(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round)
{
	bool has_python = process->languages.python.is_there && !*process->languages.python.why;
	int failed;

	if (thread->moments.slot && thread->moments.wakes != has_python)
		stack_native_unwatch(thread, round->shared); /* Python was found since */
	if (thread->moments.slot || round->shared->n_counted >= MOST_COUNTED || process->moments_failed)
		return;
	failed = stack_moments_open(&thread->moments, thread->tid, period_of(round->shared, round), has_python);
	if (!failed)
		round->shared->n_counted++;
	else if (failed != -ESRCH)
		process->moments_failed = failed;
}

void stack_native_watch(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round)
{
	struct stack_shared *shared = round->shared;
	struct epoll_event event = { .events = EPOLLIN };
	int failed;

	stack_native_count(process, thread, round);
	if (!thread->moments.slot || thread->moments.has_ring || shared->n_watched >= MOST_WATCHED)
		return;
	thread->moments.period_ns = period_of(shared, round);
	thread->turns = 0; /* the count begins anew */
	failed = stack_moments_begin(&thread->moments);
	if (failed) {
		process->moments_failed = failed;
		shared->n_counted--;
		return;
	}
	shared->n_watched++;
	event.data.u64 = (uint64_t)(uint32_t)round->pid << 32 | (uint32_t)thread->tid;
	if (thread->moments.wakes)
		epoll_ctl(shared->wake_fd, EPOLL_CTL_ADD, thread->moments.slot - 1, &event);
}

static void set_pace(struct stack_thread *thread, const struct stack_round *round)
{
	struct stack_shared *shared = round->shared;

	if (round->now_ns - shared->second_ns >= SECOND_NS) {
		shared->second_ns = round->now_ns;
		shared->are_many = shared->n_moments > MOST_MOMENTS;
		shared->are_few = shared->n_moments < MOST_MOMENTS / 2;
		shared->n_moments = 0;
	}
	shared->n_moments++;
	stack_moments_pace(&thread->moments,
			   &(struct stack_pace){ thread->ran_ns, thread->waited_ns, period_of(shared, round),
						 shared->are_many, shared->are_few });
}

void stack_native_take(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round,
		       bool is_now)
{
	const struct python_thread *python;
	struct stack_moment moment;
	uint32_t base = 0;
	uint8_t flags = 0;

	if (is_now) {
		stack_memory_begin(&round->shared->memory, round->pid);
		stack_memory_ahead(&round->shared->memory, thread->used.block, thread->used.n);
	}
	python = stack_python_thread(&process->languages.python, thread->inner_tid, round->now_ns);
	if ((python && !is_now) || !stack_moments_take(&thread->moments, &moment))
		return;
	if (python)
		base = stack_python_walk(&process->languages.python, python, round->out->names, &flags);
	else
		stack_memory_ahead(&round->shared->memory, thread->used.block, thread->used.n);
	if (is_now)
		set_pace(thread, round);
	thread->ran.base = base;
	thread->ran.stack = 0;
	if (base || !python)
		thread->ran.stack = walk(process, round, &(struct walk){ &moment.registers, &moment, base }, &flags);
	if (!python)
		stack_memory_keep(&round->shared->memory, &thread->used);
	thread->ran.flags = flags;
	thread->ran.time_ns = moment.time_ns;
	thread->ran.cpu_ns = thread->ran_ns;
}

void stack_native_unwatch(struct stack_thread *thread, struct stack_shared *shared)
{
	if (!thread->moments.slot)
		return;
	shared->n_watched -= thread->moments.has_ring;
	shared->n_counted--;
	stack_moments_close(&thread->moments);
	thread->turns = 0;
}
