// SPDX-License-Identifier: Apache-2.0
/*
 * Turns track descriptors into tracks. Descriptors come in any order, repeated, with parents that never appear or that
 * are their own descendants. The sink gets each track once, before its first event, parents first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_state.h"

enum { MAX_DEPTH = 256 }; /* depth of the tree of tracks passed to a sink */

static uint32_t new_track(struct state *state, uint64_t uuid)
{
	uint32_t index = state->n_tracks + 1;

	if (!ARRAY_ROOM(state->track, state->track_room, (size_t)index + 1))
		return 0;
	state->n_tracks = index;
	state->track[index] = (struct track){ .def.type = TRACK_LANE, .uuid = uuid, .multiplier = 1 };
	return index;
}

uint32_t perfetto_tracks_find(struct state *state, uint64_t uuid)
{
	uint32_t index = perfetto_map_get(&state->track_of, uuid);

	if (!index && (index = new_track(state, uuid)) && !perfetto_map_put(&state->track_of, uuid, index))
		return 0;
	return index;
}

uint32_t perfetto_tracks_process(struct state *state, int32_t pid)
{
	uint32_t index = perfetto_map_get(&state->process_of, (uint32_t)pid);

	if (index)
		return index;
	index = new_track(state, 0);
	if (!index || !perfetto_map_put(&state->process_of, (uint32_t)pid, index))
		return 0;
	state->track[index].def = (struct track_def){ .type = TRACK_PROCESS, .pid = pid };
	state->track[index].is_defined = true;
	return index;
}

uint32_t perfetto_tracks_thread(struct state *state, int32_t pid, int32_t tid)
{
	/* Without a uuid: such a thread gets one that no writer is likely to use. */
	uint64_t uuid = ((uint64_t)(uint32_t)pid << 32 | (uint32_t)tid) * 0x9e3779b97f4a7c15u ^ 0x7468726561643a21u;
	uint32_t index = perfetto_tracks_find(state, uuid);

	if (index && !state->track[index].is_defined) {
		state->track[index].def = (struct track_def){ .type = TRACK_THREAD, .pid = pid, .tid = tid };
		state->track[index].is_defined = true;
	}
	return index;
}

static uint32_t text_of(struct state *state, const struct pb_field *field)
{
	return names_intern(state->out->names, (const char *)field->data, field->value);
}

/* A command line is stored as separate arguments; a track has them in one text. */
static void add_to_command(struct state *state, struct track_def *def, const struct pb_field *field)
{
	size_t before = names_len(state->out->names, def->command);
	char text[4096];

	if (!before || before + 1 + field->value > sizeof text) {
		def->command = before ? def->command : text_of(state, field);
		return;
	}
	memcpy(text, names_text(state->out->names, def->command), before);
	text[before] = ' ';
	memcpy(text + before + 1, field->data, field->value);
	def->command = names_intern(state->out->names, text, before + 1 + field->value);
}

static int read_process(struct state *state, struct track_def *def, struct pb_in in)
{
	struct pb_field field;
	int more;

	*def = (struct track_def){ .type = TRACK_PROCESS };
	while ((more = pb_next(&in, &field)) > 0) {
		if (field.number == PROCESS_PID && field.wire == PB_VARINT)
			def->pid = (int32_t)field.value;
		if (field.number == PROCESS_NAME && field.wire == PB_BYTES)
			def->name = text_of(state, &field);
		if (field.number == PROCESS_CMDLINE && field.wire == PB_BYTES)
			add_to_command(state, def, &field);
		if (field.number == PROCESS_START_NS && field.wire == PB_VARINT)
			def->start_ns = field.value;
	}
	return more;
}

static int read_thread(struct state *state, struct track_def *def, uint64_t *reference_us, struct pb_in in)
{
	struct pb_field field;
	int more;

	*def = (struct track_def){ .type = TRACK_THREAD };
	while ((more = pb_next(&in, &field)) > 0) {
		if (field.number == THREAD_PID && field.wire == PB_VARINT)
			def->pid = (int32_t)field.value;
		if (field.number == THREAD_TID && field.wire == PB_VARINT)
			def->tid = (int32_t)field.value;
		if (field.number == THREAD_NAME && field.wire == PB_BYTES)
			def->name = text_of(state, &field);
		if (field.number == THREAD_REFERENCE_US && field.wire == PB_VARINT)
			*reference_us = field.value;
	}
	return more;
}

