// SPDX-License-Identifier: Apache-2.0
/* Made-up hits of probes, and the resulting events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe/uprobe_process.h"
#include "capture/probe/uprobe_ring.h"
#include "cases.h"

/* A sink that logs events as text: "Add(1)+20" begins operator Add of inference 1, "-30" ends the open one. */
struct fixture {
	struct sink sink;
	uint32_t last_track;
	char text[8000];
	struct uprobe_process *process;
};

static const struct arg *find_arg(const struct event *event, enum event_key key)
{
	for (size_t i = 0; i < event->n_args; i++)
		if (event->args[i].key == key)
			return &event->args[i];
	return NULL;
}

__attribute__((format(printf, 2, 3))) static void log_text(struct fixture *fixture, const char *format, ...)
{
	size_t used = strlen(fixture->text);
	va_list args;

	va_start(args, format);
	vsnprintf(fixture->text + used, sizeof fixture->text - used, format, args);
	va_end(args);
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct fixture *fixture = (struct fixture *)sink;
	const struct arg *inference = find_arg(event, KEY_INFERENCE), *status = find_arg(event, KEY_STATUS);
	const struct arg *session = find_arg(event, KEY_SESSION);

	if (event->type == EVENT_TRACK)
		return 0;
	if (event->type == EVENT_BEGIN || event->type == EVENT_INSTANT)
		log_text(fixture, "%s", names_text(sink->names, event->name));
	if (event->type != EVENT_END && inference)
		log_text(fixture, "(%d)", (int)inference->integer);
	if (event->type != EVENT_END && session)
		log_text(fixture, "s%d", (int)session->integer);
	if (event->type == EVENT_BEGIN && find_arg(event, KEY_FIRST))
		log_text(fixture, "*");
	log_text(fixture, "%c%d",
		 event->type == EVENT_BEGIN ? '+'
		 : event->type == EVENT_END ? '-'
					    : '@',
		 (int)event->time_ns);
	if (find_arg(event, KEY_PARTIAL))
		log_text(fixture, "?");
	if (event->type == EVENT_END && status && strcmp(names_text(sink->names, status->name), "ok"))
		log_text(fixture, "!%s", names_text(sink->names, status->name));
	log_text(fixture, " ");
	return 0;
}

/* The generation of the texts. */
static uint64_t generation;
/* Each weight has a probe. */
static bool has_weights;

static struct fixture *setup(void)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	struct err err;

	generation = 1;
	fixture->sink = (struct sink){ put, names_new(), &fixture->last_track };
	fixture->last_track = 1;
	fixture->process = uprobe_process_new(7, 1, "/work", fixture->sink.names, &err);
	return fixture;
}

static void teardown(struct fixture *fixture)
{
	uprobe_process_free(fixture->process);
	names_free(fixture->sink.names);
	free(fixture);
}

static void take(struct fixture *fixture, const void *hit, size_t size)
{
	struct err err;
	struct uprobe_step step = {
		.hit = hit, .size = size, .out = &fixture->sink, .now_ns = 1000, .has_weights = has_weights, .err = &err
	};

	assert_int_equal(uprobe_process_take(fixture->process, &step), 0);
}

static struct uprobe_record record(uint32_t tid, unsigned kind, bool is_return, uint64_t time, uint64_t object,
				   uint64_t stack)
{
	return (struct uprobe_record){ .time = time,
				       .object = object,
				       .stack = stack,
				       .tid = tid,
				       .kind = (uint8_t)kind,
				       .is_return = is_return };
}

static void hit(struct fixture *fixture, uint32_t tid, unsigned kind, uint64_t time, uint64_t object, uint64_t stack)
{
	struct uprobe_record plain = record(tid, kind, false, time, object, stack);

	take(fixture, &plain, sizeof plain);
}

static void leave(struct fixture *fixture, uint32_t tid, unsigned kind, uint64_t time, uint64_t stack)
{
	struct uprobe_record plain = record(tid, kind, true, time, 0, stack);

	take(fixture, &plain, sizeof plain);
}

static void named(struct fixture *fixture, struct uprobe_record head, uint64_t index, uint64_t provider,
		  const char *name, const char *type)
{
	struct uprobe_named hit_ = { .record = head, .index = index, .provider = provider };

	snprintf(hit_.name, sizeof hit_.name, "%s", name);
	snprintf(hit_.type, sizeof hit_.type, "%s", type);
	take(fixture, &hit_, sizeof hit_);
}

static void text(struct fixture *fixture, uint64_t object, uint64_t offset, const char *name)
{
	named(fixture, record(1, UPROBE_TEXT, false, 1, object, 0), offset, generation, name, "");
}

static void kernel(struct fixture *fixture, uint64_t object, const char *name)
{
	named(fixture, record(1, UPROBE_KERNEL, false, 1, object, 0), 3, 0x77000, name, "Add");
}

