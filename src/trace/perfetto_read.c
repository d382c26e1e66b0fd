// SPDX-License-Identifier: Apache-2.0
/*
 * Packets of a Perfetto trace become events. What a packet means depends on what its sequence said before:
 * perfetto_state.c keeps that.
 *
 * A file that says it was written by us has the events of each track in order: they go on to the sink as they
 * are read, nothing is kept. Should something have moved them since, a time that goes back is moved to the last
 * one of its track. Any other file is kept until its end and sorted (perfetto_sort.c).
 */
#include "trace/perfetto_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "trace/perfetto_fields.h"
#include "trace/perfetto_sort.h"
#include "trace/perfetto_state.h"

enum {
	MAX_ARGS = 64,			/* of one event; more are left out */
	MAX_BUNDLE = 32 << 20,			/* bytes that compressed packets may become */
	FIRST_BUNDLE = 128 << 10,
	MAX_FIELD = 2000,		/* no field of a packet has a higher number */
};

struct reader {
	struct state state;
	struct sorter sorter;
	struct perfetto_read_result *result;
	struct err *err;
	bool is_inside;		/* packets of a bundle */
	bool has_events;
	bool has_bundles;	/* compressed packets that inflate, at least at their start */
	uint8_t *bundle;
	size_t bundle_room;
	z_stream inflate;
	bool has_inflate;
};

/* The fields of a packet that events have; data are borrowed from the file. */
struct packet {
	uint64_t timestamp;
	uint32_t sequence, clock, flags;
	bool has_timestamp;
	bool is_rare;	/* it has other fields, too: see struct rare */
	struct pb_in event;
};

/* The other fields that we use. */
struct rare {
	uint32_t machine;
	bool is_cleared, is_dropped;
	struct pb_in interned, defaults, snapshot, descriptor, thread, system, compressed, zstd;
};

/* Events. */

struct parsed {
	struct event event;
	uint64_t track_uuid, dur_ns, ids;
	int64_t delta_us, absolute_us;
	uint32_t type, phase;
	int32_t pid, tid;
	bool has_track, has_thread, has_delta, has_absolute;
	struct arg args[MAX_ARGS];
};

static uint32_t intern(struct reader *reader, const struct pb_field *field)
{
	return names_intern(reader->state.out->names, (const char *)field->data, field->value);
}

/* An argument under a name that is not ours, or without a value that we have a type for, gets KEY_NONE. */
static int read_arg(struct reader *reader, const struct sequence *sequence, struct pb_in in, struct arg *arg)
{
	uint32_t id, key = KEY_NONE;
	bool has_value = false;
	struct pb_field field;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		switch (PB_TAG(field.number, field.wire)) {
		case PB_TAG(ANNOTATION_NAME_IID, PB_VARINT):
			id = perfetto_map_get(&sequence->keys, field.value);
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
			id = perfetto_map_get(&sequence->strings, field.value);
			*arg = arg_name(KEY_NONE, id ? id - 1 : 0);
			break;
		case PB_TAG(ANNOTATION_STRING, PB_BYTES):
			*arg = arg_name(KEY_NONE, intern(reader, &field));
			break;
		default:
			continue;
		}
		has_value = true;
	}
	arg->key = (uint16_t)(has_value ? key : KEY_NONE);
	return more;
}

static void read_category(const struct sequence *sequence, struct event *event, const struct pb_field *field)
{
	uint32_t kind;

	if (event->kind != KIND_NONE)
		return;
	if (field->wire == PB_VARINT) {
		kind = perfetto_map_get(&sequence->categories, field->value);
		event->kind = kind ? (enum event_kind)(kind - 1) : KIND_NONE;
	} else {
		event->kind = event_kind_named((const char *)field->data, field->value);
	}
}

