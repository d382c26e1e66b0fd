// SPDX-License-Identifier: Apache-2.0
/* Prepares what the inline functions of perfetto_quick.h copy. */
#include "trace/perfetto/perfetto_quick.h"

/* Each message has a length of one byte. */
_Static_assert(10 + 8 + QUICK_BYTES + QUICK_INTEGERS * 16 < 0x80, "a packet needs one byte for its length");
_Static_assert(2 + 1 + PB_VARINT_MAX + 8 + 1 + QUICK_BYTES + QUICK_INTEGERS * 16 <= QUICK_ROOM, "room for a packet");

void quick_sequence_init(struct quick_sequence *sequence, uint32_t number)
{
	static const uint8_t end[] = { 2, PB_TAG(EVENT_TYPE, PB_VARINT), TYPE_END };
	uint8_t *at = pb_put_uint(sequence->id, PACKET_SEQUENCE_ID, number);

	at = pb_put_varint(at, PB_TAG(PACKET_TRACK_EVENT, PB_BYTES));
	sequence->n_id = (uint8_t)(at - sequence->id);
	memcpy(sequence->end, sequence->id, sequence->n_id);
	memcpy(sequence->end + sequence->n_id, end, sizeof end);
	sequence->n_end = (uint8_t)(sequence->n_id + sizeof end);
}

bool quick_is_like(const struct quick_template *template, const struct event *event, uint32_t state,
		   const struct perfetto_told *told)
{
	if (template->name != event->name || template->state != state || template->kind != event->kind ||
	    event->n_args < template->n_texts || event->n_args > (size_t)template->n_texts + QUICK_INTEGERS)
		return false;
	for (size_t i = 0; i < template->n_texts; i++)
		if (event->args[i].name != template->arg[i].text ||
		    quick_form(&event->args[i]) != template->arg[i].form)
			return false;
	for (size_t i = template->n_texts; i < event->n_args; i++) {
		const struct arg *arg = &event->args[i];
		if (arg->type != ARG_INT || !perfetto_is_annotation(arg) || !perfetto_is_key_told(told, arg->key))
			return false;
	}
	return true;
}

bool quick_ends_in_integers(const struct event *event, size_t n)
{
	if (event->n_args > n + QUICK_INTEGERS)
		return false;
	while (n < event->n_args && event->args[n].type == ARG_INT && perfetto_is_annotation(&event->args[n]))
		n++;
	return n == event->n_args;
}

size_t quick_texts(const struct event *event)
{
	size_t n = 0;

	while (n < event->n_args && n < QUICK_TEXTS && event->args[n].type == ARG_NAME && event->args[n].name &&
	       !names_is_passing(event->args[n].name) && perfetto_is_annotation(&event->args[n]))
		n++;
	return n;
}