/* Of a run: its options. Of an operator: the target of its context. */
static void joined(struct fixture *fixture, uint32_t tid, unsigned kind, uint64_t time, uint64_t object, uint64_t stack,
		   uint64_t options)
{
	struct uprobe_joined hit_ = { .record = record(tid, kind, false, time, object, stack), .word = { options } };

	if (kind == SITE_OPERATOR) {
		hit_.word[0] = 1;
		hit_.word[2] = options + 40;
	}
	take(fixture, &hit_, sizeof hit_);
}

static void run(struct fixture *fixture, uint32_t tid, uint64_t time, uint64_t stack)
{
	text(fixture, 0x5000, 200, "/models/net.onnx");
	joined(fixture, tid, SITE_RUN, time, 0x5000, stack, 0x900000 + tid * 0x1000);
}

/* All events that wait for their lane. */
static const char *told(struct fixture *fixture)
{
	struct err err;

	lanes_put(&fixture->process->recorded->lanes, &fixture->process->recorded->sessions, &fixture->sink, UINT64_MAX,
		  &err);
	return fixture->text;
}

#define IN_PROCESS(name) TEST_OF_NEW(name, struct fixture, fixture, setup(), teardown(fixture))

IN_PROCESS(entries_and_ends_pair_by_thread_and_stack)
{
	kernel(fixture, 0xa000, "add");
	run(fixture, 1, 10, 0x1000);
	run(fixture, 2, 11, 0x2000);
	hit(fixture, 1, SITE_OPERATOR, 20, 0xa000, 0x800);
	hit(fixture, 2, SITE_OPERATOR, 21, 0xa000, 0x1800);
	hit(fixture, 1, SITE_OPERATOR_END, 30, 0, 0x808);
	hit(fixture, 2, SITE_OPERATOR_END, 31, 0, 0x1808);
	leave(fixture, 1, SITE_RUN, 40, 0x1008);
	leave(fixture, 2, SITE_RUN, 41, 0x2008);
	assert_string_equal(told(fixture), "add(1)+20 -30 add(2)+21 -31 net(1)s1+10 net(2)s1+11 -40 -41 ");
}

IN_PROCESS(an_end_of_another_stack_ends_nothing)
{
	kernel(fixture, 0xa000, "add");
	run(fixture, 1, 10, 0x1000);
	hit(fixture, 1, SITE_OPERATOR, 20, 0xa000, 0x800);
	hit(fixture, 1, SITE_OPERATOR_END, 25, 0, 0x708);
	hit(fixture, 1, SITE_OPERATOR_END, 30, 0, 0x808);
	leave(fixture, 1, SITE_RUN, 40, 0x1008);
	assert_string_equal(told(fixture), "add(1)+20 -30 net(1)s1+10 -40 ");
}

/* Models, nodes and messages of ever new names: where sums are wanted alone, what is kept of them has an end. */
IN_PROCESS(names_without_end_take_room_with_an_end)
{
	enum { SESSIONS = 150000 };
	struct uprobe_process *process = fixture->process;
	uint32_t n_before = 0;
	size_t n_lanes = 0;

	process->is_lean = true;
	for (uint64_t i = 0; i < SESSIONS; i++) {
		char name[64];

		generation++;
		snprintf(name, sizeof name, "/models/net-%d.onnx", (int)i);
		text(fixture, 0x5000, 200, name);
		snprintf(name, sizeof name, "node-%d", (int)i);
		kernel(fixture, 0xa000, name);
		joined(fixture, 1, SITE_RUN, 10 + i * 100, 0x5000, 0x1000, 0x900000);
		snprintf(name, sizeof name, "message %d", (int)i);
		named(fixture, record(1, SITE_RUN, true, 20 + i * 100, 1, 0x1008), 0, 0, name, "");
		hit(fixture, 1, SITE_SESSION_DELETE, 30 + i * 100, 0x5000, 0x1000);
		fixture->text[0] = 0;
		told(fixture);
		if (i == SESSIONS - 10000) {
			n_before = names_count(fixture->sink.names);
			n_lanes = process->recorded->lanes.n_lanes;
		}
	}
	assert_string_equal(strchr(fixture->text, '!'), "!other ");
	assert_in_range(names_count(fixture->sink.names), UPROBE_NAMES, n_before + 10);
	assert_int_equal(process->recorded->lanes.n_lanes, n_lanes);
	assert_in_range(n_lanes, UPROBE_MODELS, UPROBE_MODELS + 10);
}

/* Two nodes whose names have the same first n characters, of which `told_` arrive. */
static size_t names_of_two_that_differ_behind(struct fixture *fixture, size_t n, size_t told_)
{
	struct uprobe_long_named hit_ = { .type = "Add" };

	run(fixture, 1, 10, 0x1000);
	for (uint64_t i = 0; i < 2; i++) {
		memset(hit_.name, 0, sizeof hit_.name);
		memset(hit_.name, 'n', n);
		hit_.name[n] = (char)('0' + i);
		hit_.name[told_] = 0;
		hit_.index = i;
		hit_.record = record(1, UPROBE_KERNEL, false, 1, 0xa000 + i, 0);
		take(fixture, &hit_, sizeof hit_);
		fixture->text[0] = 0;
	}
	return uprobe_kernel_node(fixture->process, 0xa000) != uprobe_kernel_node(fixture->process, 0xa001);
}

