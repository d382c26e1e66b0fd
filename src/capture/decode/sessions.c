// SPDX-License-Identifier: Apache-2.0
/* A table of sessions, of which those that were released are forgotten. */
#include "capture/decode/sessions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	FIRST_SLOTS = 64,
	MAX_LIVING = 1 << 20,
	ROUNDS = 3, /* the one of the release, one in which other rings are read, and one in which lanes are put */
};

/* The slot where the search for this number begins. */
static uint32_t home_of(const struct sessions *sessions, uint32_t number)
{
	return number * 0x9e3779b1u >> 7 & (sessions->n_slots - 1);
}

/* The slot of this number, or the free one where it belongs. */
static uint32_t place_of(const struct sessions *sessions, uint32_t number)
{
	uint32_t at = home_of(sessions, number);

	while (sessions->slot[at].number && sessions->slot[at].number != number)
		at = (at + 1) & (sessions->n_slots - 1);
	return at;
}

static int grow(struct sessions *sessions)
{
	struct sessions grown = *sessions;

	grown.n_slots = sessions->n_slots ? 2 * sessions->n_slots : FIRST_SLOTS;
	grown.slot = calloc(grown.n_slots, sizeof *grown.slot);
	if (!grown.slot)
		return -1;
	for (uint32_t i = 0; i < sessions->n_slots; i++)
		if (sessions->slot[i].number)
			grown.slot[place_of(&grown, sessions->slot[i].number)] = sessions->slot[i];
	free(sessions->slot);
	*sessions = grown;
	return 0;
}

struct session *sessions_at(struct sessions *sessions, uint32_t number)
{
	uint32_t at;

	if (!number)
		return &sessions->unknown;
	if (2 * sessions->n >= sessions->n_slots && sessions->n < MAX_LIVING && grow(sessions))
		return NULL;
	at = place_of(sessions, number);
	if (!sessions->slot[at].number) {
		if (sessions->n == MAX_LIVING)
			return &sessions->unknown;
		sessions->slot[at] = (struct session){ .number = number };
		sessions->n++;
	}
	return &sessions->slot[at];
}

const struct session *sessions_find(const struct sessions *sessions, uint32_t number)
{
	const struct session *session =
	    number && sessions->n_slots ? &sessions->slot[place_of(sessions, number)] : NULL;

	return session && session->number ? session : NULL;
}

/* Those behind it move up, so that each is still found from where its number belongs. */
static void forget(struct sessions *sessions, uint32_t number)
{
	uint32_t mask = sessions->n_slots - 1, hole, at;

	if (!sessions_find(sessions, number))
		return;
	hole = place_of(sessions, number);
	sessions->n--;
	for (at = (hole + 1) & mask; sessions->slot[at].number; at = (at + 1) & mask) {
		if (((at - home_of(sessions, sessions->slot[at].number)) & mask) < ((at - hole) & mask))
			continue;
		sessions->slot[hole] = sessions->slot[at];
		hole = at;
	}
	sessions->slot[hole].number = 0;
}

void sessions_release(struct sessions *sessions, uint32_t number)
{
	if (!number || !ARRAY_ROOM(sessions->gone, sessions->gone_capacity, sessions->n_gone + 1))
		return; /* without memory it is kept */
	sessions->gone[sessions->n_gone++] = (struct session_gone){ number, sessions->round };
}

int sessions_take(struct sessions *sessions, const struct record *record)
{
	struct session *session = sessions_at(sessions, record->id);
	uint64_t ns = record->value < INT64_MAX ? record->value : INT64_MAX;

	if (!session)
		return -ENOMEM;
	if (record->type == RECORD_POOL) {
		session->n_pool = record->run;
		session->pool_ns = ns;
	} else {
		session->has_wait = true;
		session->wait_ns = ns;
	}
	return 0;
}

void sessions_end_round(struct sessions *sessions)
{
	size_t n = 0;

	sessions->round++;
	while (n < sessions->n_gone && sessions->round - sessions->gone[n].round >= ROUNDS)
		forget(sessions, sessions->gone[n++].number);
	if (n)
		memmove(sessions->gone, sessions->gone + n, (sessions->n_gone - n) * sizeof *sessions->gone);
	sessions->n_gone -= n;
}

void sessions_done(struct sessions *sessions)
{
	free(sessions->slot);
	free(sessions->gone);
	*sessions = (struct sessions){ 0 };
}
