// SPDX-License-Identifier: Apache-2.0
/* Reads the system's clocks as one and compares their distances. Does not look at ticks. */
#include "base/clock_watch.h"

enum { TRIES = 8, TIGHT_NS = 1000000 };

struct look {
	uint64_t mono_ns, width_ns;
	int64_t boot_ns, real_ns;
};

static struct look look_once(const struct clock_reader *reader)
{
	uint64_t before = reader->ns(reader->ctx, CLOCK_MONOTONIC), boot = reader->ns(reader->ctx, CLOCK_BOOTTIME);
	uint64_t real = reader->ns(reader->ctx, CLOCK_REALTIME), after = reader->ns(reader->ctx, CLOCK_MONOTONIC);

	return (struct look){ after, after - before, (int64_t)(boot - after), (int64_t)(real - boot) };
}

static int64_t if_far(int64_t ns)
{
	return ns > CLOCK_JUMP_NS || ns < -CLOCK_JUMP_NS ? ns : 0;
}

bool clock_watch_update(struct clock_watch *watch, struct clock_change *change)
{
	const struct clock_reader *reader = watch->reader ? watch->reader : &clock_reader_system;
	struct look now = look_once(reader);
	bool has_begun = watch->has_begun;

	*change = (struct clock_change){ 0 };
	for (int i = 1; i < TRIES && now.width_ns > TIGHT_NS; i++)
		now = look_once(reader);
	if (now.width_ns > TIGHT_NS) /* it lost the CPU each time: this says nothing */
		return false;
	*change = (struct clock_change){ watch->last_ns, now.mono_ns, if_far(now.boot_ns - watch->boot_ns),
					 if_far(now.real_ns - watch->real_ns) };
	if (has_begun && !change->slept_ns && !change->set_ns) {
		watch->last_ns = now.mono_ns;
		return false;
	}
	*watch = (struct clock_watch){ watch->reader, true, now.mono_ns, now.boot_ns, now.real_ns };
	return has_begun;
}
