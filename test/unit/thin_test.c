// SPDX-License-Identifier: Apache-2.0
/* Operators of one inference in N, in the order in which a recorder gets them: operators first, then the inference. */
#include "capture/recorder/thin/thin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/recorder/thin/thin_in.h"
#include "cases.h"
#include "lines.h"

enum { PROCESS = 1, LANE, THREAD, OTHER };

struct stream {
	struct lines lines;
	struct thin *thin;
	uint64_t time_ns;
	int64_t n;
};

static void put(struct stream *stream, const struct event *event)
{
	struct err err = { 0 };

	assert_int_equal(sink_put(thin_sink(stream->thin), event, &err), 0);
}

static void define(struct stream *stream, uint32_t track, struct track_def def)
{
	put(stream, &(struct event){ .type = EVENT_TRACK, .track = track, .def = &def });
}

static void start(struct stream *stream, uint32_t every, size_t max_bytes)
{
	const struct thin_opts opts = { .every = every, .max_bytes = max_bytes };
	struct err err;

	memset(stream, 0, sizeof *stream);
	lines_init(&stream->lines);
	stream->lines.last_track = OTHER;
	stream->thin = thin_new(&stream->lines.sink, &opts, &err);
	assert_non_null(stream->thin);
	define(stream, PROCESS, (struct track_def){ .type = TRACK_PROCESS, .pid = 1 });
	define(stream, LANE, (struct track_def){ .type = TRACK_LANE, .parent = PROCESS });
	define(stream, THREAD, (struct track_def){ .type = TRACK_THREAD, .parent = PROCESS });
	define(stream, OTHER, (struct track_def){ .type = TRACK_THREAD, .parent = PROCESS });
	stream->time_ns = 1000;
}

static void stop(struct stream *stream)
{
	thin_free(stream->thin);
	lines_done(&stream->lines);
}

static void begin(struct stream *stream, uint32_t track, enum event_kind kind, const char *name, int64_t number)
{
	struct arg arg = arg_int(KEY_INFERENCE, number);

	put(stream, &(struct event){ .type = EVENT_BEGIN,
				     .kind = kind,
				     .track = track,
				     .name = names_of(stream->lines.sink.names, name),
				     .time_ns = stream->time_ns,
				     .args = &arg,
				     .n_args = number != 0 });
}

static void end(struct stream *stream, uint32_t track, const char *status)
{
	struct arg arg = arg_text(KEY_STATUS, &stream->lines.sink, status);

	put(stream, &(struct event){ .type = EVENT_END,
				     .track = track,
				     .time_ns = stream->time_ns,
				     .args = &arg,
				     .n_args = status != NULL });
}

static void operators(struct stream *stream, uint32_t track, int n)
{
	for (int i = 0; i < n; i++) {
		begin(stream, track, KIND_OPERATOR, "Conv", stream->n);
		end(stream, track, NULL);
	}
}

/* An inference that takes so long, with two operators. */
static void run(struct stream *stream, const char *model, uint64_t ns, const char *status)
{
	uint64_t begin_ns = stream->time_ns;

	stream->n++;
	operators(stream, THREAD, 2);
	begin(stream, LANE, KIND_INFERENCE, model, stream->n);
	stream->time_ns = begin_ns + ns;
	end(stream, LANE, status);
}

static void flush(struct stream *stream)
{
	struct err err;

	assert_int_equal(sink_flush(thin_sink(stream->thin), &err), 0);
}

static size_t count(const struct stream *stream, const char *what)
{
	size_t n = 0, len = strlen(what);

	for (size_t i = 0; i < stream->lines.n; i++) {
		const char *at = strstr(stream->lines.line[i], what);
		/* a number ends there */
		n += at && (at[len] < '0' || at[len] > '9');
	}
	return n;
}

#define CASE(name, ...) TEST_OF(name, struct stream, stream, start(stream, __VA_ARGS__), stop(stream))

CASE(one_in_one_passes_as_it_is, 1, 0)
{
	for (int i = 0; i < 10; i++)
		run(stream, "resnet", 100, "ok");
	assert_int_equal(count(stream, "weight="), 0);
	assert_int_equal(count(stream, "'Conv'"), 20);
}

CASE(every_inference_stays_and_weights_add_up, 8, 0)
{
	for (int i = 0; i < THIN_SLOWEST; i++)
		run(stream, "resnet", 100, "ok");
	for (int i = 0; i < 800; i++)
		run(stream, "resnet", 100, "ok");
	flush(stream);
	assert_int_equal(count(stream, " inference 'resnet'"), 820);
	assert_int_equal(count(stream, "weight=1"), THIN_SLOWEST);
	assert_int_equal(count(stream, "weight=8"), 100);
	assert_int_equal(count(stream, "weight=0"), 700);
	assert_int_equal(count(stream, "'Conv'"), 2 * 120);
}

