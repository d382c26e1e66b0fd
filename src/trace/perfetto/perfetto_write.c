// SPDX-License-Identifier: Apache-2.0
/*
 * Turns events into packets of a Perfetto trace. perfetto_out.c writes the bytes.
 *
 * Each thread and lane is a packet sequence of its own, so that the common part of its events is written once, with its
 * first event:
 *
 *   clock 64      counts from event to event: a time is the distance to the one before, usually two bytes
 *   track_uuid    the track of events that name none
 *   state cleared from here on texts are numbers, each defined once per sequence before its first use
 *
 * Processes, groups and counters share sequence 1 and name their track in each event. An operator takes 23 or 24 bytes
 * this way; SEQ_NEEDS_STATE (two bytes) is left out, because no packet is ever lost here.
 *
 * Texts are numbered in the order of first use, separately for names of events and for values of arguments: few values
 * are frequent, and these get one-byte numbers. Categories and argument names use the numbers of enum event_kind and
 * enum event_key.
 *
 * A time before the last one of its sequence is written in full, on clock 3 (MONOTONIC). A time before the last one of
 * its own track, which no source should produce, is moved there, because slices would not nest otherwise, and counted
 * in sink->n_moved.
 */
#include "trace/perfetto/perfetto_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/pb.h"
#include "trace/perfetto/perfetto_describe.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_out.h"

enum {
	EVENT_ROOM = 96,	  /* upper bound for an event's packet without its arguments */
	ARG_ROOM = 32,		  /* upper bound for an argument */
	HEAD_ROOM = 64,		  /* upper bound for the packet around a single text */
	MORE_SEQUENCES = 1 << 28, /* first sequence of tracks added later: beyond those of any recording */
};

struct seen {
	uint64_t *bits;
	uint32_t n_words;
};

struct sequence {
	uint64_t last_ns;
	bool is_started;
	struct seen names, values; /* by number: texts already defined on this sequence */
	uint64_t keys[(N_KEYS + 63) / 64];
	uint32_t kinds;
};

struct track {
	uint64_t last_ns, uuid;
	uint32_t sequence; /* 0: not defined yet */
	bool is_defined, has_sequence, is_process;
	bool has_counters; /* the group of its counters is in the file; of track 0: the machine's */
};

/* Numbers of texts; index: id in names; 0: none yet. */
struct numbers {
	uint32_t *of;
	uint32_t n, last;
};

struct perfetto_writer {
	struct sink sink;
	struct perfetto_out out;
	uint64_t salt;
	bool is_more;
	uint32_t first_number; /* of sequences in the file, less 1: lower numbers are in use */
	struct track *track;
	struct sequence *sequence;
	uint32_t n_tracks, n_sequences, last_sequence;
	struct numbers names, values;
};

static int out_of_memory(struct perfetto_writer *writer)
{
	return err_set(&writer->out.err, ENOMEM, "cannot write the recording: out of memory");
}

/* Doubles a zeroed array until index fits. */
static int grow(void **array, uint32_t *n, uint32_t index, size_t size)
{
	uint32_t more = *n ? *n : 64;
	void *bigger;

	while (more <= index) {
		if (more > UINT32_MAX / 2)
			return -1;
		more *= 2;
	}
	bigger = realloc(*array, more * size);
	if (!bigger)
		return -1;
	memset((char *)bigger + *n * size, 0, (more - *n) * size);
	*array = bigger;
	*n = more;
	return 0;
}

/* Unique in a file and across files, so that files can be merged. */
static uint64_t new_uuid(const struct perfetto_writer *writer, uint32_t track)
{
	uint64_t mixed = writer->salt + track * 0x9e3779b97f4a7c15u;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return (mixed ^ mixed >> 31) >> 1 | 1;
}

static uint64_t track_uuid(const struct perfetto_writer *writer, uint32_t track)
{
	return track < writer->n_tracks && writer->track[track].uuid ? writer->track[track].uuid
								     : new_uuid(writer, track);
}

static uint32_t number_of(const struct perfetto_writer *writer, uint32_t sequence)
{
	return writer->first_number + sequence;
}

