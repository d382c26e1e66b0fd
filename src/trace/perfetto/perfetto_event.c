// SPDX-License-Identifier: Apache-2.0
/*
 * Reads one packet's track event: kind, time, track and arguments. Supports the older forms, too: phases of the JSON
 * format, times in microseconds, threads without a track.
 */
#include "trace/perfetto/perfetto_event.h"

#include <errno.h>
#include <string.h>

#include "trace/perfetto/perfetto_fields.h"

struct parsed {
	struct event event;
	uint64_t track_uuid, dur_ns, ids;
	int64_t delta_us, absolute_us;
	uint32_t type, phase;
	int32_t pid, tid;
	bool has_track, has_thread, has_delta, has_absolute, is_continued;
	struct pb_field name; /* a text of its own */
	struct arg args[PERFETTO_MAX_ARGS];
};

/* Texts of which there may be a new one in each event. */
static bool has_passing_texts(uint32_t key)
{
	return key == KEY_TAG || key == KEY_SHAPES || key == KEY_SEQUENCES || key == KEY_STATUS;
}

static uint32_t intern(struct reader *reader, const struct pb_field *field, bool may_pass)
{
	struct names *names = reader->state.out->names;
	const char *text = (const char *)field->data;

	return may_pass ? names_pass(names, text, field->value) : names_intern(names, text, field->value);
}

/* A flow has fields of its own: an annotation with that name is not a flow. */
static bool is_flow_key(uint32_t key)
{
	return key == KEY_FLOW || key == KEY_FLOW_END;
}

/* An argument with an unknown name or type of value gets KEY_NONE. */
static int read_arg(struct reader *reader, const struct sequence *sequence, struct pb_in in, struct arg *arg)
{
	uint32_t id, key = KEY_NONE;
	struct pb_field field, text = { 0 };
	bool has_value = false;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		switch (PB_TAG(field.number, field.wire)) {
		case PB_TAG(ANNOTATION_NAME_IID, PB_VARINT):
			id = perfetto_state_key(&reader->state, sequence, field.value);
			key = id ? id - 1 : KEY_NONE;
			continue;
		case PB_TAG(ANNOTATION_NAME, PB_BYTES):
			key = event_key_named((const char *)field.data, field.value);
			continue;
		case PB_TAG(ANNOTATION_INT, PB_VARINT):
		case PB_TAG(ANNOTATION_UINT, PB_VARINT):
		case PB_TAG(ANNOTATION_BOOL, PB_VARINT):
		case PB_TAG(ANNOTATION_POINTER, PB_VARINT):
			*arg = arg_int(KEY_NONE, (int64_t)field.value);
			break;
		case PB_TAG(ANNOTATION_DOUBLE, PB_FIXED64):
			*arg = arg_real(KEY_NONE, pb_double(field.value));
			break;
		case PB_TAG(ANNOTATION_STRING_IID, PB_VARINT):
			id = perfetto_state_string(&reader->state, sequence, field.value);
			*arg = arg_name(KEY_NONE, id ? id - 1 : 0);
			break;
		case PB_TAG(ANNOTATION_STRING, PB_BYTES):
			text = field;
			break;
		default:
			continue;
		}
		has_value = true;
	}
	if (text.data)
		*arg = arg_name(KEY_NONE, intern(reader, &text, reader->state.is_in_order && has_passing_texts(key)));
	arg->key = (uint16_t)(has_value && !is_flow_key(key) ? key : KEY_NONE);
	return more;
}

static bool is_continued(const struct arg *arg)
{
	return arg->key == KEY_CONTINUED && arg->type == ARG_INT && arg->integer == 1;
}

static void add_flow(struct parsed *parsed, enum event_key key, uint64_t id)
{
	if (parsed->event.n_args < PERFETTO_MAX_ARGS)
		parsed->args[parsed->event.n_args++] = arg_int(key, (int64_t)id);
}

static void read_category(const struct reader *reader, const struct sequence *sequence, struct event *event,
			  const struct pb_field *field)
{
	uint32_t kind;

	if (event->kind != KIND_NONE)
		return;
	if (field->wire == PB_VARINT) {
		kind = perfetto_state_kind(&reader->state, sequence, field->value);
		event->kind = kind ? (enum event_kind)(kind - 1) : KIND_NONE;
	} else {
		event->kind = event_kind_named((const char *)field->data, field->value);
	}
}

