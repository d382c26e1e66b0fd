// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <unistd.h>

#include "base/clock_watch.h"
#include "cases.h"
#include "made_up_clock.h"

enum { MS = 1000000, NEAR_NS = 2000 };
static const uint64_t second = 1000000000, hour = 3600000000000;

TEST(ticks_become_the_clocks_nanoseconds)
{
	struct clock_map map;

	if (!clock_is_invariant("", NULL))
		skip();
	clock_map_init(&map, NULL, 20);
	for (int i = 0; i < 12; i++) {
		usleep(60000);
		clock_map_update(&map);
	}
	/* the best of many tight pairs, because the machine may be busy */
	int64_t best = INT64_MAX;
	for (int i = 0; i < 1000; i++) {
		uint64_t ticks = clock_ticks(), ns = clock_ns();
		int64_t difference = (int64_t)(clock_map_ns(&map, ticks) - ns);
		difference = difference < 0 ? -difference : difference;
		best = difference < best ? difference : best;
	}
	assert_in_range(best, 0, 2000);
}

TEST(times_never_go_backwards_over_all_lines)
{
	struct clock_map map = { .n = 3 };
	uint64_t last = 0;

	map.line[0] = (struct clock_line){ .ticks = 1000, .until = 2000, .ns = 5000, .slope = 0.5 };
	map.line[1] = (struct clock_line){ .ticks = 2000, .until = 3000, .ns = 5500, .slope = 0.49 };
	map.line[2] = (struct clock_line){ .ticks = 3000, .until = 3000, .ns = 5990, .slope = 0.51 };
	for (uint64_t ticks = 500; ticks < 5000; ticks++) {
		uint64_t ns = clock_map_ns(&map, ticks);
		assert_true(ns >= last);
		assert_int_equal(ns, clock_map_old_ns(&map, ticks));
		last = ns;
	}
	assert_int_equal(clock_map_ns(&map, 1000), 5000);
	assert_int_equal(clock_map_ns(&map, 2000), 5500);
	assert_int_equal(clock_map_ns(&map, 4000), 6500);
}

static uint64_t ticks_of(const struct made_up_clock *clock)
{
	return (uint64_t)clock->ticks;
}

static void assert_near(uint64_t ns, uint64_t wanted)
{
	if (ns + NEAR_NS < wanted || ns > wanted + NEAR_NS)
		assert_int_equal(ns, wanted);
}

/* Events every millisecond for a second, each placed as soon as the next update is over. */
static void assert_right_for_a_second(struct made_up_clock *clock, struct clock_map *map, uint64_t near_ns)
{
	uint64_t last_ns = 0;

	for (int i = 0; i < 50; i++) {
		uint64_t ticks[20], ns[20];
		for (int k = 0; k < 20; k++) {
			made_up_pass(clock, MS);
			ticks[k] = ticks_of(clock);
			ns[k] = clock->mono_ns;
		}
		clock_map_update(map);
		for (int k = 0; k < 20; k++) {
			uint64_t placed_ns = clock_map_ns(map, ticks[k]);
			assert_in_range(placed_ns, ns[k] - near_ns, ns[k] + near_ns);
			assert_true(placed_ns >= last_ns);
			last_ns = placed_ns;
		}
	}
}

TEST(a_counter_that_goes_on_in_a_suspend_is_followed)
{
	struct made_up_clock clock;
	struct clock_map map;
	uint64_t before, before_ns, after, after_ns;

	made_up_clock_init(&clock);
	made_up_clock_map(&clock, &map);
	made_up_pass(&clock, 5 * MS);
	before = ticks_of(&clock), before_ns = clock.mono_ns;
	made_up_pass(&clock, 5 * MS);
	clock.ticks += (double)hour * clock.rate;
	made_up_pass(&clock, 5 * MS);
	after = ticks_of(&clock), after_ns = clock.mono_ns;
	assert_false(clock_map_knows(&map, after));
	made_up_pass(&clock, 5 * MS);
	clock_map_update(&map);
	assert_int_equal(map.n_jumps, 1);
	assert_in_range(map.jump.by_ns, (int64_t)hour - 1000, (int64_t)hour + 1000);
	assert_in_range(map.jump.to_ns - map.jump.from_ns, 20 * MS, 21 * MS);
	/* what was counted before is read now */
	assert_near(clock_map_ns(&map, before), before_ns);
	assert_near(clock_map_ns(&map, after), after_ns);
	assert_true(clock_map_knows(&map, after));
	assert_right_for_a_second(&clock, &map, NEAR_NS);
	assert_near(clock_map_ns(&map, before), before_ns);
	assert_int_equal(map.n_jumps, 1);
	assert_in_range(map.error_ns, 0, 1000);
}

TEST(a_counter_that_starts_anew_is_followed)
{
	struct made_up_clock clock;
	struct clock_map map;
	uint64_t before, before_ns, after, after_ns;

	made_up_clock_init(&clock);
	made_up_clock_map(&clock, &map);
	made_up_pass(&clock, 5 * MS);
	before = ticks_of(&clock), before_ns = clock.mono_ns;
	clock.ticks = 0;
	made_up_pass(&clock, 3 * MS);
	after = ticks_of(&clock), after_ns = clock.mono_ns;
	assert_false(clock_map_knows(&map, after));
	made_up_pass(&clock, 3 * MS);
	clock_map_update(&map);
	assert_int_equal(map.n_jumps, 1);
	assert_true(map.jump.by_ns < 0);
	assert_near(clock_map_ns(&map, before), before_ns);
	assert_near(clock_map_ns(&map, after), after_ns);
	assert_right_for_a_second(&clock, &map, NEAR_NS);
	assert_near(clock_map_ns(&map, before), before_ns);
	assert_int_equal(map.n_jumps, 1);
}

