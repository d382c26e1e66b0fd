// SPDX-License-Identifier: Apache-2.0
/* Converts times of a device's library, by pairs of both clocks. Does not know whose clock it is. */
#include "capture/agent/device/device_clock.h"

#include "base/clock.h"

enum { TRIES = 5, REST_NS = 20000000 };

void device_clock_start(struct device_clock *clock, bool (*read)(uint64_t *theirs))
{
	*clock = (struct device_clock){ .read = read };
	device_clock_look(clock);
}

static void keep(struct device_clock *clock, uint64_t theirs, uint64_t ours, uint64_t bracket)
{
	uint32_t last = (clock->n - 1) % CLOCK_PAIRS;
	int64_t drift = 0;

	if (clock->n && theirs <= clock->pair[last].theirs) {
		clock->n = 0;
		clock->n_steps++;
	} else if (clock->n) {
		drift = (int64_t)(theirs - ours) - (int64_t)(clock->pair[last].theirs - clock->pair[last].ours);
	}
	clock->pair[clock->n % CLOCK_PAIRS].theirs = theirs;
	clock->pair[clock->n++ % CLOCK_PAIRS].ours = ours;
	bracket = bracket / 2 + (uint64_t)(drift < 0 ? -drift : drift);
	if (bracket > clock->error_ns)
		clock->error_ns = bracket;
}

void device_clock_look(struct device_clock *clock)
{
	uint64_t best = UINT64_MAX, theirs = 0, ours = 0;

	if (clock->n && clock_ns() - clock->pair[(clock->n - 1) % CLOCK_PAIRS].ours < REST_NS)
		return;
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = clock_ns(), time, after;

		if (!clock->read(&time))
			return;
		after = clock_ns();
		if (after - before < best) {
			best = after - before;
			theirs = time;
			ours = before + best / 2;
		}
	}
	keep(clock, theirs, ours, best);
}

uint64_t device_clock_ns(const struct device_clock *clock, uint64_t theirs)
{
	uint32_t first = clock->n > CLOCK_PAIRS ? clock->n - CLOCK_PAIRS : 0, at = clock->n, on;
	int64_t ahead;
	double their_step, our_step;

	if (!theirs || !clock->n)
		return 0;
	while (--at > first && clock->pair[at % CLOCK_PAIRS].theirs > theirs)
		;
	on = (at + 1) % CLOCK_PAIRS;
	at %= CLOCK_PAIRS;
	ahead = (int64_t)(theirs - clock->pair[at].theirs);
	if (ahead > 0 && at != (clock->n - 1) % CLOCK_PAIRS) {
		their_step = (double)(clock->pair[on].theirs - clock->pair[at].theirs);
		our_step = (double)(clock->pair[on].ours - clock->pair[at].ours);
		ahead += (int64_t)((double)ahead * (our_step - their_step) / their_step);
	}
	return clock->pair[at].ours + (uint64_t)ahead;
}
