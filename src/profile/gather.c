// SPDX-License-Identifier: Apache-2.0
/*
 * Begins meet their ends, and what is inside an inference meets it by its number. Inferences that a program annotates
 * are read thread by thread, so that all are sorted before they are handed over. Does not know which models are wanted.
 */
#include "profile/gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/programs.h"

enum { MAX_RUNS = 1 << 16, NEAR = 1024, MAX_DEPTH = 16, MAX_PARTS = 1 << 18 };

struct gather_track {
	struct track_def def;
	bool is_defined;
	struct array open; /* struct gather_slice, outermost first */
	struct gather_slice setup;
	uint64_t whole_from_ns; /* of a process */
};

struct gather_run {
	int64_t number; /* in its process */
	uint32_t process;
	struct array parts; /* struct gather_slice */
};

static struct gather_track *track_at(const struct gather *gather, uint32_t number)
{
	return number < gather->tracks.n ? (struct gather_track *)gather->tracks.data + number : NULL;
}

const struct track_def *gather_track(const struct gather *gather, uint32_t number)
{
	const struct gather_track *track = track_at(gather, number);

	return track && track->is_defined ? &track->def : NULL;
}

static const struct arg *arg_of(const struct gather_slice *slice, enum event_key key)
{
	for (size_t i = 0; i < slice->n_args; i++)
		if (slice->args[i].key == key)
			return &slice->args[i];
	return NULL;
}

static int64_t number_of(const struct gather_slice *slice, enum event_key key, int64_t fallback)
{
	const struct arg *arg = arg_of(slice, key);

	return arg && arg->type == ARG_INT ? arg->integer : fallback;
}

static void add_args(struct gather_slice *slice, const struct event *event)
{
	for (size_t i = 0; i < event->n_args && slice->n_args < GATHER_ARGS; i++)
		slice->args[slice->n_args++] = event->args[i];
}

static struct gather_run *run_at(const struct gather *gather, size_t i)
{
	return (struct gather_run *)gather->runs.data + i;
}

/* Mostly the oldest one, which moves nothing. */
static void drop_run(struct gather *gather, size_t i)
{
	array_done(&run_at(gather, i)->parts, sizeof(struct gather_slice));
	memmove(run_at(gather, gather->first_run + 1), run_at(gather, gather->first_run),
		(i - gather->first_run) * sizeof(struct gather_run));
	if (++gather->first_run < gather->runs.n / 2 + NEAR)
		return;
	gather->runs.n -= gather->first_run;
	memmove(run_at(gather, 0), run_at(gather, gather->first_run), gather->runs.n * sizeof(struct gather_run));
	gather->first_run = 0;
}

/*
 * The number of its place; runs.n: it is not there. Parts belong to one of those that began last, and of those that end
 * it is one of the oldest: after a pause thousands of both come at a time.
 */
static size_t find_last(const struct gather *gather, uint32_t process, int64_t number)
{
	for (size_t i = gather->runs.n; i > gather->first_run && gather->runs.n - i < NEAR; i--)
		if (run_at(gather, i - 1)->number == number && run_at(gather, i - 1)->process == process)
			return i - 1;
	return gather->runs.n;
}

static size_t find_first(const struct gather *gather, uint32_t process, int64_t number)
{
	for (size_t i = gather->first_run; i < gather->runs.n && i - gather->first_run < NEAR; i++)
		if (run_at(gather, i)->number == number && run_at(gather, i)->process == process)
			return i;
	return gather->runs.n;
}

/* The track of the process that a track lies in; 0: none. */
static uint32_t process_of(const struct gather *gather, uint32_t number)
{
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		const struct track_def *def = gather_track(gather, number);

		if (!def || def->type == TRACK_PROCESS)
			return def ? number : 0;
		number = def->parent;
	}
	return 0;
}

static int end_part(struct gather *gather, const struct gather_slice *slice)
{
	int64_t number = number_of(slice, KEY_INFERENCE, -1);
	uint32_t process;
	size_t at;
	struct gather_slice *kept;

	if (number < 0 || (!gather->with_parts && slice->kind == KIND_OPERATOR))
		return 0;
	process = process_of(gather, slice->track);
	at = find_last(gather, process, number);
	if (at == gather->runs.n) {
		if (gather->runs.n - gather->first_run == MAX_RUNS) {
			gather->n_lost += run_at(gather, gather->first_run)->parts.n;
			drop_run(gather, gather->first_run);
		}
		if (!array_add(&gather->runs, sizeof(struct gather_run)))
			return -ENOMEM;
		at = gather->runs.n - 1;
		*run_at(gather, at) = (struct gather_run){ .number = number, .process = process };
	}
	if (run_at(gather, at)->parts.n == MAX_PARTS)
		return 0;
	kept = array_add(&run_at(gather, at)->parts, sizeof *kept);
	if (!kept)
		return -ENOMEM;
	*kept = *slice;
	return 0;
}

