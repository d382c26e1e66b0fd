// SPDX-License-Identifier: Apache-2.0
/* What a thread does at a moment: by the system call that it is in, the kernel's letter for it, and its frames. */
#include <stdio.h>
#include <string.h>

#include "capture/stacks/stack_thread.h"

enum { MOST_TRIES = 3 };
enum { RAN_STEPS = 30 }; /* how long a moment stands for a thread that runs on */

/* An entry of what poll is given. */
struct poll_entry {
	int32_t fd;
	int16_t events, happened;
};

static char letter_in(char *text, ssize_t got)
{
	char *name_end;

	text[got > 0 ? got : 0] = 0;
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

static char letter_of(struct stack_thread *thread, pid_t pid)
{
	struct proc_file none = { 0 };
	char text[512];

	return letter_in(text, stack_thread_read(thread, &none, pid, "stat", text, sizeof text - 1));
}

static void put_object(struct stack_thread *thread, const struct stack_round *round, int fd)
{
	char text[300];

	stack_call_object(&round->shared->sockets, thread->tid, fd, round->now_ns, text, sizeof text);
	err_disarm(text);
	thread->now.object = names_of(round->out->names, text);
}

static enum sample_state state_of_poll(struct stack_thread *thread, const struct stack_round *round,
				       const struct stack_call *call)
{
	struct poll_entry entry;

	if (!call->arg[1])
		return SAMPLE_SLEPT;
	if (call->arg[1] == 1 && stack_memory_read(&round->shared->memory, call->arg[0], &entry, sizeof entry) &&
	    entry.fd >= 0)
		put_object(thread, round, entry.fd);
	return SAMPLE_CALL;
}

/* Of a thread that is in a system call. */
static enum sample_state state_of_call(const struct stack_process *process, struct stack_thread *thread,
				       const struct stack_round *round, const struct stack_call *call)
{
	enum stack_call_kind kind;
	const char *name = stack_call_name(call->number, &kind);
	char number[32];

	snprintf(number, sizeof number, "system call %d", (int)call->number);
	thread->now.call = names_of(round->out->names, name ? name : number);
	switch (kind) {
	case CALL_FUTEX:
		return stack_python_is_gil(&process->languages.python, call->arg[0]) ? SAMPLE_GIL : SAMPLE_LOCK;
	case CALL_SLEEP:
		return SAMPLE_SLEPT;
	case CALL_SELECT:
		return call->arg[0] ? SAMPLE_CALL : SAMPLE_SLEPT;
	case CALL_POLL:
		return state_of_poll(thread, round, call);
	case CALL_FILE:
		put_object(thread, round, (int)call->arg[0]);
		return SAMPLE_CALL;
	case CALL_OTHER:
		break;
	}
	return SAMPLE_CALL;
}

static enum sample_state state_of_letter(struct stack_thread *thread, const struct stack_round *round, char letter)
{
	if (letter == 'T' || letter == 't')
		thread->now.call = names_of(round->out->names, letter == 'T' ? EVENT_HALT_STOPPED : EVENT_HALT_TRACED);
	switch (letter) {
	case 'T':
	case 't':
		return SAMPLE_STOPPED;
	case 'R':
		return SAMPLE_RAN;
	case 'D':
		return SAMPLE_FAULT;
	default:
		return SAMPLE_UNKNOWN;
	}
}

/* Looked at once in a round. */
static bool is_frozen(struct stack_process *process, const struct stack_round *round)
{
	if (process->frozen_ns != round->now_ns)
		process->is_frozen = freezer_is_frozen(&process->freezer, "", round->pid, round->now_ns);
	process->frozen_ns = round->now_ns;
	return process->is_frozen;
}

/* A signal stops all threads of a process, its first one, too; a tracer may stop one alone. Read once in a round. */
static bool are_moving(struct stack_process *process, const struct stack_round *round)
{
	char text[512], path[32], letter;

	if (process->moving_ns != round->now_ns) {
		snprintf(path, sizeof path, "task/%d/stat", (int)round->pid);
		letter = letter_in(text, proc_file_read(&process->stat, "", round->pid, path, text, sizeof text - 1));
		process->are_moving = letter == 'S' || letter == 'R' || letter == 'D';
		process->moving_ns = round->now_ns;
	}
	return process->are_moving && !process->is_traced;
}

static enum sample_state find_state(struct stack_process *process, struct stack_thread *thread,
				    const struct stack_round *round, struct stack_call *call)
{
	enum sample_state state;
	char text[256];
	ssize_t got = stack_thread_read(thread, &thread->call, round->pid, "syscall", text, sizeof text);
	bool is_known = got > 0 && stack_call_parse(text, (size_t)got, call);
	char letter;

	if (!is_known)
		*call = (struct stack_call){ .number = -1 };
	if (call->is_running)
		return SAMPLE_RAN;
	letter = call->number >= 0 && are_moving(process, round) ? 'S' : letter_of(thread, round->pid);
	state = state_of_letter(thread, round, letter);
	if (letter == 'T' || letter == 't')
		return state;
	if (letter != 'R' && is_frozen(process, round)) {
		thread->now.call = names_of(round->out->names, EVENT_HALT_FROZEN);
		return SAMPLE_STOPPED;
	}
	if (call->number < 0)
		return state;
	return letter == 'R' ? SAMPLE_RAN : state_of_call(process, thread, round, call);
}

static const struct stack_thread *thread_inside(const struct stack_process *process, int32_t inner_tid)
{
	for (size_t i = 0; i < process->thread.n; i++)
		if (stack_thread_at(process, i)->inner_tid == inner_tid)
			return stack_thread_at(process, i);
	return NULL;
}

static void put_holder(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round,
		       const struct python_thread *python)
{
	const struct python_thread *holder = stack_python_holder(&process->languages.python, python);
	const struct stack_thread *known = holder ? thread_inside(process, holder->tid) : NULL;
	uint8_t flags = 0;

	if (!known || known == thread)
		return;
	thread->now.holder_tid = known->tid;
	if (known->seen_ns == round->now_ns) {
		thread->now.holder_stack = known->now.stack;
		return;
	}
	if (process->holder.at != holder->is.at || process->holder.round_ns != round->now_ns)
		process->holder.stack =
		    stack_python_walk(&process->languages.python, holder, round->out->names, &flags);
	process->holder.at = holder->is.at;
	process->holder.round_ns = round->now_ns;
	thread->now.holder_stack = process->holder.stack;
}

/* The thread has not run for long since: it may have waited for a CPU. */
static bool is_recent(const struct stack_thread *thread, const struct stack_round *round)
{
	return thread->ran_ns - thread->ran.cpu_ns < RAN_STEPS * round->step_ns;
}

/* The moment is of after the last look. */
static bool is_since(const struct stack_thread *thread)
{
	return thread->ran.time_ns > thread->seen_ns;
}

/* A thread that ran has the stack of a moment in which it did. */
static bool put_moment(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round,
		       bool has_python)
{
	stack_native_watch(process, thread, round);
	if (!has_python)
		stack_native_take(process, thread, round, false);
	if (!has_python && is_since(thread))
		thread->now.flags |= thread->ran.flags & SAMPLE_TORN;
	if (!thread->ran.stack || (has_python ? !is_since(thread) : !is_recent(thread, round)))
		return false;
	thread->now.stack = thread->ran.stack;
	thread->now.flags |= thread->ran.flags;
	return true;
}

static bool is_at_rest(const struct stack_thread *thread)
{
	return thread->now.state != SAMPLE_RAN && thread->now.state != SAMPLE_QUEUED;
}

static void put_stack(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round,
		      const struct stack_call *call)
{
	const struct python_thread *python;

	if (!is_at_rest(thread) && thread->ran.base && is_since(thread) && put_moment(process, thread, round, true))
		return;						      /* its Python was read then */
	if (is_at_rest(thread) || process->languages.python.is_there) /* else there may be no moment to look at */
		stack_memory_ahead(&round->shared->memory, thread->used.block, thread->used.n);
	python = stack_python_thread(&process->languages.python, thread->inner_tid, round->now_ns);
	if (!is_at_rest(thread) && put_moment(process, thread, round, python))
		return;
	if (!python && process->languages.python.is_there && *process->languages.python.why)
		thread->now.flags |= SAMPLE_NO_PYTHON;
	if (python) {
		thread->now.stack =
		    stack_python_walk(&process->languages.python, python, round->out->names, &thread->now.flags);
		if (!is_at_rest(thread) && is_recent(thread, round) && thread->now.stack == thread->ran.base)
			thread->now.stack = thread->ran.stack; /* the same line calls */
		if (thread->now.state == SAMPLE_GIL)
			put_holder(process, thread, round, python);
	}
	/* one that waits for the GIL is in the interpreter */
	if (is_at_rest(thread) && thread->now.state != SAMPLE_GIL && !(thread->now.flags & SAMPLE_TORN))
		thread->now.stack = stack_native_blocked(process, round, call, thread->now.stack, &thread->now.flags);
	stack_memory_keep(&round->shared->memory, &thread->used);
}

/* How often the thread has got a CPU; 0: not known. */
static uint64_t turns_of(struct stack_thread *thread, const struct stack_round *round)
{
	uint64_t n_turns;
	char text[96];
	ssize_t got;

	if (stack_thread_counts(thread, round->shared))
		return stack_moments_turns(&thread->moments);
	got = stack_thread_read(thread, &thread->sched, round->pid, "schedstat", text, sizeof text);
	return got > 0 && proc_number(text, (size_t)got, 2, &n_turns) ? n_turns : 0;
}

/* A thread that waited when its state was read may have gone on when its stack was: both are read again then. */
void stack_state_read(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round,
		      bool has_run)
{
	uint64_t before = stack_thread_counts(thread, round->shared) ? thread->turns : thread->n_turns, after;
	struct stack_call call;

	for (int i = 0; i < MOST_TRIES; i++, before = after) {
		thread->now = (struct event_sample){ .tid = thread->tid, .thread_name = thread->name };
		stack_memory_begin(&round->shared->memory, round->pid);
		thread->now.state = (uint8_t)find_state(process, thread, round, &call);
		if (thread->now.state == SAMPLE_RAN && !has_run && thread->more_waited_ns)
			thread->now.state = SAMPLE_QUEUED;
		put_stack(process, thread, round, &call);
		if (!is_at_rest(thread) || !thread->now.stack || (after = turns_of(thread, round)) == before)
			return;
	}
	thread->now.stack = 0;
	thread->now.flags |= SAMPLE_TORN;
}
