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
 * (perfetto_texts.h)
 *
 * A passing text (event/names.h) is written with each event that has it.
 *
 * Processes, groups and counters share sequence 1 and name their track in each event. An operator takes 23 or 24 bytes
 * this way; SEQ_NEEDS_STATE (two bytes) is left out, because no packet is ever lost here.
 *
 * When a track ends, its sequence is free for another one, which clears the state again and begins where the first one
 * ended.
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

#include "base/array.h"
#include "base/pb.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_out.h"
#include "trace/perfetto/perfetto_quick.h"
#include "trace/perfetto/perfetto_texts.h"

enum {
	EVENT_ROOM = 96,	  /* upper bound for an event's packet without its arguments */
	ARG_ROOM = 32,		  /* upper bound for an argument */
	MAX_BLOCKS = 64,	  /* of the queue to the file: 16 MiB */
	MORE_SEQUENCES = 1 << 28, /* first sequence of tracks added later: beyond those of any recording */
};

struct sequence {
	uint64_t last_ns;
	uint32_t state; /* number of the state that its packets share; 0: it was not started */
	struct perfetto_told told;
	struct quick_sequence quick;
};

struct track {
	uint64_t last_ns, uuid, serial;
	uint32_t sequence; /* 0: not defined yet */
	int32_t pid;
	bool is_defined, has_sequence, is_process;
	bool is_quick;	   /* put_quick may write its events */
	bool has_counters; /* the group of its counters is in the file; of track 0: the machine's */
};

struct perfetto_writer {
	struct sink sink;
	struct perfetto_out out;
	uint64_t salt, from_ns;
	bool is_more;
	uint32_t first_number; /* of sequences in the file, less 1: lower numbers are in use */
	struct track *track;
	struct sequence *sequence;
	uint32_t n_tracks, n_sequences, last_sequence, n_states;
	struct array free_sequences; /* uint32_t */
	struct perfetto_texts texts;
	struct perfetto_samples samples;
	uint32_t samples_sequence;    /* 0: there was none */
	struct quick_template *quick; /* QUICK_TEMPLATES; NULL: out of memory, each packet is encoded in full */
};

static int out_of_memory(struct perfetto_writer *writer)
{
	return err_no_memory(&writer->out.err, "cannot write the recording");
}

/* Unique in a file and across files, so that files can be merged. */
static uint64_t new_uuid(const struct perfetto_writer *writer, uint64_t serial)
{
	uint64_t mixed = writer->salt + serial * 0x9e3779b97f4a7c15u;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return (mixed ^ mixed >> 31) >> 1 | 1;
}

static uint64_t track_uuid(const struct perfetto_writer *writer, uint32_t track)
{
	const struct track *known = track < writer->n_tracks ? &writer->track[track] : NULL;

	if (known && known->uuid)
		return known->uuid;
	return new_uuid(writer, known && known->serial ? known->serial : track);
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
	if (time_ns < writer->from_ns)
		time_ns = writer->from_ns;
	if (time_ns < sequence->last_ns)
		time_ns = sequence->last_ns;
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
	sequence->state = ++writer->n_states;
	quick_sequence_init(&sequence->quick, number_of(writer, track->sequence));
	return 0;
}

