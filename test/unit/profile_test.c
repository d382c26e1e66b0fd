// SPDX-License-Identifier: Apache-2.0
/* Handles of samples and streams, with a made-up clock: which inferences are in which report. */
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#define MS 1000000ull

/* The reports of a test: what a handle has sent, in words. */
struct bench {
	struct gather gather;
	struct inftrace_profile *profile;
	int64_t offset_ns;
	int64_t number;	 /* of the last inference */
	int64_t session; /* of those to come; 0: unknown */
	char sent[4000];
	char last[20000];	/* the text of the last one, */
	char note[GATHER_NOTE]; /* its note and losses */
	uint64_t n_lost;
	int n_operators; /* in the text of the last one */
	bool is_full;	 /* reports are dropped */
};

static bool note(void *to, struct profile_letter *letter)
{
	struct bench *bench = to;
	size_t len = strlen(bench->sent);

	snprintf(bench->sent + len, sizeof bench->sent - len, "%s %u %llu..%llu\n", letter->report.model,
		 letter->report.n_samples, (unsigned long long)(letter->report.from_ns / MS),
		 (unsigned long long)(letter->report.to_ns / MS));
	snprintf(bench->last, sizeof bench->last, "%s", letter->report.text);
	snprintf(bench->note, sizeof bench->note, "%s", letter->report.note ? letter->report.note : "");
	bench->n_lost = letter->report.n_lost;
	bench->n_operators = 0;
	for (const char *at = letter->report.text; (at = strstr(at, "\"name\":\"conv_1\"")); at++)
		bench->n_operators++;
	assert_int_equal(strlen(letter->report.text), letter->report.text_len);
	profile_free_letter(letter);
	return !bench->is_full;
}

static void take(void *ctx, const struct sample *sample)
{
	struct bench *bench = ctx;

	profile_take(bench->profile, &bench->gather, sample, bench->offset_ns);
}

static void came(void *ctx, const struct gather_program *program, bool is_new)
{
	struct bench *bench = ctx;

	profile_came(bench->profile, &bench->gather, program, is_new);
}

static void gone(void *ctx, const struct gather_program *program, uint64_t time_ns)
{
	struct bench *bench = ctx;

	profile_gone(bench->profile, &bench->gather, program, time_ns, bench->offset_ns);
}

static void put(struct bench *bench, struct event event)
{
	assert_int_equal(sink_put(&bench->gather.sink, &event, NULL), 0);
}

static void define(struct bench *bench, uint32_t track, struct track_def def, const char *name)
{
	def.name = names_of(bench->gather.sink.names, name);
	bench->gather.own_track = track;
	put(bench, (struct event){ .type = EVENT_TRACK, .track = track, .def = &def });
}

static void open_bench(struct bench *bench, bool is_stream, uint32_t n, const char *model)
{
	memset(bench, 0, sizeof *bench);
	assert_true(gather_init(&bench->gather, NULL, NULL));
	bench->gather.calls = (struct gather_calls){ take, came, gone, bench };
	bench->gather.with_parts = true;
	bench->profile = calloc(1, sizeof *bench->profile);
	bench->profile->is_stream = is_stream;
	bench->profile->n_samples = n;
	bench->profile->rate_ns = n * MS;
	bench->profile->every = 1;
	bench->profile->send = note;
	bench->profile->to = bench;
	assert_int_equal(profile_add(bench->profile, model), 0);
	define(bench, 1, (struct track_def){ .type = TRACK_PROCESS, .pid = 7 }, "app");
	define(bench, 2, (struct track_def){ .type = TRACK_LANE, .parent = 1 }, "inferences");
	define(bench, 3, (struct track_def){ .type = TRACK_THREAD, .parent = 1, .pid = 7, .tid = 8 }, "worker");
	define(bench, 4, (struct track_def){ .type = TRACK_LANE, .parent = 1 }, "device");
}

