// SPDX-License-Identifier: Apache-2.0
/*
 * Compares a store that forgets with one that keeps everything. The first keeps exactly the events that are not over,
 * with every argument; forgotten and kept events together give the same results. Endless recordings take no more memory
 * than short ones.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/store.h"
#include "cases.h"
#include "kept.h"

enum { N_TRACKS = 8, N_NAMES = 6, PROCESS = 1, COUNTER = N_TRACKS };

struct pair {
	struct names *names;
	uint32_t last_track;
	struct store *all, *some;
	uint64_t seed, now_ns;
	uint64_t last_ns[N_TRACKS + 1];
	int depth[N_TRACKS + 1];
};

static uint64_t any(struct pair *pair, uint64_t n)
{
	pair->seed = pair->seed * 6364136223846793005u + 1442695040888963407u;
	return (pair->seed >> 33) % n;
}

static void put(struct pair *pair, const struct event *event)
{
	assert_int_equal(sink_put(store_sink(pair->all), event, NULL), 0);
	assert_int_equal(sink_put(store_sink(pair->some), event, NULL), 0);
}

static void define(struct pair *pair, uint32_t track, struct track_def def)
{
	pair->last_track = track > pair->last_track ? track : pair->last_track;
	put(pair, &(struct event){ .type = EVENT_TRACK, .track = track, .def = &def });
}

static struct pair pair_new(uint64_t seed)
{
	struct pair pair = { .names = names_new(), .seed = seed };
	char name[8] = "name0";

	for (int i = 0; i < N_NAMES; i++, name[4]++)
		names_of(pair.names, name);
	return pair;
}

static void pair_start(struct pair *pair)
{
	pair->all = store_new(pair->names, &pair->last_track);
	pair->some = store_new(pair->names, &pair->last_track);
	define(pair, PROCESS, (struct track_def){ .type = TRACK_PROCESS, .pid = 100 });
	for (uint32_t id = 2; id < COUNTER; id++)
		define(pair, id, (struct track_def){ .type = TRACK_THREAD, .parent = PROCESS });
	define(pair, COUNTER, (struct track_def){ .type = TRACK_COUNTER, .parent = PROCESS, .name = 1 });
}

static void pair_done(struct pair *pair)
{
	store_free(pair->all);
	store_free(pair->some);
	names_free(pair->names);
}

/* One event at random; now and then one that lies before its predecessor. */
static void step(struct pair *pair)
{
	uint32_t track = 2 + (uint32_t)any(pair, COUNTER - 1);
	struct arg args[3] = { arg_int(KEY_COUNT, (int64_t)any(pair, 5)),
			       arg_name(KEY_OP_TYPE, 1 + (uint32_t)any(pair, 3)),
			       arg_int(KEY_ID, (int64_t)any(pair, 1000)) };
	struct event event = { .track = track, .name = 1 + (uint32_t)any(pair, N_NAMES), .args = args };

	pair->now_ns += any(pair, 10);
	event.time_ns = any(pair, 50) ? pair->now_ns : pair->now_ns / 2;
	event.n_args = any(pair, 4);
	if (track == COUNTER) {
		event.type = EVENT_COUNTER;
		event.value = (double)any(pair, 100);
		event.n_args = 0;
	} else if (!any(pair, 8)) {
		event.type = EVENT_INSTANT;
		event.kind = any(pair, 2) ? KIND_LOST : KIND_USER;
	} else if (pair->depth[track] && any(pair, 2)) {
		event.type = EVENT_END;
		pair->depth[track]--;
	} else {
		event.type = EVENT_BEGIN;
		event.kind = any(pair, 2) ? KIND_OPERATOR : KIND_INFERENCE;
		pair->depth[track]++;
	}
	put(pair, &event);
}

static void assert_same_args(const struct pair *pair, uint32_t a, uint32_t b)
{
	uint32_t n_a, n_b;
	const struct arg *list_a = store_args(pair->all, a, &n_a), *list_b = store_args(pair->some, b, &n_b);

	assert_int_equal(n_a, n_b);
	if (n_a)
		assert_memory_equal(list_a, list_b, n_a * sizeof *list_a);
}

