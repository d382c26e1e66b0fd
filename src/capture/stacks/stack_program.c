// SPDX-License-Identifier: Apache-2.0
/*
 * Which program a process runs: what is known of its memory is gone when it runs another one. That has another file, or
 * its stack begins elsewhere, because the kernel chooses a place for each program that begins.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/stacks/stack_thread.h"

#define MS_NS UINT64_C(1000000)
#define FIRST_FIND_NS (20 * MS_NS)
#define LOOK_NS (1000 * MS_NS) /* how long a process that runs is taken to run the same program, */
#define DOUBT_NS (20 * MS_NS)  /* and if its memory is another one */

#define WAIT_NS (200 * MS_NS) /* for an interpreter that has not begun yet */

enum { MAX_FINDS = 8, MAX_WAITS = 300, STACK_START = 25 }; /* a number of stat, behind the name */

static bool is_other_namespace(pid_t pid)
{
	char path[32];
	struct stat own, its;

	snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
	return !stat("/proc/self/ns/pid", &own) && !stat(path, &its) && own.st_ino != its.st_ino;
}

/* 0: not known. Of the first thread alone: of a process the kernel adds up the times of all threads. */
static uint64_t stack_start_of(pid_t pid)
{
	char name[32], text[1024];
	const char *behind;
	uint64_t start = 0;
	ssize_t got;

	snprintf(name, sizeof name, "task/%d/stat", (int)pid);
	got = proc_read("", pid, name, text, sizeof text);
	behind = got > 0 ? memrchr(text, ')', (size_t)got) : NULL;
	return behind && proc_number(behind + 1, (size_t)(text + got - behind - 1), STACK_START, &start) ? start : 0;
}

/* Whether the process may have called exec since it was looked at. */
static bool is_due(const struct stack_process *process, const struct stack_round *round)
{
	bool is_doubtful = process->languages.python.is_lost || process->maps.read_ns > process->looked_ns;

	return process->has_run_since && round->now_ns - process->looked_ns >= (is_doubtful ? DOUBT_NS : LOOK_NS);
}

static bool is_another(struct stack_process *process, const struct stack_round *round, bool has_run)
{
	uint64_t before = process->stack_start;

	process->has_run_since |= has_run;
	if (process->program == round->program && !is_due(process, round))
		return false;
	process->looked_ns = round->now_ns;
	process->has_run_since = process->languages.python.is_lost = false;
	process->stack_start = stack_start_of(round->pid);
	return process->program != round->program || (before && process->stack_start && process->stack_start != before);
}

static void forget(struct stack_process *process, const struct stack_round *round)
{
	struct stack_python *python = &process->languages.python;

	process->program = round->program;
	python->is_there = process->languages.v8.is_there = process->languages.java.is_there = false;
	python->thread.n = 0;
	python->listed_ns = python->good_ns = 0;
	process->n_finds = process->n_waits = process->n_interpreters = 0;
	process->moments_failed = 0;
	stack_maps_done(&process->maps);
	process->find_ns = round->now_ns + (process->has_begun ? 0 : FIRST_FIND_NS);
	process->is_inside = is_other_namespace(round->pid);
	for (size_t i = 0; i < process->thread.n; i++)
		stack_thread_at(process, i)->named_ns = 0;
	process->has_begun = true;
}

static bool waits(const struct stack_process *process)
{
	const struct stack_languages *languages = &process->languages;

	return process->n_waits < MAX_WAITS && ((languages->v8.is_there && languages->v8.v8.is_unread) ||
						(languages->java.is_there && languages->java.hotspot.is_unread));
}

/* Nothing else is to be looked for. */
static bool has_found_all(const struct stack_process *process)
{
	const struct stack_python *python = &process->languages.python;

	return python->is_there && (!*python->why || process->n_finds > 1) && !waits(process);
}

/* As JPype loads Java into a program of Python, or a server the plugin that needs it: a stack was in its code. */
static bool has_new_interpreter(struct stack_process *process)
{
	uint32_t before = process->n_interpreters;

	process->n_interpreters = process->maps.n_interpreters;
	if (process->n_interpreters <= before)
		return false;
	process->n_finds = process->n_waits = 0;
	return true;
}

static void find(struct stack_process *process, const struct stack_round *round)
{
	stack_memory_begin(&round->shared->memory, round->pid);
	stack_languages_find(&process->languages, &round->shared->files, &round->shared->memory, round->pid);
	if (waits(process)) {
		process->n_waits++;
		process->find_ns = round->now_ns + WAIT_NS;
	} else {
		process->find_ns = round->now_ns + (FIRST_FIND_NS << 2 * process->n_finds++);
	}
}

void stack_program_find(struct stack_process *process, const struct stack_round *round, bool has_run)
{
	if (is_another(process, round, has_run) || !process->has_begun)
		forget(process, round);
	if (!has_new_interpreter(process) &&
	    (has_found_all(process) || process->n_finds >= MAX_FINDS || round->now_ns < process->find_ns))
		return;
	find(process, round);
}
