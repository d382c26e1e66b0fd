// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static void ticks_become_the_clocks_nanoseconds(void **state)
{
	struct clock_map map;

	if (!clock_is_invariant("", NULL))
		skip();
	clock_map_init(&map, 20);
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

static void times_never_go_backwards_over_all_lines(void **state)
{
	struct clock_map map = { .n = 3 };
	uint64_t last = 0;

	map.line[0] = (struct clock_line){ 1000, 5000, 5000, 0.5 };
	map.line[1] = (struct clock_line){ 2000, 5500, 5490, 0.49 };
	map.line[2] = (struct clock_line){ 3000, 5990, 5995, 0.51 };
	for (uint64_t ticks = 500; ticks < 5000; ticks++) {
		uint64_t ns = clock_map_ns(&map, ticks);
		assert_true(ns >= last);
		last = ns;
	}
	assert_int_equal(clock_map_ns(&map, 1000), 5000);
	assert_int_equal(clock_map_ns(&map, 2000), 5500);
	assert_int_equal(clock_map_ns(&map, 4000), 6500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_become_the_clocks_nanoseconds),
		cmocka_unit_test(times_never_go_backwards_over_all_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