/* No track has such a number. */
static uint64_t counters_uuid(const struct perfetto_writer *writer, uint32_t parent)
{
	return new_uuid(writer, parent < writer->n_tracks && writer->track[parent].serial
				    ? ~writer->track[parent].serial
				    : (uint32_t)~parent);
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

/* Siblings are shown in the order in which they came; a serial above all numbers came late. */
static uint32_t rank_of(const struct event *event)
{
	return event->def->serial > UINT32_MAX ? (uint32_t)event->def->serial | 1u << 30 : event->track;
}

static int put_track(struct perfetto_writer *writer, const struct event *event)
{
	const struct track_def *def = event->def;
	uint64_t parent_uuid;

	if (!ARRAY_ROOM(writer->track, writer->n_tracks, (size_t)event->track + 1))
		return out_of_memory(writer);
	writer->track[event->track].is_defined = true;
	writer->track[event->track].is_quick = false;
	writer->track[event->track].uuid = def->uuid;
	writer->track[event->track].serial = def->serial;
	writer->track[event->track].is_process = def->type == TRACK_PROCESS;
	writer->track[event->track].pid = def->pid;
	writer->track[event->track].has_sequence = def->type == TRACK_THREAD || def->type == TRACK_LANE;
	if (find_parent(writer, def, &parent_uuid))
		return -1;
	return perfetto_describe_track(&writer->out, writer->sink.names, def, track_uuid(writer, event->track),
				       parent_uuid, rank_of(event));
}

/* The texts that its sequence has defined are told again to the next one that has it. */
static int end_track(struct perfetto_writer *writer, const struct event *event)
{
	struct track *track = &writer->track[event->track];
	struct sequence *sequence = &writer->sequence[track->sequence];
	uint32_t *free;

	if (track->sequence && track->has_sequence) {
		perfetto_told_done(&sequence->told);
		sequence->told = (struct perfetto_told){ 0 };
		sequence->state = 0;
		free = array_add(&writer->free_sequences, sizeof *free);
		if (free)
			*free = track->sequence;
	}
	*track = (struct track){ 0 };
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
	else if (names_is_passing(arg->name))
		at = perfetto_describe_text(at, ANNOTATION_STRING, names_text(writer->sink.names, arg->name),
					    names_len(writer->sink.names, arg->name));
	else if (arg->name)
		at = pb_put_uint(at, ANNOTATION_STRING_IID, writer->texts.values.of[arg->name]);
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

/* The fields of a track event. */
static uint8_t *put_fields(uint8_t *at, const struct perfetto_writer *writer, const struct event *event)
{
	at = pb_put_uint(at, EVENT_TYPE, packet_type[event->type]);
	if (!writer->track[event->track].has_sequence)
		at = pb_put_uint(at, EVENT_TRACK_UUID, track_uuid(writer, event->track));
	if (event->type == EVENT_BEGIN || event->type == EVENT_INSTANT) {
		if (event->kind)
			at = pb_put_uint(at, EVENT_CATEGORY_IIDS, event->kind);
		if (names_is_passing(event->name))
			at = perfetto_describe_text(at, EVENT_NAME, names_text(writer->sink.names, event->name),
						    names_len(writer->sink.names, event->name));
		else if (event->name)
			at = pb_put_uint(at, EVENT_NAME_IID, writer->texts.names.of[event->name]);
	}
	for (size_t i = 0; i < event->n_args; i++)
		if (perfetto_is_annotation(&event->args[i]))
			at = put_arg(at, writer, &event->args[i]);
		else if (perfetto_is_flow(&event->args[i]))
			at = pb_put_fixed64(
			    at, event->args[i].key == KEY_FLOW ? EVENT_FLOW_IDS : EVENT_TERMINATING_FLOW_IDS,
			    (uint64_t)event->args[i].integer);
	if (event->type == EVENT_COUNTER)
		at = put_value(at, event->value);
	return at;
}

/* Upper bound for texts that are in the packet itself. */
static size_t passing_bytes(const struct names *names, const struct event *event)
{
	size_t bytes = names_is_passing(event->name) ? names_len(names, event->name) : 0;

	for (size_t i = 0; i < event->n_args; i++)
		if (event->args[i].type == ARG_NAME && names_is_passing(event->args[i].name))
			bytes += names_len(names, event->args[i].name);
	return 3 * bytes;
}

static inline uint8_t *put_time(uint8_t *at, const struct perfetto_writer *writer, struct sequence *sequence,
				uint64_t time_ns)
{
	if (writer->is_more)
		return pb_put_uint(at, PACKET_TIMESTAMP, time_ns);
	if (__builtin_expect(time_ns >= sequence->last_ns, 1)) {
		at = pb_put_uint(at, PACKET_TIMESTAMP, time_ns - sequence->last_ns);
		sequence->last_ns = time_ns;
		return at;
	}
	at = pb_put_uint(at, PACKET_TIMESTAMP, time_ns);
	return pb_put_uint(at, PACKET_CLOCK_ID, CLOCK_MONOTONIC_ID);
}

static int put_packet(struct perfetto_writer *writer, const struct event *event, uint64_t time_ns)
{
	uint32_t id = writer->track[event->track].sequence;
	struct sequence *sequence = &writer->sequence[id];
	size_t room = EVENT_ROOM + event->n_args * ARG_ROOM + passing_bytes(writer->sink.names, event);
	uint8_t *at = perfetto_out_room(&writer->out, room), *packet, *inside;

	if (!at)
		return -1;
	at = put_time(pb_open(at, TRACE_PACKET, &packet), writer, sequence, time_ns);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, number_of(writer, id));
	at = pb_open(at, PACKET_TRACK_EVENT, &inside);
	at = pb_close(put_fields(at, writer, event), inside);
	perfetto_out_end(&writer->out, pb_close(at, packet));
	return 0;
}

/* At a track's first event: assigns its sequence. */
static int give_sequence(struct perfetto_writer *writer, struct track *track)
{
	struct array *free = &writer->free_sequences;
	uint32_t id = PERFETTO_SHARED_SEQUENCE;

	if (track->has_sequence && free->n)
		id = ((const uint32_t *)free->data)[--free->n];
	else if (track->has_sequence)
		id = writer->last_sequence + 1;
	if (!ARRAY_ROOM(writer->sequence, writer->n_sequences, (size_t)id + 1))
		return out_of_memory(writer);
	track->sequence = id;
	if (id > writer->last_sequence)
		writer->last_sequence = id;
	return 0;
}

/* The event has just been written: the next one like it is written from its bytes. */
static void keep_template(struct perfetto_writer *writer, const struct event *event)
{
	struct quick_template *template = writer->quick ? &writer->quick[event->name % QUICK_TEMPLATES] : NULL;
	struct event part = *event;

	part.n_args = quick_texts(event);
	if (!template)
		return;
	*template = (struct quick_template){ .name = event->name,
					     .state = writer->sequence[writer->track[event->track].sequence].state,
					     .kind = event->kind,
					     .n_texts = (uint8_t)part.n_args };
	for (size_t i = 0; i < part.n_args; i++) {
		template->arg[i].form = quick_form(&event->args[i]);
		template->arg[i].text = event->args[i].name;
		template->arg[i].mask = UINT32_MAX;
	}
	if (quick_ends_in_integers(event, part.n_args))
		part.n_args = event->n_args;
	template->n_args = (uint8_t)part.n_args;
	for (size_t i = template->n_texts; i < part.n_args; i++)
		template->arg[i].form = quick_form(&event->args[i]);
	part.n_args = template->n_texts;
	template->len = (uint8_t)(put_fields(template->bytes, writer, &part) - template->bytes);
}

/* Writes the packets that are frequent and short (perfetto_quick.h); false: this one is not. */
static inline bool put_quick(struct perfetto_writer *writer, const struct event *event)
{
	const struct quick_template *template;
	struct perfetto_out *out = &writer->out;
	uint8_t *at = out->block.data + out->block.len;
	struct sequence *sequence;
	struct track *track;
	uint64_t delta_ns;

	if (event->track >= writer->n_tracks || out->block.size - out->block.len < QUICK_ROOM || out->err.code)
		return false;
	track = &writer->track[event->track];
	if (!track->is_quick)
		return false;
	sequence = &writer->sequence[track->sequence];
	if (event->time_ns < sequence->last_ns)
		return false;
	delta_ns = event->time_ns - sequence->last_ns;
	if (event->type == EVENT_END && !event->n_args) {
		perfetto_out_end(out, quick_end(at, &sequence->quick, delta_ns));
	} else {
		template = &writer->quick[event->name % QUICK_TEMPLATES];
		if (event->type != EVENT_BEGIN || !quick_is(template, event, sequence->state, &sequence->told))
			return false;
		perfetto_out_end(out, quick_begin(at, &sequence->quick, delta_ns, template, event));
	}
	track->last_ns = sequence->last_ns = event->time_ns;
	return true;
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
	if (!writer->sequence[track->sequence].state && start_sequence(writer, track, event->track, time_ns))
		return -1;
	if (perfetto_texts_tell(&writer->texts, &writer->sequence[track->sequence].told,
				number_of(writer, track->sequence), event) ||
	    put_packet(writer, event, time_ns))
		return -1;
	track->is_quick = track->has_sequence && !writer->is_more && writer->quick;
	if (track->is_quick && event->type == EVENT_BEGIN && event->name && !names_is_passing(event->name))
		keep_template(writer, event);
	return 0;
}

/* A sequence of no track, for all samples. */
static int begin_samples(struct perfetto_writer *writer, uint64_t time_ns)
{
	struct track samples = { .has_sequence = true };

	if (give_sequence(writer, &samples))
		return -1;
	writer->samples_sequence = samples.sequence;
	samples.has_sequence = false;
	return start_sequence(writer, &samples, 0, time_ns);
}

static int put_sample(struct perfetto_writer *writer, const struct event *event)
{
	int32_t pid = writer->track[event->track].pid;
	struct sequence *sequence;
	uint8_t *at, *packet;
	uint32_t number;

	if (!event->sample || (!writer->samples_sequence && begin_samples(writer, event->time_ns)))
		return event->sample ? -1 : 0;
	sequence = &writer->sequence[writer->samples_sequence];
	number = number_of(writer, writer->samples_sequence);
	if (perfetto_samples_tell(&writer->samples, &writer->texts, &sequence->told, number, event->sample, pid) ||
	    !(at = perfetto_out_room(&writer->out, EVENT_ROOM + PERFETTO_SAMPLE_ROOM)))
		return -1;
	at = put_time(pb_open(at, TRACE_PACKET, &packet), writer, sequence, event->time_ns);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, number);
	at = perfetto_samples_put(at, &writer->texts, event->sample, pid);
	perfetto_out_end(&writer->out, pb_close(at, packet));
	return 0;
}