static void close_bench(struct bench *bench)
{
	profile_free(bench->profile);
	gather_done(&bench->gather);
}

static void put_operator(struct bench *bench, int64_t number, uint64_t begin_ms, uint64_t end_ms)
{
	struct arg arg = arg_int(KEY_INFERENCE, number);

	put(bench, (struct event){ .type = EVENT_BEGIN,
				   .kind = KIND_OPERATOR,
				   .track = 3,
				   .name = names_of(bench->gather.sink.names, "conv_1"),
				   .time_ns = begin_ms * MS,
				   .args = &arg,
				   .n_args = 1 });
	put(bench, (struct event){ .type = EVENT_END, .track = 3, .time_ns = end_ms * MS - MS / 2 });
}

static void put_inference(struct bench *bench, const char *model, int64_t number, uint64_t begin_ms, uint64_t end_ms)
{
	uint32_t name = names_of(bench->gather.sink.names, model);
	struct arg args[3] = { arg_int(KEY_INFERENCE, number), arg_name(KEY_MODEL, name),
			       arg_int(KEY_SESSION, bench->session) };

	put(bench, (struct event){ .type = EVENT_BEGIN,
				   .kind = KIND_INFERENCE,
				   .track = 2,
				   .name = name,
				   .time_ns = begin_ms * MS,
				   .args = args,
				   .n_args = bench->session ? 3 : 2 });
	put(bench, (struct event){ .type = EVENT_END, .track = 2, .time_ns = end_ms * MS });
}

/* An inference with one operator, as the decoder puts it. */
static void infer(struct bench *bench, const char *model, uint64_t begin_ms, uint64_t end_ms)
{
	put_operator(bench, ++bench->number, begin_ms, end_ms);
	put_inference(bench, model, bench->number, begin_ms, end_ms);
	gather_advance(&bench->gather, end_ms * MS);
}

static void start(struct bench *bench, uint64_t ms)
{
	profile_start(bench->profile, &bench->gather, ms * MS);
}

static void advance(struct bench *bench, uint64_t ms)
{
	gather_advance(&bench->gather, ms * MS);
	profile_advance(bench->profile, &bench->gather, ms * MS, bench->offset_ns);
}

static void stop(struct bench *bench, uint64_t ms)
{
	bench->profile->stop_ns = ms * MS;
	bench->profile->state = PROFILE_STOPPING;
}

#define CASE(name, ...) TEST_OF(name, struct bench, bench, open_bench(bench, __VA_ARGS__), close_bench(bench))
#define PATTERN(name, ...) TEST_OF(name, struct bench, bench, open_pattern(bench, __VA_ARGS__), close_bench(bench))

CASE(a_stream_reports_at_multiples_of_its_rate, true, 500, "net")
{
	start(bench, 4400);
	advance(bench, 4490);
	assert_string_equal(bench->sent, "");
	assert_int_equal(profile_due(bench->profile, 0), 4500 * MS);
	advance(bench, 4501);
	advance(bench, 5001);
	advance(bench, 5480);
	assert_string_equal(bench->sent, "net 0 4400..4500\nnet 0 4500..5000\n");
}

CASE(multiples_are_those_of_the_wall_clock, true, 500, "net")
{
	bench->offset_ns = 130 * (int64_t)MS;
	start(bench, 4400); /* 4530 on the wall */
	assert_int_equal(profile_due(bench->profile, bench->offset_ns), 4870 * MS);
	advance(bench, 4871);
	bench->offset_ns = -130 * (int64_t)MS; /* the clock was set back */
	assert_int_equal(profile_due(bench->profile, bench->offset_ns), 5130 * MS);
	advance(bench, 5131);
	assert_string_equal(bench->sent, "net 0 4400..4870\nnet 0 4870..5130\n");
}

