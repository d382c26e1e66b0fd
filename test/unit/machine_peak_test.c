// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/model/machine_peak.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

static void say(const char *what, const struct machine_rate *rate)
{
	print_message("%s %.1f (%.1f to %.1f) G/s\n", what, rate->median / 1e9, rate->low / 1e9, rate->high / 1e9);
	assert_true(rate->low > 0 && rate->low <= rate->median && rate->median <= rate->high);
}

/* No figure of this machine is known in advance: checks only what holds on all machines. */
TEST(peaks_are_measured_and_plausible)
{
	struct machine_peak peak;
	struct err err = { 0 };
	bool fits = false;
	cpu_set_t set;

	/* if other programs start or stop computing meanwhile, the measurements before and after do not match */
	for (int i = 0; i < 10 && !fits; i++) {
		assert_int_equal(machine_peak_measure(&peak, -1, &err), 0);
		fits = peak.flops.high >= 0.5 * peak.core_flops.low && peak.cache_bytes.high > peak.bytes.low;
	}
	print_message("%s, %d CPUs\n", peak.instructions, (int)peak.n_cpus);
	say("one core, float32 operations", &peak.core_flops);
	say("all cores, float32 operations", &peak.flops);
	say("memory, bytes", &peak.bytes);
	say("cache, bytes", &peak.cache_bytes);
	sched_getaffinity(0, sizeof set, &set);
	assert_int_equal(peak.n_cpus, CPU_COUNT(&set));
	assert_non_null(peak.instructions);
	assert_true(peak.core_flops.median > 1e8 && peak.core_flops.median < 1e12);
	assert_true(peak.bytes.median > 1e7);
	assert_true(fits);
}

TEST(threads_stay_where_we_may_run)
{
	struct machine_peak peak;
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof all, &all);
	CPU_ZERO(&one);
	for (size_t i = 0; !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(machine_peak_measure(&peak, -1, NULL), 0);
	sched_setaffinity(0, sizeof all, &all);
	assert_int_equal(peak.n_cpus, 1);
}

/* By another way than the code's own. */
TEST(the_widest_vectors_are_used)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	const char *expected = "128-bit vectors";
	struct machine_peak peak;
	char line[8192];

	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		if (!strncmp(line, "flags", 5))
			expected = strstr(line, " avx512f ") ? "AVX-512"
				   : strstr(line, " avx2 ")  ? "AVX2 + FMA"
							     : "SSE2";
	fclose(file);
	assert_int_equal(machine_peak_measure(&peak, -1, NULL), 0);
	assert_string_equal(peak.instructions, expected);
}

TEST(nothing_is_measured_to_begin_with)
{
	struct machine_peak peak;

	machine_peak_init(&peak);
	assert_true(isnan(peak.flops.median) && isnan(peak.bytes.low) && peak.n_cpus == -1 && !peak.instructions);
}
