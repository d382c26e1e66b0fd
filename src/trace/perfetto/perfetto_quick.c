// SPDX-License-Identifier: Apache-2.0
/* Prepares what the inline functions of perfetto_quick.h copy. */
#include "trace/perfetto/perfetto_quick.h"

/* Each message has a length of one byte. */
_Static_assert(10 + 8 + QUICK_BYTES + QUICK_INTEGERS * 16 < 0x80, "a packet needs one byte for its length");
_Static_assert(2 + 1 + PB_VARINT_MAX + 8 + 1 + QUICK_BYTES + QUICK_INTEGERS * 16 <= QUICK_ROOM, "room for a packet");

void quick_sequence_init(struct quick_sequence *sequence, uint32_t number)
{
	uint8_t *at = pb_put_uint(sequence->id, PACKET_SEQUENCE_ID, number);

	at = pb_put_varint(at, PB_TAG(PACKET_TRACK_EVENT, PB_BYTES));
	sequence->n_id = (uint8_t)(at - sequence->id);
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