IN_PROCESS(nodes_whose_long_names_differ_at_the_end_are_two)
{
	struct segment_map *map = &fixture->process->recorded->map;
	const char *name;

	assert_true(names_of_two_that_differ_behind(fixture, 3998, UPROBE_LONG_NAME - 1));
	name = names_text(map->names, segment_node(map, uprobe_kernel_node(fixture->process, 0xa001)).name);
	assert_int_equal(strlen(name), 3999);
	assert_int_equal(name[3998], '1');
}

IN_PROCESS(nodes_whose_names_are_cut_are_two_and_say_so)
{
	struct segment_map *map = &fixture->process->recorded->map;
	const char *name;

	assert_true(names_of_two_that_differ_behind(fixture, UPROBE_LONG_NAME - 1, UPROBE_LONG_NAME - 1));
	name = names_text(map->names, segment_node(map, uprobe_kernel_node(fixture->process, 0xa001)).name);
	assert_in_range(strlen(name), 3900, SEGMENT_MAX_TEXT);
	assert_string_equal(name + strlen(name) - 12, "n... (Add_1)");
}

IN_PROCESS(operators_without_a_type_are_counted)
{
	named(fixture, record(1, UPROBE_KERNEL, false, 1, 0xa000, 0), 3, 0x77000, "\x90\x7f", "\x01\x02");
	kernel(fixture, 0xb000, "add");
	run(fixture, 1, 10, 0x1000);
	for (int i = 0; i < 3; i++) {
		hit(fixture, 1, SITE_OPERATOR, 20 + i * 10, i ? 0xa000 : 0xb000, 0x800);
		hit(fixture, 1, SITE_OPERATOR_END, 25 + i * 10, 0, 0x808);
	}
	assert_int_equal(fixture->process->n_unnamed, 2);
}

IN_PROCESS(operators_inside_others_nest)
{
	kernel(fixture, 0xa000, "loop");
	kernel(fixture, 0xb000, "add");
	run(fixture, 1, 10, 0x1000);
	hit(fixture, 1, SITE_OPERATOR, 20, 0xa000, 0x800);
	for (int i = 0; i < 2; i++) {
		hit(fixture, 1, SITE_OPERATOR, 22 + i * 4, 0xb000, 0x700);
		hit(fixture, 1, SITE_OPERATOR_END, 24 + i * 4, 0, 0x708);
	}
	hit(fixture, 1, SITE_OPERATOR_END, 30, 0, 0x808);
	assert_string_equal(told(fixture), "loop(1)+20 add(1)+22 -24 add(1)+26 -28 -30 net(1)s1+10 ");
}

/* Its base class's Compute, called (a deeper stack) or jumped to (the same stack). */
IN_PROCESS(the_compute_of_a_base_class_is_no_other_operator)
{
	kernel(fixture, 0xa000, "resize");
	run(fixture, 1, 10, 0x1000);
	for (int i = 0; i < 2; i++) {
		hit(fixture, 1, SITE_OPERATOR, 20 + i * 10, 0xa000, 0x800);
		hit(fixture, 1, SITE_OPERATOR, 21 + i * 10, 0xa000, i ? 0x800 : 0x700);
		hit(fixture, 1, SITE_OPERATOR_END, 25 + i * 10, 0, 0x808);
	}
	leave(fixture, 1, SITE_RUN, 40, 0x1008);
	assert_string_equal(told(fixture), "resize(1)+20 -25 resize(1)+30 -35 net(1)s1+10 -40 ");
}

IN_PROCESS(what_an_exception_left_has_failed_when_the_next_begins)
{
	kernel(fixture, 0xa000, "bad");
	kernel(fixture, 0xb000, "good");
	run(fixture, 1, 10, 0x1000);
	hit(fixture, 1, SITE_OPERATOR, 20, 0xa000, 0x800);
	hit(fixture, 1, SITE_OPERATOR, 25, 0xb000, 0x800);
	hit(fixture, 1, SITE_OPERATOR_END, 30, 0, 0x808);
	assert_string_equal(told(fixture), "bad(1)+20 -25!failed good(1)+25 -30 net(1)s1+10 ");
}

IN_PROCESS(what_an_exception_left_in_another_ends_with_it)
{
	kernel(fixture, 0xa000, "if");
	kernel(fixture, 0xb000, "bad");
	run(fixture, 1, 10, 0x1000);
	hit(fixture, 1, SITE_OPERATOR, 20, 0xa000, 0x800);
	hit(fixture, 1, SITE_OPERATOR, 22, 0xb000, 0x700);
	hit(fixture, 1, SITE_OPERATOR_END, 30, 0, 0x808);
	assert_string_equal(told(fixture), "if(1)+20 bad(1)+22 -30!failed -30 net(1)s1+10 ");
}

