// SPDX-License-Identifier: Apache-2.0
/* Compares the CPU time of all processes with that of the last look. Names are the kernel's, of 15 bytes. */
#include "capture/source/others.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/err.h"

#define LEAST_NS UINT64_C(1000000000)	    /* between looks */
#define LEAST_WANTED_NS UINT64_C(100000000) /* CPU time is counted in ticks of 10 ms */

enum { PART = 1000, PART_WANTED = 100, LEAST_PERCENT = 10, MAX_PROCESSES = 32768 };

static bool is_recorded(const struct tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->n; i++)
		if (tree->process[i].pid == pid)
			return true;
	return false;
}

/* Its place among those known; n: none is. */
static size_t find(const struct others *others, pid_t pid, size_t n)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (others->process[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && others->process[low].pid == pid ? low : n;
}

static struct other_program *program_named(struct others *others, const char *name)
{
	for (size_t i = 0; i < others->n_programs; i++)
		if (!strcmp(others->program[i].name, name))
			return &others->program[i];
	return NULL;
}

/* Less than this many ticks: another one may take its place. One with a counter does once it was 0 in a whole round. */
static uint64_t worth(const struct other_program *program)
{
	return !program->cpu.is_known || program->cpu.last == 0 ? program->ticks : UINT64_MAX;
}

static bool is_before(const struct other_program *a, const struct other_program *b)
{
	return worth(a) != worth(b) ? worth(a) < worth(b) : a->used_ns < b->used_ns;
}

/* In a full table it takes the place of a program that used less; NULL: none did. */
static struct other_program *new_program(struct others *others, uint64_t ticks)
{
	struct other_program *least = others->program;

	if (others->n_programs < OTHERS_NAMED)
		return &others->program[others->n_programs++];
	for (size_t i = 1; i < others->n_programs; i++)
		if (is_before(&others->program[i], least))
			least = &others->program[i];
	return worth(least) < ticks ? least : NULL;
}

/* Ticks of a program without a counter wait at the end of the list: only those that use much stay. */
static void add_ticks(struct others *others, const char *name, uint64_t ticks)
{
	struct other_program *to = program_named(others, name);

	if (!to) {
		to = new_program(others, ticks);
		if (!to)
			return;
		*to = (struct other_program){ .ticks = 0 };
		snprintf(to->name, sizeof to->name, "%s", name);
	}
	to->ticks += ticks;
}

static int compare(const void *a_, const void *b_)
{
	const struct other_process *a = a_, *b = b_;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int remember(struct others *others, const struct sample *sample, pid_t pid, const struct proc_stat *stat)
{
	if (!ARRAY_ROOM(others->process, others->capacity, others->n + 1))
		return err_no_memory(sample->err, "cannot sample programs");
	others->process[others->n++] = (struct other_process){ pid, others->round, stat->start_ticks, stat->cpu_ticks };
	return 0;
}

/* n: those known before this look, in order; new ones come behind them. */
static int look_at(struct others *others, const struct sample *sample, pid_t pid, size_t n)
{
	struct proc_stat stat;
	struct other_process *known;
	char text[1024];
	ssize_t got = proc_read(sample->target->sysroot, pid, "stat", text, sizeof text);
	size_t at = find(others, pid, n);
	uint64_t before = 0;

	if (got <= 0 || !proc_stat_parse(text, (size_t)got, &stat))
		return 0;
	known = at < n ? &others->process[at] : NULL;
	if (known && known->start_ticks == stat.start_ticks)
		before = known->ticks;
	if (others->base_ns && stat.cpu_ticks > before && !is_recorded(sample->target->tree, pid))
		add_ticks(others, stat.name, stat.cpu_ticks - before);
	if (!known)
		return remember(others, sample, pid, &stat);
	*known = (struct other_process){ pid, others->round, stat.start_ticks, stat.cpu_ticks };
	return 0;
}

static int look_at_all(struct others *others, const struct sample *sample)
{
	char path[PATH_MAX];
	size_t n = others->n, kept = 0;
	struct dirent *entry;
	DIR *folder;
	int result = 0;

	snprintf(path, sizeof path, "%s/proc", sample->target->sysroot);
	folder = opendir(path);
	if (!folder)
		return 0;
	others->round++;
	while (!result && others->n < MAX_PROCESSES && (entry = readdir(folder)))
		if (atoi(entry->d_name) > 0)
			result = look_at(others, sample, atoi(entry->d_name), n);
	closedir(folder);
	for (size_t i = 0; i < others->n; i++)
		if (others->process[i].round == others->round)
			others->process[kept++] = others->process[i];
	others->n = kept;
	if (kept)
		qsort(others->process, kept, sizeof *others->process, compare);
	return result;
}

/* A value stands for the time since the one before: the first needs one at its begin. */
static int put_program(struct others *others, struct other_program *program, const struct sample *sample,
		       uint64_t time_ns)
{
	char name[96];
	double percent = (double)proc_ticks_ns(program->ticks) / (double)(time_ns - others->base_ns) * 100;
	struct counter_value value = { name, "%", 0, others->base_ns, 0 };
	int result = 0;

	snprintf(name, sizeof name, "other program %s", program->name);
	if (!program->cpu.is_known)
		result = held_put(&program->cpu, &value, true, sample->out, sample->err);
	value.time_ns = time_ns;
	value.value = percent;
	if (program->ticks)
		program->used_ns = time_ns;
	return result ? result : held_put(&program->cpu, &value, sample->target->is_ending, sample->out, sample->err);
}

static int put_programs(struct others *others, const struct sample *sample, uint64_t time_ns)
{
	uint64_t least_ns = (time_ns - others->base_ns) * LEAST_PERCENT / 100;
	size_t n = 0;
	int result = 0;

	for (size_t i = 0; i < others->n_programs; i++) {
		struct other_program *program = &others->program[i];

		if (!program->cpu.is_known && proc_ticks_ns(program->ticks) < least_ns)
			continue;
		if (!result)
			result = put_program(others, program, sample, time_ns);
		program->ticks = 0;
		others->program[n++] = *program;
	}
	others->n_programs = n;
	return result;
}

int others_look(struct others *others, const struct sample *sample, bool is_wanted)
{
	uint64_t now_ns = sample_clock_ns(sample->target, sample->now_ns), time_ns, part_ns;
	uint64_t wanted_ns = others->cost_ns * PART_WANTED;
	int result;

	if (wanted_ns < LEAST_WANTED_NS)
		wanted_ns = LEAST_WANTED_NS;
	if (now_ns < others->due_ns && !(is_wanted && now_ns >= others->base_ns + wanted_ns) &&
	    !(sample->target->is_ending && now_ns >= others->base_ns + LEAST_WANTED_NS))
		return 0;
	result = look_at_all(others, sample);
	time_ns = sample_clock_ns(sample->target, sample->now_ns);
	if (!result && others->base_ns && time_ns > others->base_ns)
		result = put_programs(others, sample, time_ns);
	others->base_ns = time_ns;
	others->cost_ns = time_ns - now_ns;
	part_ns = others->cost_ns * PART;
	others->due_ns = time_ns + (part_ns > LEAST_NS ? part_ns : LEAST_NS);
	return result;
}

void others_done(struct others *others)
{
	free(others->process);
}
