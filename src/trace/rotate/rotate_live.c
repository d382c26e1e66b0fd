// SPDX-License-Identifier: Apache-2.0
/* Follows the stream and repeats what holds. Opens no file and drops no event of the stream. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/rotate/rotate_in.h"

enum {
	MAX_ARGS = 9,	  /* of a slice or note; more are left out when it is repeated */
	MAX_OPEN = 64,	  /* slices of a track */
	MAX_NOTES = 8192, /* all together */
	MAX_DEPTH = 16,	  /* tracks above a track */
};

struct rotate_slice {
	uint64_t time_ns;
	uint32_t name;
	uint8_t kind, n_args;
	struct arg arg[MAX_ARGS];
};

struct rotate_note {
	uint64_t time_ns;
	uint32_t name, track;
	int32_t pid;
	uint32_t n_args;
	struct arg arg[MAX_ARGS];
};

static const char *const topics[] = { EVENT_NOTE_RECORDING,	EVENT_NOTE_PROCESS,  EVENT_NOTE_RUNTIME,
				      EVENT_NOTE_CREATED,	EVENT_NOTE_CLOCK,    EVENT_NOTE_UNREADABLE,
				      EVENT_NOTE_MISSING,	EVENT_NOTE_LEFT_OUT, EVENT_NOTE_FORKED,
				      EVENT_NOTE_OTHER_RUNTIME, EVENT_NOTE_SESSION,  EVENT_NOTE_PROFILED };

_Static_assert(sizeof topics / sizeof *topics < sizeof((struct rotate_live *)0)->topic / sizeof(uint32_t), "room");

static const char failure[] = "cannot write the recording";

int rotate_live_init(struct rotate_live *live, struct names *names, struct err *err)
{
	*live = (struct rotate_live){ .names = names };
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
		if (!(live->topic[i] = names_of(names, topics[i])))
			return err_no_memory(err, failure);
	live->released = names_of(names, EVENT_NOTE_RELEASED);
	live->exit = names_of(names, EVENT_NOTE_EXIT);
	live->recording = live->topic[0];
	return live->released && live->exit ? 0 : err_no_memory(err, failure);
}

static void track_done(struct rotate_track *track)
{
	array_done(&track->open, sizeof(struct rotate_slice));
	free(track->name);
	free(track->command);
	*track = (struct rotate_track){ 0 };
}

void rotate_live_done(struct rotate_live *live)
{
	for (uint32_t i = 0; i < live->n_tracks; i++)
		track_done(&live->track[i]);
	free(live->track);
	array_done(&live->notes, sizeof(struct rotate_note));
	*live = (struct rotate_live){ 0 };
}

static uint8_t copy_args(struct arg to[MAX_ARGS], const struct event *event)
{
	uint8_t n = 0;

	for (size_t i = 0; i < event->n_args && n < MAX_ARGS; i++)
		if (event->args[i].key != KEY_FLOW && event->args[i].key != KEY_FLOW_END)
			to[n++] = event->args[i];
	return n;
}

static struct rotate_note *note_at(const struct rotate_live *live, size_t i)
{
	return (struct rotate_note *)live->notes.data + i;
}

static void forget(struct rotate_live *live, size_t i)
{
	live->notes.n--;
	memmove(note_at(live, i), note_at(live, i + 1), (live->notes.n - i) * sizeof(struct rotate_note));
}

static int64_t int_of(const struct arg *args, size_t n, enum event_key key)
{
	for (size_t i = 0; i < n; i++)
		if (args[i].key == key && args[i].type == ARG_INT)
			return args[i].integer;
	return 0;
}

/* Tracks. */

/* A passing text is valid for a while; a process may live longer. */
static bool keep_text(const struct rotate_live *live, char **kept, uint32_t name)
{
	free(*kept);
	*kept = names_is_passing(name) ? strdup(names_text(live->names, name)) : NULL;
	return *kept || !names_is_passing(name);
}

static void renew_text(const struct rotate_live *live, const char *kept, uint32_t *name)
{
	if (kept)
		*name = names_pass(live->names, kept, strlen(kept));
}

