/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events go: the trace writer, the store, a tee. Embed it as the first member of the object that takes the
 * events; its owner ends it. One thread. Names and track numbers belong to the maker of the stream. All sinks of one
 * stream share them, so that an id means the same to each.
 */
#ifndef EVENT_SINK_H
#define EVENT_SINK_H

#include "base/array.h"
#include "base/err.h"
#include "event/event.h"
#include "event/names.h"

struct sink {
	/* Takes one event. 0, or -errno and err: the sink is broken and takes no more events. */
	int (*put)(struct sink *sink, const struct event *event, struct err *err);
	struct names *names;
	uint32_t *last_track; /* the highest track number given out */
	/* Writes out all events put so far. 0, or -errno and err. NULL: the sink buffers nothing. */
	int (*flush)(struct sink *sink, struct err *err);
	/* Returns when all events put so far are written, where flush only passes them on. The same results. NULL: as
	 * flush. */
	int (*sync)(struct sink *sink, struct err *err);
	uint64_t n_bytes;	   /* bytes written, as of the last flush; 0: it keeps events in memory */
	uint64_t n_moved;	   /* events put before the last one of their track, and kept with its time */
	struct array *free_tracks; /* uint32_t: numbers of tracks that have ended, given out first; NULL: none ends */
	/*
	 * Takes a slice that is complete: a BEGIN, and the time of its END, which has no arguments. The same results.
	 * NULL: put takes the two, one after the other.
	 */
	int (*put_slice)(struct sink *sink, const struct event *slice, uint64_t end_ns, struct err *err);
};

static inline int sink_put(struct sink *sink, const struct event *event, struct err *err)
{
	return sink->put(sink, event, err);
}

static inline int sink_put_parts(struct sink *sink, const struct event *slice, uint64_t end_ns, struct err *err)
{
	struct event end = { .type = EVENT_END, .kind = slice->kind, .track = slice->track, .time_ns = end_ns };
	int code = sink_put(sink, slice, err);

	return code ? code : sink_put(sink, &end, err);
}

static inline int sink_put_slice(struct sink *sink, const struct event *slice, uint64_t end_ns, struct err *err)
{
	return sink->put_slice ? sink->put_slice(sink, slice, end_ns, err) : sink_put_parts(sink, slice, end_ns, err);
}

static inline int sink_flush(struct sink *sink, struct err *err)
{
	return sink->flush ? sink->flush(sink, err) : 0;
}

static inline int sink_sync(struct sink *sink, struct err *err)
{
	return sink->sync ? sink->sync(sink, err) : sink_flush(sink, err);
}

/* The number of a track that is to be defined. */
static inline uint32_t sink_new_track(struct sink *sink)
{
	struct array *free = sink->free_tracks;

	return free && free->n ? ((const uint32_t *)free->data)[--free->n] : ++*sink->last_track;
}

static inline struct arg arg_int(enum event_key key, int64_t value)
{
	return (struct arg){ .key = (uint16_t)key, .type = ARG_INT, .integer = value };
}

static inline struct arg arg_real(enum event_key key, double value)
{
	return (struct arg){ .key = (uint16_t)key, .type = ARG_REAL, .real = value };
}

static inline struct arg arg_name(enum event_key key, uint32_t name)
{
	return (struct arg){ .key = (uint16_t)key, .type = ARG_NAME, .name = name };
}

static inline struct arg arg_text(enum event_key key, struct sink *sink, const char *text)
{
	return arg_name(key, names_of(sink->names, text));
}

#endif
