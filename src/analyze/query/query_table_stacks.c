// SPDX-License-Identifier: Apache-2.0
/* Samples of threads in the order of time, and the stacks that they have. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/query_in.h"
#include "analyze/store/store_samples.h"

#define GET(name) static void get_##name(sqlite3_context *to, const struct query_at *at)

/* Where the samples are, in this order. */
struct query_sample {
	uint32_t thread, index;
};

int query_stacks_init(struct query *query)
{
	const struct store_thread *thread;
	const struct store_sample *sample;
	struct store_walk walk;
	size_t n = 0;
	int result = 0;

	if (!store_n_samples(query->store))
		return 0;
	query->samples = calloc(store_n_samples(query->store), sizeof *query->samples);
	if (!query->samples || store_walk_begin(&walk, query->store))
		return -ENOMEM;
	while ((sample = store_walk_next(&walk, &thread)))
		query->samples[n++] = (struct query_sample){ store_thread_number(query->store, thread),
							     (uint32_t)(sample - thread->sample) };
	store_walk_done(&walk);
	return result;
}

void query_stacks_done(struct query *query)
{
	free(query->samples);
}

static const struct store_thread *thread_at(const struct query_at *at)
{
	return store_thread(at->query->store, at->query->samples[at->row].thread);
}

static const struct store_sample *sample_at(const struct query_at *at)
{
	return &thread_at(at)->sample[at->query->samples[at->row].index];
}

static size_t count_samples(const struct query *query)
{
	return query->samples ? store_n_samples(query->store) : 0;
}

static const struct frame *frame_at(const struct query_at *at, uint32_t stack)
{
	const struct callstacks *stacks = store_callstacks(at->query->store);
	const struct callstack *found = callstacks_get(stacks, stack);

	return found ? callstacks_frame_of(stacks, found->frame) : NULL;
}

GET(row)
{
	query_put_count(to, at->row + 1);
}

GET(begin)
{
	query_put_count(to, sample_at(at)->time_ns - sample_at(at)->is.weight_ns);
}

GET(state)
{
	sqlite3_result_text(to, sample_state_name(sample_at(at)->is.state), -1, SQLITE_STATIC);
}

GET(pid)
{
	const struct store_track *track = store_track(at->query->store, thread_at(at)->process);

	query_put_number(to, track && track->def.pid > 0 ? (uint32_t)track->def.pid : 0);
}

GET(torn)
{
	query_put_int(to, sample_at(at)->is.flags & SAMPLE_TORN ? 1 : 0);
}

GET(cut)
{
	query_put_int(to, sample_at(at)->is.flags & SAMPLE_CUT ? 1 : 0);
}

static uint32_t key_process(const struct query_at *at)
{
	return thread_at(at)->process;
}

static uint32_t key_stack(const struct query_at *at)
{
	return sample_at(at)->is.stack;
}

static const void *in_sample(const struct query_at *at)
{
	return sample_at(at);
}

static const void *in_sample_frame(const struct query_at *at)
{
	return frame_at(at, sample_at(at)->is.stack);
}

#define SAMPLE(type, name) .in = in_sample, .field = COLUMN_##type, .offset = offsetof(struct store_sample, name)
#define SAMPLE_FRAME(type, name) .in = in_sample_frame, .field = COLUMN_##type, .offset = offsetof(struct frame, name)