static int end_run(struct gather *gather, const struct gather_track *track, const struct gather_slice *slice)
{
	uint32_t process = process_of(gather, slice->track);
	size_t at = find_first(gather, process, number_of(slice, KEY_INFERENCE, -1));
	const struct arg *model = arg_of(slice, KEY_MODEL);
	struct sample *sample = NULL;

	if (model && model->type == ARG_NAME && number_of(slice, KEY_PARTIAL, 0) != 1) {
		sample = array_add_raw(&gather->ended, sizeof *sample);
		if (!sample)
			return -ENOMEM;
		sample->run = *slice;
		sample->setup.kind = KIND_NONE;
		if (track->setup.kind != KIND_NONE)
			sample->setup = track->setup;
		sample->parts = (struct array){ 0 };
		sample->program = (struct gather_program){ .process = process,
							   .number = (uint32_t)number_of(slice, KEY_SESSION, 0),
							   .model = model->name };
	}
	if (at == gather->runs.n)
		return 0;
	if (sample) {
		sample->parts = run_at(gather, at)->parts;
		run_at(gather, at)->parts = (struct array){ 0 };
	}
	drop_run(gather, at);
	return 0;
}

static int begin(struct gather_track *track, const struct event *event)
{
	struct gather_slice *slice = array_add(&track->open, sizeof *slice);

	if (!slice)
		return -ENOMEM;
	*slice = (struct gather_slice){
		.kind = event->kind, .name = event->name, .track = event->track, .begin_ns = event->time_ns
	};
	add_args(slice, event);
	if (event->kind == KIND_INFERENCE)
		track->setup.kind = KIND_NONE;
	return 0;
}

static int end(struct gather *gather, struct gather_track *track, const struct event *event)
{
	struct gather_slice *slice;

	if (!track->open.n)
		return 0;
	slice = (struct gather_slice *)track->open.data + --track->open.n;
	slice->end_ns = event->time_ns;
	add_args(slice, event);
	if (slice->kind == KIND_SETUP && track->setup.kind == KIND_NONE)
		track->setup = *slice;
	else if (slice->kind == KIND_INFERENCE)
		return end_run(gather, track, slice);
	else if (slice->kind == KIND_SESSION)
		programs_time(gather, process_of(gather, slice->track), (uint32_t)number_of(slice, KEY_SESSION, 0),
			      slice->end_ns);
	else if (slice->kind == KIND_OPERATOR || slice->kind == KIND_KERNEL || slice->kind == KIND_STAGE)
		return end_part(gather, slice);
	return 0;
}

static int define(struct gather *gather, const struct event *event)
{
	while (gather->tracks.n <= event->track)
		if (!array_add(&gather->tracks, sizeof(struct gather_track)))
			return -ENOMEM;
	track_at(gather, event->track)->def = *event->def;
	track_at(gather, event->track)->is_defined = true;
	return 0;
}

/* A runtime whose inferences cannot be seen: "...; runs (why); ...". */
static void note_runtime(struct gather *gather, const struct gather_slice *note)
{
	const struct arg *status = arg_of(note, KEY_STATUS), *runtime = arg_of(note, KEY_RUNTIME),
			 *version = arg_of(note, KEY_VERSION);
	const struct names *names = gather->sink.names;
	const char *why = event_why_no_runs(status ? names_text(names, status->name) : NULL);

	if (gather->note[0] || !why)
		return;
	snprintf(gather->note, sizeof gather->note, "inferences of %.40s %.40s are not seen: %.*s",
		 runtime ? names_text(names, runtime->name) : "a runtime",
		 version ? names_text(names, version->name) : "", (int)strcspn(why, ")"), why);
}

/* From when on all of a runtime that the agent came to late is seen. */
static void note_whole(struct gather *gather, uint32_t process, uint64_t from_ns)
{
	struct gather_track *track = track_at(gather, process);

	if (track && from_ns > track->whole_from_ns)
		track->whole_from_ns = from_ns;
}

