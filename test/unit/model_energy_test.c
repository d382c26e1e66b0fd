// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/model/model_energy.h"

#include <math.h>
#include <stdio.h>

#include "cases.h"
#include "stream.h"

#define US UINT64_C(1000)
#define S_US UINT64_C(1000000)

/* A counter of a machine that was recorded for ten seconds. */
static void put_counter(struct stream *s, const char *name, const char *unit, double watts, double n_per_s)
{
	uint32_t track = stream_counter(s, 0, name, unit);

	for (int i = 0; i <= (int)(10 * n_per_s); i++)
		stream_sample(s, track, (uint64_t)(i * (double)S_US / n_per_s), watts * i / n_per_s);
}

static void is_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= fabs(wanted) * 1e-9))
		fail_msg("%.17g is not %.17g", value, wanted);
}

#define CASE(name) TEST_OF(name, struct stream, s, stream_init(s), stream_done(s))

CASE(energy_is_that_of_all_packages_and_of_nothing_else)
{
	struct model_energy energy;

	put_counter(s, "package-0 energy", "J", 40, 1);
	put_counter(s, "package-0 power", "W", 40, 1);
	put_counter(s, "package-0 dram energy", "J", 5, 1);
	put_counter(s, "psys energy", "J", 100, 1);
	put_counter(s, "package-1 energy", "J", 2, 1);
	model_energy_find(&energy, s->store, 2 * S_US * US, 7 * S_US * US);
	is_near(energy.joules, 42 * 5);
	assert_true(energy.has_counter);
	assert_string_equal(energy.scope, "package-0+package-1, whole machine");
	assert_string_equal(energy.missing, "");
}

CASE(edges_between_samples_are_scaled_by_time)
{
	struct model_energy energy;
	uint32_t track;

	track = stream_counter(s, 0, "package-0 energy", "J");
	/* 10 W for two seconds, then 100 W */
	stream_sample(s, track, 0, 0);
	stream_sample(s, track, S_US, 10);
	stream_sample(s, track, 2 * S_US, 20);
	stream_sample(s, track, 3 * S_US, 120);
	stream_sample(s, track, 4 * S_US, 220);
	model_energy_find(&energy, s->store, S_US * US / 2, 3 * S_US * US + S_US * US / 4);
	is_near(energy.joules, 5 + 10 + 100 + 25);
}

CASE(few_samples_are_not_enough)
{
	struct model_energy energy;

	put_counter(s, "package-0 energy", "J", 40, 10);
	put_counter(s, "package-1 energy", "J", 40, 1);
	model_energy_find(&energy, s->store, 2 * S_US * US + 1, 4 * S_US * US + 1);
	assert_true(isnan(energy.joules));
	assert_true(energy.has_counter);
	assert_non_null(strstr(energy.missing, "2 samples of the energy of package-1"));
	model_energy_find(&energy, s->store, 2 * S_US * US + 1, 5 * S_US * US + 1);
	is_near(energy.joules, 40 * 3 * 2);
}

CASE(a_counter_that_begins_late_or_ends_early_tells_nothing)
{
	struct model_energy energy;

	put_counter(s, "package-0 energy", "J", 40, 1);
	model_energy_find(&energy, s->store, 2 * S_US * US, 11 * S_US * US);
	assert_true(isnan(energy.joules));
	assert_non_null(strstr(energy.missing, "not recorded all the time"));
}

TEST(without_a_counter_nothing_is_known)
{
	struct model_energy energy;
	struct stream s;

	stream_init(&s);
	/* a process's counter with the right name is not the machine's */
	stream_sample(&s, stream_counter(&s, stream_process(&s, 7, "x"), "package-0 energy", "J"), 0, 1);
	put_counter(&s, "package-0 energy", "Wh", 40, 1);
	put_counter(&s, "memory used", "bytes", 40, 1);
	model_energy_find(&energy, s.store, 0, 5 * S_US * US);
	assert_true(isnan(energy.joules));
	assert_false(energy.has_counter);
	assert_string_equal(energy.scope, "");
	assert_string_equal(energy.missing, "");
	stream_done(&s);
}

CASE(many_packages_are_no_harm)
{
	struct model_energy energy;
	char name[300];

	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof name, "package-%d-of-a-very-long-name energy", i);
		put_counter(s, name, "J", 1, 1);
	}
	model_energy_find(&energy, s->store, S_US * US, 9 * S_US * US);
	is_near(energy.joules, 60 * 8);
}