/* Is a slice of the full store open, in the eyes of the one that forgets? It must be there in both. */
static bool is_same_slice(const struct pair *pair, const struct store_slices *a, size_t row,
			  const struct store_slices *b, size_t at)
{
	if (at >= b->n || a->begin_ns[row] != b->begin_ns[at] || a->end_ns[row] != b->end_ns[at] ||
	    a->name[row] != b->name[at] || a->depth[row] != b->depth[at] || a->kind[row] != b->kind[at] ||
	    a->inference[row] != b->inference[at])
		return false;
	assert_same_args(pair, a->args[row], b->args[at]);
	assert_same_args(pair, a->own_args ? a->own_args[row] : 0, b->own_args ? b->own_args[at] : 0);
	return true;
}

static void check_slices(const struct pair *pair, uint32_t track, uint64_t before_ns)
{
	const struct store_slices *a = &store_track(pair->all, track)->slices,
				  *b = &store_track(pair->some, track)->slices;
	size_t at = 0;

	for (size_t row = 0; row < a->n; row++) {
		bool is_over = a->end_ns[row] < before_ns;

		/* one without an end is open, or was cut off: then it is there as long as its begin is in the window */
		if (a->end_ns[row] == STORE_OPEN)
			is_over = a->begin_ns[row] < before_ns && !is_same_slice(pair, a, row, b, at);
		if (!is_over) {
			assert_true(is_same_slice(pair, a, row, b, at));
			at++;
		}
	}
	assert_int_equal(at, b->n);
}

static void check_samples(const struct pair *pair, uint64_t before_ns)
{
	const struct store_samples *a = &store_track(pair->all, COUNTER)->samples,
				   *b = &store_track(pair->some, COUNTER)->samples;
	size_t forgotten = a->n - b->n;

	/* the last one before the window holds in it */
	if (b->n > 1)
		assert_true(b->time_ns[1] >= before_ns);
	for (size_t i = 0; i < b->n; i++) {
		assert_int_equal(a->time_ns[forgotten + i], b->time_ns[i]);
		assert_true(a->value[forgotten + i] == b->value[i]);
	}
	for (size_t i = 0; i < forgotten; i++)
		assert_true(a->time_ns[i] < before_ns);
}

static void check_instants(const struct pair *pair, uint64_t before_ns)
{
	size_t n_a, n_b, at = 0;
	const struct store_instant *a = store_instants(pair->all, &n_a), *b = store_instants(pair->some, &n_b);

	for (size_t i = 0; i < n_a; i++) {
		if (a[i].time_ns < before_ns)
			continue;
		assert_true(at < n_b && a[i].time_ns == b[at].time_ns && a[i].track == b[at].track &&
			    a[i].name == b[at].name && a[i].kind == b[at].kind);
		assert_same_args(pair, a[i].args, b[at++].args);
	}
	assert_int_equal(at, n_b);
}

TEST(what_is_left_and_what_was_forgotten_are_all)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct pair pair = pair_new(seed);
		uint64_t before_ns = 0;

		pair_start(&pair);
		for (int i = 0; i < 2000; i++) {
			step(&pair);
			/* never back: what was forgotten stays forgotten */
			if (!any(&pair, 100) && before_ns < pair.now_ns)
				before_ns += any(&pair, pair.now_ns - before_ns);
			if (!any(&pair, 50) || i == 1999)
				assert_int_equal(store_forget(pair.some, before_ns), 0);
		}
		for (uint32_t track = 2; track < COUNTER; track++)
			check_slices(&pair, track, before_ns);
		check_samples(&pair, before_ns);
		check_instants(&pair, before_ns);
		assert_int_equal(store_counts(pair.all)->n_slices, store_counts(pair.some)->n_slices);
		assert_all_are_counted(pair.some);
		pair_done(&pair);
	}
}

static void note(struct pair *pair, uint32_t track, const char *topic, enum event_key key, int64_t value)
{
	struct arg args[2] = { arg_int(key, value), arg_int(KEY_SESSION, 1) };
	struct event event = { EVENT_INSTANT, .kind = KIND_NOTE, .track = track, .time_ns = pair->now_ns,
			       .args = args };

	event.name = names_of(pair->names, topic);
	event.n_args = key == KEY_SESSION ? 1 : 2;
	args[1] = arg_int(KEY_BYTES, 1);
	assert_int_equal(sink_put(store_sink(pair->some), &event, NULL), 0);
}

