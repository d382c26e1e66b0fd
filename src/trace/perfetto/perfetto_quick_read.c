// SPDX-License-Identifier: Apache-2.0
/*
 * The form of a frequent packet: a time on the sequence's own clock, the number of the sequence, and an event without a
 * track, all of less than 128 bytes. The event is an end, or the begin of a slice with a category and a name. Its
 * arguments are integers or interned texts. A packet that differs in anything is left to the caller:
 * nothing is changed before its last byte is known.
 *
 * The writer encodes all of an event but its integers once, and copies those bytes into each packet (perfetto_quick.h).
 * So this keeps what such bytes mean, in a table by some of them, and compares the next packet's bytes with them. What
 * a number of the dictionary means never changes: neither do the rows.
 */
#include <stdlib.h>

#include "trace/perfetto/perfetto_event.h"
#include "trace/perfetto/perfetto_fields.h"

enum {
	MAX_BYTES = 127,
	QUICK_ARGS = 16,
	ROOM = 2 + MAX_BYTES + 8, /* of a packet, and what reading in words may read behind it */
	KNOWN_ROWS = 4096,	  /* a power of two */
	KNOWN_BYTES = 48,
	KNOWN_ARGS = 3,
};

/* The first bytes of an event, up to its first argument that is no text, and what they mean. */
struct perfetto_known {
	uint8_t len; /* 0: an unused row */
	uint8_t n_args;
	uint8_t type, kind;
	uint32_t name;
	uint8_t bytes[KNOWN_BYTES + 8];
	struct arg arg[KNOWN_ARGS];
};

struct quick {
	const struct dictionary *dictionary;
	struct perfetto_known *known; /* the table */
	struct sequence *sequence;
	struct clock *clock;
	uint32_t track;
	uint64_t id; /* of the sequence, once that was checked */
	uint64_t delta_ns;
	struct event event;
	struct arg arg[QUICK_ARGS];
	size_t n_leading; /* arguments that are texts, before the first that is none, */
	const uint8_t *leading_end;
};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest of a word");

static inline uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return word;
}

/* Cuts a number off, where 8 bytes can be read; false: it is longer than these. */
static inline bool get_fast(const uint8_t **at, uint64_t *value)
{
	uint64_t word = word_at(*at), last = ~word & 0x8080808080808080u;

	if (__builtin_expect(!(word & 0x80), 0)) {
		*value = word & 0x7f;
		++*at;
		return true;
	}
	if (__builtin_expect(!last, 0))
		return false;
	*at += (unsigned)__builtin_ctzll(last) / 8 + 1;
	/* the bytes up to the last one, without their highest bits: seven bits of each move together */
	word &= (last ^ (last - 1)) & 0x7f7f7f7f7f7f7f7fu;
	word = (word & 0x007f007f007f007fu) | (word & 0x7f007f007f007f00u) >> 1;
	word = (word & 0x00003fff00003fffu) | (word & 0x3fff00003fff0000u) >> 2;
	*value = (word & 0x0fffffffu) | (word & 0x0fffffff00000000u) >> 4;
	return true;
}

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

static inline bool is_plain_key(uint32_t key)
{
	return key != KEY_FLOW && key != KEY_FLOW_END && key != KEY_CONTINUED;
}

