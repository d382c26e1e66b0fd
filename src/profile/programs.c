// SPDX-License-Identifier: Apache-2.0
/*
 * A table in the order of process and session. A release is written at once, but the last inferences of the session are
 * handed over later, in the order of time: until then it is only marked. Reads no event.
 */
#include "profile/programs.h"

#include <string.h>

static struct gather_program *program_at(const struct gather *gather, size_t i)
{
	return (struct gather_program *)gather->programs.data + i;
}

static int compare(const struct gather_program *program, uint32_t process, uint32_t number, uint32_t model)
{
	if (program->process != process)
		return program->process < process ? -1 : 1;
	if (program->number != number)
		return program->number < number ? -1 : 1;
	return number || program->model == model ? 0 : program->model < model ? -1 : 1;
}

/* Its place, or where it belongs. */
static size_t place_of(const struct gather *gather, uint32_t process, uint32_t number, uint32_t model)
{
	size_t from = 0, to = gather->programs.n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare(program_at(gather, middle), process, number, model) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool is_at(const struct gather *gather, size_t place, uint32_t process, uint32_t number, uint32_t model)
{
	return place < gather->programs.n && !compare(program_at(gather, place), process, number, model);
}

static void look_up_object(const struct gather *gather, struct gather_program *program)
{
	const struct session *session =
	    gather->sessions && program->number ? sessions_find(gather->sessions, program->number) : NULL;

	if (session && session->object)
		program->object = session->object;
}

static void tell_gone(const struct gather *gather, const struct gather_program *program, uint64_t time_ns)
{
	if (gather->calls.gone)
		gather->calls.gone(gather->calls.ctx, program, time_ns);
}

static void tell_came(const struct gather *gather, const struct gather_program *program, bool is_new)
{
	if (gather->calls.came)
		gather->calls.came(gather->calls.ctx, program, is_new);
}

/* One that existed before the agent may have got its name later. */
static void rename_to(struct gather *gather, struct gather_program *program, uint32_t model)
{
	struct gather_program before = *program;

	program->model = model;
	before.number = 0; /* the session goes on */
	before.object = 0;
	if (!gather_lives(gather, before.model))
		tell_gone(gather, &before, 0);
	tell_came(gather, program, false);
}

struct gather_program *programs_at(struct gather *gather, uint32_t process, uint32_t number, uint32_t model,
				   bool is_new)
{
	size_t place = place_of(gather, process, number, model);
	struct gather_program *program;

	if (is_at(gather, place, process, number, model)) {
		program = program_at(gather, place);
		look_up_object(gather, program);
		if (program->model != model && model)
			rename_to(gather, program, model);
		return program;
	}
	if (!array_add(&gather->programs, sizeof *program))
		return NULL;
	program = program_at(gather, place);
	memmove(program + 1, program, (gather->programs.n - 1 - place) * sizeof *program);
	*program = (struct gather_program){ .process = process, .number = number, .model = model };
	look_up_object(gather, program);
	tell_came(gather, program, is_new);
	return program;
}

static void mark(struct gather *gather, struct gather_program *program, uint64_t time_ns)
{
	gather->n_gone += !program->gone_ns;
	program->gone_ns = time_ns ? time_ns : 1;
}

void programs_release(struct gather *gather, uint32_t process, uint32_t number, uint64_t time_ns)
{
	size_t place = place_of(gather, process, number, 0);

	if (number && is_at(gather, place, process, number, 0))
		mark(gather, program_at(gather, place), time_ns);
}

void programs_release_all(struct gather *gather, uint32_t process, uint64_t time_ns)
{
	for (size_t i = 0; i < gather->programs.n; i++)
		if (program_at(gather, i)->process == process)
			mark(gather, program_at(gather, i), time_ns);
}

/* The one that has gone first; programs.n: none has, before then. */
static size_t first_gone(const struct gather *gather, uint64_t until_ns)
{
	size_t first = gather->programs.n;

	for (size_t i = 0; i < gather->programs.n; i++) {
		uint64_t gone_ns = program_at(gather, i)->gone_ns;

		if (gone_ns && gone_ns <= until_ns &&
		    (first == gather->programs.n || gone_ns < program_at(gather, first)->gone_ns))
			first = i;
	}
	return first;
}

void programs_end(struct gather *gather, uint64_t until_ns)
{
	while (gather->n_gone) {
		size_t i = first_gone(gather, until_ns);
		struct gather_program gone;

		if (i == gather->programs.n)
			return;
		gone = *program_at(gather, i);
		memmove(program_at(gather, i), program_at(gather, i + 1), (gather->programs.n - i - 1) * sizeof gone);
		gather->programs.n--;
		gather->n_gone--;
		tell_gone(gather, &gone, gone.gone_ns);
	}
}

void programs_look_up(struct gather *gather)
{
	for (size_t i = 0; i < gather->programs.n; i++)
		if (!program_at(gather, i)->object)
			look_up_object(gather, program_at(gather, i));
}

bool gather_lives(const struct gather *gather, uint32_t model)
{
	for (size_t i = 0; i < gather->programs.n; i++)
		if (program_at(gather, i)->model == model)
			return true;
	return false;
}
