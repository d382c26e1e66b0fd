// SPDX-License-Identifier: Apache-2.0
/*
 * Decoding alone: this program links only capture/decode and the folders below it, without sources and recorder. A
 * hand-made segment becomes events.
 */
#include "capture/decode/recorded_drain.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cases.h"
#include "made_up_clock.h"
#include "segment_build.h"

enum { TID = 4242 };

enum { TRACKS = 1000 };

struct log {
	struct sink sink;
	uint32_t last_track;
	enum track_type type[TRACKS];
	uint64_t last_ns[TRACKS];
	int depth[TRACKS];
	uint32_t n_back; /* events before the last one of their track */
	void (*on_event)(void *ctx, const struct event *event);
	void *ctx;
	char text[128 << 10];
};

static const char sign[] = { [EVENT_BEGIN] = '+', [EVENT_END] = '-', [EVENT_INSTANT] = '!', [EVENT_COUNTER] = '=' };

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct log *log = (struct log *)sink;
	size_t used = strlen(log->text);

	assert_in_range(event->track, 1, TRACKS - 1);
	if (event->type == EVENT_TRACK) {
		log->type[event->track] = event->def->type;
		return 0;
	}
	if (log->on_event)
		log->on_event(log->ctx, event);
	log->n_back += event->time_ns < log->last_ns[event->track];
	log->last_ns[event->track] = event->time_ns;
	log->depth[event->track] += (event->type == EVENT_BEGIN) - (event->type == EVENT_END);
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

#define CASE(name) TEST_OF(name, struct world, world, world_open(world), world_close(world))

CASE(a_ring_becomes_inferences_and_operators)
{
	segment_build_model(&world->build, "net");
	segment_build_run(&world->build, 1, 1000);
	assert_string_equal(drained(world, true, NULL), "thread+conv1@1010 thread-@1060 lane+net@1000 lane-@1100 ");
	segment_build_run(&world->build, 2, 2000);
	assert_string_equal(drained(world, true, NULL), "thread+conv1@2010 thread-@2060 lane+net@2000 lane-@2100 ");
	assert_string_equal(drained(world, true, NULL), "");
}

/* An inference that was under way has no begin there, which is no loss; and the ring is the thread's already. */
CASE(who_shares_a_segment_reads_from_then_on)
{
	struct segment *segment;
	struct ring *ring;
	struct err err;

	segment = world->build.segment;
	ring = world->build.ring;
	segment_build_model(&world->build, "net");
	segment_build_record(&world->build,
			     (struct record){ .type = RECORD_RUN_BEGIN, .time = 100, .id = 1, .run = 1 });
	ring->tid = TID;
	ring->lost = 7;
	ring->own_tail = ring->head;
	ring->is_shared = 1;
	assert_int_equal(recorded_share(world->process, &world->log.sink, &err), 0);
	segment_build_record(&world->build, (struct record){ .type = RECORD_RUN_END, .time = 200, .id = 1, .run = 1 });
	segment_build_run(&world->build, 2, 1000);
	assert_string_equal(drained(world, true, NULL), "thread+conv1@1010 thread-@1060 lane+net@1000 lane-@1100 ");
	assert_int_equal(ring->tail, 0);
	assert_int_equal(ring->own_tail, ring->head);
	assert_int_equal(segment->own_dict_read, segment->dict_end);
	assert_int_equal(segment->dict_read, 0);
	segment->state = SEGMENT_OFF; /* the recorder has ended: its place is taken */
	segment_build_run(&world->build, 3, 2000);
	assert_string_equal(drained(world, true, NULL), "thread+conv1@2010 thread-@2060 lane+net@2000 lane-@2100 ");
	assert_int_equal(ring->tail, ring->head);
	assert_int_equal(segment->dict_read, segment->dict_end);
}

CASE(names_that_come_later_are_those_of_later_records)
{
	assert_string_equal(drained(world, false, NULL), "");
	segment_build_model(&world->build, "late");
	segment_build_run(&world->build, 1, 1000);
	assert_non_null(strstr(drained(world, true, NULL), "lane+late@1000"));
}

