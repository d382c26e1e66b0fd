/* SPDX-License-Identifier: Apache-2.0 */
/* Turns track events of a Perfetto trace into events, for the sink or for the sorter. For perfetto_read.c. */
#ifndef TRACE_PERFETTO_PERFETTO_EVENT_H
#define TRACE_PERFETTO_PERFETTO_EVENT_H

#include <libdeflate.h>

#include "trace/perfetto/perfetto_read.h"
#include "trace/perfetto/perfetto_state.h"

/*
 * Sorts the events of a trace that is not in order: keeps them until the end, then puts them per track by time. Events
 * of one track and time keep the order of the file. For perfetto_read.c.
 */
struct sorter {
	struct sorter_event *event;
	size_t n, room;
	struct arg *arg;
	size_t n_args, arg_room;
};

/* event->track is the index of a track. dur_ns: of a complete slice, else 0. -ENOMEM or 0. */
int perfetto_sort_add(struct sorter *sorter, const struct event *event, uint64_t dur_ns, struct err *err);
/* Puts everything into the sink: tracks, then events. Adds to *n_dropped the events that are invalid on their track. */
int perfetto_sort_emit(struct sorter *sorter, struct state *state, uint64_t *n_dropped, struct err *err);
void perfetto_sort_done(struct sorter *sorter);

struct perfetto_known;

struct reader {
	struct state state;
	struct sorter sorter;
	struct perfetto_read_result *result;
	struct err *err;
	bool is_inside; /* packets of a bundle */
	bool has_events;
	bool has_begun;	  /* an event was read that no earlier segment of the recording repeats */
	bool has_bundles; /* compressed packets whose head is right */
	uint8_t *bundle;
	size_t bundle_room;
	struct libdeflate_decompressor *inflate; /* NULL: not needed yet */
	struct perfetto_known *known;		 /* of perfetto_quick_read.c; NULL: not needed yet */
};

/* The fields of a packet with an event; data are borrowed from the file. */
struct packet {
	uint64_t timestamp;
	uint32_t sequence, clock, flags;
	bool has_timestamp;
	bool is_rare; /* it has other fields as well: see struct rare */
	struct pb_in event;
};

enum { PERFETTO_MAX_ARGS = 64 }; /* of one event; more are left out */

/* Reads packet->event. 0, or not 0 and reader->err. */
int perfetto_event_read(struct reader *reader, struct sequence *sequence, const struct packet *packet);
/* Puts the event into the sink, for a file whose events are in order; index: of the track. The same results. */
int perfetto_event_put(struct reader *reader, uint32_t index, struct event *event);

/*
 * Reads the frequent packets of a recording, which have the form that perfetto_quick.h writes, faster than field by
 * field. For perfetto_read.c, which reads every other packet.
 */
/*
 * Reads such packets up to the first of another form, where in->at is left. The state must be in order. 0, or not 0
 * and reader->err.
 */
int perfetto_quick_read(struct reader *reader, struct pb_in *in);

#endif