static int start_sequence(struct perfetto_writer *writer, const struct track *track, uint32_t track_id,
			  uint64_t time_ns)
{
	struct sequence *sequence = &writer->sequence[track->sequence];
	uint8_t *at = perfetto_out_room(&writer->out, 256), *packet, *defaults, *inside;

	if (!at)
		return -1;
	at = pb_open(at, TRACE_PACKET, &packet);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, number_of(writer, track->sequence));
	at = pb_put_uint(at, PACKET_SEQUENCE_FLAGS, SEQ_STATE_CLEARED);
	at = pb_put_uint(at, PACKET_FIRST_ON_SEQUENCE, 1);
	at = pb_put_uint(at, PACKET_PREVIOUS_DROPPED, 1);
	at = pb_open(at, PACKET_DEFAULTS, &defaults);
	at = pb_put_uint(at, DEFAULTS_CLOCK_ID, writer->is_more ? CLOCK_MONOTONIC_ID : CLOCK_SEQUENCE_ID);
	if (track->has_sequence) {
		at = pb_open(at, DEFAULTS_TRACK_EVENT, &inside);
		at = pb_put_uint(at, EVENT_DEFAULTS_TRACK_UUID, track_uuid(writer, track_id));
		at = pb_close(at, inside);
	}
	at = pb_close(at, defaults);
	if (!writer->is_more) { /* readers take a snapshot before another one for a clock that went back */
		at = pb_open(at, PACKET_CLOCK_SNAPSHOT, &inside);
		at = perfetto_describe_clock(at, CLOCK_SEQUENCE_ID, time_ns, true);
		at = pb_close(perfetto_describe_clock(at, CLOCK_MONOTONIC_ID, time_ns, false), inside);
	}
	perfetto_out_end(&writer->out, pb_close(at, packet));
	sequence->last_ns = time_ns;
	sequence->is_started = true;
	return 0;
}

/* No track has such a number. */
static uint64_t counters_uuid(const struct perfetto_writer *writer, uint32_t parent)
{
	return new_uuid(writer, ~parent);
}

/* Counters of a process, and of the machine, lie in a group. *uuid: of the parent in the file, 0: none. */
static int find_parent(struct perfetto_writer *writer, const struct track_def *def, uint64_t *uuid)
{
	struct track *parent = def->parent < writer->n_tracks ? &writer->track[def->parent] : NULL;

	*uuid = def->parent ? track_uuid(writer, def->parent) : 0;
	if (def->type != TRACK_COUNTER || !parent || (def->parent && !parent->is_process))
		return 0;
	if (!parent->has_counters &&
	    perfetto_describe_counters(&writer->out, counters_uuid(writer, def->parent), *uuid))
		return -1;
	parent->has_counters = true;
	*uuid = counters_uuid(writer, def->parent);
	return 0;
}

static int put_track(struct perfetto_writer *writer, const struct event *event)
{
	const struct track_def *def = event->def;
	uint64_t parent_uuid;

	if (event->track >= writer->n_tracks &&
	    grow((void **)&writer->track, &writer->n_tracks, event->track, sizeof *writer->track))
		return out_of_memory(writer);
	writer->track[event->track].is_defined = true;
	writer->track[event->track].uuid = def->uuid;
	writer->track[event->track].is_process = def->type == TRACK_PROCESS;
	writer->track[event->track].has_sequence = def->type == TRACK_THREAD || def->type == TRACK_LANE;
	if (find_parent(writer, def, &parent_uuid))
		return -1;
	return perfetto_describe_track(&writer->out, writer->sink.names, def, track_uuid(writer, event->track),
				       parent_uuid, event->track);
}

/* Texts: each is defined on a sequence before its first use there. */

static int tell(struct perfetto_writer *writer, uint32_t sequence, uint32_t field, uint32_t number, const char *text,
		size_t len)
{
	uint8_t *at = perfetto_out_room(&writer->out, HEAD_ROOM + 3 * len), *packet, *data, *entry;

	if (!at)
		return -1;
	at = pb_open(at, TRACE_PACKET, &packet);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, number_of(writer, sequence));
	at = pb_open(at, PACKET_INTERNED_DATA, &data);
	at = pb_open(at, field, &entry);
	at = pb_put_uint(at, ENTRY_IID, number);
	at = perfetto_describe_text(at, ENTRY_TEXT, text, len);
	perfetto_out_end(&writer->out, pb_close(pb_close(pb_close(at, entry), data), packet));
	return 0;
}