/* An argument: an integer, or an interned text. */
static inline bool get_arg(const struct dictionary *dictionary, const uint8_t *at, const uint8_t *end, struct arg *arg)
{
	uint64_t value;

	if (end - at < 4 || at[0] != PB_TAG(ANNOTATION_NAME_IID, PB_VARINT) || at[1] >= PERFETTO_LOW_KEYS ||
	    dictionary->key[at[1]] < 2)
		return false;
	arg->key = (uint16_t)(dictionary->key[at[1]] - 1);
	if (!is_plain_key(arg->key))
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

	quick->n_leading = 0;
	quick->leading_end = at;
	for (; at < end; at += 2 + at[1], n++) {
		if (n == QUICK_ARGS || end - at < 2 || at[0] != PB_TAG(EVENT_ANNOTATIONS, PB_BYTES) ||
		    at[1] > end - at - 2 || !get_arg(quick->dictionary, at + 2, at + 2 + at[1], &quick->arg[n]))
			return false;
		if (quick->arg[n].type == ARG_NAME && quick->n_leading == n && n < KNOWN_ARGS) {
			quick->n_leading = n + 1;
			quick->leading_end = at + 2 + at[1];
		}
	}
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

/* The row for an event: by its type, and the number of its name, which follows the category, or of its first key. */
static inline struct perfetto_known *known_of(const struct quick *quick, const uint8_t *at)
{
	uint32_t number = (at[5] & 0x7fu) | (at[5] & 0x80u ? (uint32_t)at[6] << 7 : 0);

	return &quick->known[(number << 1 | (at[1] & 1)) % KNOWN_ROWS];
}

static inline bool is_same(const uint8_t *a, const uint8_t *b, size_t n)
{
	for (; n >= 8; a += 8, b += 8, n -= 8)
		if (word_at(a) != word_at(b))
			return false;
	return !n || !((word_at(a) ^ word_at(b)) << (64 - 8 * n));
}

/* Behind what is known: integers, and nothing else. */
static inline bool get_integers(struct quick *quick, const uint8_t *at, const uint8_t *end, size_t n)
{
	const uint64_t tags = PB_TAG(EVENT_ANNOTATIONS, PB_BYTES) | PB_TAG(ANNOTATION_NAME_IID, PB_VARINT) << 16 |
			      (uint64_t)PB_TAG(ANNOTATION_INT, PB_VARINT) << 32;

	for (; at < end; n++) {
		uint64_t word = word_at(at);
		const uint8_t *start = at + 2;
		uint32_t number = word >> 24 & 0xff, key;
		if (n == QUICK_ARGS || (word & 0xff00ff00ff) != tags || number >= PERFETTO_LOW_KEYS ||
		    quick->dictionary->key[number] < 2)
			return false;
		key = quick->dictionary->key[number] - 1u;
		at += 5;
		quick->arg[n].key = (uint16_t)key;
		quick->arg[n].type = ARG_INT;
		if (!is_plain_key(key) || !get_fast(&at, (uint64_t *)&quick->arg[n].integer) ||
		    at - start != (ptrdiff_t)(word >> 8 & 0xff))
			return false;
	}
	quick->event.n_args = n;
	return at == end;
}

/* An event that begins like one before, in a buffer that goes on behind it. */
static inline bool get_known(struct quick *quick, const uint8_t *at, const uint8_t *end)
{
	const struct perfetto_known *known = known_of(quick, at);

	if (!known->len || known->len > end - at || !is_same(known->bytes, at, known->len))
		return false;
	quick->event.type = known->type;
	quick->event.kind = known->kind;
	quick->event.name = known->name;
	memcpy(quick->arg, known->arg, sizeof known->arg);
	return get_integers(quick, at + known->len, end, known->n_args);
}

static void learn(const struct quick *quick, const uint8_t *at)
{
	struct perfetto_known *known = known_of(quick, at);
	size_t len = (size_t)(quick->leading_end - at);

	if (len > KNOWN_BYTES)
		return;
	*known = (struct perfetto_known){ .len = (uint8_t)len,
					  .n_args = (uint8_t)quick->n_leading,
					  .type = (uint8_t)quick->event.type,
					  .kind = (uint8_t)quick->event.kind,
					  .name = quick->event.name };
	memcpy(known->bytes, at, len);
	memcpy(known->arg, quick->arg, quick->n_leading * sizeof *known->arg);
}

static bool get_event(struct quick *quick, const uint8_t *at, const uint8_t *end)
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

/* The sequence, its clock and track, which stay as they are until this returns to the caller. */
static bool use_sequence(struct state *state, struct quick *quick, uint64_t id)
{
	struct sequence *sequence = find_sequence(state, id);

	quick->id = UINT64_MAX;
	if (!sequence || !sequence->is_valid || sequence->has_own || !sequence->default_track)
		return false;
	quick->sequence = sequence;
	quick->clock = find_clock(sequence);
	quick->track = sequence->default_track;
	if (quick->clock)
		quick->id = id;
	return quick->clock;
}

static inline bool get_packet(struct state *state, struct quick *quick, const uint8_t *at, const uint8_t *end)
{
	uint64_t id;

	return end - at >= 6 && *at++ == PB_TAG(PACKET_TIMESTAMP, PB_VARINT) && get(&at, end, &quick->delta_ns) &&
	       at < end && *at++ == PB_TAG(PACKET_SEQUENCE_ID, PB_VARINT) && get(&at, end, &id) && end - at >= 2 &&
	       at[0] == PB_TAG(PACKET_TRACK_EVENT, PB_BYTES) && at[1] == end - at - 2 &&
	       (id == quick->id || use_sequence(state, quick, id)) && get_event(quick, at + 2, end);
}

/* The same, where ROOM bytes can be read. */
static inline bool get_packet_fast(struct state *state, struct quick *quick, const uint8_t *at, const uint8_t *end)
{
	uint64_t id;

	if (*at++ != PB_TAG(PACKET_TIMESTAMP, PB_VARINT) || !get_fast(&at, &quick->delta_ns) ||
	    *at++ != PB_TAG(PACKET_SEQUENCE_ID, PB_VARINT) || !get_fast(&at, &id) ||
	    at[0] != PB_TAG(PACKET_TRACK_EVENT, PB_BYTES) || at[1] != end - at - 2)
		return false;
	at += 2;
	if (id != quick->id && !use_sequence(state, quick, id))
		return false;
	if (end - at == 2 && at[0] == PB_TAG(EVENT_TYPE, PB_VARINT) && at[1] == TYPE_END) {
		quick->event.type = EVENT_END;
		quick->event.kind = KIND_NONE;
		quick->event.name = 0;
		quick->event.n_args = 0;
		return true;
	}
	if (end - at > 2 && get_known(quick, at, end))
		return true;
	if (!get_event(quick, at, end))
		return false;
	learn(quick, at);
	return true;
}

static inline bool next_packet(struct state *state, struct quick *quick, const struct pb_in *in)
{
	const uint8_t *at = in->at;

	if (in->end - at <= 2 || at[0] != PB_TAG(TRACE_PACKET, PB_BYTES) || at[1] > MAX_BYTES)
		return false;
	if (__builtin_expect(in->end - at >= ROOM && at[1] >= 6, 1))
		return get_packet_fast(state, quick, at + 2, at + 2 + at[1]);
	return at[1] <= in->end - at - 2 && get_packet(state, quick, at + 2, at + 2 + at[1]);
}

int perfetto_quick_read(struct reader *reader, struct pb_in *in)
{
	struct quick quick = { .dictionary = &reader->state.dictionary, .id = UINT64_MAX, .event.args = quick.arg };
	uint64_t time_ns;

	if (!reader->known && !(reader->known = calloc(KNOWN_ROWS, sizeof *reader->known)))
		return perfetto_state_out_of_memory(reader->err);
	quick.known = reader->known;
	while (next_packet(&reader->state, &quick, in)) {
		time_ns = quick.clock->last_ns + quick.delta_ns + quick.clock->offset_ns;
		if (time_ns > INT64_MAX)
			return 0;
		quick.clock->last_ns += quick.delta_ns;
		quick.event.time_ns = time_ns;
		reader->result->n_packets++;
		reader->has_events = reader->has_begun = true;
		if (perfetto_event_put(reader, quick.track, &quick.event))
			return -1;
		in->at += 2 + in->at[1];
	}
	return 0;
}
