// SPDX-License-Identifier: Apache-2.0
/*
 * A store and a pyramid of what happens now. A pyramid that is updated while events come shows what one shows that is
 * built when they are there; memory stays bounded however long it goes on; sums stay exact; the slowest and the failed
 * inferences keep their operators; a track number that comes again is another track.
 */
#include "analyze/store/store_live.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/pyramid/pyramid.h"
#include "cases.h"
#include "kept.h"
#include "stream.h"

enum { N_PX = 512 };
#define SECOND UINT64_C(1000000000)

static uint64_t seed = 88172645463325252u;

static uint64_t any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* The maker of a live stream: it gives out numbers of tracks, also those that have ended. */
struct world {
	struct names *names;
	uint32_t last_track;
	struct store_live *live;
	const struct store *store;
	struct sink *sink;
	uint64_t serial, now_ns;
};

static void start(struct world *world, uint64_t window_ns, uint64_t max_bytes)
{
	const struct store_live_opts opts = { window_ns, max_bytes };

	*world = (struct world){ .names = names_new(), .now_ns = SECOND };
	world->live = store_live_new(world->names, &world->last_track, &opts);
	assert_non_null(world->live);
	world->store = store_live_store(world->live);
	world->sink = store_live_sink(world->live);
}

static void end(struct world *world)
{
	assert_int_equal(store_live_n_left_out(world->live), 0);
	store_live_free(world->live);
	names_free(world->names);
}

static void put(struct world *world, struct event event, const struct arg *args, size_t n)
{
	event.time_ns = world->now_ns;
	event.args = args;
	event.n_args = n;
	assert_int_equal(sink_put(world->sink, &event, NULL), 0);
}

static void define(struct world *world, uint32_t track, struct track_def def)
{
	world->last_track = track > world->last_track ? track : world->last_track;
	def.serial = ++world->serial;
	put(world, (struct event){ .type = EVENT_TRACK, .track = track, .def = &def }, NULL, 0);
}

static void begin(struct world *world, uint32_t track, enum event_kind kind, const char *name, int64_t inference)
{
	struct arg args[3] = { arg_int(KEY_INFERENCE, inference) };
	size_t n = 1;

	if (kind == KIND_OPERATOR)
		args[n++] = arg_text(KEY_OP_TYPE, world->sink, name);
	if (kind == KIND_INFERENCE) {
		char tag[32];

		snprintf(tag, sizeof tag, "request %llu", (unsigned long long)world->now_ns);
		args[n++] = arg_text(KEY_MODEL, world->sink, name);
		args[n++] = arg_name(KEY_TAG, names_pass(world->names, tag, strlen(tag)));
	}
	put(world,
	    (struct event){ .type = EVENT_BEGIN, .track = track, .kind = kind, .name = names_of(world->names, name) },
	    args, n);
}

static void finish(struct world *world, uint32_t track, const char *status)
{
	struct arg arg = arg_text(KEY_STATUS, world->sink, status ? status : "ok");

	put(world, (struct event){ .type = EVENT_END, .track = track }, &arg, status != NULL);
}

/* An inference of some operators, each of op_ns, on a lane and a thread. */
static void infer(struct world *world, uint32_t lane, uint32_t thread, int64_t number, uint64_t op_ns, int n,
		  const char *status)
{
	begin(world, lane, KIND_INFERENCE, "net", number);
	for (int i = 0; i < n; i++) {
		begin(world, thread, KIND_OPERATOR, i % 3 ? "Relu" : "Conv", number);
		world->now_ns += op_ns;
		finish(world, thread, NULL);
	}
	finish(world, lane, status);
}

/* Pictures of two rows at some zooms. */
static void compare_rows(const struct pyramid *a, uint32_t row_a, const struct pyramid *b, uint32_t row_b)
{
	uint64_t all_ns = pyramid_end(a) - pyramid_begin(a);

	for (int i = 0; i < 6; i++) {
		struct pyramid_range range = { .px_ns = UINT64_C(1) << any(26), .n_px = N_PX };
		static struct pyramid_big big[2][N_PX + 1];
		static struct pyramid_run run[2][N_PX + 1];
		struct pyramid_picture pictures[2] = { { 0, 0, big[0], run[0] }, { 0, 0, big[1], run[1] } };

		range.from_ns = pyramid_begin(a) + any(all_ns + 1) / range.px_ns * range.px_ns;
		pyramid_draw(a, pyramid_row(a, row_a), &range, &pictures[0]);
		pyramid_draw(b, pyramid_row(b, row_b), &range, &pictures[1]);
		assert_int_equal(pictures[0].n_big, pictures[1].n_big);
		assert_int_equal(pictures[0].n_runs, pictures[1].n_runs);
		assert_memory_equal(big[0], big[1], pictures[0].n_big * sizeof **big);
		assert_memory_equal(run[0], run[1], pictures[0].n_runs * sizeof **run);
	}
	assert_int_equal(pyramid_covered(pyramid_row(a, row_a), 0, pyramid_row(a, row_a)->n),
			 pyramid_covered(pyramid_row(b, row_b), 0, pyramid_row(b, row_b)->n));
}

