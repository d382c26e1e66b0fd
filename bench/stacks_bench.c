// SPDX-License-Identifier: Apache-2.0
/*
 * stacks_bench PID: microseconds to read the stack of a process's first thread: "FRAMES MICROSECONDS MICROSECONDS", of
 * the fastest tenth of many walks and of their middle. The same walk as the recorder's, with what it knows of
 * functions, each time with memory read anew.
 *
 * Of Python: a thread that sleeps or spins at some depth; FRAMES of Python. Of JavaScript: one that spins, at moments
 * that the kernel has; FRAMES of JavaScript, and machine code around them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "capture/stacks/stack_thread.h"
#include "event/callstack.h"

enum { N_WALKS = 5000, N_MOMENTS = 1000, WARM_UP = 100, PAUSE_NS = 100000, FIND_ROUNDS = 60 };
#define STEP_NS UINT64_C(1000000)
#define LONGEST_NS UINT64_C(60000000000)

struct bench {
	struct stack_shared shared;
	struct stack_process process;
	struct sink sink;
	struct stack_round round;
	struct err err;
	uint64_t took_ns[N_WALKS];
	int n;
	uint32_t n_frames;
};

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int drop(struct sink *sink, const struct event *event, struct err *err)
{
	return 0;
}

static void pause_ns(long ns)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = ns }, NULL);
}

static void begin(struct bench *bench, pid_t pid)
{
	bench->sink = (struct sink){ .put = drop, .names = names_new() };
	bench->shared.wake_fd = epoll_create1(EPOLL_CLOEXEC);
	bench->round = (struct stack_round){ .shared = &bench->shared,
					     .out = &bench->sink,
					     .pid = pid,
					     .track = 1,
					     .step_ns = STEP_NS,
					     .budget_ns = STEP_NS,
					     .err = &bench->err };
}

static bool has_python(const struct bench *bench)
{
	const struct stack_python *python = &bench->process.languages.python;

	return python->is_there && !*python->why;
}

static bool has_language(const struct bench *bench)
{
	return has_python(bench) || stack_v8_is_readable(&bench->process.languages.v8);
}

/* As the recorder does: looks for interpreters now and then, and begins to look at threads. */
static void find(struct bench *bench)
{
	for (int i = 0; i < FIND_ROUNDS && !has_language(bench); i++) {
		bench->round.now_ns = clock_ns();
		stack_process_sample(&bench->process, &bench->round);
		pause_ns(20 * (long)STEP_NS);
	}
}

static uint32_t count(const struct bench *bench, uint32_t stack, enum frame_kind kind)
{
	const struct callstacks *stacks = names_callstacks(bench->sink.names);
	uint32_t n = 0;

	for (; stack; stack = callstacks_get(stacks, stack)->caller)
		n += callstacks_frame_of(stacks, callstacks_get(stacks, stack)->frame)->kind == kind;
	return n;
}

static void walk_python(struct bench *bench)
{
	struct stack_python *python = &bench->process.languages.python;
	struct stack_memory *memory = &bench->shared.memory;
	struct stack_memory_used used = { 0 };
	uint32_t stack = 0;
	uint8_t flags;

	for (int i = -WARM_UP; i < N_WALKS; i++) {
		uint64_t began_ns = clock_ns();
		const struct python_thread *thread;

		stack_memory_begin(memory, bench->round.pid);
		stack_memory_ahead(memory, used.block, used.n);
		thread = stack_python_thread(python, bench->round.pid, began_ns);
		if (!thread)
			break;
		flags = 0;
		stack = stack_python_walk(python, thread, bench->sink.names, &flags);
		stack_memory_keep(memory, &used);
		if (i >= 0)
			bench->took_ns[bench->n++] = clock_ns() - began_ns;
		pause_ns(PAUSE_NS);
	}
	bench->n_frames = count(bench, stack, FRAME_PYTHON);
}

static struct stack_thread *first_thread(const struct bench *bench)
{
	for (size_t i = 0; i < bench->process.thread.n; i++)
		if (stack_thread_at(&bench->process, i)->tid == bench->round.pid)
			return stack_thread_at(&bench->process, i);
	return NULL;
}

static void walk_javascript(struct bench *bench)
{
	struct stack_thread *thread = first_thread(bench);
	uint64_t end_ns = clock_ns() + LONGEST_NS;
	int n = -WARM_UP;

	while (thread && bench->n < N_MOMENTS && clock_ns() < end_ns) {
		uint64_t began_ns = clock_ns(), before_ns = thread->ran.time_ns;

		bench->round.now_ns = began_ns;
		stack_native_watch(&bench->process, thread, &bench->round);
		began_ns = clock_ns();
		stack_memory_begin(&bench->shared.memory, bench->round.pid);
		stack_native_take(&bench->process, thread, &bench->round, false);
		if (thread->ran.time_ns != before_ns && thread->ran.stack && n++ >= 0) {
			bench->took_ns[bench->n++] = clock_ns() - began_ns;
			bench->n_frames = count(bench, thread->ran.stack, FRAME_JAVASCRIPT);
		}
		pause_ns((long)STEP_NS);
	}
}

int main(int argc, char **argv)
{
	static struct bench bench;

	begin(&bench, argc > 1 ? atoi(argv[1]) : 0);
	find(&bench);
	if (has_python(&bench))
		walk_python(&bench);
	else if (has_language(&bench))
		walk_javascript(&bench);
	if (!bench.n) {
		fprintf(stderr, "stacks_bench: no stack of Python or JavaScript\n");
		return 3;
	}
	qsort(bench.took_ns, (size_t)bench.n, sizeof *bench.took_ns, by_size);
	printf("%u %.2f %.2f\n", bench.n_frames, (double)bench.took_ns[bench.n / 10] / 1000,
	       (double)bench.took_ns[bench.n / 2] / 1000);
	stack_process_done(&bench.process, &bench.shared);
	stack_shared_done(&bench.shared);
	names_free(bench.sink.names);
	return 0;
}
