/* SPDX-License-Identifier: Apache-2.0 */
/* One line of values on the screen, defined when its first value comes. Zeroed: not yet defined. */
#ifndef SOURCE_COUNTER_H
#define SOURCE_COUNTER_H

#include "event/sink.h"

struct counter {
	uint32_t track;
};

/* name and unit are those of the first call; parent is a process track, 0: the machine. 0, or the sink's error. */
int counter_put(struct counter *counter, struct sink *out, uint32_t parent, const char *name, const char *unit,
		uint64_t time_ns, double value, struct err *err);

#endif
