/* SPDX-License-Identifier: Apache-2.0 */
/* A counter track that is defined with its first value. Zeroed: not yet defined. */
#ifndef CAPTURE_SOURCE_COUNTER_H
#define CAPTURE_SOURCE_COUNTER_H

#include "event/sink.h"

struct counter {
	uint32_t track;
};

struct counter_value {
	const char *name, *unit; /* used when the first value defines the counter */
	uint32_t parent;	 /* track of a process or a device, 0: the machine */
	uint64_t time_ns;
	double value;
};

/* 0, or the sink's error. */
int counter_put(struct counter *counter, const struct counter_value *value, struct sink *out, struct err *err);

#endif
