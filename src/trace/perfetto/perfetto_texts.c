// SPDX-License-Identifier: Apache-2.0
/* Numbers texts and writes their definitions, each in a packet of its own. */
#include "trace/perfetto/perfetto_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pb.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_out.h"

enum { HEAD_ROOM = 64 }; /* upper bound for the packet around a single text */

static int out_of_memory(struct perfetto_texts *texts)
{
	return err_no_memory(&texts->out->err, "cannot write the recording");
}

static int tell(struct perfetto_texts *texts, uint32_t sequence, uint32_t field, uint32_t number, const char *text,
		size_t len)
{
	uint8_t *at = perfetto_out_room(texts->out, HEAD_ROOM + 3 * len), *packet, *data, *entry;

	if (!at)
		return -1;
	at = pb_open(at, TRACE_PACKET, &packet);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, sequence);
	at = pb_open(at, PACKET_INTERNED_DATA, &data);
	at = pb_open(at, field, &entry);
	at = pb_put_uint(at, ENTRY_IID, number);
	at = perfetto_describe_text(at, ENTRY_TEXT, text, len);
	perfetto_out_end(texts->out, pb_close(pb_close(pb_close(at, entry), data), packet));
	return 0;
}

static bool was_seen(const struct perfetto_seen *seen, uint32_t number)
{
	return number / 64 < seen->n_words && seen->bits[number / 64] >> number % 64 & 1;
}

int perfetto_seen_add(struct perfetto_seen *seen, uint32_t number)
{
	if (was_seen(seen, number))
		return 0;
	if (!ARRAY_ROOM(seen->bits, seen->n_words, number / 64 + 1))
		return -1;
	seen->bits[number / 64] |= (uint64_t)1 << number % 64;
	return 1;
}

void perfetto_seen_done(struct perfetto_seen *seen)
{
	free(seen->bits);
}

static int tell_text(struct perfetto_texts *texts, struct perfetto_told *told, uint32_t sequence, bool is_value,
		     uint32_t id)
{
	struct perfetto_numbers *numbers = is_value ? &texts->values : &texts->names;
	struct perfetto_seen *seen = is_value ? &told->values : &told->names;
	uint32_t number;

	if (!ARRAY_ROOM(numbers->of, numbers->n, (size_t)id + 1))
		return out_of_memory(texts);
	if (!numbers->of[id])
		numbers->of[id] = ++numbers->last;
	number = numbers->of[id];
	if (perfetto_seen_add(seen, number) < 0)
		return out_of_memory(texts);
	return tell(texts, sequence, is_value ? INTERNED_ANNOTATION_STRINGS : INTERNED_NAMES, number,
		    names_text(texts->texts, id), names_len(texts->texts, id));
}

static bool is_told(const struct perfetto_numbers *numbers, const struct perfetto_seen *seen, uint32_t id)
{
	return id < numbers->n && numbers->of[id] && was_seen(seen, numbers->of[id]);
}

static int tell_key(struct perfetto_texts *texts, struct perfetto_told *told, uint32_t sequence, uint32_t key)
{
	const char *text = event_key_name(key);

	told->keys[key / 64] |= (uint64_t)1 << key % 64;
	return tell(texts, sequence, INTERNED_ANNOTATION_NAMES, key, text, strlen(text));
}

static int tell_args(struct perfetto_texts *texts, struct perfetto_told *told, uint32_t sequence,
		     const struct event *event)
{
	for (size_t i = 0; i < event->n_args; i++) {
		const struct arg *arg = &event->args[i];
		if (!perfetto_is_annotation(arg))
			continue;
		if (!perfetto_is_key_told(told, arg->key) && tell_key(texts, told, sequence, arg->key))
			return -1;
		if (arg->type == ARG_NAME && arg->name && !names_is_passing(arg->name) &&
		    !is_told(&texts->values, &told->values, arg->name) &&
		    tell_text(texts, told, sequence, true, arg->name))
			return -1;
	}
	return 0;
}

static int tell_name(struct perfetto_texts *texts, struct perfetto_told *told, uint32_t sequence,
		     const struct event *event)
{
	if (event->kind && !(told->kinds >> event->kind & 1)) {
		const char *text = event_kind_name(event->kind);
		told->kinds |= 1u << event->kind;
		if (tell(texts, sequence, INTERNED_CATEGORIES, event->kind, text, strlen(text)))
			return -1;
	}
	if (event->name && !names_is_passing(event->name) && !is_told(&texts->names, &told->names, event->name))
		return tell_text(texts, told, sequence, false, event->name);
	return 0;
}

int perfetto_texts_tell_value(struct perfetto_texts *texts, struct perfetto_told *told, uint32_t sequence, uint32_t id)
{
	if (!id || names_is_passing(id) || is_told(&texts->values, &told->values, id))
		return 0;
	return tell_text(texts, told, sequence, true, id);
}

int perfetto_texts_tell(struct perfetto_texts *texts, struct perfetto_told *told, uint32_t sequence,
			const struct event *event)
{
	if ((event->type == EVENT_BEGIN || event->type == EVENT_INSTANT) && tell_name(texts, told, sequence, event))
		return -1;
	return tell_args(texts, told, sequence, event);
}

void perfetto_texts_done(struct perfetto_texts *texts)
{
	free(texts->names.of);
	free(texts->values.of);
}

void perfetto_told_done(struct perfetto_told *told)
{
	perfetto_seen_done(&told->names);
	perfetto_seen_done(&told->values);
}
