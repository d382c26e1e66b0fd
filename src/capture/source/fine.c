// SPDX-License-Identifier: Apache-2.0
/* The interval of a source that samples often, by what its rounds cost. */
#include "capture/source/fine.h"

#include "base/clock.h"

#define LEAST_NS UINT64_C(100000000)

enum { PART = 1000 };

const struct target *fine_begin(struct fine *fine)
{
	uint64_t interval_ns = sample_interval_ns(fine->target), least_ns = fine->cost_ns * PART;

	fine->own = *fine->target;
	if (least_ns < LEAST_NS)
		least_ns = LEAST_NS;
	fine->own.interval_ns = interval_ns < least_ns ? interval_ns : least_ns;
	return &fine->own;
}

void fine_end(struct fine *fine, uint64_t began_ns)
{
	uint64_t cost_ns = *fine->target->sysroot ? 0 : clock_ns() - began_ns;

	fine->cost_ns = (3 * fine->cost_ns + cost_ns) / 4;
}
