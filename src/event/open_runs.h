/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inference that is open on each track of a stream, from its begins and ends. An inference inside another belongs
 * to it. Starts zeroed; one thread.
 */
#ifndef EVENT_OPEN_RUNS_H
#define EVENT_OPEN_RUNS_H

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "event/event_args.h"

struct open_run {
	uint64_t begin_ns;
	uint32_t depth; /* open slices from the inference on; 0: no inference is open */
	bool is_odd;	/* its begin says that it is the first of its session, or cut off: see open_runs_is_odd */
};

struct open_runs {
	struct open_run *run; /* by track */
	uint32_t n;
};

static inline bool open_runs_has(const struct open_runs *runs, uint32_t track)
{
	return track < runs->n && runs->run[track].depth;
}

/* As its begin or its end says. */
static inline bool open_runs_is_odd(const struct event *event)
{
	return event_int(event, KEY_FIRST, 0) == 1 || event_int(event, KEY_PARTIAL, 0) == 1;
}

/*
 * Takes an event; most are of operators, on other tracks. 1 and its begin: the track's inference has ended. 0: it has
 * not. -ENOMEM: it is left out.
 */
static inline int open_runs_take(struct open_runs *runs, const struct event *event, uint64_t *begin_ns)
{
	struct open_run *run;

	if (event->type == EVENT_END && open_runs_has(runs, event->track)) {
		run = &runs->run[event->track];
		*begin_ns = run->begin_ns;
		return !--run->depth && event->time_ns >= run->begin_ns;
	}
	if (event->type != EVENT_BEGIN || (event->kind != KIND_INFERENCE && !open_runs_has(runs, event->track)))
		return 0;
	if (!ARRAY_ROOM(runs->run, runs->n, (size_t)event->track + 1))
		return -ENOMEM;
	run = &runs->run[event->track];
	if (!run->depth++) {
		run->begin_ns = event->time_ns;
		run->is_odd = open_runs_is_odd(event);
	}
	return 0;
}

/* Another track has this number now. */
static inline void open_runs_forget(struct open_runs *runs, uint32_t track)
{
	if (track < runs->n)
		runs->run[track] = (struct open_run){ 0 };
}

static inline void open_runs_done(struct open_runs *runs)
{
	free(runs->run);
	*runs = (struct open_runs){ 0 };
}

#endif