/* Rows may have other numbers, and there may be empty ones. */
static void compare(const struct store *store, const struct pyramid *a, const struct pyramid *b)
{
	uint64_t n_a = 0, n_b = 0;

	assert_int_equal(pyramid_begin(a), pyramid_begin(b));
	assert_int_equal(pyramid_end(a), pyramid_end(b));
	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		uint32_t n_rows, n_rows_b, row = pyramid_rows_of(a, id, &n_rows),
					   row_b = pyramid_rows_of(b, id, &n_rows_b);

		assert_int_equal(n_rows, n_rows_b);
		for (uint32_t depth = 0; depth < n_rows; depth++)
			compare_rows(a, row + depth, b, row_b + depth);
	}
	for (uint32_t row = 0; row < pyramid_n_rows(a); row++)
		n_a += pyramid_row(a, row)->n;
	for (uint32_t row = 0; row < pyramid_n_rows(b); row++)
		n_b += pyramid_row(b, row)->n;
	assert_int_equal(n_a, n_b);
}

static void compare_counter(const struct pyramid *a, const struct pyramid *b, uint32_t track)
{
	struct pyramid_range range = { pyramid_begin(a), 1 << 20, N_PX };
	struct pyramid_sample samples[2][N_PX];
	double before[2];

	assert_int_equal(pyramid_draw_counter(a, track, &range, samples[0], &before[0]),
			 pyramid_draw_counter(b, track, &range, samples[1], &before[1]));
}

/* Random slices on several tracks, which become deeper; new tracks and classes; ends that come late, or never. */
TEST(a_pyramid_that_grows_shows_what_a_whole_one_shows)
{
	static const char *const types[] = { "Conv", "Relu", "Gemm", "Add", "Mul", "Softmax" };
	struct world world;
	struct pyramid *grown, *whole;
	int depth[12] = { 0 };
	uint64_t version, changed_ns, open_ns[12][8];

	start(&world, 0, 0);
	define(&world, 1, (struct track_def){ .type = TRACK_PROCESS, .pid = 7 });
	define(&world, 2, (struct track_def){ .type = TRACK_COUNTER, .parent = 1 });
	grown = pyramid_new(world.store);
	assert_non_null(grown);
	for (int round = 0; round < 120; round++) {
		uint32_t n_tracks = 3 + (uint32_t)round / 15, n = 1 + (uint32_t)any(round % 7 ? 60 : 3000);
		uint64_t first_ns = world.now_ns + 4000;

		if (round % 15 == 0)
			define(&world, n_tracks, (struct track_def){ .type = TRACK_THREAD, .parent = 1 });
		for (uint32_t i = 0; i < n; i++) {
			uint32_t track = 3 + (uint32_t)any(n_tracks - 2);

			world.now_ns += any(4000);
			if (depth[track] && (depth[track] > round / 40 || any(2))) {
				finish(&world, track, NULL);
				depth[track]--;
			} else {
				begin(&world, track, any(3) ? KIND_OPERATOR : KIND_USER,
				      types[any(1 + (uint64_t)round / 20)], 0);
				open_ns[track][depth[track]++] = world.now_ns;
			}
			if (!any(20))
				put(&world,
				    (struct event){ .type = EVENT_COUNTER, .track = 2, .value = (double)any(100) },
				    NULL, 0);
		}
		for (uint32_t track = 3; track <= n_tracks; track++)
			if (depth[track] && open_ns[track][0] < first_ns)
				first_ns = open_ns[track][0];
		assert_int_equal(pyramid_update(grown), 0);
		/* tracks that become deeper have other rows, whole ones */
		changed_ns = pyramid_take_changed(grown);
		assert_true(changed_ns <= first_ns);
		assert_true(round % 40 < 39 || changed_ns > SECOND);
		whole = pyramid_new(world.store);
		compare(world.store, grown, whole);
		compare_counter(grown, whole, 2);
		pyramid_free(whole);
	}
	/* what is in it is not counted again */
	version = pyramid_version(grown);
	assert_int_equal(pyramid_update(grown), 0);
	assert_int_equal(pyramid_version(grown), version);
	pyramid_free(grown);
	end(&world);
}