static void slice(struct pair *pair, uint32_t track, uint32_t name, uint64_t ns)
{
	struct arg args[2] = { arg_int(KEY_ID, (int64_t)pair->now_ns), arg_name(KEY_OP_TYPE, 1 + name % 3) };
	struct event event = { EVENT_BEGIN, KIND_OPERATOR, track, name, pair->now_ns, .args = args, .n_args = 2 };

	assert_int_equal(sink_put(store_sink(pair->some), &event, NULL), 0);
	event = (struct event){ .type = EVENT_END, .track = track, .time_ns = pair->now_ns += ns };
	assert_int_equal(sink_put(store_sink(pair->some), &event, NULL), 0);
}

/* Notes of sessions that live stay for ever; a process that has ended leaves nothing. */
TEST(notes_stay_as_long_as_what_they_are_about)
{
	struct pair pair = pair_new(1);
	size_t n;

	pair_start(&pair);
	note(&pair, PROCESS, EVENT_NOTE_CREATED, KEY_SESSION, 1);
	note(&pair, PROCESS, EVENT_NOTE_CREATED, KEY_SESSION, 2);
	note(&pair, PROCESS, EVENT_NOTE_RELEASED, KEY_SESSION, 2);
	slice(&pair, 2, 3, 10);
	pair.now_ns = 1000;
	slice(&pair, 2, 3, 30);
	assert_int_equal(store_forget(pair.some, 500), 0);
	store_instants(pair.some, &n);
	assert_int_equal(n, 1);
	note(&pair, 3, EVENT_NOTE_EXIT, KEY_PID, 100);
	pair.now_ns = 2000;
	/* its last slice is still wanted: so is the process */
	assert_int_equal(store_forget(pair.some, 1030), 0);
	assert_non_null(store_track(pair.some, PROCESS));
	assert_int_equal(store_forget(pair.some, 1500), 0);
	for (uint32_t id = 1; id <= N_TRACKS; id++)
		assert_null(store_track(pair.some, id));
	store_instants(pair.some, &n);
	assert_int_equal(n, 0);
	assert_all_are_counted(pair.some);
	pair_done(&pair);
}

/* Process after process, each with a thread of its own: a million slices, of which a window of 1,000 stays. */
TEST(an_endless_recording_takes_a_window_of_memory)
{
	struct pair pair = pair_new(1);
	uint64_t early = 0, late = 0, n_slices = 0;
	uint32_t process = N_TRACKS + 1;

	pair_start(&pair);
	store_set_window(pair.some, 10000);
	for (int i = 0; i < 1000; i++) {
		uint64_t bytes;

		pair.last_track = process + 1;
		sink_put(store_sink(pair.some),
			 &(struct event){ .type = EVENT_TRACK,
					  .track = process,
					  .def = &(struct track_def){ .type = TRACK_PROCESS, .pid = 1000 + i } },
			 NULL);
		sink_put(store_sink(pair.some),
			 &(struct event){ .type = EVENT_TRACK,
					  .track = process + 1,
					  .def = &(struct track_def){ .type = TRACK_THREAD, .parent = process } },
			 NULL);
		for (int k = 0; k < 1000; k++, n_slices++)
			slice(&pair, k % 4 ? process + 1 : 2, 1 + (uint32_t)any(&pair, N_NAMES), 10);
		note(&pair, PROCESS, EVENT_NOTE_EXIT, KEY_PID, 1000 + i);
		process += 2;
		bytes = mallinfo2().uordblks;
		if (i < 100)
			early = bytes > early ? bytes : early;
		else
			late = bytes > late ? bytes : late;
	}
	assert_true(late <= early + 65536);
	assert_int_equal(store_counts(pair.some)->n_slices, n_slices);
	assert_int_equal(store_forget(pair.some, pair.now_ns + 1), 0);
	assert_all_are_counted(pair.some);
	pair_done(&pair);
}