static int take_note(struct gather *gather, const struct event *event)
{
	struct gather_slice note = { .n_args = 0 };
	const struct arg *model;
	uint32_t process = process_of(gather, event->track);

	add_args(&note, event);
	model = arg_of(&note, KEY_MODEL);
	if (event->name == gather->runtime) {
		note_runtime(gather, &note);
		note_whole(gather, process, (uint64_t)number_of(&note, KEY_FROM_NS, 0));
	} else if (event->name == gather->exited)
		programs_release_all(gather, process, event->time_ns);
	else if (event->name == gather->released)
		programs_release(gather, process, (uint32_t)number_of(&note, KEY_SESSION, 0),
				 (uint64_t)number_of(&note, KEY_FROM_NS, (int64_t)event->time_ns));
	else if (event->name == gather->created && model && !arg_of(&note, KEY_STATUS))
		return programs_add(gather, process, (uint32_t)number_of(&note, KEY_SESSION, 0), model->name,
				    event->time_ns);
	return 0;
}

static int take_instant(struct gather *gather, const struct event *event)
{
	struct gather_slice lost = { .n_args = 0 };

	if (event->kind == KIND_NOTE)
		return take_note(gather, event);
	if (event->kind != KIND_LOST)
		return 0;
	add_args(&lost, event);
	gather->n_lost += (uint64_t)number_of(&lost, KEY_COUNT, 1);
	return 0;
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct gather *gather = (struct gather *)sink;
	struct gather_track *track = track_at(gather, event->track);
	int code = 0;

	if (event->type == EVENT_TRACK)
		code = define(gather, event);
	else if (event->type == EVENT_INSTANT)
		code = take_instant(gather, event);
	else if (track && event->type == EVENT_BEGIN)
		code = begin(track, event);
	else if (track && event->type == EVENT_END)
		code = end(gather, track, event);
	return code ? err_no_memory(err, "cannot gather inferences") : 0;
}

bool gather_init(struct gather *gather, struct names *names, uint32_t *last_track)
{
	memset(gather, 0, sizeof *gather);
	gather->owns_names = !names;
	names = names ? names : names_new();
	gather->sink = (struct sink){ .put = put, .names = names };
	gather->sink.last_track = last_track ? last_track : &gather->own_track;
	if (!names)
		return false;
	gather->created = names_of(names, EVENT_NOTE_CREATED);
	gather->released = names_of(names, EVENT_NOTE_RELEASED);
	gather->runtime = names_of(names, EVENT_NOTE_RUNTIME);
	gather->exited = names_of(names, EVENT_NOTE_EXIT);
	return gather->exited != 0;
}

static int by_end(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	return (a->run.end_ns > b->run.end_ns) - (a->run.end_ns < b->run.end_ns);
}

static void sort(struct gather *gather)
{
	struct sample *samples = gather->ended.data;

	for (size_t i = 1; i < gather->ended.n; i++)
		if (by_end(&samples[i - 1], &samples[i]) > 0) {
			qsort(samples, gather->ended.n, sizeof *samples, by_end);
			return;
		}
}

/* One that began before is whole itself, but not all that is inside it. */
static bool has_all_parts(const struct gather *gather, const struct sample *sample)
{
	const struct gather_track *process = track_at(gather, sample->program.process);

	return !gather->with_parts || !process || sample->run.begin_ns >= process->whole_from_ns;
}

static void hand_over(struct gather *gather, struct sample *sample)
{
	struct gather_program *program =
	    programs_at(gather, sample->program.process, sample->program.number, sample->program.model);

	if (program) {
		program->n_inferences++;
		sample->program = *program;
	}
	if (has_all_parts(gather, sample))
		gather->calls.take(gather->calls.ctx, sample);
	array_done(&sample->parts, sizeof(struct gather_slice));
}

void gather_advance(struct gather *gather, uint64_t until_ns)
{
	struct sample *samples = gather->ended.data;
	size_t n = 0;

	sort(gather);
	for (; n < gather->ended.n && samples[n].run.end_ns <= until_ns; n++) {
		programs_advance(gather, samples[n].run.end_ns - 1);
		hand_over(gather, &samples[n]);
	}
	if (n)
		memmove(samples, samples + n, (gather->ended.n - n) * sizeof *samples);
	gather->ended.n -= n;
	programs_advance(gather, until_ns);
	programs_look_up(gather);
}

void gather_done(struct gather *gather)
{
	struct sample *samples = gather->ended.data;

	for (size_t i = 0; i < gather->ended.n; i++)
		array_done(&samples[i].parts, sizeof(struct gather_slice));
	array_done(&gather->ended, sizeof *samples);
	array_done(&gather->programs, sizeof(struct gather_program));
	while (gather->first_run < gather->runs.n)
		drop_run(gather, gather->first_run);
	for (uint32_t i = 0; i < gather->tracks.n; i++)
		array_done(&track_at(gather, i)->open, sizeof(struct gather_slice));
	array_done(&gather->runs, sizeof(struct gather_run));
	array_done(&gather->tracks, sizeof(struct gather_track));
	if (gather->owns_names)
		names_free(gather->sink.names);
}