IN_PROCESS(a_failed_run_tells_why_and_so_do_its_operators)
{
	kernel(fixture, 0xa000, "bad");
	run(fixture, 1, 10, 0x1000);
	hit(fixture, 1, SITE_OPERATOR, 20, 0xa000, 0x800);
	named(fixture, record(1, SITE_RUN, true, 40, 0x1234, 0x1008), 0, 0, "out of bounds", "");
	assert_string_equal(told(fixture), "bad(1)+20 -40!out of bounds net(1)s1+10 -40!out of bounds ");
}

IN_PROCESS(an_operator_on_another_thread_belongs_to_the_run_whose_options_it_has)
{
	kernel(fixture, 0xa000, "add");
	run(fixture, 1, 10, 0x1000);
	run(fixture, 2, 11, 0x2000);
	joined(fixture, 9, SITE_OPERATOR, 20, 0xa000, 0x8000, 0x902000);
	hit(fixture, 9, SITE_OPERATOR_END, 30, 0, 0x8008);
	assert_string_equal(fixture->text, "add(2)+20 -30 ");
}

/* The inference of an operator on a third thread, when two runs are active and it has the options of the second. */
static const char *told_of_the_second(struct fixture *fixture, uint64_t options)
{
	kernel(fixture, 0xa000, "add");
	joined(fixture, 1, SITE_RUN, 10, 0x5000, 0x1000, 0x900000);
	joined(fixture, 2, SITE_RUN, 11, 0x5000, 0x2000, options);
	joined(fixture, 9, SITE_OPERATOR, 20, 0xa000, 0x8000, options);
	hit(fixture, 9, SITE_OPERATOR_END, 30, 0, 0x8008);
	return fixture->text;
}

IN_PROCESS(options_that_lie_side_by_side_are_told_apart)
{
	assert_string_equal(told_of_the_second(fixture, 0x9000b0), "add(2)+20 -30 ");
}

IN_PROCESS(of_runs_with_the_same_options_none_gets_the_operator)
{
	assert_string_equal(told_of_the_second(fixture, 0x900000), "add+20 -30 ");
}

IN_PROCESS(operators_of_runs_that_began_unseen_are_counted)
{
	kernel(fixture, 0xa000, "add");
	run(fixture, 1, 10, 0x1000);
	joined(fixture, 9, SITE_OPERATOR, 20, 0xa000, 0x8000, 0x123000);
	hit(fixture, 9, SITE_OPERATOR_END, 30, 0, 0x8008);
	assert_string_equal(fixture->text, "");
	assert_int_equal(fixture->process->n_cut_operators, 1);
	leave(fixture, 9, SITE_RUN, 40, 0x9008);
	assert_int_equal(fixture->process->n_cut_runs, 1);
}

IN_PROCESS(operators_that_a_run_left_on_other_threads_end_with_it)
{
	kernel(fixture, 0xa000, "add");
	run(fixture, 1, 10, 0x1000);
	joined(fixture, 9, SITE_OPERATOR, 20, 0xa000, 0x8000, 0x901000);
	leave(fixture, 1, SITE_RUN, 40, 0x1008);
	assert_string_equal(told(fixture), "add(1)+20 -40!failed net(1)s1+10 -40 ");
}

IN_PROCESS(a_lost_end_of_a_run_leaves_the_next_one_whole)
{
	run(fixture, 1, 10, 0x1000);
	run(fixture, 1, 50, 0x1000);
	leave(fixture, 1, SITE_RUN, 60, 0x1008);
	assert_string_equal(told(fixture), "net(1)s1+10 -50? net(2)s1+50 -60 ");
}

IN_PROCESS(an_end_of_another_run_ends_nothing)
{
	run(fixture, 1, 10, 0x1000);
	leave(fixture, 1, SITE_RUN, 30, 0x808);
	leave(fixture, 1, SITE_RUN, 40, 0x1008);
	assert_string_equal(told(fixture), "net(1)s1+10 -40 ");
	assert_int_equal(fixture->process->n_cut_runs, 1);
}

IN_PROCESS(runs_nest_on_a_thread)
{
	run(fixture, 1, 10, 0x1000);
	text(fixture, 0x6000, 200, "/models/inner.onnx");
	joined(fixture, 1, SITE_RUN, 20, 0x6000, 0x800, 0);
	leave(fixture, 1, SITE_RUN, 30, 0x808);
	leave(fixture, 1, SITE_RUN, 40, 0x1008);
	assert_string_equal(told(fixture), "net(1)s1+10 inner(2)s2+20 -30 -40 ");
}

IN_PROCESS(a_line_is_not_given_to_a_run_that_began_before_it_was_free)
{
	run(fixture, 1, 10, 0x1000);
	leave(fixture, 1, SITE_RUN, 20, 0x1008);
	run(fixture, 2, 19, 0x2000); /* read later, but earlier in time */
	leave(fixture, 2, SITE_RUN, 30, 0x2008);
	assert_string_equal(told(fixture), "net(1)s1+10 net(2)s1+19 -20 -30 ");
}