struct tags {
	struct names *names;
	char text[128];
};

static void keep_tags(void *ctx, const struct event *event)
{
	struct tags *tags = ctx;
	size_t used = strlen(tags->text);

	for (size_t i = 0; i < event->n_args; i++)
		if (event->args[i].key == KEY_TAG)
			snprintf(tags->text + used, sizeof tags->text - used, "%s ",
				 names_text(tags->names, event->args[i].name));
}

static void run_with_text(struct world *world, uint32_t run, uint32_t text)
{
	segment_build_record(
	    &world->build,
	    (struct record){ .type = RECORD_RUN_BEGIN, .time = run * 100, .id = 1, .run = run, .text = text });
	segment_build_record(&world->build,
			     (struct record){ .type = RECORD_RUN_END, .time = run * 100 + 50, .id = 1, .run = run });
}

struct answers {
	uint32_t place, n_waits;
};

static uint32_t answer(const struct callers_finder *finder, struct names *names, uint32_t caller, bool waits)
{
	struct answers *answers = finder->ctx;

	assert_string_equal(names_text(names, caller), "/usr/bin/app+0x12");
	answers->n_waits += waits;
	return waits ? caller : answers->place;
}

static void keep_callers(void *ctx, const struct event *event)
{
	struct tags *tags = ctx;
	size_t used = strlen(tags->text);

	for (size_t i = 0; i < event->n_args; i++)
		if (event->args[i].key == KEY_CALLER)
			snprintf(tags->text + used, sizeof tags->text - used, "%s ",
				 names_text(tags->names, event->args[i].name));
}

static void run_of_caller(struct world *world, uint32_t run, uint32_t caller)
{
	segment_build_record(
	    &world->build,
	    (struct record){
		.type = RECORD_RUN_BEGIN, .time = run * 100, .id = 1, .run = run, .value = (uint64_t)caller << 40 });
	segment_build_record(&world->build,
			     (struct record){ .type = RECORD_RUN_END, .time = run * 100 + 50, .id = 1, .run = run });
}

CASE(rings_are_read_while_the_line_of_a_caller_is_to_come)
{
	struct answers answers = { 0 };
	struct tags lines;
	uint32_t caller;

	lines = (struct tags){ .names = world->log.sink.names };
	world->log.on_event = keep_callers;
	world->log.ctx = &lines;
	world->process->callers.finder = (struct callers_finder){ answer, &answers, world->process };
	segment_build_model(&world->build, "net");
	run_of_caller(world, 1, 0);
	caller = segment_build_text(&world->build, "/usr/bin/app+0x12");
	for (uint32_t run = 2; run < 4; run++) {
		run_of_caller(world, run, caller);
		assert_string_equal(drained(world, false, NULL), run == 2 ? "lane+net@100 lane-@150 " : "");
		assert_int_equal(world->build.ring->tail, world->build.ring->head);
	}
	answers.place = names_of(lines.names, "main (app.c:7)");
	assert_string_equal(drained(world, false, NULL), "lane+net@200 lane-@250 lane+net@300 lane-@350 ");
	run_of_caller(world, 4, caller);
	assert_string_equal(drained(world, false, NULL), "lane+net@400 lane-@450 ");
	assert_string_equal(lines.text, "main (app.c:7) main (app.c:7) main (app.c:7) ");
	assert_int_equal(answers.n_waits, 0);
}