static bool was_seen(const struct seen *seen, uint32_t number)
{
	return number / 64 < seen->n_words && seen->bits[number / 64] >> number % 64 & 1;
}

static int tell_text(struct perfetto_writer *writer, uint32_t sequence, bool is_value, uint32_t id)
{
	struct numbers *numbers = is_value ? &writer->values : &writer->names;
	struct seen *seen = is_value ? &writer->sequence[sequence].values : &writer->sequence[sequence].names;
	const struct names *names = writer->sink.names;
	uint32_t number;

	if (id >= numbers->n && grow((void **)&numbers->of, &numbers->n, id, sizeof *numbers->of))
		return out_of_memory(writer);
	if (!numbers->of[id])
		numbers->of[id] = ++numbers->last;
	number = numbers->of[id];
	if (number / 64 >= seen->n_words && grow((void **)&seen->bits, &seen->n_words, number / 64, sizeof *seen->bits))
		return out_of_memory(writer);
	seen->bits[number / 64] |= (uint64_t)1 << number % 64;
	return tell(writer, sequence, is_value ? INTERNED_ANNOTATION_STRINGS : INTERNED_NAMES, number,
		    names_text(names, id), names_len(names, id));
}

static inline bool is_told(const struct numbers *numbers, const struct seen *seen, uint32_t id)
{
	return id < numbers->n && numbers->of[id] && was_seen(seen, numbers->of[id]);
}

static int tell_key(struct perfetto_writer *writer, uint32_t sequence, uint32_t key)
{
	const char *text = event_key_name(key);

	writer->sequence[sequence].keys[key / 64] |= (uint64_t)1 << key % 64;
	return tell(writer, sequence, INTERNED_ANNOTATION_NAMES, key, text, strlen(text));
}

/* Flows have fields of their own. */
static inline bool is_flow(const struct arg *arg)
{
	return (arg->key == KEY_FLOW || arg->key == KEY_FLOW_END) && arg->type == ARG_INT;
}

static inline bool is_annotation(const struct arg *arg)
{
	return arg->key && arg->key < N_KEYS && arg->key != KEY_FLOW && arg->key != KEY_FLOW_END;
}

static int tell_args(struct perfetto_writer *writer, uint32_t sequence_id, const struct event *event)
{
	const struct sequence *sequence = &writer->sequence[sequence_id];

	for (size_t i = 0; i < event->n_args; i++) {
		const struct arg *arg = &event->args[i];
		if (!is_annotation(arg))
			continue;
		if (!(sequence->keys[arg->key / 64] >> arg->key % 64 & 1) && tell_key(writer, sequence_id, arg->key))
			return -1;
		if (arg->type == ARG_NAME && arg->name && !is_told(&writer->values, &sequence->values, arg->name) &&
		    tell_text(writer, sequence_id, true, arg->name))
			return -1;
	}
	return 0;
}

static int tell_name(struct perfetto_writer *writer, uint32_t sequence_id, const struct event *event)
{
	struct sequence *sequence = &writer->sequence[sequence_id];

	if (event->kind && !(sequence->kinds >> event->kind & 1)) {
		const char *text = event_kind_name(event->kind);
		sequence->kinds |= 1u << event->kind;
		if (tell(writer, sequence_id, INTERNED_CATEGORIES, event->kind, text, strlen(text)))
			return -1;
	}
	if (event->name && !is_told(&writer->names, &sequence->names, event->name))
		return tell_text(writer, sequence_id, false, event->name);
	return 0;
}

/* Events. */