TEST(an_unstable_counter_is_followed_over_each_jump)
{
	struct made_up_clock clock;
	struct clock_map map;

	made_up_clock_init(&clock);
	made_up_clock_map(&clock, &map);
	for (int i = 1; i <= 20; i++) {
		uint64_t before, before_ns, after, after_ns;

		made_up_pass(&clock, 10 * MS);
		before = ticks_of(&clock), before_ns = clock.mono_ns;
		clock.ticks += (i % 2 ? 1 : -1) * 200.0 * MS * clock.rate;
		made_up_pass(&clock, 10 * MS);
		after = ticks_of(&clock), after_ns = clock.mono_ns;
		clock_map_update(&map);
		assert_int_equal(map.n_jumps, i);
		assert_near(clock_map_ns(&map, after), after_ns);
		if (i % 2) /* the other way its ticks are counted a second time */
			assert_near(clock_map_ns(&map, before), before_ns);
	}
	assert_right_for_a_second(&clock, &map, NEAR_NS);
}

TEST(a_machine_that_has_moved_gets_its_new_rate)
{
	static const double rates[] = { 2.9, 2, 1, 4.5, 3 };
	struct made_up_clock clock;
	struct clock_map map;

	made_up_clock_init(&clock);
	made_up_clock_map(&clock, &map);
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
		clock.ticks += i % 2 ? 5e12 : -5e12;
		clock.rate = rates[i];
		/* the rate is known by the third pair */
		for (int k = 0; k < 10; k++) {
			made_up_pass(&clock, 20 * MS);
			clock_map_update(&map);
		}
		assert_in_range(map.n_jumps, i + 1, 3 * i + 3);
		for (int k = 0; k < 5; k++)
			assert_right_for_a_second(&clock, &map, 12 * MS);
		assert_right_for_a_second(&clock, &map, MS / 10);
		made_up_pass(&clock, second);
		assert_in_range(clock_map_ns(&map, ticks_of(&clock)), clock.mono_ns - MS / 10, clock.mono_ns + MS / 10);
	}
}

TEST(a_jump_shorter_than_the_pause_is_off_by_itself_at_most)
{
	struct made_up_clock clock;
	struct clock_map map;
	uint64_t ticks[200], ns[200];

	made_up_clock_init(&clock);
	made_up_clock_map(&clock, &map);
	for (int i = 0; i < 200; i++) {
		made_up_pass(&clock, 10 * MS);
		ticks[i] = ticks_of(&clock), ns[i] = clock.mono_ns;
		if (i == 30)
			clock.ticks += 500.0 * MS * clock.rate;
	}
	clock_map_update(&map);
	assert_int_equal(map.n_jumps, 1);
	for (int i = 0; i < 200; i++)
		assert_in_range(clock_map_ns(&map, ticks[i]), ns[i] - 501 * MS, ns[i] + 501 * MS);
	assert_in_range(map.error_ns, 499 * MS, 501 * MS);
}

TEST(a_slewed_clock_and_a_long_pause_are_no_jumps)
{
	struct made_up_clock clock;
	struct clock_map map;

	made_up_clock_init(&clock);
	made_up_clock_map(&clock, &map);
	clock.rate *= 1.0005; /* as fast as the kernel slews */
	assert_right_for_a_second(&clock, &map, 400 * 1000);
	assert_right_for_a_second(&clock, &map, 400 * 1000);
	clock.rate *= 0.9999;
	made_up_pass(&clock, hour);
	clock_map_update(&map);
	assert_int_equal(map.n_jumps, 0);
}

TEST(a_suspend_and_a_clock_that_is_set_are_told_apart)
{
	struct made_up_clock clock;
	struct clock_watch watch = { .reader = &clock.reader };
	struct clock_change change;

	made_up_clock_init(&clock);
	assert_false(clock_watch_update(&watch, &change));
	made_up_pass(&clock, second);
	assert_false(clock_watch_update(&watch, &change));
	made_up_pass(&clock, MS);
	clock.boot_ns += hour, clock.real_ns += hour;
	assert_true(clock_watch_update(&watch, &change));
	assert_int_equal(change.slept_ns, hour);
	assert_int_equal(change.set_ns, 0);
	assert_in_range(change.to_ns - change.from_ns, MS, MS + 1000);
	clock.real_ns -= 2 * second;
	assert_true(clock_watch_update(&watch, &change));
	assert_int_equal(change.slept_ns, 0);
	assert_int_equal(change.set_ns, -2 * (int64_t)second);
	clock.boot_ns += second, clock.real_ns += 3 * second;
	assert_true(clock_watch_update(&watch, &change));
	assert_int_equal(change.slept_ns, second);
	assert_int_equal(change.set_ns, 2 * second);
	assert_false(clock_watch_update(&watch, &change));
	/* the recorder lost its CPU between two readings */
	clock.pause_ns = 20 * MS;
	for (int i = 0; i < 20; i++)
		assert_false(clock_watch_update(&watch, &change));
}