static int put_track(struct rotate_live *live, const struct event *event, struct err *err)
{
	struct rotate_track *track;

	if (!ARRAY_ROOM(live->track, live->n_tracks, (size_t)event->track + 1))
		return err_no_memory(err, failure);
	track = &live->track[event->track];
	track->def = *event->def;
	track->is_defined = true;
	track->has_ended = false;
	track->segment = 0;
	return keep_text(live, &track->name, event->def->name) && keep_text(live, &track->command, event->def->command)
		   ? 0
		   : err_no_memory(err, failure);
}

/* Its number may be another track's from now on. */
static void forget_notes_of(struct rotate_live *live, uint32_t track)
{
	for (size_t i = live->notes.n; i-- > 0;)
		if (note_at(live, i)->track == track)
			forget(live, i);
}

int rotate_live_end(struct rotate_live *live, uint32_t id, uint32_t segment, struct sink *out, struct err *err)
{
	const struct event end = { .type = EVENT_TRACK_END, .track = id };
	bool is_there = rotate_live_has(live, id, segment);

	if (id >= live->n_tracks || !live->track[id].is_defined)
		return 0;
	track_done(&live->track[id]);
	forget_notes_of(live, id);
	return is_there ? sink_put(out, &end, err) : 0;
}

/* The process that a track lies in; 0: none. */
static int32_t pid_of(const struct rotate_live *live, uint32_t id)
{
	for (int i = 0; i < MAX_DEPTH && id && id < live->n_tracks; i++, id = live->track[id].def.parent)
		if (live->track[id].def.type == TRACK_PROCESS)
			return live->track[id].def.pid;
	return 0;
}

static int define(struct rotate_live *live, uint32_t id, uint32_t segment, struct sink *out, struct err *err)
{
	struct rotate_track *track = &live->track[id];
	struct event event = { .type = EVENT_TRACK, .track = id, .def = &track->def };

	track->segment = segment;
	renew_text(live, track->name, &track->def.name);
	renew_text(live, track->command, &track->def.command);
	return sink_put(out, &event, err);
}

int rotate_live_define(struct rotate_live *live, uint32_t id, uint32_t segment, struct sink *out, struct err *err)
{
	uint32_t path[MAX_DEPTH], n = 0;
	int code = 0;

	while (n < MAX_DEPTH && id && id < live->n_tracks && live->track[id].is_defined &&
	       live->track[id].segment != segment) {
		path[n++] = id;
		id = live->track[id].def.parent;
	}
	while (n && !code)
		code = define(live, path[--n], segment, out, err);
	return code;
}

int rotate_live_define_all(struct rotate_live *live, uint32_t segment, struct sink *out, struct err *err)
{
	int code = 0;

	for (uint32_t id = 1; id < live->n_tracks && !code; id++)
		if (live->track[id].def.type == TRACK_PROCESS && !live->track[id].has_ended)
			code = rotate_live_define(live, id, segment, out, err);
	return code;
}

/* Notes. */

static void forget_session(struct rotate_live *live, int32_t pid, int64_t session)
{
	for (size_t i = live->notes.n; session && i-- > 0;)
		if (note_at(live, i)->pid == pid &&
		    int_of(note_at(live, i)->arg, note_at(live, i)->n_args, KEY_SESSION) == session)
			forget(live, i);
}

static void forget_process(struct rotate_live *live, int32_t pid)
{
	for (size_t i = live->notes.n; pid && i-- > 0;)
		if (note_at(live, i)->pid == pid)
			forget(live, i);
	for (uint32_t id = 1; pid && id < live->n_tracks; id++)
		if (live->track[id].def.type == TRACK_PROCESS && live->track[id].def.pid == pid)
			live->track[id].has_ended = true;
}

static bool is_kept(const struct rotate_live *live, uint32_t name)
{
	for (size_t i = 0; live->topic[i]; i++)
		if (live->topic[i] == name)
			return true;
	return false;
}

static int put_note(struct rotate_live *live, const struct event *event, struct err *err)
{
	int64_t named = int_of(event->args, event->n_args, KEY_PID);
	int32_t pid = named > 0 ? (int32_t)named : pid_of(live, event->track);
	struct rotate_note *note;

	if (event->name == live->released)
		forget_session(live, pid, int_of(event->args, event->n_args, KEY_SESSION));
	if (event->name == live->exit)
		forget_process(live, pid);
	if (!is_kept(live, event->name))
		return 0;
	if (event->name == live->recording)
		live->own_track = event->track;
	if (live->notes.n == MAX_NOTES)
		forget(live, 1); /* the first is about the recording */
	note = array_add(&live->notes, sizeof *note);
	if (!note)
		return err_no_memory(err, failure);
	*note =
	    (struct rotate_note){ .time_ns = event->time_ns, .name = event->name, .track = event->track, .pid = pid };
	note->n_args = copy_args(note->arg, event);
	for (uint32_t i = 0; i < note->n_args; i++)
		if (note->arg[i].type == ARG_NAME)
			note->arg[i].name = names_keep(live->names, note->arg[i].name);
	return 0;
}