static int read_legacy(const struct sequence *sequence, struct parsed *parsed, struct pb_in in)
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
		else if (field.number == LEGACY_NAME_IID && (name = perfetto_map_get(&sequence->names, field.value)))
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
		name = perfetto_map_get(&sequence->names, field->value);
		event->name = name ? name - 1 : 0;
		break;
	case PB_TAG(EVENT_NAME, PB_BYTES):
		event->name = intern(reader, field);
		break;
	case PB_TAG(EVENT_CATEGORY_IIDS, PB_VARINT):
	case PB_TAG(EVENT_CATEGORIES, PB_BYTES):
		read_category(sequence, event, field);
		break;
	case PB_TAG(EVENT_TRACK_UUID, PB_VARINT):
		parsed->track_uuid = field->value;
		parsed->has_track = true;
		break;
	case PB_TAG(EVENT_ANNOTATIONS, PB_BYTES):
		if (event->n_args == MAX_ARGS)
			break;
		if (read_arg(reader, sequence, pb_inside(field), &parsed->args[event->n_args]) < 0)
			return -1;
		event->n_args += parsed->args[event->n_args].key != KEY_NONE;
		break;
	case PB_TAG(EVENT_COUNTER_VALUE, PB_VARINT):
		event->value = (double)(int64_t)field->value;
		break;
	case PB_TAG(EVENT_DOUBLE_VALUE, PB_FIXED64):
		event->value = pb_double(field->value);
		break;
	case PB_TAG(EVENT_LEGACY, PB_BYTES):
		return read_legacy(sequence, parsed, pb_inside(field));
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

/* What it is, in our words; false: nothing that we use (asynchronous slices of old traces, states, flows). */
static bool find_type(struct parsed *parsed)
{
	static const enum event_type types[] = { [TYPE_BEGIN] = EVENT_BEGIN, [TYPE_END] = EVENT_END,
						 [TYPE_INSTANT] = EVENT_INSTANT, [TYPE_COUNTER] = EVENT_COUNTER };

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

/* On to the sink, in a file whose events are in order. */
static int put_event(struct reader *reader, uint32_t index, struct event *event)
{
	struct state *state = &reader->state;
	struct track *track = &state->track[index];

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

static int read_event(struct reader *reader, struct sequence *sequence, const struct packet *packet)
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
	/* The time first: a clock that counts from event to event counts those that we do not use, too. */
	if (!find_time(reader, sequence, packet, &parsed) || !find_type(&parsed) ||
	    !(track = find_track(reader, sequence, &parsed))) {
		reader->result->n_skipped++;
		return 0;
	}
	if (parsed.dur_ns > INT64_MAX - parsed.event.time_ns)
		parsed.dur_ns = INT64_MAX - parsed.event.time_ns;
	parsed.event.args = parsed.args;
	reader->has_events = true;
	if (parsed.event.type == EVENT_INSTANT && parsed.event.kind == KIND_NOTE && !reader->result->is_ours)
		reader->result->is_ours =
			!strcmp(names_text(reader->state.out->names, parsed.event.name), EVENT_NOTE_RECORDING);
	if (reader->state.is_in_order)
		return put_event(reader, track, &parsed.event);
	parsed.event.track = track;
	return perfetto_sort_add(&reader->sorter, &parsed.event, parsed.dur_ns, reader->err);
}

/* Packets. */

static int read_fields(struct packet *packet, struct pb_in in)
{
	struct pb_field field;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		switch (PB_TAG(field.number, field.wire)) {
		case PB_TAG(PACKET_TIMESTAMP, PB_VARINT):
			packet->timestamp = field.value;
			packet->has_timestamp = true;
			break;
		case PB_TAG(PACKET_SEQUENCE_ID, PB_VARINT):
			packet->sequence = (uint32_t)field.value;
			break;
		case PB_TAG(PACKET_TRACK_EVENT, PB_BYTES):
			packet->event = pb_inside(&field);
			break;
		case PB_TAG(PACKET_SEQUENCE_FLAGS, PB_VARINT):
			packet->flags = (uint32_t)field.value;
			break;
		case PB_TAG(PACKET_CLOCK_ID, PB_VARINT):
			packet->clock = (uint32_t)field.value;
			break;
		default:
			packet->is_rare = true;
		}
	}
	return more;
}

