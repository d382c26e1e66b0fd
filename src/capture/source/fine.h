/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For sources that say why an inference was slow: they sample more often than the interval, because inferences are
 * short, but spend at most a thousandth of the time on it.
 */
#ifndef CAPTURE_SOURCE_FINE_H
#define CAPTURE_SOURCE_FINE_H

#include "capture/source/follow.h"

/* Starts zeroed, but for target. */
struct fine {
	const struct target *target; /* the recording's */
	struct target own;	     /* the same with an interval of its own */
	uint64_t began_ns, cost_ns;  /* CPU time: when the round began; of a round, smoothed */
};

/* Begins a round: the target to sample with. */
const struct target *fine_begin(struct fine *fine);
/* In a captured tree nothing costs anything. */
void fine_end(struct fine *fine);

#endif
