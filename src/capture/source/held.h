/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter that is put when its value changes. A value stands for the time since the one before: so what was held back
 * is put first, with its time. Zeroed: nothing was put.
 */
#ifndef CAPTURE_SOURCE_HELD_H
#define CAPTURE_SOURCE_HELD_H

#include <stdbool.h>

#include "capture/source/counter.h"

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