IN_PROCESS(a_kernel_that_is_told_again_is_another)
{
	run(fixture, 1, 10, 0x1000);
	for (int i = 0; i < 2; i++) {
		kernel(fixture, 0xa000, i ? "new" : "old");
		hit(fixture, 1, SITE_OPERATOR, 20 + i * 10, 0xa000, 0x800);
		hit(fixture, 1, SITE_OPERATOR_END, 25 + i * 10, 0, 0x808);
	}
	assert_string_equal(fixture->text, "old(1)+20 -25 new(1)+30 -35 ");
}

IN_PROCESS(a_node_without_a_name_is_called_by_its_type_and_number)
{
	run(fixture, 1, 10, 0x1000);
	kernel(fixture, 0xa000, "");
	hit(fixture, 1, SITE_OPERATOR, 20, 0xa000, 0x800);
	hit(fixture, 1, SITE_OPERATOR_END, 30, 0, 0x808);
	named(fixture, record(1, UPROBE_KERNEL, false, 1, 0xb000, 0), 3, 0, "\x01\x02", "\x7f");
	hit(fixture, 1, SITE_OPERATOR, 40, 0xb000, 0x800);
	hit(fixture, 1, SITE_OPERATOR_END, 50, 0, 0x808);
	assert_string_equal(fixture->text, "Add_3(1)+20 -30 (name lost)(1)+40 -50 ");
}

IN_PROCESS(a_session_is_called_by_its_path)
{
	/* the path, the output of the optimised model, and the prefix of profiles: the last two are options */
	text(fixture, 0x5000, 200, "./sub/model.onnx");
	text(fixture, 0x5000, 416, "/tmp/optimised.onnx");
	text(fixture, 0x5000, 464, "onnxruntime_profile_");
	joined(fixture, 1, SITE_RUN, 10, 0x5000, 0x1000, 0);
	assert_string_equal(told(fixture), "sub/model(1)s1+10 ");
	assert_string_equal(
	    names_text(fixture->sink.names, sessions_at(&fixture->process->recorded->sessions, 1)->path),
	    "/work/sub/model.onnx");
}

IN_PROCESS(a_session_from_memory_is_called_by_its_graph)
{
	text(fixture, 0x5000, 416, "/tmp/optimised.onnx");
	text(fixture, 0x5000, 464, "onnxruntime_profile_");
	text(fixture, 0x5000, 2304, "classifier");
	text(fixture, 0x5000, 2680, "model_loading_array");
	joined(fixture, 1, SITE_RUN, 10, 0x5000, 0x1000, 0);
	joined(fixture, 2, SITE_RUN, 11, 0x6000, 0x2000, 0);
	assert_string_equal(told(fixture), "classifier(1)s1+10 unknown model(2)s2+11 ");
}

IN_PROCESS(texts_of_an_earlier_object_at_the_address_name_nothing)
{
	text(fixture, 0x5000, 40, "com.microsoft");
	generation++;
	text(fixture, 0x5000, 200, "/models/net.onnx");
	text(fixture, 0x5000, 200, "/models/net.onnx"); /* another thread, at the same time */
	text(fixture, 0x5000, 416, "/tmp/optimised.onnx");
	generation--;
	text(fixture, 0x5000, 48, "late.name");
	joined(fixture, 1, SITE_RUN, 10, 0x5000, 0x1000, 0);
	assert_string_equal(told(fixture), "net(1)s1+10 ");
}

IN_PROCESS(texts_that_come_late_find_their_place)
{
	text(fixture, 0x5000, 300, "/later/other.onnx");
	text(fixture, 0x5000, 200, "/models/first.onnx");
	text(fixture, 0x5000, 300, "/later/other.onnx");
	joined(fixture, 1, SITE_RUN, 10, 0x5000, 0x1000, 0x900000);
	leave(fixture, 1, SITE_RUN, 20, 0x1008);
	assert_string_equal(told(fixture), "first(1)s1+10 -20 ");
}