static uint8_t *put_arg(uint8_t *at, const struct perfetto_writer *writer, const struct arg *arg)
{
	uint8_t *inside;

	at = pb_open(at, EVENT_ANNOTATIONS, &inside);
	at = pb_put_uint(at, ANNOTATION_NAME_IID, arg->key);
	if (arg->type == ARG_INT)
		at = pb_put_uint(at, ANNOTATION_INT, (uint64_t)arg->integer);
	else if (arg->type == ARG_REAL)
		at = pb_put_double(at, ANNOTATION_DOUBLE, arg->real);
	else if (arg->name)
		at = pb_put_uint(at, ANNOTATION_STRING_IID, writer->values.of[arg->name]);
	else
		at = perfetto_describe_text(at, ANNOTATION_STRING, "", 0);
	return pb_close(at, inside);
}

static uint8_t *put_value(uint8_t *at, double value)
{
	if (value > -9e15 && value < 9e15 && (double)(int64_t)value == value)
		return pb_put_uint(at, EVENT_COUNTER_VALUE, (uint64_t)(int64_t)value);
	return pb_put_double(at, EVENT_DOUBLE_VALUE, value);
}

static const uint8_t packet_type[] = {
	[EVENT_BEGIN] = TYPE_BEGIN,
	[EVENT_END] = TYPE_END,
	[EVENT_INSTANT] = TYPE_INSTANT,
	[EVENT_COUNTER] = TYPE_COUNTER,
};

static uint8_t *put_track_event(uint8_t *at, const struct perfetto_writer *writer, const struct event *event)
{
	uint8_t *inside;

	at = pb_open(at, PACKET_TRACK_EVENT, &inside);
	at = pb_put_uint(at, EVENT_TYPE, packet_type[event->type]);
	if (!writer->track[event->track].has_sequence)
		at = pb_put_uint(at, EVENT_TRACK_UUID, track_uuid(writer, event->track));
	if (event->type == EVENT_BEGIN || event->type == EVENT_INSTANT) {
		if (event->kind)
			at = pb_put_uint(at, EVENT_CATEGORY_IIDS, event->kind);
		if (event->name)
			at = pb_put_uint(at, EVENT_NAME_IID, writer->names.of[event->name]);
	}
	for (size_t i = 0; i < event->n_args; i++)
		if (is_annotation(&event->args[i]))
			at = put_arg(at, writer, &event->args[i]);
		else if (is_flow(&event->args[i]))
			at = pb_put_fixed64(
			    at, event->args[i].key == KEY_FLOW ? EVENT_FLOW_IDS : EVENT_TERMINATING_FLOW_IDS,
			    (uint64_t)event->args[i].integer);
	if (event->type == EVENT_COUNTER)
		at = put_value(at, event->value);
	return pb_close(at, inside);
}

static int put_packet(struct perfetto_writer *writer, const struct event *event, uint64_t time_ns)
{
	uint32_t id = writer->track[event->track].sequence;
	struct sequence *sequence = &writer->sequence[id];
	uint8_t *at = perfetto_out_room(&writer->out, EVENT_ROOM + event->n_args * ARG_ROOM), *packet;

	if (!at)
		return -1;
	at = pb_open(at, TRACE_PACKET, &packet);
	if (writer->is_more) {
		at = pb_put_uint(at, PACKET_TIMESTAMP, time_ns);
	} else if (__builtin_expect(time_ns >= sequence->last_ns, 1)) {
		at = pb_put_uint(at, PACKET_TIMESTAMP, time_ns - sequence->last_ns);
		sequence->last_ns = time_ns;
	} else {
		at = pb_put_uint(at, PACKET_TIMESTAMP, time_ns);
		at = pb_put_uint(at, PACKET_CLOCK_ID, CLOCK_MONOTONIC_ID);
	}
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, number_of(writer, id));
	at = put_track_event(at, writer, event);
	perfetto_out_end(&writer->out, pb_close(at, packet));
	return 0;
}

/* At a track's first event: assigns its sequence. */
static int give_sequence(struct perfetto_writer *writer, struct track *track)
{
	uint32_t id = track->has_sequence ? writer->last_sequence + 1 : PERFETTO_SHARED_SEQUENCE;

	if (id >= writer->n_sequences &&
	    grow((void **)&writer->sequence, &writer->n_sequences, id, sizeof *writer->sequence))
		return out_of_memory(writer);
	track->sequence = id;
	if (track->has_sequence)
		writer->last_sequence = id;
	return 0;
}