static int read_counter(struct state *state, struct track *track, struct pb_in in)
{
	static const char *const units[] = { "", "ns", "count", "bytes" };
	struct pb_field field;
	int more;

	track->def.type = TRACK_COUNTER;
	while ((more = pb_next(&in, &field)) > 0) {
		if (field.number == COUNTER_UNIT && field.wire == PB_VARINT && field.value <= UNIT_SIZE_BYTES)
			track->def.unit = names_of(state->out->names, units[field.value]);
		if (field.number == COUNTER_UNIT_NAME && field.wire == PB_BYTES)
			track->def.unit = text_of(state, &field);
		if (field.number == COUNTER_MULTIPLIER && field.wire == PB_VARINT && field.value)
			track->multiplier = (double)(int64_t)field.value;
		if (field.number == COUNTER_IS_INCREMENTAL && field.wire == PB_VARINT)
			track->is_incremental = field.value;
	}
	return more;
}

static bool is_text(const struct pb_field *field, const char *text)
{
	return field->value == strlen(text) && !memcmp(field->data, text, field->value);
}

/* Reads the parts of a descriptor into a track: name, process, thread, counter. */
static int read_part(struct state *state, struct track *track, const struct pb_field *field)
{
	uint32_t name = track->def.name;
	uint64_t reference_us;

	switch (PB_TAG(field->number, field->wire)) {
	case PB_TAG(TRACK_PARENT_UUID, PB_VARINT):
		track->parent_uuid = field->value;
		return 0;
	case PB_TAG(TRACK_CHILD_ORDERING, PB_VARINT):
		if (track->def.type == TRACK_LANE)
			track->def.type = TRACK_GROUP;
		return 0;
	case PB_TAG(TRACK_NAME, PB_BYTES):
	case PB_TAG(TRACK_STATIC_NAME, PB_BYTES):
	case PB_TAG(TRACK_ATRACE_NAME, PB_BYTES):
		track->def.name = text_of(state, field);
		return 0;
	case PB_TAG(TRACK_DESCRIPTION, PB_BYTES):
		track->is_of_file = is_text(field, PERFETTO_RESOURCES_TEXT) || is_text(field, PERFETTO_MACHINE_TEXT);
		return 0;
	case PB_TAG(TRACK_PROCESS_DESCRIPTOR, PB_BYTES):
		if (read_process(state, &track->def, pb_inside(field)) < 0)
			return -1;
		break;
	case PB_TAG(TRACK_THREAD_DESCRIPTOR, PB_BYTES):
		if (read_thread(state, &track->def, &reference_us, pb_inside(field)) < 0)
			return -1;
		break;
	case PB_TAG(TRACK_COUNTER_DESCRIPTOR, PB_BYTES):
		return read_counter(state, track, pb_inside(field));
	}
	if (!track->def.name)
		track->def.name = name;
	return 0;
}

static bool is_same(const struct track *a, const struct track *b)
{
	return a->def.type == b->def.type && a->def.name == b->def.name && a->def.pid == b->def.pid &&
	       a->def.tid == b->def.tid && a->def.unit == b->def.unit && a->def.start_ns == b->def.start_ns &&
	       a->def.command == b->def.command && a->def.parent == b->def.parent;
}

/* Index of the parent in a track's descriptor; 0: none, or unknown. */
static uint32_t parent_of(const struct state *state, const struct track *track)
{
	uint32_t parent = track->parent_uuid ? perfetto_map_get(&state->track_of, track->parent_uuid) : 0;

	if (parent && state->track[parent].is_of_file) {
		track = &state->track[parent];
		parent = track->parent_uuid ? perfetto_map_get(&state->track_of, track->parent_uuid) : 0;
	}
	if (!parent && track->def.type == TRACK_THREAD)
		parent = perfetto_map_get(&state->process_of, (uint32_t)track->def.pid);
	return parent;
}

/* The parent to pass to the sink: never one that is new there, nor the track's own descendant. */
static uint32_t parent_to_tell(const struct state *state, const struct track *track, uint32_t index)
{
	uint32_t parent = parent_of(state, track), above = parent;

	for (int i = 0; above; above = state->track[above].parent)
		if (above == index || !state->track[above].id || ++i == MAX_DEPTH)
			return 0;
	return parent;
}

static uint64_t uuid_in(struct pb_in in)
{
	struct pb_field field;

	while (pb_next(&in, &field) > 0)
		if (field.number == TRACK_UUID && field.wire == PB_VARINT)
			return field.value;
	return 0;
}

