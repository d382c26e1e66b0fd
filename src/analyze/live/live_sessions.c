// SPDX-License-Identifier: Apache-2.0
/*
 * Which row each session belongs to, and which sessions of a row exist. Notes of sessions come at once, inferences in
 * the order of time: a session may have been released before its inferences come, and then does not exist again by
 * them.
 */
#include <string.h>

#include "analyze/live/live_in.h"

/* NULL: it is gone. */
static struct live_row *row_of(const struct live *live, uint64_t id)
{
	for (uint32_t i = 0; i < live->n_rows; i++)
		if (live->row[i]->shown.id == id)
			return live->row[i];
	return NULL;
}

static struct live_home *set_of(struct live *live, uint64_t process, int64_t number)
{
	uint64_t hash = (process * 0xbf58476d1ce4e5b9u ^ (uint64_t)number) * 0x9e3779b97f4a7c15u;

	return &live->home[(hash >> 32) % (LIVE_HOMES / LIVE_WAYS) * LIVE_WAYS];
}

static struct live_home *find(struct live *live, uint64_t process, int64_t number)
{
	struct live_home *set = set_of(live, process, number);

	for (uint32_t i = 0; i < LIVE_WAYS; i++)
		if (set[i].process == process && set[i].number == number)
			return &set[i];
	return NULL;
}

/* The newest of a set first; the oldest is forgotten. */
static struct live_home *add(struct live *live, uint64_t process, int64_t number)
{
	struct live_home *set = set_of(live, process, number);

	memmove(&set[1], &set[0], (LIVE_WAYS - 1) * sizeof *set);
	set[0] = (struct live_home){ .process = process, .number = number };
	return &set[0];
}

struct live_row *live_session_row(struct live *live, const struct live_track *track, int64_t number)
{
	const struct live_home *home = number < 0 ? NULL : find(live, track->process_id, number);

	return home ? row_of(live, home->row) : NULL;
}

struct live_session *live_session_of(struct live *live, const struct live_track *track, struct live_row *row,
				     int64_t number)
{
	struct live_home *home = number < 0 ? NULL : find(live, track->process_id, number);

	if (number >= 0 && !home)
		home = add(live, track->process_id, number);
	if (home && !row_of(live, home->row))
		home->row = row->shown.id;
	if (home && home->is_released)
		return NULL;
	for (uint32_t i = 0; i < row->n_sessions; i++)
		if (row->session[i].number == number)
			return &row->session[i];
	if (row->n_sessions == LIVE_SESSIONS) {
		row->has_more_sessions = true;
		return NULL;
	}
	row->session[row->n_sessions] = (struct live_session){ .number = number };
	return &row->session[row->n_sessions++];
}

void live_session_release(struct live *live, const struct live_track *track, int64_t number)
{
	struct live_home *home = track ? find(live, track->process_id, number) : NULL;
	struct live_row *row = home ? row_of(live, home->row) : NULL;

	if (!home)
		return;
	home->is_released = true;
	for (uint32_t i = 0; row && i < row->n_sessions; i++)
		if (row->session[i].number == number) {
			memmove(&row->session[i], &row->session[i + 1], (--row->n_sessions - i) * sizeof *row->session);
			return;
		}
}
