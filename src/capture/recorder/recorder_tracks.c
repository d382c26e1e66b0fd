// SPDX-License-Identifier: Apache-2.0
/* Keeps the children of each track in a list, and walks it when the track ends. Gives out no number. */
#include "capture/recorder/recorder_in.h"

/* Serials of tracks that come after the first end: above all numbers, and in order. */
#define FIRST_SERIAL (UINT64_C(1) << 32)

static struct recorder_track *at(const struct recorder_tracks *tracks, uint32_t track)
{
	return track && track < tracks->tracks.n ? (struct recorder_track *)tracks->tracks.data + track : NULL;
}

uint64_t recorder_tracks_define(struct recorder_tracks *tracks, uint32_t number, uint32_t parent, bool *is_new)
{
	struct recorder_track *track, *above;

	*is_new = true;
	while (tracks->tracks.n <= number)
		if (!array_add(&tracks->tracks, sizeof *track))
			return 0;
	track = at(tracks, number);
	*is_new = !track->serial;
	if (!*is_new)
		return track->serial;
	track->serial = tracks->n_ended ? FIRST_SERIAL + tracks->n_late++ : number;
	above = at(tracks, parent);
	if (above && above->serial) {
		track->parent = parent;
		track->next = above->child;
		above->child = number;
	}
	return track->serial;
}

/* Takes it out of its parent's list. */
static void unlink_track(struct recorder_tracks *tracks, uint32_t number)
{
	struct recorder_track *track = at(tracks, number), *above = at(tracks, track->parent);
	uint32_t *link = above ? &above->child : NULL;

	while (link && *link && *link != number)
		link = &at(tracks, *link)->next;
	if (link && *link)
		*link = track->next;
	track->parent = track->next = 0;
}

/* Without memory for it the number is not given out again. */
static int end_one(struct recorder_tracks *tracks, uint32_t number, struct sink *to, struct err *err)
{
	const struct event end = { .type = EVENT_TRACK_END, .track = number };
	uint32_t *free = array_add(&tracks->free, sizeof *free);

	*at(tracks, number) = (struct recorder_track){ 0 };
	tracks->n_ended++;
	if (free)
		*free = number;
	return sink_put(to, &end, err);
}

int recorder_tracks_end(struct recorder_tracks *tracks, uint32_t number, struct sink *to, struct err *err)
{
	uint32_t now = number, parent, next;
	int code = 0;

	if (!at(tracks, number) || !at(tracks, number)->serial)
		return 0;
	unlink_track(tracks, number);
	for (;;) {
		while (at(tracks, now)->child)
			now = at(tracks, now)->child;
		parent = at(tracks, now)->parent;
		next = at(tracks, now)->next;
		code = end_one(tracks, now, to, err);
		if (now == number || code)
			return code;
		at(tracks, parent)->child = next;
		now = parent;
	}
}

void recorder_tracks_done(struct recorder_tracks *tracks)
{
	array_done(&tracks->tracks, sizeof(struct recorder_track));
	array_done(&tracks->free, sizeof(uint32_t));
	*tracks = (struct recorder_tracks){ 0 };
}
