/* SPDX-License-Identifier: Apache-2.0 */
/* A counter track that is defined with its first value. Zeroed: not yet defined. */
#ifndef CAPTURE_SOURCE_COUNTER_H
#define CAPTURE_SOURCE_COUNTER_H

#include <stdbool.h>

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

/*
 * A counter that is put when its value changes. A value stands for the time since the one before: so what was held back
 * is put first, with its time. Zeroed: nothing was put.
 */
struct held {
	struct counter counter;
	bool is_known, is_held; /* a value was put; the last one was not */
	uint64_t last_ns;
	double last;
};

/* Zero before the first other value is held back: what never happens gets no counter. */
int held_put_any(struct held *held, const struct counter_value *value, bool is_last, struct sink *out, struct err *err);
/* is_last: nothing comes after it. 0, or the sink's error. */
int held_put(struct held *held, const struct counter_value *value, bool is_last, struct sink *out, struct err *err);

#endif
