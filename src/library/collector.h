/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent in this process, and what it writes. Without a recorder: brings the agent as the injector does
 * (event/ferry.h), and reads its segment as the recorder does. In a program that a recorder has started, or has brought
 * the agent into: reads the segment beside it (event/port.h). One thread at a time.
 */
#ifndef LIBRARY_COLLECTOR_H
#define LIBRARY_COLLECTOR_H

#include <limits.h>

#include "base/clock.h"
#include "capture/decode/recorded_drain.h"
#include "event/ferry.h"
#include "profile/gather.h"

/* As the agent has them. */
enum collector_level { COLLECT_INFERENCES = 1, COLLECT_OPERATORS = 2 };

struct collector {
	struct gather gather;
	struct recorded *process;
	struct clock_map clock;
	uint64_t updated_ns;		/* when the clock was compared last */
	char dir[FERRY_DIR], path[256]; /* of the segment; "": not found so far */
	int lifeline;			/* -1: none */
	enum collector_level level;	/* of what is recorded */
	bool is_shared;			/* with a recorder, whose agent it is */
};

/*
 * Returns when the hooks are in. 0; -ENOENT: no agent was found; -EBUSY: somebody else records the program, and does
 * not share; -EIO: the agent does not work here; -ENOMEM. A recorder that shares has a level of its own.
 */
int collector_open(struct collector *collector, enum collector_level level, const struct gather_calls *calls);
/* Takes what has been written so far. 0, -ENOMEM. */
int collector_drain(struct collector *collector);
/* Takes the hooks out. What was not drained is dropped. */
void collector_close(struct collector *collector);
/* In a child of fork: the parent's agent must not take this process for its recorder. */
void collector_leave_child(struct collector *collector);

#endif