/* At the end it waits; and it gathers no more events than so many. */
TEST(a_line_that_does_not_come_is_an_address)
{
	enum { MANY = 40000 };
	struct answers answers = { 0 };
	struct world world;
	struct tags lines;
	uint32_t caller;

	world_open(&world);
	lines = (struct tags){ .names = world.log.sink.names };
	world.log.on_event = keep_callers;
	world.log.ctx = &lines;
	segment_build_model(&world.build, "net");
	caller = segment_build_text(&world.build, "/usr/bin/app+0x12");
	for (int i = 0; i < 2; i++) {
		memset(&world.process->callers, 0, sizeof world.process->callers);
		world.process->callers.finder = (struct callers_finder){ answer, &answers, world.process };
		for (uint32_t run = 1; run <= (i ? MANY : 1); run++) {
			run_of_caller(&world, run + (i ? 1 : 0), caller);
			if (run % 1000 == 0)
				drained(&world, false, NULL);
		}
		if (!i)
			assert_string_equal(drained(&world, true, NULL), "lane+net@100 lane-@150 ");
		assert_int_equal(answers.n_waits, 1);
		assert_int_equal(strncmp(lines.text, "/usr/bin/app+0x12 ", 18), 0);
	}
	assert_int_equal(world.process->lanes.n, 0);
	world_close(&world);
}

/* From a position near the end of the ring, and of the numbers, on. */
CASE(texts_that_pass_are_those_of_their_records_or_lost)
{
	const uint64_t begin = ((uint64_t)TEXT_PASSES * 8 * 3) - 40;
	struct tags tags;
	uint32_t old;

	tags = (struct tags){ .names = world->log.sink.names };
	world->log.on_event = keep_tags;
	world->log.ctx = &tags;
	segment_build_model(&world->build, "net");
	world->build.segment->texts_begun = world->build.segment->texts_end = begin;
	for (uint32_t run = 1; run <= 3; run++)
		run_with_text(world, run, segment_build_passing(&world->build, run == 2 ? "two, at the end" : "other"));
	assert_null(strstr(drained(world, true, NULL), "lost"));
	assert_string_equal(tags.text, "other two, at the end other ");
	old = segment_build_passing(&world->build, "old");
	for (int i = 0; i < SEGMENT_TEXTS_SIZE / 16; i++)
		segment_build_passing(&world->build, "12345678");
	*tags.text = 0;
	run_with_text(world, 4, old);
	run_with_text(world, 5, old + 9); /* inside another one */
	run_with_text(world, 6, segment_build_passing(&world->build, "new"));
	run_with_text(world, 7, (uint32_t)(world->build.segment->texts_end / 8) | TEXT_PASSES); /* never written */
	assert_non_null(strstr(drained(world, true, NULL), "process!lost@5000"));
	assert_string_equal(tags.text, "new ");
	assert_int_equal(world->process->map.n_passed, 3);
}

CASE(what_found_no_room_is_a_loss)
{
	unsigned fill;

	segment_build_model(&world->build, "net");
	for (uint32_t run = 1; run <= BUILD_RING_BYTES / sizeof(struct record); run++)
		segment_build_run(&world->build, run, run * 1000);
	world->build.segment->ring_lost = 9;
	assert_non_null(strstr(drained(world, true, &fill), "process!lost@5000"));
	assert_true(world->build.ring->lost > 0);
	assert_in_range(fill, 80, 100);
	/* only once */
	assert_string_equal(drained(world, true, NULL), "");
}

/* Ticks of an inference as segment_build_run writes it, on a processor with 3 ticks a nanosecond. */
static void assert_run_at(const char *text, const char *name, uint64_t ns)
{
	char wanted[64];

	snprintf(wanted, sizeof wanted, "lane+%s@%llu ", name, (unsigned long long)ns);
	if (!strstr(text, wanted))
		assert_string_equal(text, wanted);
}

TEST(records_from_both_sides_of_a_suspend_have_their_times)
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
TEST(a_segment_that_is_cut_off_is_a_loss_and_kills_nobody)
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

TEST(what_is_no_segment_is_refused)
{
	struct err err = { 0 };
	char path[64];

	snprintf(path, sizeof path, "/tmp/recorded_drain_test-%d-fifo", (int)getpid());
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(recorded_open(path, NULL, NULL, &err));
	assert_int_equal(err.code, EPROTO);
	unlink(path);
}

/* A thread whose ring is half full, and which moves to a larger one; another thread's ring lies between them. */
struct mover {
	struct world *world;
	struct ring_writer other, larger;
	uint64_t ns;
	bool has_moved;
};

