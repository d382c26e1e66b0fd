// SPDX-License-Identifier: Apache-2.0
/* Moves the events of a file to the clock and the numbers of the output. Decides nothing. */
#include "trace/merge/merge_put.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/merged_note.h"

/* Notes about a recording as a whole: those of one file are about the output, those of others keep the file's name. */
static bool is_about_all(const char *topic)
{
	return !strcmp(topic, EVENT_NOTE_RECORDING) || !strcmp(topic, EVENT_NOTE_COST) ||
	       !strcmp(topic, EVENT_NOTE_CLOCK) || !strcmp(topic, EVENT_NOTE_KEPT) ||
	       !strcmp(topic, EVENT_NOTE_STOPPED);
}

/* "NAME (FILE)", or "FILE". */
static uint32_t labelled(const struct merge_put *put, uint32_t name)
{
	char text[600];

	if (!name)
		return names_of(put->sink.names, put->label);
	snprintf(text, sizeof text, "%.300s (%.280s)", names_text(put->sink.names, name), put->label);
	return names_of(put->sink.names, text);
}

static uint64_t moved(const struct merge_put *put, uint64_t time_ns)
{
	return time_ns + (uint64_t)put->file->offset_ns;
}

static int put_track(struct merge_put *put, const struct event *event, struct err *err)
{
	struct track_def def = *event->def;
	struct event own = *event;

	own.def = &def;
	def.uuid = def.serial = 0; /* two files may have the same */
	if (def.pid > 0)
		def.pid += put->pid_step;
	if (def.start_ns)
		def.start_ns = moved(put, def.start_ns);
	if (def.type == TRACK_PROCESS || (!def.parent && def.type != TRACK_THREAD && !put->is_base))
		def.name = labelled(put, def.name);
	return sink_put(put->out, &own, err);
}

static void change(const struct merge_put *put, struct arg *arg)
{
	if (arg->type != ARG_INT)
		return;
	if (arg->key == KEY_FLOW || arg->key == KEY_FLOW_END)
		arg->integer = (int64_t)((uint64_t)arg->integer ^ put->number * UINT64_C(0x9e3779b97f4a7c15));
	else if (arg->key == KEY_FROM_NS && arg->integer > 0)
		arg->integer = (int64_t)moved(put, (uint64_t)arg->integer);
	else if (arg->key == KEY_PID && arg->integer > 0)
		arg->integer += put->pid_step;
}

static int copy_args(struct merge_put *put, struct event *event, struct err *err)
{
	struct arg *args;

	put->args.n = 0;
	for (size_t i = 0; i < event->n_args; i++) {
		struct arg *arg = array_add_raw(&put->args, sizeof *arg);

		if (!arg)
			return err_set(err, ENOMEM, "out of memory");
		*arg = event->args[i];
	}
	args = put->args.data;
	for (size_t i = 0; i < event->n_args; i++)
		change(put, &args[i]);
	event->args = args;
	return 0;
}

static int put_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct merge_put *put = (struct merge_put *)sink;
	struct event own = *event;

	if (event->type == EVENT_TRACK)
		return put_track(put, event, err);
	put->n_slices += event->type == EVENT_BEGIN;
	put->n_instants += event->type == EVENT_INSTANT;
	put->n_samples += event->type == EVENT_COUNTER;
	own.time_ns = moved(put, event->time_ns);
	if (event->type == EVENT_INSTANT && event->kind == KIND_NOTE && !put->is_base &&
	    is_about_all(names_text(put->sink.names, event->name)))
		own.name = labelled(put, event->name);
	if (event->n_args && copy_args(put, &own, err))
		return -err->code;
	return sink_put(put->out, &own, err);
}

static bool has_pid(const struct merge_facts *facts, int32_t pid)
{
	const int32_t *pids = facts->pids.data;

	for (size_t i = 0; i < facts->pids.n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

/* Whether a file before it has a process of the same number. */
static bool has_taken_pid(const struct merge_file *files, size_t number)
{
	const int32_t *pids = files[number].facts.pids.data;

	for (size_t i = 0; i < number; i++)
		for (size_t k = 0; k < files[number].facts.pids.n; k++)
			if (has_pid(&files[i].facts, pids[k]))
				return true;
	return false;
}

void merge_put_init(struct merge_put *put, struct sink *out, const struct merge_file *files, size_t number, size_t base,
		    const char *label)
{
	*put = (struct merge_put){
		.sink = { .put = put_event, .names = out->names, .last_track = out->last_track },
		.out = out,
		.file = &files[number],
		.label = label,
		.number = (uint32_t)number,
		.pid_step = has_taken_pid(files, number) ? (int32_t)number * MERGE_PID_STEP : 0,
		.is_base = number == base,
	};
}

void merge_put_done(struct merge_put *put)
{
	array_done(&put->args, sizeof(struct arg));
}

int merge_put_note(struct merge_put *put, uint32_t track, struct err *err)
{
	const struct merge_file *file = put->file;
	struct arg args[5] = { arg_text(KEY_PATH, put->out, put->label), arg_text(KEY_SOURCE, put->out, file->source),
			       arg_int(KEY_BY_NS, file->offset_ns) };
	struct event note = { .type = EVENT_INSTANT,
			      .kind = KIND_NOTE,
			      .track = track,
			      .name = names_of(put->out->names, EVENT_NOTE_MERGED),
			      .args = args,
			      .n_args = 3,
			      .time_ns = file->facts.has_events ? moved(put, file->facts.first_ns) : 0 };

	if (file->has_error)
		args[note.n_args++] = arg_int(KEY_ERROR_NS, (int64_t)file->error_ns);
	if (file->n_pairs)
		args[note.n_args++] = arg_int(KEY_COUNT, (int64_t)file->n_pairs);
	return sink_put(put->out, &note, err);
}
