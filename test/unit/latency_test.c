// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/latency.h"

#include "cases.h"

static void put(struct latency *latency, enum event_type type, enum event_kind kind, uint32_t track, uint64_t ns)
{
	latency_take(latency, &(struct event){ .type = type, .kind = kind, .track = track, .time_ns = ns });
}

static void run(struct latency *latency, uint32_t track, uint64_t begin_ns, uint64_t ns)
{
	put(latency, EVENT_BEGIN, KIND_INFERENCE, track, begin_ns);
	put(latency, EVENT_END, KIND_NONE, track, begin_ns + ns);
}

static void is_within_a_percent(uint64_t ns, uint64_t wanted)
{
	assert_in_range(ns, wanted - wanted / 100, wanted + wanted / 100);
}

TEST(quantiles_are_those_of_the_times)
{
	struct latency latency = { 0 };

	assert_int_equal(latency_quantile(&latency, 0.5), 0);
	for (uint64_t i = 1; i <= 1000; i++)
		run(&latency, 3, i * 1000000000, i * 12345);
	is_within_a_percent(latency_quantile(&latency, 0.5), 501 * 12345);
	is_within_a_percent(latency_quantile(&latency, 0.99), 991 * 12345);
	is_within_a_percent(latency_quantile(&latency, 1), 1000 * 12345);
	latency_done(&latency);
}

TEST(every_length_of_time_has_a_bin_that_is_near)
{
	for (uint64_t ns = 1; ns < UINT64_C(1) << 62; ns += ns / 7 + 1) {
		struct latency latency = { 0 };
		run(&latency, 1, 5, ns);
		is_within_a_percent(latency_quantile(&latency, 0.5), ns);
		latency_done(&latency);
	}
}

TEST(what_is_inside_of_an_inference_or_none_does_not_count)
{
	struct latency latency = { 0 };

	put(&latency, EVENT_BEGIN, KIND_SESSION, 1, 10);
	put(&latency, EVENT_END, KIND_NONE, 1, 5000);
	put(&latency, EVENT_BEGIN, KIND_OPERATOR, 900, 10);
	put(&latency, EVENT_END, KIND_NONE, 900, 5000);
	assert_int_equal(latency.n, 0);
	put(&latency, EVENT_BEGIN, KIND_INFERENCE, 1, 10000);
	put(&latency, EVENT_BEGIN, KIND_SETUP, 1, 10000);
	put(&latency, EVENT_END, KIND_NONE, 1, 10010);
	put(&latency, EVENT_END, KIND_NONE, 1, 10060);
	assert_int_equal(latency.n, 1);
	assert_int_equal(latency_quantile(&latency, 0.5), 60);
	latency_done(&latency);
}

TEST(lanes_that_overlap_are_kept_apart)
{
	struct latency latency = { 0 };

	put(&latency, EVENT_BEGIN, KIND_INFERENCE, 7, 100);
	put(&latency, EVENT_BEGIN, KIND_INFERENCE, 200, 110);
	put(&latency, EVENT_END, KIND_NONE, 200, 120);
	put(&latency, EVENT_END, KIND_NONE, 7, 150);
	assert_int_equal(latency_quantile(&latency, 0), 10);
	assert_int_equal(latency_quantile(&latency, 1), 50);
	latency_done(&latency);
}

TEST(an_inference_ends_with_its_track)
{
	struct latency latency = { 0 };

	put(&latency, EVENT_BEGIN, KIND_INFERENCE, 4, 100);
	open_runs_forget(&latency.open, 4);
	open_runs_forget(&latency.open, 99);
	assert_false(open_runs_has(&latency.open, 4));
	put(&latency, EVENT_END, KIND_NONE, 4, 150);
	assert_int_equal(latency.n, 0);
	run(&latency, 4, 200, 20);
	assert_int_equal(latency_quantile(&latency, 1), 20);
	latency_done(&latency);
}
