// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/latency.h"

#include "cases.h"
#include "event/names.h"

static void put(struct latency *latency, enum event_type type, enum event_kind kind, uint32_t track, uint64_t ns)
{
	latency_take(latency, NULL, &(struct event){ .type = type, .kind = kind, .track = track, .time_ns = ns });
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
	is_within_a_percent(latency_quantile(&latency, 0.5), 500 * 12345);
	is_within_a_percent(latency_quantile(&latency, 0.99), 990 * 12345);
	is_within_a_percent(latency_quantile(&latency, 1), 1000 * 12345);
	assert_int_equal(latency_exact(&latency, 0.99), 990 * 12345);
	for (uint64_t i = 1001; i <= LATENCY_KEPT + 1; i++)
		run(&latency, 3, i * 1000000000, i * 12345);
	is_within_a_percent(latency_exact(&latency, 0.99), 16221 * UINT64_C(12345));
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

TEST(what_reports_leave_out_of_a_latency_does_not_count)
{
	struct names *names = names_new();
	const uint32_t model = names_of(names, "cnn");
	struct arg first = { .key = KEY_FIRST, .type = ARG_INT, .integer = 1 }, partial = first;
	struct arg failed = { .key = KEY_STATUS, .type = ARG_NAME, .name = names_of(names, "no memory") }, ok = failed;
	const struct {
		const struct arg *begin, *end;
	} runs[] = { { &first, &ok },	{ &partial, &ok }, { NULL, &partial },
		     { NULL, &failed }, { NULL, &ok },	   { NULL, NULL } };
	struct latency latency = { 0 };

	partial.key = KEY_PARTIAL;
	ok.name = names_of(names, "ok");
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		latency_take(&latency, names,
			     &(struct event){ .type = EVENT_BEGIN,
					      .kind = KIND_INFERENCE,
					      .track = 1,
					      .name = model,
					      .args = runs[i].begin,
					      .n_args = runs[i].begin != NULL });
		latency_take(&latency, names,
			     &(struct event){ .type = EVENT_END,
					      .track = 1,
					      .time_ns = 1100 - 100 * i,
					      .args = runs[i].end,
					      .n_args = runs[i].end != NULL });
	}
	assert_int_equal(latency.n, 2);
	assert_int_equal(latency.slowest_ns, 700);
	assert_int_equal(latency_quantile(&latency, 0.5), 600);
	latency_done(&latency);
	names_free(names);
}

TEST(several_models_are_told_from_one)
{
	static const uint32_t model[] = { 5, 5, 6, 5 };
	struct latency latency = { 0 };

	for (size_t i = 0; i < 4; i++) {
		latency_take(
		    &latency, NULL,
		    &(struct event){ .type = EVENT_BEGIN, .kind = KIND_INFERENCE, .track = 1, .name = model[i] });
		put(&latency, EVENT_END, KIND_NONE, 1, 10);
		assert_int_equal(latency.is_mixed, i > 1);
	}
	latency_done(&latency);
}

TEST(files_of_one_name_are_several_models)
{
	struct latency latency = { 0 };

	for (uint32_t path = 7; path <= 8; path++) {
		struct arg args[] = { { .key = KEY_MODEL, .type = ARG_NAME, .name = 5 },
				      { .key = KEY_MODEL_PATH, .type = ARG_NAME, .name = path } };
		for (int i = 0; i < 2; i++)
			latency_take_created(&latency, &(struct event){ .args = args, .n_args = 2 });
		assert_int_equal(latency.is_mixed, path == 8);
	}
	latency_done(&latency);
}