IN_PROCESS(creation_has_its_parts)
{
	hit(fixture, 1, SITE_LOAD, 10, 0x5000, 0x1000);
	leave(fixture, 1, SITE_LOAD, 20, 0x1008);
	text(fixture, 0x5000, 200, "/models/net.onnx");
	hit(fixture, 1, SITE_INITIALIZE, 21, 0x5000, 0x1000);
	named(fixture, record(1, SITE_TRANSFORM, false, 22, 0x7000, 0x800), 0, 0, "Outer", "");
	named(fixture, record(1, SITE_TRANSFORM, false, 23, 0x7100, 0x700), 0, 0, "Inner", "");
	hit(fixture, 1, SITE_TRANSFORM_END, 24, 0, 0x6c0);
	hit(fixture, 1, SITE_TRANSFORM_END, 25, 0, 0x7c0);
	text(fixture, 0x77000, 40, "CPUExecutionProvider");
	hit(fixture, 1, SITE_GET_CAPABILITY, 30, 0x77000, 0x700);
	hit(fixture, 1, SITE_SAVE_WEIGHTS, 35, 0, 0x700);
	kernel(fixture, 0xa000, "conv");
	hit(fixture, 1, SITE_PREPACK, 36, 0xa000, 0x700);
	leave(fixture, 1, SITE_INITIALIZE, 40, 0x1008);
	run(fixture, 1, 50, 0x1000);
	assert_string_equal(told(fixture),
			    "created"
			    "s1@1000 nets1+10 load+10 -20 Outer+22 Inner+23 -24 -25 "
			    "partition CPUExecutionProvider+30 -35 copy weights+35 -36 pre-pack conv+36 -40 -40 "
			    "net(1)s1*+50 ");
	assert_string_equal(
	    names_text(fixture->sink.names, sessions_at(&fixture->process->recorded->sessions, 1)->providers),
	    "CPUExecutionProvider");
}

/* Every border once, as a recent version passes them. */
IN_PROCESS(creation_has_phases_between_its_parts)
{
	has_weights = true;
	hit(fixture, 1, SITE_LOAD, 10, 0x5000, 0x1000);
	hit(fixture, 1, SITE_READ, 11, 0, 0x700);
	hit(fixture, 1, SITE_READ, 14, 0, 0x700);
	hit(fixture, 1, SITE_RESOLVE, 16, 0, 0x700);
	leave(fixture, 1, SITE_LOAD, 20, 0x1008);
	text(fixture, 0x5000, 200, "/models/net.onnx");
	hit(fixture, 1, SITE_INITIALIZE, 21, 0x5000, 0x1000);
	hit(fixture, 1, SITE_PREDEFINED, 25, 0x5000, 0x700);
	hit(fixture, 1, SITE_COPY_WEIGHTS, 30, 0x5000, 0x700);
	hit(fixture, 1, SITE_RESOLVE, 32, 0, 0x700); /* of functions in the model */
	named(fixture, record(1, SITE_TRANSFORM, false, 40, 0x7000, 0x800), 0, 0, "A", "");
	hit(fixture, 1, SITE_TRANSFORM_END, 44, 0, 0x7c0);
	hit(fixture, 1, SITE_RESOLVE, 45, 0, 0x700);
	named(fixture, record(1, SITE_TRANSFORM, false, 50, 0x7000, 0x800), 0, 0, "B", "");
	hit(fixture, 1, SITE_RESOLVE, 51, 0, 0x700); /* inside of it: not told apart */
	hit(fixture, 1, SITE_TRANSFORM_END, 52, 0, 0x7c0);
	hit(fixture, 1, SITE_RESOLVE, 53, 0, 0x700);
	hit(fixture, 1, SITE_LOOK_UP, 55, 0, 0x700);
	hit(fixture, 2, SITE_PLAN, 56, 0, 0x700); /* of a thread that creates nothing */
	hit(fixture, 1, SITE_PLAN, 58, 0, 0x700);
	hit(fixture, 1, SITE_INITIALIZE_WEIGHTS, 60, 0, 0x700);
	hit(fixture, 1, SITE_WEIGHT, 61, 0, 0x700);
	hit(fixture, 1, SITE_WEIGHT, 64, 0, 0x700);
	kernel(fixture, 0xa000, "conv");
	hit(fixture, 1, SITE_PREPACK, 70, 0xa000, 0x700);
	hit(fixture, 1, SITE_SHARE_PACKED, 72, 0xa000, 0x700);
	leave(fixture, 1, SITE_INITIALIZE, 80, 0x1008);
	has_weights = false;
	run(fixture, 1, 90, 0x1000);
	assert_string_equal(told(fixture),
			    "created"
			    "s1@1000 nets1+10 load+10 parse model+10 -14 build graph+14 -20 -20 "
			    "register kernels+20 -25 create transformers+25 -30 copy weights+30 -40 A+40 -44 "
			    "resolve graph+45 -50 B+50 -52 resolve graph+53 -55 look up kernels+55 -58 "
			    "plan memory+58 -60 initialize weights+60 -64 create kernels+64 -70 "
			    "pre-pack conv+70 -72 pre-pack weights+72 -80 -80 net(1)s1*+90 ");
}

/* A part that ends with the creation, and kernels of which none was seen to pack. */
IN_PROCESS(a_creation_that_fails_ends_its_phase)
{
	has_weights = true;
	text(fixture, 0x5000, 200, "/models/net.onnx");
	hit(fixture, 1, SITE_INITIALIZE, 21, 0x5000, 0x1000);
	hit(fixture, 1, SITE_SAVE_WEIGHTS, 30, 0, 0x700);
	hit(fixture, 1, SITE_WEIGHT, 33, 0, 0x700);
	named(fixture, record(1, SITE_INITIALIZE, true, 40, 0x1, 0x1008), 0, 0, "no kernel", "");
	has_weights = false;
	assert_string_equal(told(fixture), "createds1@1000 nets1+21 copy weights+30 -33 "
					   "create kernels, pre-pack weights+33 -40 -40!no kernel ");
}