static void put_operator(struct ring_writer *writer, uint64_t ns)
{
	segment_build_put(writer, (struct record){ .type = RECORD_OPERATOR, .time = ns, .value = ns + 5, .id = 1 });
}

/* While the reader is at the other thread's ring. */
static void move_meanwhile(void *ctx, const struct event *event)
{
	struct mover *mover = ctx;
	struct segment_build *build = &mover->world->build;

	if (mover->has_moved || event->time_ns < 1000000)
		return;
	mover->has_moved = true;
	for (int i = 0; i < 50; i++)
		put_operator(&build->writer, mover->ns += 10);
	mover->larger = segment_build_ring(build);
	segment_build_record(build, (struct record){ .type = RECORD_MOVED, .id = 2 });
	segment_build_put(&mover->larger, (struct record){ .type = RECORD_THREAD, .time = mover->ns, .id = TID });
	for (int i = 0; i < 50; i++)
		put_operator(&mover->larger, mover->ns += 10);
}

CASE(operators_of_a_thread_that_moves_while_it_is_read_keep_their_times)
{
	struct mover mover = { world };

	segment_build_model(&world->build, "net");
	for (int i = 0; i < 50; i++)
		put_operator(&world->build.writer, mover.ns += 10);
	mover.other = segment_build_ring(&world->build);
	segment_build_put(&mover.other, (struct record){ .type = RECORD_THREAD, .time = 1, .id = TID + 1 });
	put_operator(&mover.other, 1000000);
	world->log.on_event = move_meanwhile;
	world->log.ctx = &mover;
	drained(world, false, NULL);
	assert_true(mover.has_moved);
	drained(world, false, NULL);
	assert_int_equal(world->log.n_back, 0);
	assert_string_equal(drained(world, true, NULL), "");
}

/* A server that starts a thread for each request, two at a time. */
CASE(threads_of_one_inference_each_share_lines)
{
	struct ring_writer *writer[2], second;
	uint64_t ns = 1000;

	segment_build_model(&world->build, "net");
	second = segment_build_ring(&world->build);
	writer[0] = &world->build.writer;
	writer[1] = &second;
	for (uint32_t thread = 1; thread <= 20000; thread++, ns += 100) {
		struct ring_writer *to = writer[thread % 2];
		segment_build_put(to, (struct record){ .type = RECORD_THREAD, .time = ns, .id = 10000 + thread });
		put_operator(to, ns + 10);
		put_operator(to, ns + 150); /* meanwhile the next one has begun */
		if (thread % 100)
			continue;
		assert_int_equal(world->build.ring->lost, 0);
		drained(world, false, NULL);
	}
	assert_int_equal(world->log.n_back, 0);
	assert_in_range(world->log.last_track, WORKERS_EARLY, WORKERS_EARLY + 6);
	assert_in_range(world->process->workers.n, 1, 6);
	assert_null(workers_find(&world->process->workers, 10000 + 5));
	assert_non_null(workers_find(&world->process->workers, 10000 + 20000));
}

/* Ids of threads come again long before a ring does. */
CASE(threads_with_the_id_of_an_ended_one_are_new_ones)
{
	struct ring_writer second;
	uint64_t ns = 1000;

	segment_build_model(&world->build, "net");
	second = segment_build_ring(&world->build);
	for (uint32_t round = 1; round <= 200; round++, ns += 100) {
		/* the last thread of the second ring has ended, and its id comes again in the first */
		segment_build_record(&world->build, (struct record){ .type = RECORD_THREAD, .time = ns, .id = 500 });
		put_operator(&world->build.writer, ns + 10);
		segment_build_record(&world->build,
				     (struct record){ .type = RECORD_THREAD, .time = ns + 20, .id = 501 });
		put_operator(&world->build.writer, ns + 40);
		segment_build_put(&second, (struct record){ .type = RECORD_THREAD, .time = ns + 30, .id = 500 });
		put_operator(&second, ns + 35);
		drained(world, false, NULL);
	}
	assert_int_equal(world->log.n_back, 0);
	assert_in_range(world->process->workers.n, 2, 6);
	assert_in_range(world->log.last_track, WORKERS_EARLY, WORKERS_EARLY + 6);
}

