// SPDX-License-Identifier: Apache-2.0
#include "capture/decode/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

/* A sink that logs events as text: "track+time" begins, "track-time" ends. */
struct log {
	struct sink sink;
	struct sessions sessions;
	char text[2000];
	char tracks[2000]; /* definitions */
};

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct log *log = (struct log *)sink;
	size_t used = strlen(log->text);
	int id = 0, partial = 0;

	for (size_t i = 0; i < event->n_args; i++) {
		id = event->args[i].key == KEY_ID ? (int)event->args[i].integer : id;
		partial |= event->args[i].key == KEY_PARTIAL;
	}
	if (event->type == EVENT_TRACK) {
		size_t n = strlen(log->tracks);

		snprintf(log->tracks + n, sizeof log->tracks - n, "%s %s in %u, ",
			 event->def->type == TRACK_GROUP ? "group" : "lane", names_text(sink->names, event->def->name),
			 event->def->parent);
		return 0;
	}
	snprintf(log->text + used, sizeof log->text - used, "%u%c%llu%s", event->track,
		 event->type == EVENT_BEGIN ? '+' : '-', (unsigned long long)event->time_ns, partial ? "!" : "");
	used = strlen(log->text);
	snprintf(log->text + used, sizeof log->text - used, id ? "#%d " : " ", id);
	return 0;
}

static uint32_t last_track;

static void start(struct log *log, struct lanes *lanes)
{
	last_track = 0;
	*log = (struct log){ .sink = { put, names_new(), &last_track } };
	*lanes = (struct lanes){ .process_track = 1 };
}

static void finish(struct log *log, struct lanes *lanes)
{
	names_free(log->sink.names);
	sessions_done(&log->sessions);
	lanes_done(lanes);
}

static void add(struct log *log, struct lanes *lanes, enum event_type type, enum event_kind kind, uint64_t time,
		uint32_t holder, uint32_t run)
{
	struct lane_event *event = lanes_add(lanes);

	event->type = type;
	event->kind = kind;
	event->time_ns = time;
	event->holder = holder;
	event->run = run;
	event->session = 1;
	event->model = names_of(log->sink.names, "net");
}

TEST(rings_read_one_after_the_other_are_put_in_order_of_time)
{
	struct lanes lanes;
	struct log log;

	start(&log, &lanes);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 60, 0, 2);
	add(&log, &lanes, EVENT_END, KIND_INFERENCE, 70, 0, 2);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 40, 0, 1);
	add(&log, &lanes, EVENT_END, KIND_INFERENCE, 60, 0, 1);
	assert_int_equal(lanes_put(&lanes, &log.sessions, &log.sink, 100, NULL), 0);
	assert_string_equal(log.text, "2+40#1 2-60 2+60#2 2-70 ");
	finish(&log, &lanes);
}

TEST(what_is_newer_than_the_round_waits_for_the_next)
{
	struct lanes lanes;
	struct log log;

	start(&log, &lanes);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 10, 0, 1);
	add(&log, &lanes, EVENT_END, KIND_INFERENCE, 30, 0, 1);
	assert_int_equal(lanes_put(&lanes, &log.sessions, &log.sink, 20, NULL), 0);
	assert_string_equal(log.text, "2+10#1 ");
	assert_int_equal(lanes_put(&lanes, &log.sessions, &log.sink, 30, NULL), 0);
	assert_string_equal(log.text, "2+10#1 2-30 ");
	finish(&log, &lanes);
}

TEST(session_creation_has_a_lane_of_its_own)
{
	struct lanes lanes;
	struct log log;

	start(&log, &lanes);
	add(&log, &lanes, EVENT_BEGIN, KIND_SESSION, 10, 0, 0);
	lanes.event[0].line = names_of(log.sink.names, "session creation");
	lanes.event[0].above = names_of(log.sink.names, "models");
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 20, 0, 1);
	lanes_put(&lanes, &log.sessions, &log.sink, 100, NULL);
	/* 1: the group of models, 2: the model */
	assert_string_equal(log.text, "3+10 4+20#1 ");
	finish(&log, &lanes);
}

TEST(an_inference_without_its_end_is_partial_once)
{
	struct lanes lanes;
	struct log log;

	for (uint32_t is_partial = 0; is_partial < 2; is_partial++) {
		start(&log, &lanes);
		add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 10, 0, 1);
		lanes.event[0].arg[0] = arg_int(KEY_PARTIAL, 1);
		lanes.event[0].n_args = is_partial;
		add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 20, 0, 2);
		assert_int_equal(lanes_put(&lanes, &log.sessions, &log.sink, 100, NULL), 0);
		assert_string_equal(log.text, is_partial ? "2+10!#1 2-20 2+20#2 " : "2+10#1 2-20! 2+20#2 ");
		finish(&log, &lanes);
	}
}