CASE(slow_and_failed_ones_keep_their_operators, 1000, 0)
{
	for (int i = 0; i < 100; i++)
		run(stream, "resnet", 100, "ok");
	run(stream, "resnet", 5000, "ok");
	assert_int_equal(count(stream, "weight=1"), THIN_SLOWEST + 1);
	run(stream, "resnet", 50, "no such tensor");
	assert_int_equal(count(stream, "weight=1"), THIN_SLOWEST + 2);
	assert_int_equal(count(stream, "inference=101"), 1 + 2);
	assert_int_equal(count(stream, "inference=102"), 1 + 2);
}

CASE(slowest_are_those_of_a_minute, 1000, 0)
{
	for (int i = 0; i < 100; i++)
		run(stream, "resnet", 1000, "ok");
	stream->time_ns += THIN_WINDOW_NS;
	for (int i = 0; i < 100; i++)
		run(stream, "resnet", 100, "ok");
	assert_int_equal(count(stream, "weight=1"), 2 * THIN_SLOWEST);
}

/* Every other inference is of the other model. */
CASE(each_model_has_its_own_turn, 2, 0)
{
	for (int i = 0; i < 100; i++) {
		run(stream, "resnet", 100, "ok");
		run(stream, "bert", 100, "ok");
	}
	assert_int_equal(count(stream, "weight=2"), 2 * (100 - THIN_SLOWEST) / 2);
	for (size_t i = 0, n = 0; i < stream->lines.n; i++)
		if (strstr(stream->lines.line[i], "'bert'") && strstr(stream->lines.line[i + 1], "weight=2"))
			assert_true(++n <= (100 - THIN_SLOWEST) / 2);
}

CASE(operators_of_other_threads_follow_the_decision, 1000, 0)
{
	size_t before;

	for (int i = 0; i < 50; i++)
		run(stream, "resnet", 100, "ok");
	before = count(stream, "'Conv'");
	/* the last one was left out, as its late operators are */
	operators(stream, OTHER, 3);
	assert_int_equal(count(stream, "'Conv'"), before);
	run(stream, "resnet", 9000, "ok");
	operators(stream, OTHER, 3);
	assert_int_equal(count(stream, "'Conv'"), before + 2 + 3);
}

CASE(order_of_a_thread_is_kept, 1000, 0)
{
	const char *wanted[] = { "BEGIN 3 at 1000 user 'handle request'", "BEGIN 3 at 1000 operator 'Conv' inference=1",
				 "END 3 at 1000", "INSTANT 3 at 1000 user 'cache miss'", "END 3 at 1000" };
	size_t first;

	first = stream->lines.n;
	begin(stream, THREAD, KIND_USER, "handle request", 0);
	stream->n = 1;
	operators(stream, THREAD, 1);
	put(stream, &(struct event){ .type = EVENT_INSTANT,
				     .kind = KIND_USER,
				     .track = THREAD,
				     .time_ns = stream->time_ns,
				     .name = names_of(stream->lines.sink.names, "cache miss") });
	end(stream, THREAD, NULL);
	assert_int_equal(stream->lines.n, first + 1);
	begin(stream, LANE, KIND_INFERENCE, "resnet", 1);
	end(stream, LANE, "ok");
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(stream->lines.line[first + (i ? i + 1 : 0)], wanted[i]);
}

/* An operator inside another, and what a program notes in it, go with it. */
CASE(what_is_inside_goes_with_its_operator, 1000, 0)
{
	for (int i = 0; i < 30; i++)
		run(stream, "resnet", 100, "ok");
	stream->n++;
	begin(stream, THREAD, KIND_OPERATOR, "If", stream->n);
	begin(stream, THREAD, KIND_OPERATOR, "Add", stream->n);
	put(stream, &(struct event){
			.type = EVENT_INSTANT, .kind = KIND_ALLOCATION, .track = THREAD, .time_ns = stream->time_ns });
	end(stream, THREAD, NULL);
	end(stream, THREAD, NULL);
	begin(stream, LANE, KIND_INFERENCE, "resnet", stream->n);
	end(stream, LANE, "ok");
	operators(stream, THREAD, 0);
	assert_int_equal(count(stream, "'If'") + count(stream, "'Add'") + count(stream, "allocation"), 0);
	begin(stream, THREAD, KIND_OPERATOR, "Outside", 0);
	end(stream, THREAD, NULL);
	assert_int_equal(count(stream, "'Outside'"), 1);
}

CASE(memory_for_what_waits_is_bounded, 4, 64 << 10)
{
	stream->n = 1;
	operators(stream, THREAD, 100000);
	assert_true(count(stream, "'Conv'") > 90000);
	begin(stream, LANE, KIND_INFERENCE, "resnet", 1);
	end(stream, LANE, "ok");
	assert_int_equal(count(stream, "'Conv'"), 100000);
	assert_int_equal(count(stream, "weight=4"), 1);
	/* the next three of those that are decided early are left out */
	for (int i = 0; i < 3; i++) {
		stream->n++;
		operators(stream, THREAD, 10000);
		begin(stream, LANE, KIND_INFERENCE, "resnet", stream->n);
		end(stream, LANE, "ok");
	}
	assert_int_equal(count(stream, "'Conv'"), 100000);
	assert_int_equal(count(stream, "weight=0"), 3);
}