/* The tracks of a program with one model. */
static void start_program(struct world *world, uint32_t first, int32_t pid)
{
	define(world, first, (struct track_def){ .type = TRACK_PROCESS, .pid = pid });
	define(world, first + 1, (struct track_def){ .type = TRACK_GROUP, .parent = first });
	define(world, first + 2, (struct track_def){ .type = TRACK_LANE, .parent = first + 1 });
	define(world, first + 3, (struct track_def){ .type = TRACK_THREAD, .parent = first });
	define(world, first + 4, (struct track_def){ .type = TRACK_COUNTER, .parent = first });
}

static void end_program(struct world *world, uint32_t first, int32_t pid)
{
	struct arg arg = arg_int(KEY_PID, pid);

	put(world,
	    (struct event){ .type = EVENT_INSTANT,
			    .track = first,
			    .kind = KIND_NOTE,
			    .name = names_of(world->names, EVENT_NOTE_EXIT) },
	    &arg, 1);
	for (uint32_t i = 5; i-- > 0;)
		put(world, (struct event){ .type = EVENT_TRACK_END, .track = first + i }, NULL, 0);
}

static uint32_t last_process(const struct world *world)
{
	uint32_t last = 0;

	for (uint32_t id = 1; id <= store_n_tracks(world->store); id++)
		if (store_track(world->store, id) && store_track(world->store, id)->def.type == TRACK_PROCESS)
			last = id;
	return last;
}

static uint64_t operators_of(const struct store *store, uint32_t inference)
{
	uint64_t n = 0;

	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);

		for (size_t row = 0; track && row < track->slices.n; row++)
			n += track->slices.kind[row] == KIND_OPERATOR && track->slices.inference[row] == inference;
	}
	return n;
}

TEST(a_number_that_comes_again_is_another_track)
{
	struct world world;
	const struct store_track *track;
	uint32_t first;

	start(&world, 0, 0);
	start_program(&world, 1, 100);
	first = last_process(&world);
	infer(&world, 3, 4, 1, 1000, 5, NULL);
	/* it is open when its program ends */
	begin(&world, 4, KIND_OPERATOR, "Conv", 0);
	end_program(&world, 1, 100);
	world.now_ns += SECOND;
	start_program(&world, 1, 200);
	world.now_ns += SECOND;
	infer(&world, 3, 4, 1, 1000, 7, NULL);
	track = store_track(world.store, last_process(&world));
	assert_true(track->id != first);
	assert_int_equal(track->def.pid, 200);
	assert_int_equal(store_track(world.store, first)->def.pid, 100);
	assert_int_equal(store_track(world.store, first + 3)->slices.n, 6);
	assert_int_equal(store_track(world.store, track->id + 3)->slices.n, 7);
	assert_int_equal(store_track(world.store, track->id + 3)->def.parent, track->id);
	/* the same track again: what it is called is learnt late */
	world.serial -= 5;
	define(&world, 1,
	       (struct track_def){ .type = TRACK_PROCESS, .pid = 200, .name = names_of(world.names, "app") });
	assert_string_equal(names_text(world.names, store_track(world.store, track->id)->def.name), "app");
	assert_int_equal(last_process(&world), track->id);
	end(&world);
}

TEST(the_slowest_and_the_failed_keep_their_operators)
{
	enum { N = 40000, SLOW = 777, FAILED = 999, OPS = 10, MAX = 12 << 20 };
	const struct store_thinned *thinned;
	struct world world;
	uint64_t n_inferences = 0, n_sessions = 0;

	start(&world, 600 * SECOND, MAX);
	start_program(&world, 1, 100);
	begin(&world, 3, KIND_SESSION, "net", 0);
	finish(&world, 3, NULL);
	for (int64_t i = 1; i <= N; i++)
		infer(&world, 3, 4, i, i == SLOW ? 900000 : 1000 + any(500), OPS, i == FAILED ? "bad input" : "ok");
	thinned = store_thinned(world.store);
	assert_true(store_used_bytes(world.store) <= MAX);
	assert_int_equal(operators_of(world.store, SLOW), OPS);
	assert_int_equal(operators_of(world.store, FAILED), OPS);
	assert_int_equal(operators_of(world.store, N), OPS);
	assert_int_equal(operators_of(world.store, 5), 0);
	assert_true(thinned->before_ns > SECOND && thinned->n_details > 0);
	/* inferences outlast their operators, and all of them fit */
	for (uint32_t id = 1; id <= store_n_tracks(world.store); id++) {
		const struct store_track *track = store_track(world.store, id);

		for (size_t row = 0; track && row < track->slices.n; row++)
			n_inferences += track->slices.kind[row] == KIND_INFERENCE;
		n_sessions += store_has_kind(track, KIND_SESSION);
	}
	assert_int_equal(n_sessions, 1);
	assert_int_equal(thinned->inferences_before_ns, 0);
	assert_int_equal(n_inferences, N);
	end(&world);
}

