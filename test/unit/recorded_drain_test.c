// SPDX-License-Identifier: Apache-2.0
/*
 * Decoding alone: this program links only capture/decode and the folders below it, without sources and recorder. A
 * hand-made segment becomes events.
 */
#include "capture/decode/recorded_drain.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "made_up_clock.h"
#include "segment_build.h"

enum { TID = 4242 };

struct log {
	struct sink sink;
	uint32_t last_track;
	enum track_type type[64];
	char text[128 << 10];
};

static const char sign[] = { [EVENT_BEGIN] = '+', [EVENT_END] = '-', [EVENT_INSTANT] = '!', [EVENT_COUNTER] = '=' };

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct log *log = (struct log *)sink;
	size_t used = strlen(log->text);

	if (event->type == EVENT_TRACK) {
		log->type[event->track] = event->def->type;
		return 0;
	}
	snprintf(log->text + used, sizeof log->text - used, "%s%c%s@%llu ",
		 log->type[event->track] == TRACK_THREAD ? "thread"
		 : log->type[event->track] == TRACK_LANE ? "lane"
							 : "process",
		 sign[event->type], names_text(log->sink.names, event->name), (unsigned long long)event->time_ns);
	return 0;
}

struct world {
	struct segment_build build;
	struct log log;
	struct recorded *process;
	char path[64];
};

static void world_open(struct world *world)
{
	struct err err;

	memset(world, 0, sizeof *world);
	snprintf(world->path, sizeof world->path, "/tmp/recorded_drain_test-%d" SEGMENT_SUFFIX, (int)getpid());
	segment_build_open(&world->build, world->path, 77);
	world->log.sink = (struct sink){ put, names_new(), &world->log.last_track };
	world->process = recorded_open(world->path, world->log.sink.names, NULL, &err);
	assert_non_null(world->process);
	segment_build_record(&world->build, (struct record){ .type = RECORD_THREAD, .time = 1, .id = TID });
}

static void world_close(struct world *world)
{
	recorded_close(world->process);
	names_free(world->log.sink.names);
	segment_build_close(&world->build);
	unlink(world->path);
}

static const char *drained(struct world *world, bool is_last, unsigned *fill)
{
	struct recorded_drain drain = { .out = &world->log.sink, .now_ns = 5000, .is_last = is_last };
	struct err err = { 0 };

	*world->log.text = 0;
	assert_int_equal(recorded_drain(world->process, &drain, &err), 0);
	if (fill)
		*fill = drain.fill;
	return world->log.text;
}

static void a_ring_becomes_inferences_and_operators(void **state)
{
	struct world world;

	world_open(&world);
	segment_build_model(&world.build, "net");
	segment_build_run(&world.build, 1, 1000);
	assert_string_equal(drained(&world, true, NULL), "thread+conv1@1010 thread-@1060 lane+net@1000 lane-@1100 ");
	segment_build_run(&world.build, 2, 2000);
	assert_string_equal(drained(&world, true, NULL), "thread+conv1@2010 thread-@2060 lane+net@2000 lane-@2100 ");
	assert_string_equal(drained(&world, true, NULL), "");
	world_close(&world);
}

static void names_that_come_later_are_those_of_later_records(void **state)
{
	struct world world;

	world_open(&world);
	assert_string_equal(drained(&world, false, NULL), "");
	segment_build_model(&world.build, "late");
	segment_build_run(&world.build, 1, 1000);
	assert_non_null(strstr(drained(&world, true, NULL), "lane+late@1000"));
	world_close(&world);
}

static void what_found_no_room_is_a_loss(void **state)
{
	struct world world;
	unsigned fill;

	world_open(&world);
	segment_build_model(&world.build, "net");
	for (uint32_t run = 1; run <= BUILD_RING_BYTES / sizeof(struct record); run++)
		segment_build_run(&world.build, run, run * 1000);
	world.build.segment->ring_lost = 9;
	assert_non_null(strstr(drained(&world, true, &fill), "process!lost@5000"));
	assert_true(world.build.ring->lost > 0);
	assert_in_range(fill, 80, 100);
	/* only once */
	assert_string_equal(drained(&world, true, NULL), "");
	world_close(&world);
}

/* Ticks of an inference as segment_build_run writes it, on a processor with 3 ticks a nanosecond. */
static void assert_run_at(const char *text, const char *name, uint64_t ns)
{
	char wanted[64];

	snprintf(wanted, sizeof wanted, "lane+%s@%llu ", name, (unsigned long long)ns);
	if (!strstr(text, wanted))
		assert_string_equal(text, wanted);
}

static void records_from_both_sides_of_a_suspend_have_their_times(void **state)
{
	struct made_up_clock clock;
	struct clock_map map;
	struct world world;
	uint64_t before_ns, after, after_ns;
	const char *text;

	made_up_clock_init(&clock);
	made_up_clock_map(&clock, &map);
	clock_map_update(&map);
	world_open(&world);
	world.process->clock = &map;
	segment_build_model(&world.build, "net");
	made_up_pass(&clock, 5000000);
	before_ns = clock_map_ns(&map, (uint64_t)clock.ticks);
	assert_in_range(before_ns, clock.mono_ns - 1000, clock.mono_ns + 1000);
	segment_build_run(&world.build, 1, (uint64_t)clock.ticks);
	/* it sleeps for an hour behind the last look at the clocks, and before the records are read */
	clock.ticks += 3600e9 * clock.rate;
	made_up_pass(&clock, 5000000);
	after = (uint64_t)clock.ticks;
	segment_build_run(&world.build, 2, after);
	made_up_pass(&clock, 5000000);
	text = drained(&world, true, NULL);
	after_ns = clock_map_ns(&map, after);
	assert_run_at(text, "net", before_ns);
	assert_run_at(text, "net", after_ns);
	assert_in_range(after_ns, before_ns + 4990000, before_ns + 5010000);
	assert_int_equal(map.n_jumps, 1);
	world_close(&world);
}

/* Whoever owns the file may cut it off, before it is read first or in between. */
static void a_segment_that_is_cut_off_is_a_loss_and_kills_nobody(void **state)
{
	static const long sizes[] = { 0, SEGMENT_DICT, SEGMENT_RINGS };
	struct world world;

	for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
		world_open(&world);
		segment_build_model(&world.build, "net");
		segment_build_run(&world.build, 1, 1000);
		if (i & 1)
			drained(&world, false, NULL);
		segment_build_run(&world.build, 2, 2000);
		assert_int_equal(truncate(world.path, sizes[i / 2]), 0);
		assert_non_null(strstr(drained(&world, true, NULL), "process!lost@5000"));
		assert_string_equal(drained(&world, true, NULL), "");
		world_close(&world);
	}
}

static void what_is_no_segment_is_refused(void **state)
{
	struct err err = { 0 };
	char path[64];

	snprintf(path, sizeof path, "/tmp/recorded_drain_test-%d-fifo", (int)getpid());
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(recorded_open(path, NULL, NULL, &err));
	assert_int_equal(err.code, EPROTO);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_becomes_inferences_and_operators),
		cmocka_unit_test(names_that_come_later_are_those_of_later_records),
		cmocka_unit_test(what_found_no_room_is_a_loss),
		cmocka_unit_test(records_from_both_sides_of_a_suspend_have_their_times),
		cmocka_unit_test(a_segment_that_is_cut_off_is_a_loss_and_kills_nobody),
		cmocka_unit_test(what_is_no_segment_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
