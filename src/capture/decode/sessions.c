// SPDX-License-Identifier: Apache-2.0
/* A table of sessions, of which those that were released are forgotten. */
#include "capture/decode/sessions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	MAX_LIVING = 1 << 20,
	ROUNDS = 3, /* the one of the release, one in which other rings are read, and one in which lanes are put */
};

static struct session *sessions_living(const struct sessions *sessions, uint32_t number)
{
	return number ? slots_find(&sessions->living, number, sizeof(struct session)) : NULL;
}

struct session *sessions_at(struct sessions *sessions, uint32_t number)
{
	struct session *session = sessions_living(sessions, number);

	if (session)
		return session;
	return number && sessions->living.n < MAX_LIVING ? slots_get(&sessions->living, number, sizeof *session)
							 : &sessions->unknown;
}

const struct session *sessions_find(const struct sessions *sessions, uint32_t number)
{
	return sessions_living(sessions, number);
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
	struct session *session;
	size_t n = 0;

	sessions->round++;
	while (n < sessions->n_gone && sessions->round - sessions->gone[n].round >= ROUNDS)
		if ((session = sessions_living(sessions, sessions->gone[n++].number)))
			slots_remove(&sessions->living, session, sizeof *session);
	if (n)
		memmove(sessions->gone, sessions->gone + n, (sessions->n_gone - n) * sizeof *sessions->gone);
	sessions->n_gone -= n;
}

void sessions_done(struct sessions *sessions)
{
	slots_done(&sessions->living);
	free(sessions->gone);
	*sessions = (struct sessions){ 0 };
}