IN_PROCESS(transformers_that_an_exception_left_end_where_that_shows)
{
	text(fixture, 0x5000, 200, "/models/net.onnx");
	hit(fixture, 1, SITE_INITIALIZE, 21, 0x5000, 0x1000);
	named(fixture, record(1, SITE_TRANSFORM, false, 22, 0x7000, 0x800), 0, 0, "A", "");
	named(fixture, record(1, SITE_TRANSFORM, false, 23, 0x7100, 0x700), 0, 0, "B", "");
	named(fixture, record(1, SITE_TRANSFORM, false, 24, 0x7200, 0x700), 0, 0, "C", "");
	hit(fixture, 1, SITE_TRANSFORM_END, 25, 0, 0x7c0);
	named(fixture, record(1, SITE_INITIALIZE, true, 30, 0x1, 0x1008), 0, 0, "no kernel", "");
	assert_string_equal(told(fixture), "createds1@1000 nets1+21 A+22 B+23 -24 C+24 -25 -25 -30!no kernel ");
}

IN_PROCESS(a_load_that_fails_is_a_failed_creation)
{
	text(fixture, 0x5000, 200, "/models/net.onnx");
	hit(fixture, 1, SITE_LOAD, 10, 0x5000, 0x1000);
	named(fixture, record(1, SITE_LOAD, true, 20, 0x1, 0x1008), 0, 0, "not a model", "");
	assert_string_equal(told(fixture), "createds1@1000 nets1+10 load+10 -20 -20!not a model ");
	assert_int_equal(uprobe_session_find(fixture->process, 0x5000), 0);
}

IN_PROCESS(a_session_at_the_address_of_one_that_is_gone_is_another)
{
	run(fixture, 1, 10, 0x1000);
	leave(fixture, 1, SITE_RUN, 20, 0x1008);
	hit(fixture, 1, SITE_SESSION_DELETE, 30, 0x5000, 0x1000);
	generation++;
	text(fixture, 0x5000, 200, "/models/other.onnx");
	joined(fixture, 1, SITE_RUN, 40, 0x5000, 0x1000, 0);
	assert_string_equal(told(fixture), "releaseds1@1000 net(1)s1+10 -20 other(2)s2+40 ");
}

IN_PROCESS(constant_folding_is_no_operator_of_a_run)
{
	hit(fixture, 1, SITE_INITIALIZE, 10, 0x5000, 0x1000);
	joined(fixture, 1, SITE_OPERATOR, 20, 0xa000, 0x800, 0x123000);
	hit(fixture, 1, SITE_OPERATOR_END, 30, 0, 0x808);
	assert_int_equal(fixture->process->n_cut_operators, 0);
	assert_null(strstr(told(fixture), "+20"));
}

IN_PROCESS(more_threads_than_places_take_those_of_idle_ones)
{
	run(fixture, 1, 10, 0x1000);
	for (uint32_t tid = 2; tid < 2 * SEGMENT_MAX_RINGS; tid++) {
		run(fixture, tid, 10 + tid, 0x1000);
		leave(fixture, tid, SITE_RUN, 11 + tid, 0x1008);
	}
	assert_int_equal(fixture->process->n_threads, SEGMENT_MAX_RINGS);
	told(fixture);
	*fixture->text = 0;
	leave(fixture, 1, SITE_RUN, 100000, 0x1008);
	told(fixture);
	assert_non_null(strstr(fixture->text, "-100000 "));
	assert_int_equal(fixture->process->n_cut_runs, 0);
}

IN_PROCESS(a_thread_that_finds_no_place_is_counted_and_ends_nothing)
{
	for (uint32_t tid = 1; tid <= SEGMENT_MAX_RINGS; tid++)
		run(fixture, tid, 10 + tid, 0x1000);
	run(fixture, SEGMENT_MAX_RINGS + 1, 50000, 0x1000);
	assert_int_equal(fixture->process->n_unplaced, 1);
	leave(fixture, 1, SITE_RUN, 60000, 0x1008);
	run(fixture, SEGMENT_MAX_RINGS + 1, 70000, 0x1000);
	assert_int_equal(fixture->process->n_unplaced, 1);
}

