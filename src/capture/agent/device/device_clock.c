// SPDX-License-Identifier: Apache-2.0
/* Converts times of a device's library, by pairs of both clocks. Does not know whose clock it is. */
#include "capture/agent/device/device_clock.h"

#include "base/clock.h"

enum { TRIES = 5, REST_NS = 20000000, STEP_NS = 20000, LATER_NS = 1000000 };

void device_clock_start(struct device_clock *clock, enum device_clock_kind kind, bool (*read)(uint64_t *theirs))
{
	*clock = (struct device_clock){ .kind = kind, .read = read };
	device_clock_look(clock);
}

static void keep(struct device_clock *clock, uint64_t theirs, uint64_t ours)
{
	clock->pair[clock->n % CLOCK_PAIRS].theirs = theirs;
	clock->pair[clock->n++ % CLOCK_PAIRS].ours = ours;
}

static uint64_t size_of(int64_t ns)
{
	return (uint64_t)(ns < 0 ? -ns : ns);
}

/* Returns how far the clocks have moved apart since the look before. */
static uint64_t keep_steady(struct device_clock *clock, uint64_t theirs, uint64_t ours)
{
	uint32_t last = (clock->n - 1) % CLOCK_PAIRS;
	int64_t drift = 0;

	if (clock->n && theirs <= clock->pair[last].theirs) {
		clock->n = 0;
		clock->n_steps++;
	} else if (clock->n) {
		drift = (int64_t)(theirs - ours) - (int64_t)(clock->pair[last].theirs - clock->pair[last].ours);
	}
	keep(clock, theirs, ours);
	return size_of(drift);
}

static uint64_t keep_wall(struct device_clock *clock, uint64_t theirs, uint64_t ours)
{
	uint64_t ahead = theirs - ours, off = 0;

	if (clock->n)
		off = size_of((int64_t)(ahead - clock->pair[(clock->n - 1) % CLOCK_PAIRS].theirs));
	if (clock->n && off <= STEP_NS)
		return off;
	clock->n_steps += clock->n != 0;
	keep(clock, ahead, clock->looked);
	return 0;
}

void device_clock_look(struct device_clock *clock)
{
	uint64_t best = UINT64_MAX, theirs = 0, ours = 0, off;

	if (clock->kind == DEVICE_CLOCK_STEADY && clock->n && clock_ns() - clock->looked < REST_NS)
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
	off = clock->kind == DEVICE_CLOCK_WALL ? keep_wall(clock, theirs, ours) : keep_steady(clock, theirs, ours);
	off += best / 2;
	if (off > clock->error_ns)
		clock->error_ns = off;
	clock->looked = ours;
}

static uint64_t wall_ns(const struct device_clock *clock, uint64_t theirs, uint32_t first)
{
	for (uint32_t i = clock->n; i-- > first + 1;) {
		uint64_t ns = theirs - clock->pair[i % CLOCK_PAIRS].theirs;

		if (ns >= clock->pair[i % CLOCK_PAIRS].ours && ns <= clock->looked + LATER_NS)
			return ns;
	}
	return theirs - clock->pair[first % CLOCK_PAIRS].theirs;
}

static uint64_t steady_ns(const struct device_clock *clock, uint64_t theirs, uint32_t first)
{
	uint32_t at = clock->n, on;
	double their_step, our_step;
	int64_t ahead;

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

uint64_t device_clock_ns(const struct device_clock *clock, uint64_t theirs)
{
	uint32_t first = clock->n > CLOCK_PAIRS ? clock->n - CLOCK_PAIRS : 0;

	if (!theirs || !clock->n)
		return 0;
	return clock->kind == DEVICE_CLOCK_WALL ? wall_ns(clock, theirs, first) : steady_ns(clock, theirs, first);
}