int perfetto_tracks_descriptor(struct state *state, struct pb_in in, struct err *err)
{
	uint32_t index = perfetto_tracks_find(state, uuid_in(in));
	struct track *track, now;
	struct pb_field field;
	int more;

	if (!index)
		return perfetto_state_out_of_memory(err);
	track = &state->track[index];
	now = (struct track){ .def.type = TRACK_LANE,
			      .uuid = track->uuid,
			      .id = track->id,
			      .depth = track->depth,
			      .last_ns = track->last_ns,
			      .sum = track->sum,
			      .is_defined = true,
			      .multiplier = 1 };
	while ((more = pb_next(&in, &field)) > 0)
		if (read_part(state, &now, &field) < 0)
			break;
	if (more)
		return err_set(err, EBADMSG, "its track descriptor is malformed");
	if (now.def.type == TRACK_PROCESS && !perfetto_map_put(&state->process_of, (uint32_t)now.def.pid, index))
		return perfetto_state_out_of_memory(err);
	/* A track's type stays; a track is passed to the sink again only if something is new. */
	now.def.parent = state->track[parent_to_tell(state, &now, index)].id;
	if (track->id && (now.def.type != track->def.type || is_same(&now, track)))
		return 0;
	*track = now;
	if (now.is_of_file)
		return 0;
	return state->is_in_order ? perfetto_tracks_emit(state, index, err) : 0;
}

/* Reads the defaults of a sequence for its events: a clock, a track. */
int perfetto_tracks_defaults(struct state *state, struct sequence *sequence, struct pb_in in, struct err *err)
{
	struct pb_field field, inner;
	struct pb_in event;
	uint32_t track;
	int more;

	sequence->default_clock = 0;
	sequence->default_track = 0;
	while ((more = pb_next(&in, &field)) > 0) {
		if (field.number == DEFAULTS_CLOCK_ID && field.wire == PB_VARINT)
			sequence->default_clock = (uint32_t)field.value;
		if (field.number != DEFAULTS_TRACK_EVENT || field.wire != PB_BYTES)
			continue;
		event = pb_inside(&field);
		while ((more = pb_next(&event, &inner)) > 0) {
			if (inner.number != EVENT_DEFAULTS_TRACK_UUID || inner.wire != PB_VARINT)
				continue;
			track = perfetto_tracks_find(state, inner.value);
			if (!track)
				return perfetto_state_out_of_memory(err);
			sequence->default_track = track;
		}
		if (more < 0)
			break;
	}
	return more < 0 ? err_set(err, EBADMSG, "its defaults are malformed") : 0;
}

int perfetto_tracks_thread_descriptor(struct state *state, struct sequence *sequence, struct pb_in in, struct err *err)
{
	uint64_t reference_us = 0;
	struct track_def def;

	if (read_thread(state, &def, &reference_us, in) < 0)
		return err_set(err, EBADMSG, "its thread descriptor is malformed");
	sequence->thread_ns = reference_us * 1000;
	sequence->thread_track = perfetto_tracks_thread(state, def.pid, def.tid);
	if (!sequence->thread_track)
		return perfetto_state_out_of_memory(err);
	if (def.name)
		state->track[sequence->thread_track].def.name = def.name;
	return 0;
}

int perfetto_tracks_emit(struct state *state, uint32_t index, struct err *err)
{
	struct track *track = &state->track[index];
	struct event event = { .type = EVENT_TRACK, .def = &track->def };

	track->parent = parent_to_tell(state, track, index);
	track->def.parent = state->track[track->parent].id;
	track->def.uuid = track->uuid;
	if (!track->id)
		track->id = sink_new_track(state->out);
	event.track = track->id;
	return sink_put(state->out, &event, err);
}

/* The track's parent, if the sink does not have it yet; 0: none. */
static uint32_t untold_parent(const struct state *state, uint32_t index)
{
	uint32_t parent = parent_of(state, &state->track[index]);

	return parent && !state->track[parent].id ? parent : 0;
}

int perfetto_tracks_emit_all(struct state *state, struct err *err)
{
	uint32_t n_known = state->n_tracks, n, parent, *path;
	int result = 0;

	for (uint32_t i = 1; i <= n_known; i++)
		if (state->track[i].def.type == TRACK_THREAD && !state->track[i].parent_uuid &&
		    !perfetto_tracks_process(state, state->track[i].def.pid))
			return perfetto_state_out_of_memory(err);
	path = calloc(state->n_tracks + 1, sizeof *path);
	if (!path)
		return perfetto_state_out_of_memory(err);
	for (uint32_t i = 1; i <= state->n_tracks && !result; i++) {
		if (state->track[i].id || state->track[i].is_of_file)
			continue;
		/*
		 * Goes up to the first ancestor that the sink has, then down again; depth marks the path, so that a
		 * cycle ends.
		 */
		n = 0;
		for (parent = i; parent && !state->track[parent].depth; parent = untold_parent(state, parent)) {
			state->track[parent].depth = 1;
			path[n++] = parent;
		}
		while (n && !result) {
			state->track[path[--n]].depth = 0;
			result = perfetto_tracks_emit(state, path[n], err);
		}
	}
	free(path);
	return result;
}
