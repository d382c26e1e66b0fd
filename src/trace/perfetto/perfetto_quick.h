/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frequent packets of a recording, written from bytes that were encoded before: the begin of a slice whose name,
 * category and leading texts occurred already on this sequence, and an end without arguments. Only the time and the
 * integers behind the texts are encoded anew. For perfetto_write.c, which writes every other packet, and makes the
 * template of a slice when it writes it the long way.
 *
 * Templates lie in a table by the name of the slice; another slice with the same place takes it over.
 */
#ifndef TRACE_PERFETTO_PERFETTO_QUICK_H
#define TRACE_PERFETTO_PERFETTO_QUICK_H

#include "base/pb.h"
#include "event/event.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_texts.h"

enum {
	QUICK_TEXTS = 3,	/* leading arguments of a template: texts */
	QUICK_INTEGERS = 2,	/* behind them */
	QUICK_BYTES = 64,	/* upper bound for the encoded part of a template */
	QUICK_ROOM = 160,	/* upper bound for a packet, and what copies in words write behind it */
	QUICK_TEMPLATES = 4096, /* a power of two */
};

struct quick_template {
	uint32_t name, state; /* of the sequence in which its texts are defined; 0: an unused template */
	uint32_t kind;
	uint8_t n_texts, len;
	uint8_t n_args; /* of the event that it was made from: behind the texts, integers alone; else n_texts */
	struct quick_arg {
		uint32_t form;	     /* key and type, as in struct arg */
		uint32_t text, mask; /* mask 0: any integer */
	} arg[QUICK_TEXTS + QUICK_INTEGERS];
	uint8_t bytes[QUICK_BYTES]; /* of the track event: type, category, name, texts */
};

/* The same in each packet of a sequence. */
struct quick_sequence {
	uint8_t id[8];	 /* its number, then the tag of the track event */
	uint8_t end[16]; /* the same, and the event of an end */
	uint8_t n_id, n_end;
};

void quick_sequence_init(struct quick_sequence *sequence, uint32_t number);
/* The leading arguments that a template holds. */
size_t quick_texts(const struct event *event);
/* Whether all arguments from the nth on are integers, and few enough. */
bool quick_ends_in_integers(const struct event *event, size_t n);

static inline uint8_t *quick_varint(uint8_t *at, uint64_t value)
{
	if (__builtin_expect(value < 0x80, 1)) {
		*at = (uint8_t)value;
		return at + 1;
	}
	if (__builtin_expect(value < 0x4000, 1)) {
		at[0] = (uint8_t)(value | 0x80);
		at[1] = (uint8_t)(value >> 7);
		return at + 2;
	}
	return pb_put_varint(at, value);
}

/*
 * tag, length, time. *packet: behind the length. A short time takes two bytes, too (the second one may be 0): so
 * packets that repeat have the same length and the same distance, which deflate makes less of, and in less time.
 */
static inline uint8_t *quick_open_time(uint8_t *at, uint64_t delta_ns, uint8_t **packet)
{
	at[0] = PB_TAG(TRACE_PACKET, PB_BYTES);
	at[2] = PB_TAG(PACKET_TIMESTAMP, PB_VARINT);
	*packet = at + 2;
	if (__builtin_expect(delta_ns >= 0x4000, 0))
		return pb_put_varint(at + 3, delta_ns);
	at[3] = (uint8_t)(delta_ns | 0x80);
	at[4] = (uint8_t)(delta_ns >> 7);
	return at + 5;
}

/* The same, and the sequence, up to the track event's tag: what follows is its length. */
static inline uint8_t *quick_open(uint8_t *at, const struct quick_sequence *sequence, uint64_t delta_ns,
				  uint8_t **packet)
{
	at = quick_open_time(at, delta_ns, packet);
	memcpy(at, sequence->id, sizeof sequence->id);
	return at + sequence->n_id;
}

static inline uint8_t *quick_end(uint8_t *at, const struct quick_sequence *sequence, uint64_t delta_ns)
{
	uint8_t *packet;

	at = quick_open_time(at, delta_ns, &packet);
	memcpy(at, sequence->end, sizeof sequence->end);
	at += sequence->n_end;
	packet[-1] = (uint8_t)(at - packet);
	return at;
}

/* Key and type. */
static inline uint32_t quick_form(const struct arg *arg)
{
	uint32_t form;

	memcpy(&form, arg, sizeof form);
	return form;
}

/* The same for an event with other integers than the one that the template was made from. */
bool quick_is_like(const struct quick_template *template, const struct event *event, uint32_t state,
		   const struct perfetto_told *told);

/* Whether the event is the template's, but for time and integers; else it must go the long way. */
static inline bool quick_is(const struct quick_template *template, const struct event *event, uint32_t state,
			    const struct perfetto_told *told)
{
	uint64_t differs = (template->name ^ event->name) | (template->state ^ state) | (template->kind ^ event->kind);
	const struct arg *arg = event->args;

	if (event->n_args != template->n_args)
		return quick_is_like(template, event, state, told);
	/* keys of integers were told in this state when the template was made */
	for (const struct quick_arg *of = template->arg; of < template->arg + template->n_args; of++, arg++)
		differs |= (quick_form(arg) ^ of->form) | ((arg->name ^ of->text) & of->mask);
	return !differs || quick_is_like(template, event, state, told);
}

static inline uint8_t *quick_integer(uint8_t *at, const struct arg *arg)
{
	uint8_t *end;

	at[0] = PB_TAG(EVENT_ANNOTATIONS, PB_BYTES);
	at[2] = PB_TAG(ANNOTATION_NAME_IID, PB_VARINT);
	end = quick_varint(at + 3, arg->key);
	*end = PB_TAG(ANNOTATION_INT, PB_VARINT);
	end = quick_varint(end + 1, (uint64_t)arg->integer);
	at[1] = (uint8_t)(end - at - 2);
	return end;
}

static inline uint8_t *quick_begin(uint8_t *at, const struct quick_sequence *sequence, uint64_t delta_ns,
				   const struct quick_template *template, const struct event *event)
{
	uint8_t *packet, *inside;

	at = quick_open(at, sequence, delta_ns, &packet);
	inside = ++at;
	memcpy(at, template->bytes, 32);
	if (template->len > 32)
		memcpy(at + 32, template->bytes + 32, QUICK_BYTES - 32);
	at += template->len;
	for (size_t i = template->n_texts; i < event->n_args; i++)
		at = quick_integer(at, &event->args[i]);
	inside[-1] = (uint8_t)(at - inside);
	packet[-1] = (uint8_t)(at - packet);
	return at;
}

#endif