CASE(each_inference_is_in_the_report_in_which_it_ends, true, 500, "net")
{
	start(bench, 4400);
	infer(bench, "net", 4410, 4450);
	infer(bench, "net", 4460, 4500); /* on the boundary */
	infer(bench, "net", 4490, 4510); /* over the boundary: the report before goes first */
	infer(bench, "other", 4510, 4520);
	assert_string_equal(bench->sent, "net 2 4400..4500\n");
	infer(bench, "net", 6010, 6020); /* nobody looked for three periods */
	advance(bench, 6501);
	assert_string_equal(bench->sent, "net 2 4400..4500\nnet 1 4500..6000\nnet 1 6000..6500\n");
}

CASE(what_began_before_the_start_does_not_count, true, 500, "net")
{
	start(bench, 100);
	infer(bench, "net", 90, 110);
	infer(bench, "net", 110, 120);
	advance(bench, 501);
	assert_string_equal(bench->sent, "net 1 100..500\n");
}

CASE(a_stop_delivers_the_rest_up_to_it, true, 500, "net")
{
	start(bench, 100);
	infer(bench, "net", 110, 120);
	stop(bench, 700);
	advance(bench, 690);
	assert_string_equal(bench->sent, "net 1 100..500\n");
	infer(bench, "net", 600, 695);
	infer(bench, "net", 600, 701); /* ended after the stop */
	advance(bench, 705);
	assert_string_equal(bench->sent, "net 1 100..500\nnet 1 500..700\n");
	assert_int_equal(bench->profile->state, PROFILE_IDLE);
	infer(bench, "net", 710, 720);
	advance(bench, 2000);
	start(bench, 3000);
	infer(bench, "net", 3010, 3020);
	advance(bench, 3501);
	assert_string_equal(bench->sent, "net 1 100..500\nnet 1 500..700\nnet 1 3000..3500\n");
}

CASE(every_second_inference_of_each_model, true, 500, "net")
{
	bench->profile->every = 4;
	assert_int_equal(profile_add(bench->profile, "other"), 0);
	start(bench, 0);
	for (uint64_t i = 0; i < 10; i++) {
		infer(bench, "net", i * 10, i * 10 + 1);
		if (i < 3)
			infer(bench, "other", i * 10 + 2, i * 10 + 3);
	}
	advance(bench, 501);
	assert_string_equal(bench->sent, "net 3 0..500\nother 1 0..500\n");
}

CASE(models_come_and_go, true, 500, "net")
{
	start(bench, 0);
	assert_int_equal(profile_add(bench->profile, "net"), -EALREADY);
	assert_int_equal(profile_remove(bench->profile, &bench->gather, "other", 10 * MS), -ENOENT);
	infer(bench, "net", 10, 20);
	assert_int_equal(profile_remove(bench->profile, &bench->gather, "net", 30 * MS), 0);
	infer(bench, "net", 40, 50);
	advance(bench, 501);
	assert_int_equal(profile_add(bench->profile, "net"), 0);
	infer(bench, "net", 510, 520);
	advance(bench, 1001);
	assert_string_equal(bench->sent, "net 1 0..30\nnet 1 500..1000\n");
}

CASE(samples_are_counted_exactly, false, 3, "net")
{
	for (uint64_t turn = 1; turn < 3; turn++) { /* the second one as the first */
		start(bench, turn * 1000);
		for (uint64_t i = 0; i < 5; i++) {
			infer(bench, "net", turn * 1000 + i * 10, turn * 1000 + i * 10 + 1);
			infer(bench, "other", turn * 1000 + i * 10, turn * 1000 + i * 10 + 2);
		}
		assert_int_equal(bench->profile->state, PROFILE_IDLE);
	}
	assert_string_equal(bench->sent, "net 3 1000..1021\nnet 3 2000..2021\n");
}

CASE(a_stop_before_any_inference_sends_nothing, false, 3, "net")
{
	start(bench, 10);
	stop(bench, 20);
	advance(bench, 30);
	assert_int_equal(bench->profile->state, PROFILE_IDLE);
	assert_string_equal(bench->sent, "");
	start(bench, 40);
	infer(bench, "net", 50, 60);
	stop(bench, 70);
	advance(bench, 80);
	assert_string_equal(bench->sent, "net 1 40..70\n");
}

