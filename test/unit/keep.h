/* SPDX-License-Identifier: Apache-2.0 */
/* A sink for tests that keeps its events, and queries on them. */
#ifndef TEST_KEEP_H
#define TEST_KEEP_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "event/sink.h"

enum { KEPT = 4096, KEPT_TRACKS = 1024, KEPT_ARGS = 4 };

struct keep {
	struct sink sink;
	uint32_t last_track;
	struct track_def track[KEPT_TRACKS];
	struct event event[KEPT]; /* with KEPT_ARGS arguments at most, without def */
	struct arg arg[KEPT][KEPT_ARGS];
	const char *text[KEPT]; /* KEY_TEXT of a note */
	size_t n;
};

static inline int keep_put(struct sink *sink, const struct event *event, struct err *err)
{
	struct keep *keep = (struct keep *)sink;

	if (keep->n == KEPT || event->track >= KEPT_TRACKS)
		return err_set(err, ENOSPC, "cannot keep an event: the test makes too many");
	if (event->type == EVENT_TRACK)
		keep->track[event->track] = *event->def;
	for (size_t i = 0; i < event->n_args; i++) {
		if (event->args[i].key == KEY_TEXT)
			keep->text[keep->n] = names_text(sink->names, event->args[i].name);
	}
	keep->event[keep->n] = *event;
	keep->event[keep->n].n_args = event->n_args < KEPT_ARGS ? event->n_args : KEPT_ARGS;
	if (event->n_args)
		memcpy(keep->arg[keep->n], event->args, keep->event[keep->n].n_args * sizeof(struct arg));
	keep->event[keep->n].args = keep->arg[keep->n];
	keep->event[keep->n].def = NULL;
	keep->n++;
	return 0;
}

static inline struct keep *keep_new(void)
{
	struct keep *keep = calloc(1, sizeof *keep);

	keep->sink = (struct sink){ keep_put, names_new(), &keep->last_track };
	return keep;
}

static inline void keep_free(struct keep *keep)
{
	names_free(keep->sink.names);
	free(keep);
}

static inline const char *keep_text(const struct keep *keep, uint32_t id)
{
	return names_text(keep->sink.names, id);
}

/* The track of a process, by pid; the last one defined. 0: none. */
static inline uint32_t keep_process(const struct keep *keep, int32_t pid)
{
	for (uint32_t i = keep->last_track; i; i--) {
		if (keep->track[i].type == TRACK_PROCESS && keep->track[i].pid == pid)
			return i;
	}
	return 0;
}

static inline uint32_t keep_counter(const struct keep *keep, uint32_t parent, const char *name)
{
	for (uint32_t i = 1; i <= keep->last_track; i++) {
		if (keep->track[i].type == TRACK_COUNTER && keep->track[i].parent == parent &&
		    !strcmp(keep_text(keep, keep->track[i].name), name))
			return i;
	}
	return 0;
}

/* The counter of a device, whose track is in the device's group, with any name; 0: none. */
static inline uint32_t keep_device_counter(const struct keep *keep, const char *name)
{
	for (uint32_t i = 1; i <= keep->last_track; i++)
		if (keep->track[i].type == TRACK_COUNTER && keep->track[keep->track[i].parent].type == TRACK_GROUP &&
		    !strcmp(keep_text(keep, keep->track[i].name), name))
			return i;
	return 0;
}

/* The last value on a track; NAN: none. */
static inline double keep_last(const struct keep *keep, uint32_t track)
{
	for (size_t i = keep->n; i && track; i--) {
		if (keep->event[i - 1].type == EVENT_COUNTER && keep->event[i - 1].track == track)
			return keep->event[i - 1].value;
	}
	return NAN;
}

/* The last value of a counter of a process (pid 0: of the machine) or a device. */
static inline double keep_value(const struct keep *keep, int32_t pid, const char *name)
{
	return keep_last(keep, keep_counter(keep, pid ? keep_process(keep, pid) : 0, name));
}

static inline double keep_device_value(const struct keep *keep, const char *name)
{
	return keep_last(keep, keep_device_counter(keep, name));
}

static inline size_t keep_count(const struct keep *keep, enum event_type type)
{
	size_t n = 0;

	for (size_t i = 0; i < keep->n; i++)
		n += keep->event[i].type == type;
	return n;
}

#endif