/* Two programs at a time, each restarted every ten minutes; 10 inferences a second, and bursts. */
TEST(a_week_takes_no_more_memory_than_an_hour)
{
	enum { WEEK_S = 7 * 86400, OPS = 3, MAX = 2 << 20 };
	uint64_t most = 0, most_tracks = 0, n_runs = 0, half = 0;
	int pids[2] = { 1, 2 };
	struct world world;
	struct pyramid *pyramid;

	start(&world, 600 * SECOND, MAX);
	start_program(&world, 6, pids[0]);
	start_program(&world, 1, pids[1]);
	pyramid = pyramid_new(world.store);
	for (int s = 0; s < WEEK_S; s += 10) {
		int runs = s % 3600 ? 4 : 4000;

		if (s && s % 600 == 0) {
			int which = s / 600 % 2;

			end_program(&world, which ? 1 : 6, pids[which]);
			pids[which] = 3 + s / 600;
			start_program(&world, which ? 1 : 6, pids[which]);
		}
		for (int i = 0; i < runs; i++) {
			uint32_t at = i % 2 ? 1 : 6;

			infer(&world, at + 2, at + 3, ++n_runs, 1000 + any(1000), OPS, "ok");
		}
		put(&world, (struct event){ .type = EVENT_COUNTER, .track = 5, .value = s }, NULL, 0);
		world.now_ns = (uint64_t)(s + 10) * SECOND + SECOND;
		if (s % 600 == 0)
			assert_int_equal(pyramid_update(pyramid), 0);
		if (s == WEEK_S / 20 * 10)
			half = mallinfo2().uordblks + mallinfo2().hblkhd;

		if (store_used_bytes(world.store) > most)
			most = store_used_bytes(world.store);
		if (store_n_tracks(world.store) > most_tracks)
			most_tracks = store_n_tracks(world.store);
	}
	assert_true(n_runs > 600000);
	assert_true(most < MAX * 3 / 2);
	assert_true(mallinfo2().uordblks + mallinfo2().hblkhd <= half + MAX / 4);
	assert_true(most_tracks < 100);
	assert_true(names_count(world.names) < 400000);
	assert_all_are_counted(world.store);
	pyramid_free(pyramid);
	end(&world);
}

/* Classes keep their numbers, so that a page keeps its colors; what is open stays, and closes. */
TEST(a_thinned_store_goes_on)
{
	struct world world;
	struct pyramid *pyramid, *whole;
	uint32_t conv;
	uint64_t version;

	start(&world, 600 * SECOND, 1 << 20);
	start_program(&world, 1, 100);
	define(&world, 6, (struct track_def){ .type = TRACK_THREAD, .parent = 1 });
	begin(&world, 6, KIND_INFERENCE, "slow", 100000);
	infer(&world, 3, 4, 1, 1000, 4, "ok");
	pyramid = pyramid_new(world.store);
	conv = pyramid_n_classes(pyramid);
	version = pyramid_version(pyramid);
	for (int64_t i = 2; i < 20000; i++)
		infer(&world, 3, 4, i, 1000, 4, "ok");
	finish(&world, 6, NULL);
	assert_int_equal(pyramid_update(pyramid), 0);
	assert_true(store_thinned(world.store)->n_details > 0);
	assert_true(pyramid_version(pyramid) > version);
	assert_int_equal(pyramid_n_classes(pyramid), conv);
	whole = pyramid_new(world.store);
	compare(world.store, pyramid, whole);
	pyramid_free(whole);
	pyramid_free(pyramid);
	for (uint32_t id = 1; id <= store_n_tracks(world.store); id++) {
		const struct store_track *track = store_track(world.store, id);

		if (!track || track->def.type != TRACK_THREAD || !store_has_kind(track, KIND_INFERENCE))
			continue;
		assert_int_equal(track->slices.n, 1);
		assert_int_equal(track->slices.end_ns[0], world.now_ns);
	}
	end(&world);
}
