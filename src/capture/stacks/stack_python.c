// SPDX-License-Identifier: Apache-2.0
/*
 * Walks first, so that all frames are of nearly the same moment; then takes names and lines. Tables are overwritten
 * where two entries meet: they are caches.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/processor.h"
#include "capture/stacks/stack_language.h"
#include "event/callstack.h"
#include "event/sample.h"

enum { CODES = 1024, LINES = 4096, MAX_TEXT = 512, MAX_THREADS = 8192 };
/* How long a list of threads is good at least, at most, and how many times longer than making it takes. */
#define LIST_NS UINT64_C(100000000)
#define LONGEST_LIST_NS UINT64_C(3000000000)
enum { COST_PART = 200 };

struct stack_code {
	struct cpython_code is; /* at 0: free */
	uint32_t function, file;
};

struct stack_line {
	uint64_t code, lines; /* the code object and its table */
	int32_t offset, first_line;
	uint32_t function, frame;
};

static size_t place_of(uint64_t value, size_t n)
{
	return (size_t)((value * 0x9e3779b97f4a7c15u) >> 40) & (n - 1);
}

static bool read_tid(const struct cpython *python, struct python_thread *thread)
{
	uint32_t tid = 0;

	if (thread->is.tid) {
		thread->tid = thread->is.tid;
		return true;
	}
	if (!python->memory.read(python->memory.of, thread->is.pthread + PROCESSOR_THREAD_TID, &tid, sizeof tid))
		return false;
	thread->tid = (int32_t)tid;
	return thread->tid > 0;
}

static void list(struct stack_python *python, uint64_t now_ns)
{
	struct cpython_thread at = { 0 };

	uint64_t began_ns = clock_cpu_ns(), n = python->thread.n, cost_ns;

	python->thread.n = 0;
	python->listed_ns = now_ns;
	while (python->thread.n < MAX_THREADS && cpython_next_thread(&python->python, &at)) {
		struct python_thread thread = { 0, at }, *to;

		if (read_tid(&python->python, &thread) && (to = array_add(&python->thread, sizeof *to)))
			*to = thread;
	}
	cost_ns = (clock_cpu_ns() - began_ns) * COST_PART;
	python->good_ns = n == python->thread.n ? 2 * python->good_ns : LIST_NS;
	if (python->thread.n < n) /* threads have ended, or it was torn */
		python->good_ns = 0;
	if (python->good_ns < cost_ns)
		python->good_ns = cost_ns;
	if (python->good_ns > LONGEST_LIST_NS)
		python->good_ns = LONGEST_LIST_NS;
}

static const struct python_thread *find(const struct stack_python *python, int32_t tid)
{
	const struct python_thread *thread = python->thread.data;

	for (size_t i = 0; i < python->thread.n; i++)
		if (thread[i].tid == tid)
			return &thread[i];
	return NULL;
}

/* Its memory may be another thread's by now. */
static bool is_same(const struct stack_python *python, const struct python_thread *thread)
{
	uint64_t pthread = 0;

	return cpython_word(&python->python, thread->is.at + python->python.layout.thread_pthread, &pthread) &&
	       pthread == thread->is.pthread;
}

const struct python_thread *stack_python_thread(struct stack_python *python, int32_t tid, uint64_t now_ns)
{
	const struct python_thread *thread;

	if (!python->is_there || *python->why)
		return NULL;
	thread = find(python, tid);
	if (thread && !is_same(python, thread)) {
		python->is_lost = true;
		thread = NULL;
	}
	if (!thread && now_ns - python->listed_ns > python->good_ns) {
		list(python, now_ns);
		thread = find(python, tid);
	}
	return thread;
}

bool stack_python_is_gil(const struct stack_python *python, uint64_t futex)
{
	const struct cpython_place *place = &python->python.place;

	return python->is_there && !*python->why && futex - place->runtime < place->runtime_size;
}

const struct python_thread *stack_python_holder(struct stack_python *python, const struct python_thread *thread)
{
	uint64_t at = cpython_gil_holder(&python->python, &thread->is);
	const struct python_thread *each = python->thread.data;

	for (size_t i = 0; at && i < python->thread.n; i++)
		if (each[i].is.at == at)
			return &each[i];
	return NULL;
}

static bool is_same_code(const struct cpython_code *a, const struct cpython_code *b)
{
	return a->at == b->at && a->file == b->file && a->name == b->name && a->lines == b->lines &&
	       a->first_line == b->first_line;
}

static uint32_t take_text(const struct stack_python *python, struct names *names, uint64_t object)
{
	char text[MAX_TEXT];
	int len = cpython_text(&python->python, object, text, sizeof text);

	return len > 0 ? names_intern(names, text, (size_t)len) : 0;
}