IN_PROCESS(hits_that_make_no_sense_are_counted)
{
	struct uprobe_record odd = record(1, N_UPROBE_KINDS, false, 1, 0, 0);
	struct uprobe_named endless = { .record = record(1, UPROBE_KERNEL, false, 1, 0xa000, 0) };

	take(fixture, &odd, sizeof odd);
	take(fixture, &odd, 4);
	odd = record(1, SITE_OPERATOR, true, 1, 0, 0);
	take(fixture, &odd, sizeof odd);
	odd = record(1, UPROBE_KERNEL, false, 1, 0, 0);
	take(fixture, &odd, sizeof odd);
	assert_int_equal(fixture->process->n_unplaced, 4);
	memset(endless.name, 'n', sizeof endless.name);
	memset(endless.type, 't', sizeof endless.type);
	take(fixture, &endless, sizeof endless);
	run(fixture, 1, 10, 0x1000);
	for (uint64_t i = 0; i < UPROBE_DEPTH + 3; i++)
		hit(fixture, 1, SITE_OPERATOR, 20 + i, 0xa000 + i, 0x800 - i * 8);
	assert_int_equal(fixture->process->n_unplaced, 7);
}

/* ---- the ring ---- */

enum { RING = 256 };

struct made_ring {
	struct uprobe_ring ring;
	uint64_t producer, consumer;
	_Alignas(8) uint8_t data[2 * RING];
};

/* Mapped as by the kernel: twice in a row. */
static void ring_put(struct made_ring *made, uint32_t head, const char *bytes)
{
	uint64_t at = made->producer & (RING - 1), room = ((head & 0xffff) + 8 + 7) & ~7u;

	for (uint64_t i = 0; i < room; i++) {
		uint8_t byte = i < 4   ? (uint8_t)(head >> 8 * i)
			       : i < 8 ? 0
				       : (uint8_t)(i - 8 < strlen(bytes) ? bytes[i - 8] : 0);
		made->data[(at + i) % RING] = made->data[(at + i) % RING + RING] = byte;
	}
	made->producer += room;
}

static void ring_make(struct made_ring *made)
{
	memset(made, 0, sizeof *made);
	made->ring = (struct uprobe_ring){ &made->producer, &made->consumer, made->data, RING - 1, 0, 0, false };
}

TEST(a_ring_is_read_in_order_and_over_its_end)
{
	struct made_ring made;
	size_t size;

	ring_make(&made);
	for (int round = 0; round < 40; round++) {
		ring_put(&made, 12, "first word");
		ring_put(&made, 5 | 1u << 30, "gone");
		ring_put(&made, 20, "second, a longer one");
		uprobe_ring_look(&made.ring);
		assert_string_equal(uprobe_ring_next(&made.ring, &size), "first word");
		assert_int_equal(size, 12);
		assert_memory_equal(uprobe_ring_next(&made.ring, &size), "second, a longer one", 20);
		assert_int_equal(size, 20);
		assert_null(uprobe_ring_next(&made.ring, &size));
		assert_false(made.ring.is_waiting);
		uprobe_ring_done(&made.ring);
		assert_int_equal(made.consumer, made.producer);
	}
}

TEST(a_record_that_is_being_written_ends_the_round)
{
	struct made_ring made;
	size_t size;

	ring_make(&made);
	ring_put(&made, 4, "one");
	ring_put(&made, 4 | 1u << 31, "two");
	ring_put(&made, 4, "six");
	uprobe_ring_look(&made.ring);
	assert_string_equal(uprobe_ring_next(&made.ring, &size), "one");
	assert_null(uprobe_ring_next(&made.ring, &size));
	assert_true(made.ring.is_waiting);
	uprobe_ring_done(&made.ring);
	assert_int_equal(made.consumer, 16);
	made.data[19] = 0;
	uprobe_ring_look(&made.ring);
	assert_string_equal(uprobe_ring_next(&made.ring, &size), "two");
	assert_string_equal(uprobe_ring_next(&made.ring, &size), "six");
}

TEST(positions_that_make_no_sense_are_nothing)
{
	struct made_ring made;
	size_t size;

	ring_make(&made);
	made.producer = RING + 8;
	uprobe_ring_look(&made.ring);
	assert_null(uprobe_ring_next(&made.ring, &size));
	made.producer = 16;
	made.data[0] = 200; /* longer than the data present */
	uprobe_ring_look(&made.ring);
	assert_null(uprobe_ring_next(&made.ring, &size));
	assert_true(made.ring.is_waiting);
}

TEST(a_table_keeps_what_it_is_given)
{
	struct uprobe_table table = { 0 };

	for (uint64_t i = 0; i < 5000; i++)
		assert_true(uprobe_table_put(&table, i << 4, (uint32_t)i + 1));
	for (uint64_t i = 0; i < 5000; i += 2)
		assert_true(uprobe_table_put(&table, i << 4, 0));
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(uprobe_table_get(&table, i << 4), i & 1 ? i + 1 : 0);
	/* freed places are reused, or it would grow forever */
	for (uint64_t i = 0; i < 200000; i++) {
		uprobe_table_put(&table, 0x1000000 + i, 1);
		uprobe_table_put(&table, 0x1000000 + i, 0);
	}
	assert_true(table.entries.n_slots <= 32768);
	assert_int_equal(uprobe_table_get(&table, 4999 << 4), 5000);
	uprobe_table_done(&table);
}
