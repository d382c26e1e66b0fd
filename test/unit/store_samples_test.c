// SPDX-License-Identifier: Apache-2.0
#include "analyze/store/store_samples.h"

#include "cases.h"

struct fixture {
	struct names *names;
	uint32_t last_track, process;
	struct store *store;
};

static void put_track(struct fixture *f, const struct track_def *def)
{
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(store_sink(f->store)), .def = def };

	assert_int_equal(sink_put(store_sink(f->store), &event, NULL), 0);
}

static void put(struct fixture *f, int32_t tid, uint64_t time_ns, uint64_t weight_ns)
{
	struct event_sample sample = { .weight_ns = weight_ns, .tid = tid, .state = SAMPLE_RAN };
	struct event event = { .type = EVENT_SAMPLE, .track = f->process, .time_ns = time_ns, .sample = &sample };

	assert_int_equal(sink_put(store_sink(f->store), &event, NULL), 0);
}

static void make(struct fixture *f)
{
	*f = (struct fixture){ .names = names_new() };
	f->store = store_new(f->names, &f->last_track);
	put_track(f, &(struct track_def){ .type = TRACK_PROCESS, .pid = 10 });
	f->process = 1;
	put_track(f, &(struct track_def){ .type = TRACK_THREAD, .parent = 1, .pid = 10, .tid = 11 });
	/* thread 10: 100, 300, 400; 11: 200, 300; 12: 250 */
	put(f, 10, 100, 50);
	put(f, 11, 200, 10);
	put(f, 12, 250, 10);
	put(f, 10, 300, 100);
	put(f, 11, 300, 100);
	put(f, 10, 400, 100);
}

static void free_all(struct fixture *f)
{
	store_free(f->store);
	names_free(f->names);
}

#define CASE(name) TEST_OF(name, struct fixture, f, make(f), free_all(f))

CASE(samples_are_in_the_order_of_time)
{
	static const struct {
		uint64_t time_ns;
		int32_t tid;
	} expected[] = { { 100, 10 }, { 200, 11 }, { 250, 12 }, { 300, 10 }, { 300, 11 }, { 400, 10 } };
	const struct store_thread *thread;
	const struct store_sample *sample;
	struct store_walk walk;

	assert_int_equal(store_n_threads(f->store), 3);
	assert_int_equal(store_n_samples(f->store), 6);
	assert_int_equal(store_walk_begin(&walk, f->store), 0);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		sample = store_walk_next(&walk, &thread);
		assert_non_null(sample);
		assert_int_equal(sample->time_ns, expected[i].time_ns);
		assert_int_equal(thread->tid, expected[i].tid);
	}
	assert_null(store_walk_next(&walk, &thread));
	store_walk_done(&walk);
	assert_int_equal(store_counts(f->store)->first_ns, 50);
	assert_int_equal(store_counts(f->store)->last_ns, 400);
}

CASE(a_thread_is_found_with_its_track)
{
	const struct store_thread *thread;

	assert_int_equal(store_thread_track(f->store, store_thread(f->store, 0)), 0);
	thread = store_thread(f->store, 1);
	assert_int_equal(store_thread_track(f->store, thread), 2);
	assert_int_equal(store_sample_from(thread, 201), 1);
	assert_int_equal(store_sample_from(thread, 301), 2);
	assert_int_equal(store_sample_within(&thread->sample[1], 250, 270), 20);
	assert_int_equal(store_sample_within(&thread->sample[1], 0, 210), 10);
	assert_int_equal(store_sample_within(&thread->sample[1], 300, 400), 0);
	assert_null(store_thread(f->store, 3));
}

CASE(old_samples_are_dropped)
{
	assert_int_equal(store_forget(f->store, 300), 0);
	assert_int_equal(store_n_samples(f->store), 3);
	assert_int_equal(store_thread(f->store, 0)->n, 2);
	assert_int_equal(store_thread(f->store, 0)->sample[0].time_ns, 300);
	assert_int_equal(store_thread(f->store, 2)->n, 0);
}

CASE(what_cannot_be_placed_is_counted)
{
	put(f, 10, 399, 1);
	assert_int_equal(store_counts(f->store)->n_disordered, 1);
	f->process = 2; /* a thread's track */
	put(f, 10, 500, 1);
	assert_int_equal(store_counts(f->store)->n_untracked, 1);
	assert_int_equal(store_n_samples(f->store), 6);
}