static int put_one(struct perfetto_writer *writer, const struct event *event)
{
	if (event->type == EVENT_SAMPLE)
		return put_sample(writer, event);
	if (event->type == EVENT_TRACK)
		return put_track(writer, event);
	return event->type == EVENT_TRACK_END ? end_track(writer, event) : put_event(writer, event);
}

/* Not inline: so that put needs few registers for the frequent events. */
static __attribute__((noinline)) int put_any(struct perfetto_writer *writer, const struct event *event, struct err *err)
{
	if (!event->track ||
	    (event->type == EVENT_TRACK ? !event->def
					: event->track >= writer->n_tracks || !writer->track[event->track].is_defined))
		return err_set(err, EINVAL, "cannot write an event: track %u is not defined", event->track);
	if ((unsigned)event->type > EVENT_SAMPLE || (unsigned)event->kind >= N_KINDS)
		return err_set(err, EINVAL, "cannot write an event: its type is unknown");
	if (writer->out.err.code || put_one(writer, event))
		return err_set(err, writer->out.err.code, "%s", writer->out.err.msg);
	return 0;
}

/* The same for both packets of a slice. */
static inline bool put_slice_quick(struct perfetto_writer *writer, const struct event *slice, uint64_t end_ns)
{
	const struct quick_template *template;
	struct perfetto_out *out = &writer->out;
	uint8_t *at = out->block.data + out->block.len;
	struct sequence *sequence;
	struct track *track;

	if (slice->track >= writer->n_tracks || out->block.size - out->block.len < 2 * QUICK_ROOM || out->err.code)
		return false;
	track = &writer->track[slice->track];
	sequence = &writer->sequence[track->sequence];
	if (!track->is_quick || slice->time_ns < sequence->last_ns || end_ns < slice->time_ns)
		return false;
	template = &writer->quick[slice->name % QUICK_TEMPLATES];
	if (!quick_is(template, slice, sequence->state, &sequence->told))
		return false;
	at = quick_begin(at, &sequence->quick, slice->time_ns - sequence->last_ns, template, slice);
	perfetto_out_end(out, quick_end(at, &sequence->quick, end_ns - slice->time_ns));
	track->last_ns = sequence->last_ns = end_ns;
	return true;
}

