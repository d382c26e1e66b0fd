/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts events in the order of time over all tracks, within a window: files have them track by track, in pieces. At one
 * time those of threads come before those of lanes, so that an operator ends before its inference. Memory is bounded;
 * what is further out of order than the window stays so, and is counted. Tracks are passed on at once.
 */
#ifndef TRACE_EXPORT_ORDER_H
#define TRACE_EXPORT_ORDER_H

#include "event/sink.h"

enum { ORDER_WINDOW = 1 << 17 };

struct order_entry {
	struct event event; /* args: index in order.args */
	size_t first_arg;
	bool is_first; /* of a thread */
};

struct order_key {
	uint64_t time_ns;
	uint32_t is_late, at;
};

struct order {
	struct array entries, args, other_entries, other_args; /* struct order_entry, struct arg; room for the rest */
	struct array keys, threads;			       /* struct order_key; bool, by number of the track */
	uint64_t last_ns;				       /* of those passed on */
	uint64_t n_late;				       /* passed on behind a later one */
	/* Takes the events in order. 0, or -errno and err. */
	int (*take)(struct order *order, const struct event *event, struct err *err);
};

void order_init(struct order *order, int (*take)(struct order *, const struct event *, struct err *));
/* 0, or -errno and err: of take, or out of memory. */
int order_put(struct order *order, const struct event *event, struct err *err);
/* Passes all on. */
int order_finish(struct order *order, struct err *err);
void order_done(struct order *order);

#endif