static const struct query_column sample_columns[] = {
	{ "id", "INTEGER", "number of the sample, in the order of time", get_row, QUERY_ROW },
	{ "time_ns", "INTEGER", "when it was taken, CLOCK_MONOTONIC: the end of the time that it stands for",
	  SAMPLE(COUNT, time_ns) },
	{ "begin_ns", "INTEGER", "time_ns - duration_ns", get_begin },
	{ "duration_ns", "INTEGER", "the time that it stands for: since the sample before of its thread",
	  SAMPLE(COUNT, is.weight_ns) },
	{ "cpu_ns", "INTEGER", "of it, the thread ran", SAMPLE(COUNT, is.cpu_ns) },
	{ "queue_ns", "INTEGER", "of it, the thread was ready and waited for a CPU", SAMPLE(COUNT, is.queue_ns) },
	{ "state", "TEXT",
	  "state of the thread at time_ns: `ran`, `waited for a CPU`, `waited for the GIL`, `waited for a thread`, "
	  "`blocked in a system call`, `slept`, `waited for memory`, `was stopped`, `unknown`",
	  get_state },
	{ "call", "TEXT", "the system call that it was blocked in; of a stop: `stopped` or `traced`",
	  SAMPLE(TEXT, is.call) },
	{ "object", "TEXT", "file or address behind the descriptor of that call", SAMPLE(TEXT, is.object) },
	{ "process_id", "INTEGER", "its process: processes.id", NULL, QUERY_NUMBER, key_process },
	{ "pid", "INTEGER", "that of its process", get_pid },
	{ "tid", "INTEGER", "its thread, as in threads.tid", SAMPLE(ID, is.tid) },
	{ "thread", "TEXT", "name of the thread then", SAMPLE(TEXT, is.thread_name) },
	{ "stack_id", "INTEGER", "its stack: stacks.id; NULL: not known", NULL, QUERY_NUMBER, key_stack },
	{ "function", "TEXT", "of the innermost frame of the stack", SAMPLE_FRAME(TEXT, function) },
	{ "file", "TEXT", "of the same", SAMPLE_FRAME(TEXT, file) },
	{ "line", "INTEGER", "of the same", SAMPLE_FRAME(ID, line) },
	{ "holder_tid", "INTEGER", "of a wait for the GIL: the thread that had it", SAMPLE(ID, is.holder_tid) },
	{ "holder_stack_id", "INTEGER", "and where: stacks.id", SAMPLE(ID, is.holder_stack) },
	{ "is_torn", "INTEGER", "1: the stack changed while it was read, and is left out", get_torn },
	{ "is_cut", "INTEGER", "1: the stack has more frames further out", get_cut },
};

const struct query_table query_table_stack_samples = {
	.name = "stack_samples",
	.what = "What each thread did, and where in the program, sampled some hundred times a second.",
	.rows = QUERY_LIST,
	.count = count_samples,
	QUERY_COLUMNS(sample_columns),
};

/* Stacks. */

static size_t count_stacks(const struct query *query)
{
	return callstacks_n(store_callstacks(query->store));
}

static const struct callstack *stack_at(const struct query_at *at)
{
	return callstacks_get(store_callstacks(at->query->store), (uint32_t)at->row + 1);
}

static const struct frame *innermost_at(const struct query_at *at)
{
	return frame_at(at, (uint32_t)at->row + 1);
}

GET(language)
{
	static const char *const names[] = { [FRAME_NATIVE] = "native",
					     [FRAME_PYTHON] = "python",
					     [FRAME_CUT] = "cut",
					     [FRAME_JAVASCRIPT] = "javascript",
					     [FRAME_JAVA] = "java" };
	uint32_t kind = innermost_at(at)->kind;

	if (kind < sizeof names / sizeof *names)
		sqlite3_result_text(to, names[kind], -1, SQLITE_STATIC);
}

static uint32_t key_caller(const struct query_at *at)
{
	return stack_at(at)->caller;
}

static const void *in_stack(const struct query_at *at)
{
	return stack_at(at);
}

static const void *in_frame(const struct query_at *at)
{
	return innermost_at(at);
}

#define STACK(type, name) .in = in_stack, .field = COLUMN_##type, .offset = offsetof(struct callstack, name)
#define FRAME(type, name) .in = in_frame, .field = COLUMN_##type, .offset = offsetof(struct frame, name)

static const struct query_column stack_columns[] = {
	{ "id", "INTEGER", "number of the stack", get_row, QUERY_ROW },
	{ "caller_id", "INTEGER", "the stack without its innermost frame: stacks.id; NULL: it has one frame", NULL,
	  QUERY_NUMBER, key_caller },
	{ "depth", "INTEGER", "its frames", STACK(ID, depth) },
	{ "language", "TEXT",
	  "of the innermost frame: `python`, `javascript`, `java`, `native`; `cut`: there were more, further out",
	  get_language },
	{ "function", "TEXT", "the innermost frame's function", FRAME(TEXT, function) },
	{ "file", "TEXT", "its file", FRAME(TEXT, file) },
	{ "line", "INTEGER", "its line", FRAME(ID, line) },
	{ "module", "TEXT", "of machine code: the file that is mapped there", FRAME(TEXT, module) },
	{ "offset", "INTEGER", "and the address in it", FRAME(TIME, offset) },
};

const struct query_table query_table_stacks = {
	.name = "stacks",
	.what = "Stacks of samples: each is the stack of its caller and one frame.",
	.rows = QUERY_LIST,
	.count = count_stacks,
	QUERY_COLUMNS(stack_columns),
};
