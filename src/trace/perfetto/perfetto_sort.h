/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a trace that has them in any order: kept until the end, then put per track by time. Events of one
 * track and time stay in the order of the file. For perfetto_read.c.
 */
#ifndef TRACE_PERFETTO_PERFETTO_SORT_H
#define TRACE_PERFETTO_PERFETTO_SORT_H

#include "trace/perfetto/perfetto_state.h"

struct sorter {
	struct sorter_event *event;
	size_t n, room;
	struct arg *arg;
	size_t n_args, arg_room;
};

/* event->track is the index of a track. dur_ns: of a slice that is told in one piece, else 0. -ENOMEM or 0. */
int perfetto_sort_add(struct sorter *sorter, const struct event *event, uint64_t dur_ns, struct err *err);
/* Everything into the sink: tracks, then events. *n_dropped grows by events that make no sense on their track. */
int perfetto_sort_emit(struct sorter *sorter, struct state *state, uint64_t *n_dropped, struct err *err);
void perfetto_sort_done(struct sorter *sorter);

#endif