CASE(a_latency_report_is_a_table, false, 2, "net")
{
	const char *at;
	int rows = 0;

	start(bench, 0);
	infer(bench, "net", 10, 12);
	infer(bench, "net", 20, 25);
	assert_non_null(strstr(bench->last, "totalRoundtripTimeUs\n"));
	for (at = strstr(bench->last, "totalRoundtripTimeUs\n"); (at = strchr(at, '\n')); at++)
		rows++;
	assert_int_equal(rows, 3);
	assert_non_null(strstr(bench->last, "2000.000\n"));
	assert_non_null(strstr(bench->last, "5000.000\n"));
}

CASE(a_trace_has_the_operators_of_its_inferences_alone, false, 2, "net")
{
	bench->profile->type = INFTRACE_TRACE;
	profile_remove(bench->profile, NULL, "net", 0);
	profile_add(bench->profile, "net");
	start(bench, 0);
	infer(bench, "other", 1, 2);
	infer(bench, "net", 10, 12);
	infer(bench, "net", 20, 25);
	assert_int_equal(bench->n_operators, 2);
	assert_int_equal(bench->last[0], '[');
	assert_string_equal(bench->last + strlen(bench->last) - 3, "\n]\n");
	assert_int_equal(bench->gather.runs.n, bench->gather.first_run);
}

/* Processes count their inferences by themselves. */
CASE(operators_go_to_the_inference_of_their_own_process, false, 1, "net")
{
	bench->profile->type = INFTRACE_TRACE;
	profile_remove(bench->profile, NULL, "net", 0);
	profile_add(bench->profile, "net");
	start(bench, 0);
	put_operator(bench, 1, 1, 2);
	define(bench, 5, (struct track_def){ .type = TRACK_PROCESS, .pid = 9 }, "other");
	define(bench, 3, (struct track_def){ .type = TRACK_THREAD, .parent = 5, .pid = 9, .tid = 9 }, "worker");
	put_operator(bench, 1, 1, 2);
	put_operator(bench, 1, 2, 3);
	put_inference(bench, "net", 1, 1, 4);
	gather_advance(&bench->gather, 5 * MS);
	assert_int_equal(bench->n_operators, 1);
}

TEST(operators_of_thousands_may_come_before_any_has_ended)
{
	enum { MANY = 5000 };
	struct bench bench;

	open_bench(&bench, false, MANY, "net");
	bench.profile->type = INFTRACE_TRACE;
	profile_remove(bench.profile, NULL, "net", 0);
	profile_add(bench.profile, "net");
	start(&bench, 0);
	for (uint64_t i = 1; i <= MANY; i++)
		put_operator(&bench, (int64_t)i, i, i + 1);
	for (uint64_t i = 1; i <= MANY; i++)
		put_inference(&bench, "net", (int64_t)i, i, i + 1);
	gather_advance(&bench.gather, (MANY + 1) * MS);
	assert_int_equal(bench.n_operators, MANY);
	assert_int_equal(bench.gather.n_lost, 0);
	close_bench(&bench);
}

/* A session of the model, as the decoder puts its creation and release. */
static void create(struct bench *bench, const char *model, int64_t number, uint64_t end_ms)
{
	struct names *names = bench->gather.sink.names;
	struct arg args[2] = { arg_name(KEY_MODEL, names_of(names, model)), arg_int(KEY_SESSION, number) };
	struct event note = { .type = EVENT_INSTANT,
			      .kind = KIND_NOTE,
			      .track = 1,
			      .name = names_of(names, EVENT_NOTE_CREATED),
			      .time_ns = UINT64_MAX / 2, /* of the round, long after the creation */
			      .args = args,
			      .n_args = 2 };
	struct event slice = { .type = EVENT_BEGIN, .kind = KIND_SESSION, .track = 2, .args = args, .n_args = 2 };

	put(bench, note);
	slice.time_ns = (end_ms - 1) * MS;
	put(bench, slice);
	put(bench, (struct event){ .type = EVENT_END, .track = 2, .time_ns = end_ms * MS });
}

