// SPDX-License-Identifier: Apache-2.0
/* Begins meet their ends, and operators their inference, by its number. Does not know which models are wanted. */
#include "library/gather.h"

#include <errno.h>
#include <string.h>

enum { MAX_RUNS = 1024, MAX_OPERATORS = 1 << 18 };

struct gather_track {
	struct track_def def;
	bool is_defined;
	struct array open; /* struct gather_slice, outermost first */
	struct gather_slice setup;
};

struct gather_run {
	int64_t number;
	struct array operators; /* struct gather_slice */
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

static void drop_run(struct gather *gather, size_t i)
{
	array_done(&run_at(gather, i)->operators, sizeof(struct gather_slice));
	memmove(run_at(gather, i), run_at(gather, i + 1), (gather->runs.n - i - 1) * sizeof(struct gather_run));
	gather->runs.n--;
}

/* The number of its place; runs.n: it is not there. Those that began last come last. */
static size_t find_run(const struct gather *gather, int64_t number)
{
	for (size_t i = gather->runs.n; i-- > 0;)
		if (run_at(gather, i)->number == number)
			return i;
	return gather->runs.n;
}

static int end_operator(struct gather *gather, const struct gather_slice *slice)
{
	int64_t number = number_of(slice, KEY_INFERENCE, -1);
	size_t at = find_run(gather, number);
	struct gather_slice *kept;

	if (number < 0 || !gather->with_operators)
		return 0;
	if (at == gather->runs.n) {
		if (gather->runs.n == MAX_RUNS)
			drop_run(gather, 0);
		if (!array_add(&gather->runs, sizeof(struct gather_run)))
			return -ENOMEM;
		at = gather->runs.n - 1;
		*run_at(gather, at) = (struct gather_run){ .number = number };
	}
	if (run_at(gather, at)->operators.n == MAX_OPERATORS)
		return 0;
	kept = array_add(&run_at(gather, at)->operators, sizeof *kept);
	if (!kept)
		return -ENOMEM;
	*kept = *slice;
	return 0;
}

static void end_run(struct gather *gather, struct gather_track *track, const struct gather_slice *slice)
{
	size_t at = find_run(gather, number_of(slice, KEY_INFERENCE, -1));
	bool has_run = at < gather->runs.n;
	const struct arg *model = arg_of(slice, KEY_MODEL);
	struct sample sample = { .run = *slice, .setup = track->setup };

	if (has_run) {
		sample.operators = run_at(gather, at)->operators.data;
		sample.n_operators = run_at(gather, at)->operators.n;
	}
	if (model && model->type == ARG_NAME && number_of(slice, KEY_PARTIAL, 0) != 1) {
		sample.model = model->name;
		gather->take(gather->ctx, &sample);
	}
	if (has_run)
		drop_run(gather, at);
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
		end_run(gather, track, slice);
	else if (slice->kind == KIND_OPERATOR)
		return end_operator(gather, slice);
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

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct gather *gather = (struct gather *)sink;
	struct gather_track *track = track_at(gather, event->track);
	int code = 0;

	if (event->type == EVENT_TRACK)
		code = define(gather, event);
	else if (track && event->type == EVENT_BEGIN)
		code = begin(track, event);
	else if (track && event->type == EVENT_END)
		code = end(gather, track, event);
	return code ? err_set(err, ENOMEM, "cannot gather inferences: out of memory") : 0;
}

bool gather_init(struct gather *gather)
{
	memset(gather, 0, sizeof *gather);
	gather->sink = (struct sink){ .put = put, .names = names_new(), .last_track = &gather->last_track };
	return gather->sink.names != NULL;
}

void gather_done(struct gather *gather)
{
	while (gather->runs.n)
		drop_run(gather, gather->runs.n - 1);
	for (uint32_t i = 0; i < gather->tracks.n; i++)
		array_done(&track_at(gather, i)->open, sizeof(struct gather_slice));
	array_done(&gather->runs, sizeof(struct gather_run));
	array_done(&gather->tracks, sizeof(struct gather_track));
	names_free(gather->sink.names);
}