/* true: there are some that we use. */
static bool read_rare_fields(struct rare *rare, struct pb_in in)
{
	struct pb_in *const part[] = {
		[PACKET_INTERNED_DATA] = &rare->interned, [PACKET_DEFAULTS] = &rare->defaults,
		[PACKET_CLOCK_SNAPSHOT] = &rare->snapshot, [PACKET_TRACK_DESCRIPTOR] = &rare->descriptor,
		[PACKET_THREAD_DESCRIPTOR] = &rare->thread, [PACKET_SYSTEM_INFO] = &rare->system,
		[PACKET_COMPRESSED] = &rare->compressed, [PACKET_ZSTD] = &rare->zstd,
	};
	struct pb_field field;
	bool has_any = false;

	while (pb_next(&in, &field) > 0) {
		if (field.wire == PB_BYTES && field.number < sizeof part / sizeof *part && part[field.number]) {
			*part[field.number] = pb_inside(&field);
			has_any = true;
		} else if (field.wire != PB_VARINT) {
			continue;
		} else if (field.number == PACKET_STATE_CLEARED) {
			rare->is_cleared = field.value;
		} else if (field.number == PACKET_PREVIOUS_DROPPED) {
			rare->is_dropped = field.value;
		} else if (field.number == PACKET_MACHINE_ID) {
			rare->machine = (uint32_t)field.value;
		}
	}
	return has_any || rare->is_cleared || rare->is_dropped;
}

/* Who wrote the file: if we did, its events need no sorting. */
static int read_system(struct reader *reader, struct pb_in in)
{
	static const char mark[] = PERFETTO_WRITER;
	struct pb_field field;
	int more;

	while ((more = pb_next(&in, &field)) > 0)
		if (field.number == SYSTEM_VERSION && field.wire == PB_BYTES && field.value >= sizeof mark - 1 &&
		    !memcmp(field.data, mark, sizeof mark - 1) && !reader->has_events && !reader->state.n_tracks)
			reader->state.is_in_order = true;
	return more < 0 ? err_set(reader->err, EBADMSG, "its system information is malformed") : 0;
}

static int read_bundle(struct reader *reader, struct pb_in in);

static int use_rare(struct reader *reader, struct sequence *sequence, const struct rare *rare)
{
	struct state *state = &reader->state;
	int result = 0;

	if (rare->is_cleared)
		perfetto_state_clear(sequence);
	else if (rare->is_dropped)
		sequence->is_valid = false;
	if (rare->interned.at)
		result = perfetto_state_intern(state, sequence, rare->interned, reader->err);
	if (!result && rare->defaults.at)
		result = perfetto_state_defaults(state, sequence, rare->defaults, reader->err);
	if (!result && rare->snapshot.at)
		result = perfetto_state_snapshot(state, sequence, rare->snapshot, reader->err);
	if (!result && rare->descriptor.at)
		result = perfetto_tracks_descriptor(state, rare->descriptor, reader->err);
	if (!result && rare->thread.at)
		result = perfetto_tracks_thread_descriptor(state, sequence, rare->thread, reader->err);
	if (!result && rare->system.at)
		result = read_system(reader, rare->system);
	return result;
}

/* A packet that holds more than an event, or something else. Returns 1 if its event is to be read, too. */
static int read_rare(struct reader *reader, const struct packet *packet, struct pb_in in)
{
	struct rare rare = { .is_cleared = packet->flags & SEQ_STATE_CLEARED };
	bool is_used = read_rare_fields(&rare, in);
	struct sequence *sequence;

	if (rare.compressed.at) {
		reader->result->n_packets--;
		return read_bundle(reader, rare.compressed);
	}
	if (rare.zstd.at)
		return err_set(reader->err, ENOTSUP, "its packets are compressed by zstd, which is not supported; "
						     "let Perfetto's traceconv decompress the trace first");
	/* Other machines have clocks and process numbers of their own. */
	if ((!is_used && !packet->event.at) || rare.machine) {
		reader->result->n_skipped++;
		return 0;
	}
	sequence = perfetto_state_sequence(&reader->state, packet->sequence);
	if (!sequence)
		return perfetto_state_out_of_memory(reader->err);
	return is_used && use_rare(reader, sequence, &rare) ? -1 : packet->event.at != NULL;
}

