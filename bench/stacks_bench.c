// SPDX-License-Identifier: Apache-2.0
/*
 * stacks_bench PID: microseconds to read the Python stack of a process's first thread, which sleeps or spins at some
 * depth: "FRAMES MICROSECONDS", of the fastest tenth of many walks. The same walk as the recorder's, with code objects
 * known, each time with memory read anew.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "capture/stacks/stack_language.h"
#include "event/callstack.h"

enum { N_WALKS = 5000, WARM_UP = 100, PAUSE_NS = 100000 };

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	static struct stack_memory memory;
	static uint64_t took_ns[N_WALKS];
	struct stack_memory_used used = { 0 };
	struct language_files files = { 0 };
	struct stack_languages languages = { 0 };
	struct stack_python *python = &languages.python;
	struct names *names = names_new();
	pid_t pid = argc > 1 ? atoi(argv[1]) : 0;
	uint32_t stack = 0, n_frames = 0;
	uint8_t flags;

	stack_memory_begin(&memory, pid);
	stack_languages_find(&languages, &files, &memory, pid);
	for (int i = -WARM_UP; i < N_WALKS; i++) {
		uint64_t began_ns = clock_ns();
		const struct python_thread *thread;

		stack_memory_begin(&memory, pid);
		stack_memory_ahead(&memory, used.block, used.n);
		thread = stack_python_thread(python, pid, began_ns);
		if (!thread) {
			fprintf(stderr, "stacks_bench: %s\n", *python->why ? python->why : "no thread of Python");
			return 3;
		}
		flags = 0;
		stack = stack_python_walk(python, thread, names, &flags);
		stack_memory_keep(&memory, &used);
		if (i >= 0)
			took_ns[i] = clock_ns() - began_ns;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
	for (; stack; stack = callstacks_get(names_callstacks(names), stack)->caller)
		n_frames++;
	qsort(took_ns, N_WALKS, sizeof *took_ns, by_size);
	printf("%u %.2f %.2f\n", n_frames, (double)took_ns[N_WALKS / 10] / 1000, (double)took_ns[N_WALKS / 2] / 1000);
	stack_python_done(python);
	language_files_done(&files);
	names_free(names);
	return 0;
}
