/* SPDX-License-Identifier: Apache-2.0 */
/* One line of values on the screen, defined when its first value comes. Zeroed: not yet defined. */
#ifndef CAPTURE_SOURCE_COUNTER_H
#define CAPTURE_SOURCE_COUNTER_H

#include "event/sink.h"

struct counter {
	uint32_t track;
};

struct counter_value {
	const char *name, *unit; /* of the counter; those of its first value count */
	uint32_t parent;	 /* track of a process or a device, 0: the machine */
	uint64_t time_ns;
	double value;
};

/* 0, or the sink's error. */
int counter_put(struct counter *counter, const struct counter_value *value, struct sink *out, struct err *err);

#endif