static int read_legacy(const struct reader *reader, const struct sequence *sequence, struct parsed *parsed,
		       struct pb_in in)
{
	struct pb_field field;
	uint32_t name;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		if (field.wire != PB_VARINT)
			continue;
		if (field.number == LEGACY_PHASE)
			parsed->phase = (uint32_t)field.value;
		else if (field.number == LEGACY_DURATION_US && field.value < INT64_MAX / 1000)
			parsed->dur_ns = field.value * 1000;
		else if (field.number == LEGACY_UNSCOPED_ID || field.number == LEGACY_LOCAL_ID ||
			 field.number == LEGACY_GLOBAL_ID)
			parsed->ids++;
		else if (field.number == LEGACY_PID)
			parsed->pid = (int32_t)field.value;
		else if (field.number == LEGACY_TID)
			parsed->tid = (int32_t)field.value;
		else if (field.number == LEGACY_NAME_IID &&
			 (name = perfetto_state_name(&reader->state, sequence, field.value)))
			parsed->event.name = name - 1;
		parsed->has_thread |= field.number == LEGACY_TID;
	}
	return more;
}

static int read_event_field(struct reader *reader, const struct sequence *sequence, struct parsed *parsed,
			    const struct pb_field *field)
{
	struct event *event = &parsed->event;
	uint32_t name;

	switch (PB_TAG(field->number, field->wire)) {
	case PB_TAG(EVENT_TYPE, PB_VARINT):
		parsed->type = (uint32_t)field->value;
		break;
	case PB_TAG(EVENT_NAME_IID, PB_VARINT):
		name = perfetto_state_name(&reader->state, sequence, field->value);
		event->name = name ? name - 1 : 0;
		break;
	case PB_TAG(EVENT_NAME, PB_BYTES):
		parsed->name = *field;
		break;
	case PB_TAG(EVENT_CATEGORY_IIDS, PB_VARINT):
	case PB_TAG(EVENT_CATEGORIES, PB_BYTES):
		read_category(reader, sequence, event, field);
		break;
	case PB_TAG(EVENT_TRACK_UUID, PB_VARINT):
		parsed->track_uuid = field->value;
		parsed->has_track = true;
		break;
	case PB_TAG(EVENT_ANNOTATIONS, PB_BYTES):
		if (event->n_args == PERFETTO_MAX_ARGS)
			break;
		if (read_arg(reader, sequence, pb_inside(field), &parsed->args[event->n_args]) < 0)
			return -1;
		parsed->is_continued |= is_continued(&parsed->args[event->n_args]);
		event->n_args += parsed->args[event->n_args].key != KEY_NONE;
		break;
	case PB_TAG(EVENT_FLOW_IDS, PB_FIXED64):
	case PB_TAG(EVENT_FLOW_IDS_OLD, PB_VARINT):
		add_flow(parsed, KEY_FLOW, field->value);
		break;
	case PB_TAG(EVENT_TERMINATING_FLOW_IDS, PB_FIXED64):
	case PB_TAG(EVENT_TERMINATING_FLOW_IDS_OLD, PB_VARINT):
		add_flow(parsed, KEY_FLOW_END, field->value);
		break;
	case PB_TAG(EVENT_COUNTER_VALUE, PB_VARINT):
		event->value = (double)(int64_t)field->value;
		break;
	case PB_TAG(EVENT_DOUBLE_VALUE, PB_FIXED64):
		event->value = pb_double(field->value);
		break;
	case PB_TAG(EVENT_LEGACY, PB_BYTES):
		return read_legacy(reader, sequence, parsed, pb_inside(field));
	case PB_TAG(EVENT_DELTA_US, PB_VARINT):
		parsed->delta_us = (int64_t)field->value;
		parsed->has_delta = true;
		break;
	case PB_TAG(EVENT_ABSOLUTE_US, PB_VARINT):
		parsed->absolute_us = (int64_t)field->value;
		parsed->has_absolute = true;
		break;
	}
	return 0;
}

/* The type of the event; false: not used (asynchronous slices of old traces, states, flows). */
static bool find_type(struct parsed *parsed)
{
	static const enum event_type types[] = { [TYPE_BEGIN] = EVENT_BEGIN,
						 [TYPE_END] = EVENT_END,
						 [TYPE_INSTANT] = EVENT_INSTANT,
						 [TYPE_COUNTER] = EVENT_COUNTER };

	if (parsed->type >= TYPE_BEGIN && parsed->type <= TYPE_COUNTER) {
		parsed->event.type = types[parsed->type];
		parsed->dur_ns = 0;
		return true;
	}
	if (parsed->type || parsed->ids)
		return false;
	if (parsed->phase != 'X')
		parsed->dur_ns = 0;
	switch (parsed->phase) {
	case 'B':
	case 'X':
		parsed->event.type = EVENT_BEGIN;
		return true;
	case 'E':
		parsed->event.type = EVENT_END;
		return true;
	case 'I':
	case 'i':
	case 'R':
		parsed->event.type = EVENT_INSTANT;
		return true;
	}
	return false;
}