/* Slices. */

static int put_begin(struct rotate_track *track, const struct event *event, struct err *err)
{
	struct rotate_slice *slice;

	if (track->open.n == MAX_OPEN || track->n_too_deep) {
		track->n_too_deep++;
		return 0;
	}
	slice = array_add(&track->open, sizeof *slice);
	if (!slice)
		return err_no_memory(err, failure);
	slice->time_ns = event->time_ns;
	slice->name = event->name;
	slice->kind = (uint8_t)event->kind;
	slice->n_args = copy_args(slice->arg, event);
	return 0;
}

int rotate_live_put(struct rotate_live *live, const struct event *event, struct err *err)
{
	struct rotate_track *track;

	if (event->type == EVENT_TRACK)
		return put_track(live, event, err);
	if (event->track >= live->n_tracks)
		return 0; /* the writer reports it */
	track = &live->track[event->track];
	if (event->type == EVENT_BEGIN)
		return put_begin(track, event, err);
	if (event->type == EVENT_END && track->n_too_deep)
		track->n_too_deep--;
	else if (event->type == EVENT_END && track->open.n)
		track->open.n--;
	else if (event->type == EVENT_INSTANT && event->kind == KIND_NOTE)
		return put_note(live, event, err);
	return 0;
}

/* Repeating. */

static int repeat_slices(struct rotate_live *live, uint32_t id, uint32_t segment, struct sink *out, struct err *err)
{
	const struct rotate_slice *slice = live->track[id].open.data;
	struct arg args[MAX_ARGS + 1];
	struct event event = { .type = EVENT_BEGIN, .track = id, .args = args };
	int code = live->track[id].open.n ? rotate_live_define(live, id, segment, out, err) : 0;

	for (size_t i = 0; i < live->track[id].open.n && !code; i++) {
		memcpy(args, slice[i].arg, slice[i].n_args * sizeof *args);
		args[slice[i].n_args] = arg_int(KEY_CONTINUED, 1);
		event.n_args = slice[i].n_args + 1u;
		event.kind = (enum event_kind)slice[i].kind;
		event.name = slice[i].name;
		event.time_ns = slice[i].time_ns;
		code = sink_put(out, &event, err);
	}
	return code;
}

static int repeat_note(struct rotate_live *live, const struct rotate_note *note, uint32_t segment, uint64_t now_ns,
		       struct sink *out, struct err *err)
{
	struct arg args[MAX_ARGS + 1];
	struct event event = { .type = EVENT_INSTANT,
			       .kind = KIND_NOTE,
			       .track = note->track,
			       .name = note->name,
			       .time_ns = note->time_ns,
			       .args = args,
			       .n_args = note->n_args + 1 };
	int code = rotate_live_define(live, note->track, segment, out, err);

	if (event.time_ns + 1000000000u < now_ns)
		event.time_ns = now_ns - 1000000000u;
	memcpy(args, note->arg, note->n_args * sizeof *args);
	args[note->n_args] = arg_int(KEY_CONTINUED, 1);
	/* the wall clock at the note's time */
	for (uint32_t i = 0; i < note->n_args; i++)
		if (args[i].key == KEY_START_REALTIME_NS && args[i].type == ARG_INT)
			args[i].integer += (int64_t)(event.time_ns - note->time_ns);
	return code ? code : sink_put(out, &event, err);
}

int rotate_live_repeat(struct rotate_live *live, uint32_t segment, uint64_t now_ns, struct sink *out, struct err *err)
{
	int code = 0;

	for (uint32_t id = 1; id < live->n_tracks && !code; id++)
		code = repeat_slices(live, id, segment, out, err);
	for (size_t i = 0; i < live->notes.n && !code; i++)
		code = repeat_note(live, note_at(live, i), segment, now_ns, out, err);
	return code;
}