TEST(inferences_at_the_same_time_lie_on_lanes_of_their_own)
{
	struct lanes lanes;
	struct log log;

	start(&log, &lanes);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 10, 0, 1);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 20, 1, 2);
	add(&log, &lanes, EVENT_END, KIND_INFERENCE, 30, 0, 1);
	add(&log, &lanes, EVENT_END, KIND_INFERENCE, 40, 1, 2);
	lanes_put(&lanes, &log.sessions, &log.sink, 100, NULL);
	assert_string_equal(log.text, "2+10#1 3+20#2 2-30 3-40 ");
	finish(&log, &lanes);
}

TEST(an_end_closes_what_an_error_left_open_inside)
{
	struct lanes lanes;
	struct log log;

	start(&log, &lanes);
	add(&log, &lanes, EVENT_BEGIN, KIND_SESSION, 10, 0, 0);
	add(&log, &lanes, EVENT_BEGIN, KIND_SPECIALIZE, 20, 0, 0);
	add(&log, &lanes, EVENT_END, KIND_SESSION, 30, 0, 0);
	lanes_put(&lanes, &log.sessions, &log.sink, 100, NULL);
	assert_string_equal(log.text, "2+10 2+20 2-30 2-30 ");
	finish(&log, &lanes);
}

TEST(an_end_that_was_lost_is_marked_and_one_without_begin_is_counted)
{
	struct lanes lanes;
	struct log log;

	start(&log, &lanes);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 10, 0, 1);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 20, 0, 2);
	add(&log, &lanes, EVENT_END, KIND_INFERENCE, 25, 0, 2);
	add(&log, &lanes, EVENT_END, KIND_INFERENCE, 30, 0, 3);
	lanes_put(&lanes, &log.sessions, &log.sink, 100, NULL);
	assert_string_equal(log.text, "2+10#1 2-20! 2+20#2 2-25 ");
	assert_int_equal(lanes.n_orphans, 1);
	finish(&log, &lanes);
}

TEST(lanes_are_numbered_in_their_model_and_function)
{
	struct lanes lanes;
	struct log log;
	uint32_t other;

	start(&log, &lanes);
	other = names_of(log.sink.names, "other");
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 10, 0, 1);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 20, 4, 2); /* the only one of its function */
	lanes.event[1].function = other;
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 30, 5, 3);
	add(&log, &lanes, EVENT_END, KIND_INFERENCE, 40, 0, 1);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 50, 7, 4); /* where the first one was */
	lanes_put(&lanes, &log.sessions, &log.sink, 100, NULL);
	assert_string_equal(log.tracks, "group net in 1, lane inferences in 1, group other in 1, lane inferences in 3, "
					"lane inferences 2 in 1, ");
	assert_string_equal(log.text, "2+10#1 4+20#2 5+30#3 2-40 2+50#4 ");
	finish(&log, &lanes);
}

TEST(a_lane_is_used_again_only_after_its_last_event)
{
	struct lanes lanes;
	struct log log;

	start(&log, &lanes);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 10, 0, 1);
	add(&log, &lanes, EVENT_END, KIND_INFERENCE, 50, 0, 1);
	lanes_put(&lanes, &log.sessions, &log.sink, 60, NULL);
	/* one that was told of late: seen from outside, an inference is one when it has done something */
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 40, 1, 2);
	add(&log, &lanes, EVENT_END, KIND_INFERENCE, 70, 1, 2);
	lanes_put(&lanes, &log.sessions, &log.sink, 100, NULL);
	assert_string_equal(log.text, "2+10#1 2-50 3+40#2 3-70 ");
	finish(&log, &lanes);
}

TEST(what_lies_inside_is_on_the_lane_of_its_holder)
{
	struct lanes lanes;
	struct log log;

	start(&log, &lanes);
	add(&log, &lanes, EVENT_BEGIN, KIND_INFERENCE, 10, 90, 0);
	lanes.event[0].function = names_of(log.sink.names, "main");
	add(&log, &lanes, EVENT_BEGIN, KIND_SETUP, 20, 90, 0);
	add(&log, &lanes, EVENT_END, KIND_NONE, 30, 90, 0);
	add(&log, &lanes, EVENT_END, KIND_NONE, 40, 90, 0);
	add(&log, &lanes, EVENT_END, KIND_NONE, 50, 90, 0); /* of nothing */
	for (size_t i = 1; i < lanes.n; i++)
		lanes.event[i].is_inside = true;
	lanes_put(&lanes, &log.sessions, &log.sink, 100, NULL);
	assert_string_equal(log.text, "3+10#1 3+20 3-30 3-40 ");
	assert_int_equal(lanes.n_orphans, 1);
	finish(&log, &lanes);
}