static void release(struct bench *bench, const char *model, int64_t number, uint64_t ms)
{
	struct names *names = bench->gather.sink.names;
	struct arg args[3] = { arg_name(KEY_MODEL, names_of(names, model)), arg_int(KEY_SESSION, number),
			       arg_int(KEY_FROM_NS, (int64_t)(ms * MS)) };

	put(bench, (struct event){ .type = EVENT_INSTANT,
				   .kind = KIND_NOTE,
				   .track = 1,
				   .name = names_of(names, EVENT_NOTE_RELEASED),
				   .time_ns = UINT64_MAX / 2,
				   .args = args,
				   .n_args = 3 });
}

static void open_pattern(struct bench *bench, const char *pattern)
{
	open_bench(bench, true, 500, "");
	assert_int_equal(profile_remove(bench->profile, NULL, "", 0), 0);
	bench->profile->models = pattern_new(pattern, NULL);
	assert_non_null(bench->profile->models);
}

PATTERN(a_pattern_adds_models_and_drops_them_with_their_last_session, "^net")
{
	start(bench, 0);
	create(bench, "other", 1, 10);
	create(bench, "net-a", 2, 20);
	create(bench, "net-a", 3, 30);
	create(bench, "net-b", 4, 40);
	bench->session = 2;
	infer(bench, "net-a", 50, 60);
	bench->session = 5;
	infer(bench, "net-late", 50, 61); /* of a session that nobody saw being created */
	release(bench, "net-a", 2, 100);
	advance(bench, 501);
	assert_string_equal(bench->sent, "net-a 1 0..500\nnet-b 0 0..500\nnet-late 1 0..500\n");
	bench->sent[0] = 0;
	bench->session = 3;
	infer(bench, "net-a", 510, 520);
	release(bench, "net-b", 4, 530);
	release(bench, "net-a", 3, 1200); /* in the period after the next one */
	advance(bench, 1600);
	assert_string_equal(bench->sent,
			    "net-b 0 500..530\nnet-a 1 500..1000\nnet-late 0 500..1000\nnet-a 0 1000..1200\n"
			    "net-late 0 1000..1500\n");
}

PATTERN(a_model_that_was_removed_comes_back_with_its_next_session, "^net")
{
	start(bench, 0);
	create(bench, "net", 1, 10);
	infer(bench, "net", 20, 30);
	assert_int_equal(profile_remove(bench->profile, &bench->gather, "net", 40 * MS), 0);
	infer(bench, "net", 50, 60);
	infer(bench, "net", 70, 80);
	create(bench, "net", 2, 100);
	infer(bench, "net", 110, 120);
	assert_int_equal(profile_remove(bench->profile, &bench->gather, "other", 40 * MS), -ENOENT);
	stop(bench, 200);
	advance(bench, 201);
	assert_string_equal(bench->sent, "net 1 0..40\nnet 1 0..200\n");
}

PATTERN(what_was_created_during_a_round_counts_from_its_creation_on, "^net")
{
	start(bench, 0);
	create(bench, "net", 1, 10);
	infer(bench, "net", 20, 30);
	assert_int_equal(profile_remove(bench->profile, &bench->gather, "net", 40 * MS), 0);
	create(bench, "net", 2, 100); /* read before the inference that ended earlier */
	infer(bench, "net", 50, 60);
	infer(bench, "net", 110, 120);
	stop(bench, 200);
	advance(bench, 201);
	assert_string_equal(bench->sent, "net 1 0..40\nnet 1 0..200\n");
}