static int read_packet(struct reader *reader, struct pb_in in)
{
	struct packet packet = { 0 };
	struct sequence *sequence;
	int more;

	if (read_fields(&packet, in) < 0)
		return err_set(reader->err, EBADMSG, "its packet is malformed");
	reader->result->n_packets++;
	if (packet.is_rare || packet.flags & SEQ_STATE_CLEARED || !packet.event.at) {
		more = read_rare(reader, &packet, in);
		if (more <= 0)
			return more;
	}
	sequence = perfetto_state_sequence(&reader->state, packet.sequence);
	if (!sequence)
		return perfetto_state_out_of_memory(reader->err);
	if (!sequence->is_valid && packet.flags & SEQ_NEEDS_STATE) {
		reader->result->n_skipped++;
		return 0;
	}
	return read_event(reader, sequence, &packet);
}

/* The file, and what is inside compressed packets: a row of fields that are packets. */

enum step { STEP_PACKET, STEP_OTHER, STEP_END, STEP_CUT, STEP_BAD };

static bool is_zero(struct pb_in in)
{
	while (in.at < in.end && !*in.at)
		in.at++;
	return in.at == in.end;
}

/* The next field; what is not there any more is told from what cannot be. */
static enum step next_packet(struct pb_in *in, struct pb_in *packet)
{
	struct pb_in probe = *in;
	struct pb_field field;
	uint64_t tag;
	int more = pb_next(in, &field);

	if (more > 0) {
		if (field.number != TRACE_PACKET || field.wire != PB_BYTES)
			return STEP_OTHER;
		*packet = pb_inside(&field);
		return STEP_PACKET;
	}
	if (!more)
		return STEP_END;
	if (is_zero(probe))
		return STEP_CUT;	/* a file system that lost its last blocks */
	if (!pb_get_varint(&probe, &tag))
		return probe.end - probe.at < PB_VARINT_MAX ? STEP_CUT : STEP_BAD;
	if (tag >> 3 == 0 || tag >> 3 > PB_FIELD_MAX || (tag & 7) == PB_GROUP || (tag & 7) > PB_FIXED32 ||
	    (tag & 7) == PB_GROUP_END)
		return STEP_BAD;
	if (((tag & 7) == PB_BYTES || (tag & 7) == PB_VARINT) && !pb_get_varint(&probe, &tag) &&
	    probe.end - probe.at >= PB_VARINT_MAX)
		return STEP_BAD;
	return STEP_CUT;
}

/* The bytes that are there of a packet that is cut off: could it be one? */
static bool looks_like_a_packet(struct pb_in in)
{
	struct pb_in packet, inside;
	struct pb_field field;
	uint64_t tag;

	if (!pb_get_varint(&in, &tag) || !pb_get_varint(&in, &tag))
		return true;
	inside = in;
	for (;;) {
		in = inside;
		while (pb_next(&inside, &field) > 0) {
			if (field.number > MAX_FIELD)
				return false;
			in = inside;
		}
		return next_packet(&in, &packet) != STEP_BAD;
	}
}

static int read_packets(struct reader *reader, struct pb_in in)
{
	const uint8_t *start = in.at;
	struct pb_in packet;

	for (;;) {
		uint64_t at = (uint64_t)(in.at - start);
		enum step step = next_packet(&in, &packet);
		if (step == STEP_END)
			return 0;
		if (step == STEP_CUT && !reader->is_inside) {
			if (!reader->result->n_packets && !looks_like_a_packet(in))
				step = STEP_BAD;
			reader->result->is_cut = step == STEP_CUT;
			reader->result->cut_at = at;
			if (step == STEP_CUT)
				return 0;
		}
		if (step == STEP_CUT || step == STEP_BAD)
			return err_set(reader->err, EBADMSG, "at byte %llu: there is no packet",
				       (unsigned long long)at);
		if (step == STEP_PACKET && read_packet(reader, packet)) {
			err_wrap(reader->err, "at byte %llu", (unsigned long long)at);
			return -1;
		}
	}
}

