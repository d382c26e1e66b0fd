/* SPDX-License-Identifier: Apache-2.0 */
/* Turns track events of a Perfetto trace into events, for the sink or for the sorter. For perfetto_read.c. */
#ifndef TRACE_PERFETTO_PERFETTO_EVENT_H
#define TRACE_PERFETTO_PERFETTO_EVENT_H

#include <libdeflate.h>

#include "trace/perfetto/perfetto_read.h"
#include "trace/perfetto/perfetto_sort.h"
#include "trace/perfetto/perfetto_state.h"

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

#endif
