// SPDX-License-Identifier: Apache-2.0
/*
 * A table in the order of process and session. Creations and releases are read at once, but inferences are handed over
 * later, in the order of time: until then a program is only marked. Reads no event.
 */
#include "profile/programs.h"

#include <errno.h>
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

static void end_coming(struct gather *gather, struct gather_program *program)
{
	program->came_ns = 0;
	gather->n_untold -= !program->gone_ns;
	tell_came(gather, program, true);
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

/* Not told yet. NULL: out of memory. */
static struct gather_program *insert(struct gather *gather, size_t place, const struct gather_program *program)
{
	struct gather_program *at;

	if (!array_add(&gather->programs, sizeof *at))
		return NULL;
	at = program_at(gather, place);
	memmove(at + 1, at, (gather->programs.n - 1 - place) * sizeof *at);
	*at = *program;
	look_up_object(gather, at);
	return at;
}

struct gather_program *programs_at(struct gather *gather, uint32_t process, uint32_t number, uint32_t model)
{
	size_t place = place_of(gather, process, number, model);
	struct gather_program *program, own = { .process = process, .number = number, .model = model };

	if (!is_at(gather, place, process, number, model)) {
		program = insert(gather, place, &own);
		if (program)
			tell_came(gather, program, false);
		return program;
	}
	program = program_at(gather, place);
	look_up_object(gather, program);
	if (program->came_ns)
		end_coming(gather, program);
	if (program->model != model)
		rename_to(gather, program, model);
	return program;
}

int programs_add(struct gather *gather, uint32_t process, uint32_t number, uint32_t model, uint64_t before_ns)
{
	size_t place = place_of(gather, process, number, model);
	struct gather_program own = {
		.process = process, .number = number, .model = model, .came_ns = before_ns ? before_ns : 1
	};

	if (is_at(gather, place, process, number, model))
		return 0;
	if (!insert(gather, place, &own))
		return -ENOMEM;
	gather->n_untold++;
	return 0;
}

void programs_time(struct gather *gather, uint32_t process, uint32_t number, uint64_t time_ns)
{
	size_t place = place_of(gather, process, number, 0);

	if (number && is_at(gather, place, process, number, 0) && program_at(gather, place)->came_ns > time_ns)
		program_at(gather, place)->came_ns = time_ns ? time_ns : 1;
}

static void mark(struct gather *gather, struct gather_program *program, uint64_t time_ns)
{
	if (!program->gone_ns && !program->came_ns)
		gather->n_untold++;
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

static uint64_t untold_ns(const struct gather_program *program)
{
	return program->came_ns ? program->came_ns : program->gone_ns;
}

/* The one to be told of first; programs.n: none, until then. */
static size_t first_untold(const struct gather *gather, uint64_t until_ns)
{
	size_t first = gather->programs.n;

	for (size_t i = 0; i < gather->programs.n; i++) {
		uint64_t time_ns = untold_ns(program_at(gather, i));

		if (time_ns && time_ns <= until_ns &&
		    (first == gather->programs.n || time_ns < untold_ns(program_at(gather, first))))
			first = i;
	}
	return first;
}

static void take_out(struct gather *gather, size_t i)
{
	struct gather_program gone = *program_at(gather, i);

	memmove(program_at(gather, i), program_at(gather, i + 1), (gather->programs.n - i - 1) * sizeof gone);
	gather->programs.n--;
	gather->n_untold--;
	tell_gone(gather, &gone, gone.gone_ns);
}

void programs_advance(struct gather *gather, uint64_t until_ns)
{
	while (gather->n_untold) {
		size_t i = first_untold(gather, until_ns);

		if (i == gather->programs.n)
			return;
		if (program_at(gather, i)->came_ns)
			end_coming(gather, program_at(gather, i));
		else
			take_out(gather, i);
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