CASE(inference_that_does_not_end_is_kept, 1000, 0)
{
	struct err err;

	for (int i = 0; i < 50; i++)
		run(stream, "resnet", 100, "ok");
	stream->n++;
	operators(stream, THREAD, 2);
	begin(stream, LANE, KIND_INFERENCE, "resnet", stream->n);
	assert_int_equal(count(stream, "inference=51"), 1);
	assert_int_equal(sink_sync(thin_sink(stream->thin), &err), 0);
	assert_int_equal(count(stream, "inference=51"), 1 + 2);
}

CASE(nothing_waits_for_longer_than_ten_seconds, 1000, 0)
{
	stream->n++;
	operators(stream, THREAD, 2);
	stream->time_ns += 11000000000;
	operators(stream, OTHER, 1);
	flush(stream);
	assert_int_equal(count(stream, "'Conv'"), 3);
}

CASE(number_can_change_meanwhile, 1, 0)
{
	for (int i = 0; i < 100; i++)
		run(stream, "resnet", 100, "ok");
	thin_set(stream->thin, 4);
	for (int i = 0; i < 100; i++)
		run(stream, "resnet", 100, "ok");
	thin_set(stream->thin, 1);
	for (int i = 0; i < 100; i++)
		run(stream, "resnet", 100, "ok");
	assert_int_equal(count(stream, "weight=4"), (100 - THIN_SLOWEST) / 4);
	assert_int_equal(count(stream, "weight=1"), THIN_SLOWEST);
	assert_int_equal(count(stream, "'Conv'"), 2 * (200 + (100 - THIN_SLOWEST) / 4 + THIN_SLOWEST));
}

CASE(what_is_open_when_it_begins_ends_as_it_was, 1, 0)
{
	stream->n++;
	begin(stream, THREAD, KIND_OPERATOR, "If", stream->n);
	begin(stream, THREAD, KIND_OPERATOR, "Conv", stream->n);
	begin(stream, LANE, KIND_INFERENCE, "resnet", stream->n);
	thin_set(stream->thin, 4);
	end(stream, THREAD, NULL);
	end(stream, THREAD, NULL);
	end(stream, LANE, "ok");
	assert_int_equal(count(stream, "weight="), 0);
	assert_int_equal(count(stream, "END"), 3);
	for (int i = 0; i < 100; i++)
		run(stream, "resnet", 100, "ok");
	assert_int_equal(count(stream, "weight=4"), (100 - THIN_SLOWEST) / 4);
	assert_int_equal(count(stream, "'Conv'"), 1 + 2 * ((100 - THIN_SLOWEST) / 4 + THIN_SLOWEST));
}

TEST(the_first_part_of_a_recording_is_whole)
{
	struct thin_pace pace = { .horizon_ns = 1000 * THIN_LOOK_NS, .whole_bytes = 100000 };
	struct thin_room room = { .left_bytes = 1000000 };
	uint64_t now_ns = THIN_LOOK_NS, bytes = 0;

	for (; bytes < 100000; now_ns += THIN_LOOK_NS, bytes += 10000)
		assert_int_equal(thin_pace_look(&pace, now_ns, bytes, &room, 1), 1);
	assert_int_equal(thin_pace_look(&pace, now_ns, bytes, &room, 1), 2);
}

TEST(pace_follows_rate_and_room)
{
	struct thin_pace pace = { .horizon_ns = 1000 * THIN_LOOK_NS };
	struct thin_room room = { .left_bytes = 1000000 };
	uint64_t now_ns = THIN_LOOK_NS, bytes = 0;
	uint32_t every = 1;

	/* 10,000 bytes a second would take ten times the room */
	for (int i = 0; i < 20; i++, now_ns += THIN_LOOK_NS, bytes += 10000 / every)
		every = thin_pace_look(&pace, now_ns, bytes, &room, every);
	assert_int_equal(every, 16);
	/* what is dropped meanwhile makes room */
	room.kept_bytes = 900000;
	for (int i = 0; i < 20; i++, now_ns += THIN_LOOK_NS, bytes += 10000 / every)
		every = thin_pace_look(&pace, now_ns, bytes, &room, every);
	assert_in_range(every, 8, 16);
	/* hardly anything is written any more */
	for (int i = 0; i < 40; i++, now_ns += THIN_LOOK_NS, bytes += 100)
		every = thin_pace_look(&pace, now_ns, bytes, &room, every);
	assert_int_equal(every, 1);
	room.left_bytes = UINT64_MAX;
	assert_int_equal(thin_pace_look(&pace, now_ns + THIN_LOOK_NS, bytes + 1000000000, &room, every), 1);
	/* not sooner than a second later */
	room.left_bytes = 0;
	room.kept_bytes = 0;
	assert_int_equal(thin_pace_look(&pace, now_ns + THIN_LOOK_NS + 1, bytes + 2000000000, &room, every), 1);
}