static bool find_time(struct reader *reader, struct sequence *sequence, const struct packet *packet,
		      struct parsed *parsed)
{
	if (packet->has_timestamp)
		return perfetto_state_time(&reader->state, sequence, packet->clock, packet->timestamp,
					   &parsed->event.time_ns);
	if (parsed->has_delta)
		sequence->thread_ns += (uint64_t)parsed->delta_us * 1000;
	parsed->event.time_ns = parsed->has_absolute ? (uint64_t)parsed->absolute_us * 1000 : sequence->thread_ns;
	return (parsed->has_delta || parsed->has_absolute) && parsed->event.time_ns <= INT64_MAX;
}

/* 0: out of memory, or none. */
static uint32_t find_track(struct reader *reader, const struct sequence *sequence, const struct parsed *parsed)
{
	if (parsed->has_thread)
		return perfetto_tracks_thread(&reader->state, parsed->pid, parsed->tid);
	if (parsed->has_track)
		return perfetto_tracks_find(&reader->state, parsed->track_uuid);
	return sequence->default_track ? sequence->default_track : sequence->thread_track;
}

int perfetto_event_put(struct reader *reader, uint32_t index, struct event *event)
{
	struct state *state = &reader->state;
	struct track *track = &state->track[index];

	if (track->is_of_file) {
		reader->result->n_skipped++;
		return 0;
	}
	if (!track->id) {
		if (event->type == EVENT_COUNTER && !track->is_defined)
			track->def.type = TRACK_COUNTER;
		if (perfetto_tracks_emit(state, index, reader->err))
			return -1;
	}
	if ((event->type == EVENT_COUNTER) != (track->def.type == TRACK_COUNTER) ||
	    (event->type == EVENT_END && !track->depth)) {
		reader->result->n_skipped++;
		return 0;
	}
	if (event->time_ns < track->last_ns) {
		event->time_ns = track->last_ns;
		state->n_late++;
	}
	track->last_ns = event->time_ns;
	track->depth += event->type == EVENT_BEGIN;
	track->depth -= event->type == EVENT_END;
	event->track = track->id;
	return sink_put(state->out, event, reader->err);
}

int perfetto_event_read(struct reader *reader, struct sequence *sequence, const struct packet *packet)
{
	struct pb_in in = packet->event;
	struct pb_field field;
	struct parsed parsed;
	uint32_t track;
	int more;

	memset(&parsed, 0, offsetof(struct parsed, args));
	while ((more = pb_next(&in, &field)) > 0)
		if (read_event_field(reader, sequence, &parsed, &field) < 0)
			break;
	if (more)
		return err_set(reader->err, EBADMSG, "its track event is malformed");
	/* Reads the time first: an incremental clock also counts events that are not used. */
	if (!find_time(reader, sequence, packet, &parsed) || !find_type(&parsed) ||
	    !(track = find_track(reader, sequence, &parsed))) {
		reader->result->n_skipped++;
		return 0;
	}
	if (parsed.dur_ns > INT64_MAX - parsed.event.time_ns)
		parsed.dur_ns = INT64_MAX - parsed.event.time_ns;
	if (parsed.name.data)
		parsed.event.name =
		    intern(reader, &parsed.name, reader->state.is_in_order && parsed.event.kind == KIND_USER);
	parsed.event.args = parsed.args;
	reader->has_events = true;
	if (parsed.event.type == EVENT_INSTANT && parsed.event.kind == KIND_NOTE && !reader->result->is_ours)
		reader->result->is_ours =
		    !strcmp(names_text(reader->state.out->names, parsed.event.name), EVENT_NOTE_RECORDING);
	/* what a segment repeats of those before it is for whoever has only this one */
	if (parsed.is_continued && reader->has_begun)
		return 0;
	reader->has_begun |= !parsed.is_continued;
	if (reader->state.is_in_order)
		return perfetto_event_put(reader, track, &parsed.event);
	parsed.event.track = track;
	return perfetto_sort_add(&reader->sorter, &parsed.event, parsed.dur_ns, reader->err);
}