/* NULL: it is no code object now. */
static const struct stack_code *find_code(struct stack_python *python, struct names *names, uint64_t at)
{
	struct stack_code *known = &python->code[place_of(at, CODES)];
	struct cpython_code is;

	if (!cpython_read_code(&python->python, at, &is))
		return NULL;
	if (is_same_code(&known->is, &is))
		return known;
	*known = (struct stack_code){ is, take_text(python, names, is.name), take_text(python, names, is.file) };
	if (known->function)
		return known;
	known->is.at = 0;
	return NULL;
}

/* The frame's number; 0: torn. */
static uint32_t find_frame(struct stack_python *python, struct names *names, const struct cpython_frame *frame)
{
	const struct stack_code *code = find_code(python, names, frame->code);
	struct stack_line *known = &python->line[place_of(frame->code ^ (uint64_t)frame->offset << 20, LINES)];
	int line;

	if (!code)
		return 0;
	if (known->frame && known->code == frame->code && known->offset == frame->offset &&
	    known->function == code->function && known->lines == code->is.lines &&
	    known->first_line == code->is.first_line)
		return known->frame;
	line = cpython_line(&python->python, &code->is, frame->offset);
	if (line < 0)
		return 0;
	*known =
	    (struct stack_line){ frame->code,
				 code->is.lines,
				 frame->offset,
				 code->is.first_line,
				 code->function,
				 callstacks_frame(names_callstacks(names), &(struct frame){ .kind = FRAME_PYTHON,
											    .function = code->function,
											    .file = code->file,
											    .line = (uint32_t)line }) };
	return known->frame;
}

static bool make_tables(struct stack_python *python)
{
	if (!python->code)
		python->code = calloc(CODES, sizeof *python->code);
	if (!python->line)
		python->line = calloc(LINES, sizeof *python->line);
	return python->code && python->line;
}

static void read_codes_ahead(struct stack_python *python, const struct cpython_frame *frame, size_t n)
{
	uint64_t at[2 * STACK_MEMORY_AHEAD];
	size_t n_wanted = 0;

	for (size_t i = 0; i < n && n_wanted + 2 <= sizeof at / sizeof *at; i++) {
		at[n_wanted++] = frame[i].code;
		at[n_wanted++] = frame[i].code + python->python.layout.code_lines;
	}
	stack_memory_ahead(python->memory, at, n_wanted);
}

/* With the collector of garbage, where the thread is in it. */
static uint32_t push_collection(const struct stack_python *python, const struct python_thread *thread,
				struct names *names, uint32_t stack)
{
	static const char text[] = FRAME_COLLECTION;
	struct callstacks *stacks = names_callstacks(names);
	struct frame frame = { .kind = FRAME_PYTHON };

	if (!stack || !cpython_is_collecting(&python->python, &thread->is))
		return stack;
	frame.function = names_intern(names, text, sizeof text - 1);
	return callstacks_push(stacks, stack, callstacks_frame(stacks, &frame));
}

uint32_t stack_python_walk(struct stack_python *python, const struct python_thread *thread, struct names *names,
			   uint8_t *flags)
{
	struct callstacks *stacks = names_callstacks(names);
	struct cpython_frame frame, kept[STACK_MAX_FRAMES];
	enum cpython_step step;
	uint32_t stack = 0;
	size_t n = 0;

	if (!make_tables(python))
		return 0;
	if (cpython_is_traced(&python->python, thread->is.at))
		*flags |= SAMPLE_TRACED;
	step = cpython_first_frame(&python->python, thread->is.at, &frame);
	python->innermost = step == CPYTHON_FRAME ? frame.at : 0;
	python->instruction = python->innermost && python->python.minor >= 11 && frame.offset >= 0
				  ? frame.code + python->python.layout.code_bytes + (uint64_t)frame.offset
				  : 0;
	for (; step == CPYTHON_FRAME && n < STACK_MAX_FRAMES; step = cpython_next_frame(&python->python, &frame))
		kept[n++] = frame;
	if (step == CPYTHON_TORN) {
		*flags |= SAMPLE_TORN;
		return 0;
	}
	if (step == CPYTHON_FRAME) {
		*flags |= SAMPLE_CUT;
		stack = callstacks_push(stacks, 0, callstacks_frame(stacks, &(struct frame){ .kind = FRAME_CUT }));
	}
	read_codes_ahead(python, kept, n);
	while (n-- > 0) {
		uint32_t number = find_frame(python, names, &kept[n]);

		if (!number) {
			*flags |= SAMPLE_TORN;
			return 0;
		}
		stack = callstacks_push(stacks, stack, number);
	}
	return push_collection(python, thread, names, stack);
}

void stack_python_done(struct stack_python *python)
{
	array_done(&python->thread, sizeof(struct python_thread));
	free(python->code);
	free(python->line);
	*python = (struct stack_python){ 0 };
}