static int put_slice(struct sink *sink, const struct event *slice, uint64_t end_ns, struct err *err)
{
	struct perfetto_writer *writer = (struct perfetto_writer *)sink;

	return put_slice_quick(writer, slice, end_ns) ? 0 : sink_put_parts(sink, slice, end_ns, err);
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct perfetto_writer *writer = (struct perfetto_writer *)sink;

	return put_quick(writer, event) ? 0 : put_any(writer, event, err);
}

/* The writer as a whole. */

static int give(struct sink *sink, int code, struct err *err)
{
	struct perfetto_writer *writer = (struct perfetto_writer *)sink;

	sink->n_bytes = perfetto_out_bytes(&writer->out);
	return code ? err_set(err, writer->out.err.code, "%s", writer->out.err.msg) : 0;
}

static int flush(struct sink *sink, struct err *err)
{
	return give(sink, perfetto_out_flush(&((struct perfetto_writer *)sink)->out), err);
}

static int sync_(struct sink *sink, struct err *err)
{
	return give(sink, perfetto_out_sync(&((struct perfetto_writer *)sink)->out), err);
}

struct perfetto_writer *perfetto_write_new(int fd, struct names *names, uint32_t *last_track,
					   const struct perfetto_write_opts *opts, struct err *err)
{
	static const struct perfetto_write_opts none;
	struct perfetto_writer *writer = calloc(1, sizeof *writer);

	if (!writer) {
		err_no_memory(err, "cannot write the recording");
		return NULL;
	}
	opts = opts ? opts : &none;
	writer->sink = (struct sink){ .put = put,
				      .put_slice = put_slice,
				      .names = names,
				      .last_track = last_track,
				      .flush = flush,
				      .sync = sync_ };
	writer->texts = (struct perfetto_texts){ .out = &writer->out, .texts = names };
	writer->quick = calloc(QUICK_TEMPLATES, sizeof *writer->quick);
	writer->last_sequence = PERFETTO_SHARED_SEQUENCE;
	writer->is_more = opts->is_more;
	writer->first_number = writer->is_more ? MORE_SEQUENCES : 0;
	writer->salt = opts->salt;
	writer->from_ns = opts->from_ns;
	if (!writer->salt && getrandom(&writer->salt, sizeof writer->salt, GRND_NONBLOCK) != sizeof writer->salt)
		writer->salt = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 40;
	if (perfetto_out_init(&writer->out, fd,
			      &(struct perfetto_out_opts){ .compress = opts->compress,
							   .overwrites = opts->overwrites,
							   .max_blocks = opts->in_background ? MAX_BLOCKS : 0 },
			      err)) {
		perfetto_write_drop(writer);
		return NULL;
	}
	if (!writer->is_more && (perfetto_describe_clocks(&writer->out, opts->is_import) ||
				 perfetto_describe_system(&writer->out, opts->is_import) ||
				 (!opts->overwrites && sync_(&writer->sink, err)))) {
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
	for (uint32_t i = 0; i < writer->n_sequences; i++)
		perfetto_told_done(&writer->sequence[i].told);
	array_done(&writer->free_sequences, sizeof(uint32_t));
	free(writer->sequence);
	free(writer->track);
	perfetto_texts_done(&writer->texts);
	perfetto_samples_done(&writer->samples);
	free(writer->quick);
	perfetto_out_done(&writer->out);
	free(writer);
}

int perfetto_write_free(struct perfetto_writer *writer, struct err *err)
{
	int result = writer ? sink_sync(&writer->sink, err) : 0;

	perfetto_write_drop(writer);
	return result;
}