/* Room for all that a bundle holds; 0, or -1 and err. */
static int grow_bundle(struct reader *reader)
{
	size_t room = reader->bundle_room ? reader->bundle_room * 2 : FIRST_BUNDLE;
	uint8_t *bundle;

	if (room > MAX_BUNDLE)
		return err_set(reader->err, EBADMSG, "its compressed packets become more than %d MiB", MAX_BUNDLE >> 20);
	bundle = realloc(reader->bundle, room);
	if (!bundle)
		return perfetto_state_out_of_memory(reader->err);
	reader->bundle = bundle;
	reader->bundle_room = room;
	return 0;
}

static int inflate_bundle(struct reader *reader, struct pb_in in, size_t *len)
{
	z_stream *stream = &reader->inflate;
	int result;

	if (!reader->has_inflate && inflateInit2(stream, 15 + 32) != Z_OK)
		return perfetto_state_out_of_memory(reader->err);
	reader->has_inflate = true;
	inflateReset(stream);
	stream->next_in = (Bytef *)in.at;
	stream->avail_in = (uInt)(in.end - in.at);
	*len = 0;
	do {
		if (*len == reader->bundle_room && grow_bundle(reader))
			return -1;
		stream->next_out = reader->bundle + *len;
		stream->avail_out = (uInt)(reader->bundle_room - *len);
		result = inflate(stream, Z_NO_FLUSH);
		*len = (size_t)(stream->next_out - reader->bundle);
		reader->has_bundles |= *len != 0;
	} while (result == Z_OK && (stream->avail_in || !stream->avail_out));
	if (result != Z_STREAM_END)
		return err_set(reader->err, EBADMSG, "its compressed packets do not inflate");
	return 0;
}

static int read_bundle(struct reader *reader, struct pb_in in)
{
	size_t len = 0;
	int result;

	if (reader->is_inside)
		return err_set(reader->err, EBADMSG, "it has compressed packets inside compressed packets");
	if (in.end - in.at > MAX_BUNDLE)
		return err_set(reader->err, EBADMSG, "its compressed packets are more than %d MiB", MAX_BUNDLE >> 20);
	if (inflate_bundle(reader, in, &len))
		return -1;
	reader->is_inside = true;
	result = read_packets(reader, pb_in(reader->bundle, len));
	reader->is_inside = false;
	return result ? err_wrap(reader->err, "in its compressed packets"), -1 : 0;
}

static int read_all(struct reader *reader, const void *data, size_t size)
{
	int result;

	if (!size)
		return err_set(reader->err, ENODATA, "the file is empty; nothing was recorded into it");
	result = read_packets(reader, pb_in(data, size));
	if (!reader->result->n_packets && !reader->has_bundles && (result || !reader->result->is_cut) &&
	    reader->err->code != ENOMEM && reader->err->code != ENOTSUP)
		return err_set(reader->err, EBADMSG, "not a Perfetto trace");
	if (!result && !reader->state.is_in_order)
		result = perfetto_sort_emit(&reader->sorter, &reader->state, &reader->result->n_skipped, reader->err);
	return result ? -reader->err->code : 0;
}

int perfetto_read(const void *data, size_t size, struct sink *out, struct perfetto_read_result *result,
		  struct err *err)
{
	struct perfetto_read_result no_result;
	struct err no_err = { 0 };
	struct reader reader = { .state.out = out, .result = result ? result : &no_result, .err = err ? err : &no_err };
	int code;

	*reader.result = (struct perfetto_read_result){ 0 };
	*reader.err = (struct err){ 0 };
	code = read_all(&reader, data, size);
	reader.result->n_late = reader.state.n_late;
	if (reader.has_inflate)
		inflateEnd(&reader.inflate);
	free(reader.bundle);
	perfetto_sort_done(&reader.sorter);
	perfetto_state_done(&reader.state);
	return code;
}
