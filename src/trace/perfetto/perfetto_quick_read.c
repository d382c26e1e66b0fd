// SPDX-License-Identifier: Apache-2.0
/*
 * The form of a frequent packet: a time on the sequence's own clock, the number of the sequence, and an event without a
 * track, all of less than 128 bytes. The event is an end, or the begin of a slice with a category and a name. Its
 * arguments are integers or interned texts. A packet that differs in anything is left to the caller:
 * nothing is changed before its last byte is known.
 */
#include "trace/perfetto/perfetto_quick_read.h"

#include "trace/perfetto/perfetto_fields.h"

enum { MAX_BYTES = 127, QUICK_ARGS = 16 };

struct quick {
	const struct dictionary *dictionary;
	struct sequence *sequence;
	struct clock *clock;
	uint64_t delta_ns;
	struct event event;
	struct arg arg[QUICK_ARGS];
};

/* Cuts a number off; false: it does not end before `end`. */
static inline bool get(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	const uint8_t *from = *at;
	unsigned shift = 7;

	if (__builtin_expect(from == end, 0))
		return false;
	*value = *from & 0x7f;
	while (*from++ & 0x80) {
		if (from == end || shift > 56)
			return false;
		*value |= (uint64_t)(*from & 0x7f) << shift;
		shift += 7;
	}
	*at = from;
	return true;
}

/* An argument: an integer, or an interned text. */
static inline bool get_arg(const struct dictionary *dictionary, const uint8_t *at, const uint8_t *end, struct arg *arg)
{
	uint64_t value;

	if (end - at < 4 || at[0] != PB_TAG(ANNOTATION_NAME_IID, PB_VARINT) || at[1] >= PERFETTO_LOW_KEYS ||
	    dictionary->key[at[1]] < 2)
		return false;
	arg->key = (uint16_t)(dictionary->key[at[1]] - 1);
	if (arg->key == KEY_FLOW || arg->key == KEY_FLOW_END || arg->key == KEY_CONTINUED)
		return false;
	if (at[2] == PB_TAG(ANNOTATION_INT, PB_VARINT)) {
		at += 3;
		arg->type = ARG_INT;
		return get(&at, end, (uint64_t *)&arg->integer) && at == end;
	}
	if (at[2] != ((PB_TAG(ANNOTATION_STRING_IID, PB_VARINT) & 0x7f) | 0x80) ||
	    at[3] != PB_TAG(ANNOTATION_STRING_IID, PB_VARINT) >> 7)
		return false;
	at += 4;
	if (!get(&at, end, &value) || at != end)
		return false;
	arg->type = ARG_NAME;
	arg->integer = 0;
	arg->name = value < dictionary->strings.room ? dictionary->strings.id[value] : 0;
	return arg->name--;
}

static inline bool get_args(struct quick *quick, const uint8_t *at, const uint8_t *end)
{
	size_t n = 0;

	for (; at < end; at += 2 + at[1], n++)
		if (n == QUICK_ARGS || end - at < 2 || at[0] != PB_TAG(EVENT_ANNOTATIONS, PB_BYTES) ||
		    at[1] > end - at - 2 || !get_arg(quick->dictionary, at + 2, at + 2 + at[1], &quick->arg[n]))
			return false;
	quick->event.n_args = n;
	return true;
}

/* Category and name, which a begin has behind its type. */
static inline const uint8_t *get_name(struct quick *quick, const uint8_t *at, const uint8_t *end)
{
	const struct dictionary *dictionary = quick->dictionary;
	struct event *event = &quick->event;
	uint64_t name;

	if (end - at < 4 || at[0] != PB_TAG(EVENT_CATEGORY_IIDS, PB_VARINT) || at[1] >= PERFETTO_LOW_KINDS ||
	    !dictionary->kind[at[1]] || at[2] != PB_TAG(EVENT_NAME_IID, PB_VARINT))
		return NULL;
	event->kind = (enum event_kind)(dictionary->kind[at[1]] - 1);
	at += 3;
	if (!get(&at, end, &name))
		return NULL;
	event->name = name < dictionary->names.room ? dictionary->names.id[name] : 0;
	return event->name-- ? at : NULL;
}

static inline bool get_event(struct quick *quick, const uint8_t *at, const uint8_t *end)
{
	struct event *event = &quick->event;
	const uint8_t *args = at + 2;

	if (end - at < 2 || at[0] != PB_TAG(EVENT_TYPE, PB_VARINT))
		return false;
	if (at[1] == TYPE_END) {
		event->type = EVENT_END;
		event->kind = KIND_NONE;
		event->name = 0;
	} else {
		event->type = EVENT_BEGIN;
		args = at[1] == TYPE_BEGIN ? get_name(quick, args, end) : NULL;
	}
	return args && get_args(quick, args, end);
}

/* Without looking for it: nothing is changed if it is new. */
static inline struct sequence *find_sequence(struct state *state, uint64_t id)
{
	uint32_t index;

	if (id == state->last_id && state->last_index)
		return &state->sequence[state->last_index - 1];
	index = id <= UINT32_MAX ? perfetto_map_get(&state->sequence_of, id) : 0;
	if (!index)
		return NULL;
	state->last_id = (uint32_t)id;
	state->last_index = index;
	return &state->sequence[index - 1];
}

/* The clock that times of the sequence are distances on, in nanoseconds; NULL: another one is the default. */
static inline struct clock *find_clock(const struct sequence *sequence)
{
	struct clock *clock = sequence->clocks.clock;

	return sequence->clocks.n == 1 && sequence->default_clock == CLOCK_SEQUENCE_ID &&
		       clock->id == CLOCK_SEQUENCE_ID && clock->is_incremental && clock->unit_ns == 1
		   ? clock
		   : NULL;
}

static inline bool get_packet(struct state *state, struct quick *quick, const uint8_t *at, const uint8_t *end)
{
	uint64_t id;

	if (end - at < 6 || *at++ != PB_TAG(PACKET_TIMESTAMP, PB_VARINT) || !get(&at, end, &quick->delta_ns) ||
	    at == end || *at++ != PB_TAG(PACKET_SEQUENCE_ID, PB_VARINT) || !get(&at, end, &id) || end - at < 2 ||
	    at[0] != PB_TAG(PACKET_TRACK_EVENT, PB_BYTES) || at[1] != end - at - 2)
		return false;
	quick->sequence = find_sequence(state, id);
	if (!quick->sequence || !quick->sequence->is_valid || quick->sequence->has_own ||
	    !quick->sequence->default_track)
		return false;
	quick->clock = find_clock(quick->sequence);
	return quick->clock && get_event(quick, at + 2, end);
}

int perfetto_quick_read(struct reader *reader, struct pb_in *in)
{
	struct quick quick = { .dictionary = &reader->state.dictionary, .event.args = quick.arg };
	uint64_t time_ns;

	while (in->end - in->at > 2 && in->at[0] == PB_TAG(TRACE_PACKET, PB_BYTES) && in->at[1] <= MAX_BYTES &&
	       in->at[1] <= in->end - in->at - 2 &&
	       get_packet(&reader->state, &quick, in->at + 2, in->at + 2 + in->at[1])) {
		time_ns = quick.clock->last_ns + quick.delta_ns + quick.clock->offset_ns;
		if (time_ns > INT64_MAX)
			return 0;
		quick.clock->last_ns += quick.delta_ns;
		quick.event.time_ns = time_ns;
		reader->result->n_packets++;
		reader->has_events = reader->has_begun = true;
		if (perfetto_event_put(reader, quick.sequence->default_track, &quick.event))
			return -1;
		in->at += 2 + in->at[1];
	}
	return 0;
}