static int put_event(struct perfetto_writer *writer, const struct event *event)
{
	struct track *track = &writer->track[event->track];
	uint64_t time_ns = event->time_ns;

	if (!track->sequence && give_sequence(writer, track))
		return -1;
	if (__builtin_expect(time_ns < track->last_ns, 0)) {
		writer->sink.n_moved++;
		time_ns = track->last_ns;
	}
	track->last_ns = time_ns;
	if (!writer->sequence[track->sequence].is_started && start_sequence(writer, track, event->track, time_ns))
		return -1;
	if ((event->type == EVENT_BEGIN || event->type == EVENT_INSTANT) && tell_name(writer, track->sequence, event))
		return -1;
	if (event->n_args && tell_args(writer, track->sequence, event))
		return -1;
	return put_packet(writer, event, time_ns);
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct perfetto_writer *writer = (struct perfetto_writer *)sink;

	if (!event->track ||
	    (event->type == EVENT_TRACK ? !event->def
					: event->track >= writer->n_tracks || !writer->track[event->track].is_defined))
		return err_set(err, EINVAL, "cannot write an event: track %u is not defined", event->track);
	if ((unsigned)event->type > EVENT_COUNTER || (unsigned)event->kind >= N_KINDS)
		return err_set(err, EINVAL, "cannot write an event: it is of no known type");
	if (writer->out.err.code || (event->type == EVENT_TRACK ? put_track(writer, event) : put_event(writer, event)))
		return err_set(err, writer->out.err.code, "%s", writer->out.err.msg);
	return 0;
}

/* The writer as a whole. */

static int flush(struct sink *sink, struct err *err)
{
	struct perfetto_writer *writer = (struct perfetto_writer *)sink;
	int code = perfetto_out_flush(&writer->out);

	sink->n_bytes = writer->out.bytes;
	return code ? err_set(err, writer->out.err.code, "%s", writer->out.err.msg) : 0;
}

struct perfetto_writer *perfetto_write_new(int fd, struct names *names, uint32_t *last_track,
					   const struct perfetto_write_opts *opts, struct err *err)
{
	struct perfetto_writer *writer = calloc(1, sizeof *writer);

	if (!writer) {
		err_set(err, ENOMEM, "cannot write the recording: out of memory");
		return NULL;
	}
	writer->sink = (struct sink){ .put = put, .names = names, .last_track = last_track, .flush = flush };
	writer->last_sequence = PERFETTO_SHARED_SEQUENCE;
	writer->is_more = opts && opts->is_more;
	writer->first_number = writer->is_more ? MORE_SEQUENCES : 0;
	if (getrandom(&writer->salt, sizeof writer->salt, GRND_NONBLOCK) != sizeof writer->salt)
		writer->salt = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 40;
	if (perfetto_out_init(&writer->out, fd, opts && opts->compress, err)) {
		free(writer);
		return NULL;
	}
	writer->out.overwrites = opts && opts->overwrites;
	if (!writer->is_more && (perfetto_describe_clocks(&writer->out, opts && opts->is_import) ||
				 perfetto_describe_system(&writer->out, opts && opts->is_import) ||
				 (!writer->out.overwrites && flush(&writer->sink, err)))) {
		err_set(err, writer->out.err.code, "%s", writer->out.err.msg);
		perfetto_write_drop(writer);
		return NULL;
	}
	return writer;
}

struct sink *perfetto_write_sink(struct perfetto_writer *writer)
{
	return &writer->sink;
}

void perfetto_write_drop(struct perfetto_writer *writer)
{
	if (!writer)
		return;
	for (uint32_t i = 0; i < writer->n_sequences; i++) {
		free(writer->sequence[i].names.bits);
		free(writer->sequence[i].values.bits);
	}
	free(writer->sequence);
	free(writer->track);
	free(writer->names.of);
	free(writer->values.of);
	perfetto_out_done(&writer->out);
	free(writer);
}

int perfetto_write_free(struct perfetto_writer *writer, struct err *err)
{
	int result = writer ? sink_flush(&writer->sink, err) : 0;

	perfetto_write_drop(writer);
	return result;
}
