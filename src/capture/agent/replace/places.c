// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/replace/places.h"

unsigned places_take(struct place *places, const struct copy *copy, uint8_t role, void *real)
{
	unsigned at = 0;

	while (at < PLACES && (places[at].real != real || places[at].role != role))
		at++;
	for (unsigned i = 0; at == PLACES && i < PLACES; i++)
		at = places[i].real ? at : i;
	if (at == PLACES)
		return at;
	if (!places[at].real)
		places[at] = (struct place){ .role = role };
	if (copy)
		places[at].users |= (uint16_t)(1u << copy->number);
	else
		places[at].is_kept = true;
	__atomic_store_n(&places[at].real, real, __ATOMIC_RELEASE);
	return at;
}

void places_forget_gone(struct place *places)
{
	uint16_t gone = 0;

	for (uint32_t i = 0; i < n_copies; i++)
		gone |= (uint16_t)(copies[i].is_unloaded ? 1u << i : 0);
	for (unsigned i = 0; i < PLACES; i++) {
		places[i].users &= (uint16_t)~gone;
		if (!places[i].users && !places[i].is_kept)
			places[i].real = NULL;
	}
}
