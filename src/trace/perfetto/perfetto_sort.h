/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts the events of a trace that is not in order: keeps them until the end, then puts them per track by time. Events
 * of one track and time keep the order of the file. For perfetto_read.c.
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

/* event->track is the index of a track. dur_ns: of a complete slice, else 0. -ENOMEM or 0. */
int perfetto_sort_add(struct sorter *sorter, const struct event *event, uint64_t dur_ns, struct err *err);
/* Puts everything into the sink: tracks, then events. Adds to *n_dropped the events that are invalid on their track. */
int perfetto_sort_emit(struct sorter *sorter, struct state *state, uint64_t *n_dropped, struct err *err);
void perfetto_sort_done(struct sorter *sorter);

#endif