PATTERN(a_pattern_that_takes_too_long_leaves_the_name_out_and_says_so, "^(a+)+$|^net")
{
	start(bench, 0);
	create(bench, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", 1, 10);
	create(bench, "net", 2, 20);
	advance(bench, 501);
	assert_string_equal(bench->sent, "net 0 0..500\n");
	assert_string_equal(bench->note, "the pattern takes too long for the name "
					 "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', which is left out");
}

CASE(inferences_that_come_out_of_order_are_sorted, true, 500, "net")
{
	struct arg args[2];

	start(bench, 0);
	args[0] = arg_int(KEY_INFERENCE, 1);
	args[1] = arg_name(KEY_MODEL, names_of(bench->gather.sink.names, "net"));
	for (uint32_t track = 2; track <= 3; track++) { /* as annotations of two threads: 505, 510, then 495, 500 */
		for (uint64_t i = 0; i < 2; i++) {
			struct event event = { .type = EVENT_BEGIN,
					       .kind = KIND_INFERENCE,
					       .track = track,
					       .time_ns = (400 + 5 * i) * MS,
					       .args = args,
					       .n_args = 2 };
			put(bench, event);
			put(bench, (struct event){ .type = EVENT_END,
						   .track = track,
						   .time_ns = ((track == 2 ? 505 : 495) + 5 * i) * MS });
		}
	}
	advance(bench, 600);
	stop(bench, 700);
	advance(bench, 701);
	assert_string_equal(bench->sent, "net 2 0..500\nnet 2 500..700\n");
}

CASE(losses_stand_in_the_next_report, true, 500, "net")
{
	struct arg count = arg_int(KEY_COUNT, 7);

	start(bench, 0);
	put(bench, (struct event){ .type = EVENT_INSTANT, .kind = KIND_LOST, .track = 1, .args = &count, .n_args = 1 });
	advance(bench, 501);
	assert_int_equal(bench->n_lost, 7);
	advance(bench, 1001);
	assert_int_equal(bench->n_lost, 0);
}

CASE(what_was_dropped_stands_in_the_next_report_that_is_not, true, 500, "net")
{
	struct arg count = arg_int(KEY_COUNT, 7);

	start(bench, 0);
	bench->is_full = true;
	infer(bench, "net", 10, 20);
	put(bench, (struct event){ .type = EVENT_INSTANT, .kind = KIND_LOST, .track = 1, .args = &count, .n_args = 1 });
	advance(bench, 501);
	infer(bench, "net", 510, 520);
	infer(bench, "net", 530, 540);
	advance(bench, 1001);
	bench->is_full = false;
	advance(bench, 1501);
	assert_int_equal(bench->n_lost, 7 + 1 + 2);
	advance(bench, 2001);
	assert_int_equal(bench->n_lost, 0);
}

CASE(a_clock_that_is_set_moves_the_boundary_and_loses_nothing, true, 1000, "net")
{
	bench->offset_ns = 1700000000000 * (int64_t)MS;
	start(bench, 0);
	infer(bench, "net", 100, 200);
	bench->offset_ns += 3600300 * (int64_t)MS; /* an hour and 300 ms forward */
	infer(bench, "net", 300, 650);
	advance(bench, 701);
	infer(bench, "net", 710, 720);
	bench->offset_ns -= 7200300 * (int64_t)MS; /* two hours back */
	advance(bench, 999);
	infer(bench, "net", 910, 1010);
	advance(bench, 2001);
	assert_string_equal(bench->sent, "net 2 0..700\nnet 1 700..1000\nnet 1 1000..2000\n");
}

/* A slice inside the next inference. */
static void put_part(struct bench *bench, enum event_kind kind, const char *name, uint32_t track, uint64_t begin_us,
		     uint64_t end_us)
{
	struct arg number = arg_int(KEY_INFERENCE, bench->number + 1);
	struct event event = { .type = EVENT_BEGIN,
			       .kind = kind,
			       .track = track,
			       .name = names_of(bench->gather.sink.names, name),
			       .time_ns = begin_us * 1000,
			       .args = &number,
			       .n_args = 1 };

	put(bench, event);
	put(bench, (struct event){ .type = EVENT_END, .track = track, .time_ns = end_us * 1000 });
}

/* The last row of the last report, without blanks. */
static const char *last_row(struct bench *bench)
{
	char *from = bench->last, *to = bench->last;

	for (char *at = bench->last; *at && at[1]; at++)
		from = *at == '\n' ? at + 1 : from;
	for (; *from && *from != '\n'; from++)
		if (*from != ' ')
			*to++ = *from;
	*to = 0;
	return bench->last;
}

CASE(stages_and_kernels_fill_columns, false, 1, "net")
{
	start(bench, 0);
	put_part(bench, KIND_STAGE, "queue", 3, 1000, 1100);
	put_part(bench, KIND_STAGE, "submit", 3, 1100, 1150);
	put_part(bench, KIND_KERNEL, "copy", 3, 1200, 1400);
	put_part(bench, KIND_KERNEL, "conv", 4, 1300, 1600); /* overlaps the copy by 100 us */
	put_part(bench, KIND_KERNEL, "relu", 4, 1700, 1800);
	put_part(bench, KIND_STAGE, "postprocess", 3, 1900, 1930);
	put_part(bench, KIND_STAGE, "postprocess", 3, 1940, 1960);
	put_part(bench, KIND_STAGE, "of its own", 3, 1960, 1970);
	infer(bench, "net", 1, 2);
	/* kernels: 400 us and 100 us; the rest is 1,000 - 100 - 50 - 50 */
	assert_string_equal(last_row(bench),
			    "0,N/A,N/A,2000.000,500.000,N/A,N/A,N/A,100.000,N/A,50.000,800.000,N/A,N/A,"
			    "50.000,1000.000");
	bench->gather.with_parts = false; /* of tables alone: without operators, but the recorder may record kernels */
	start(bench, 3);
	put_part(bench, KIND_KERNEL, "conv", 4, 3100, 3300);
	infer(bench, "net", 3, 4);
	assert_string_equal(last_row(bench), "0,N/A,N/A,5000.000,200.000,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,"
					     "1000.000");
	start(bench, 4);
	put_part(bench, KIND_STAGE, "device", 3, 4100, 4200); /* says more than kernels do */
	put_part(bench, KIND_KERNEL, "conv", 4, 4100, 4900);
	infer(bench, "net", 4, 5);
	assert_string_equal(last_row(bench), "0,N/A,N/A,10000.000,100.000,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,"
					     "1000.000");
}

/* Ends come inside out; slices are written outside in. */
CASE(slices_of_a_trace_lie_inside_each_other, false, 1, "net")
{
	static const char *const order[] = { "\"name\":\"loop\"", "\"name\":\"body\"", "\"ph\":\"E\"",
					     "\"name\":\"body\"", "\"ph\":\"E\"",      "\"ph\":\"E\"" };
	const char *at;
	struct arg number = arg_int(KEY_INFERENCE, 1);
	struct event event = { .type = EVENT_BEGIN, .kind = KIND_OPERATOR, .track = 4, .args = &number, .n_args = 1 };

	bench->profile->type = INFTRACE_TRACE;
	assert_int_equal(profile_remove(bench->profile, NULL, "net", 0), 0);
	assert_int_equal(profile_add(bench->profile, "net"), 0);
	start(bench, 0);
	event.time_ns = MS;
	event.name = names_of(bench->gather.sink.names, "loop");
	put(bench, event);
	put_part(bench, KIND_OPERATOR, "body", 4, 1000, 1200);
	put_part(bench, KIND_OPERATOR, "body", 4, 1300, 1400);
	put(bench, (struct event){ .type = EVENT_END, .track = 4, .time_ns = 2 * MS });
	infer(bench, "net", 1, 3);
	at = bench->last;
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		at = strstr(at, order[i]);
		assert_non_null(at);
		at++;
	}
}