CASE(operators_that_a_thread_left_open_do_not_hold_those_of_the_next_one)
{
	uint64_t ns = 1000;

	segment_build_model(&world->build, "net");
	for (uint32_t thread = 1; thread <= 100; thread++, ns += 100) {
		segment_build_record(&world->build,
				     (struct record){ .type = RECORD_THREAD, .time = ns, .id = 10000 + thread });
		segment_build_record(&world->build,
				     (struct record){ .type = RECORD_OPERATOR_BEGIN, .time = ns + 10, .id = 1 });
		put_operator(&world->build.writer, ns + 20);
	}
	drained(world, true, NULL);
	assert_int_equal(world->log.depth[world->log.last_track], 1); /* that of the last thread */
	assert_int_equal(world->log.n_back, 0);
}

CASE(a_thread_that_has_moved_lives_on_when_its_old_ring_is_taken)
{
	struct ring_writer larger;

	segment_build_model(&world->build, "net");
	put_operator(&world->build.writer, 100);
	larger = segment_build_ring(&world->build);
	segment_build_record(&world->build, (struct record){ .type = RECORD_MOVED, .id = 1 });
	segment_build_put(&larger, (struct record){ .type = RECORD_THREAD, .time = 200, .id = TID });
	segment_build_record(&world->build, (struct record){ .type = RECORD_THREAD, .time = 210, .id = TID + 1 });
	put_operator(&larger, 220);
	put_operator(&world->build.writer, 230);
	drained(world, true, NULL);
	assert_non_null(workers_find(&world->process->workers, TID));
	assert_non_null(workers_find(&world->process->workers, TID + 1));
	assert_int_equal(world->process->workers.n_ended, 0);
	assert_int_equal(world->log.n_back, 0);
}

/* What the ends of inferences say of their threads' CPU time, and of their time in a queue. */
struct told {
	uint64_t cpu_ns, queue_ns;
};

static void sum_told(void *ctx, const struct event *event)
{
	struct told *told = ctx;

	for (size_t i = 0; event->type == EVENT_END && i < event->n_args; i++)
		if (event->args[i].key == KEY_THREAD_CPU_NS)
			told->cpu_ns += (uint64_t)event->args[i].integer;
		else if (event->args[i].key == KEY_POOL_QUEUE_NS)
			told->queue_ns += (uint64_t)event->args[i].integer;
}

/* It came into the queue of a pool at 60. Its usage is told before or after the move. The thread never slept or waited:
 * it had the CPU all the time. */
TEST(an_inference_in_which_its_thread_moves_keeps_its_usage)
{
	for (int is_before = 0; is_before < 2; is_before++) {
		const struct record usage = { .type = RECORD_RUN_USAGE, .run = 1, .flags = FLAG_AWAKE };
		struct ring_writer larger;
		struct world world;
		struct told told = { 0 };

		world_open(&world);
		segment_build_model(&world.build, "net");
		segment_build_record(&world.build,
				     (struct record){ .type = RECORD_RUN_BEGIN, .time = 100, .id = 1, .run = 1 });
		if (is_before)
			segment_build_record(&world.build, usage);
		larger = segment_build_ring(&world.build);
		segment_build_record(&world.build, (struct record){ .type = RECORD_MOVED, .id = 1 });
		segment_build_put(&larger, (struct record){ .type = RECORD_THREAD, .time = 150, .id = TID });
		if (!is_before)
			segment_build_put(&larger, usage);
		segment_build_put(&larger, (struct record){ .type = RECORD_RUN_QUEUED, .value = 60, .run = 1 });
		segment_build_put(&larger, (struct record){ .type = RECORD_RUN_END, .time = 400, .id = 1, .run = 1 });
		world.log.on_event = sum_told;
		world.log.ctx = &told;
		drained(&world, true, NULL);
		assert_int_equal(told.cpu_ns, 300);
		assert_int_equal(told.queue_ns, 40);
		world_close(&world);
	}
}
