// SPDX-License-Identifier: Apache-2.0
#include "analyze/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "cases.h"

struct fixture {
	struct names *names;
	uint32_t last_track;
	struct store *store;
	uint32_t process, thread;
};

static uint32_t add_track(struct fixture *f, enum track_type type, uint32_t parent)
{
	struct track_def def = { .type = type, .parent = parent };
	uint32_t id = sink_new_track(store_sink(f->store));

	assert_int_equal(
	    sink_put(store_sink(f->store), &(struct event){ .type = EVENT_TRACK, .track = id, .def = &def }, NULL), 0);
	return id;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	f->names = names_new();
	f->store = store_new(f->names, &f->last_track);
	f->process = add_track(f, TRACK_PROCESS, 0);
	f->thread = add_track(f, TRACK_THREAD, f->process);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	store_free(f->store);
	names_free(f->names);
	free(f);
	return 0;
}

static void begin(struct fixture *f, uint32_t track, uint64_t time_ns, const char *name, const struct arg *args,
		  size_t n_args)
{
	struct event event = { .type = EVENT_BEGIN,
			       .kind = KIND_OPERATOR,
			       .track = track,
			       .time_ns = time_ns,
			       .name = names_of(f->names, name),
			       .args = args,
			       .n_args = n_args };

	assert_int_equal(sink_put(store_sink(f->store), &event, NULL), 0);
}

static void end(struct fixture *f, uint32_t track, uint64_t time_ns, const struct arg *args, size_t n_args)
{
	struct event event = { .type = EVENT_END, .track = track, .time_ns = time_ns, .args = args, .n_args = n_args };

	assert_int_equal(sink_put(store_sink(f->store), &event, NULL), 0);
}

#define CASE(name) TEST_FROM(name, struct fixture, f, setup, teardown)

CASE(slices_nest_in_the_order_of_their_begins)
{
	const struct store_slices *slices;

	begin(f, f->thread, 10, "outer", NULL, 0);
	begin(f, f->thread, 20, "inner", NULL, 0);
	end(f, f->thread, 30, NULL, 0);
	begin(f, f->thread, 30, "second", NULL, 0);
	end(f, f->thread, 30, NULL, 0);
	end(f, f->thread, 50, NULL, 0);
	begin(f, f->thread, 60, "last", NULL, 0);
	slices = &store_track(f->store, f->thread)->slices;
	assert_int_equal(slices->n, 4);
	assert_int_equal(slices->begin_ns[1], 20);
	assert_int_equal(slices->end_ns[1], 30);
	assert_int_equal(slices->end_ns[0], 50);
	assert_int_equal(slices->end_ns[3], STORE_OPEN);
	assert_int_equal(slices->depth[0], 0);
	assert_int_equal(slices->depth[1], 1);
	assert_int_equal(slices->depth[2], 1);
	assert_int_equal(slices->depth[3], 0);
	assert_string_equal(names_text(f->names, slices->name[2]), "second");
	assert_int_equal(store_counts(f->store)->n_open, 1);
	assert_int_equal(store_counts(f->store)->n_slices, 4);
	assert_int_equal(store_counts(f->store)->first_ns, 10);
	assert_int_equal(store_counts(f->store)->last_ns, 60);
}

CASE(equal_arguments_are_kept_once_and_numbers_apart)
{
	uint32_t type = names_of(f->names, "Conv");
	const struct store_track *track;

	for (int i = 1; i <= 100; i++) {
		struct arg args[] = { arg_name(KEY_OP_TYPE, type), arg_int(KEY_INFERENCE, i),
				      arg_int(KEY_FAULTS, i * 3) };
		struct arg wide = arg_int(KEY_BYTES, (int64_t)i << 40);

		/* garbage behind a name's id must not matter */
		((char *)&args[0])[12] = (char)i;
		begin(f, f->process, (uint64_t)i * 10, "wide", &wide, 1);
		begin(f, f->thread, (uint64_t)i * 10, "conv_1", args, 3);
		end(f, f->thread, (uint64_t)i * 10 + 5, NULL, 0);
	}
	track = store_track(f->store, f->thread);
	for (size_t row = 0; row < 100; row++) {
		assert_int_equal(track->slices.args[row], track->slices.args[0]);
		assert_int_equal(track->slices.inference[row], row + 1);
		assert_int_equal(store_int(store_slice_arg(f->store, track, row, KEY_FAULTS), -1), (row + 1) * 3);
		assert_int_equal(store_text(store_slice_arg(f->store, track, row, KEY_OP_TYPE)), type);
		assert_null(store_slice_arg(f->store, track, row, KEY_PROVIDER));
	}
}

/* Fills freed memory, so that unset fields show. */
static void dirty_heap(void)
{
	void *block[64];

	for (size_t size = 16; size <= 1024; size *= 2) {
		for (int i = 0; i < 64; i++) {
			block[i] = malloc(size);
			memset(block[i], 0xee, size);
		}
		for (int i = 0; i < 64; i++)
			free(block[i]);
	}
}

CASE(what_the_end_knows_is_added_to_the_slice)
{
	struct arg at_begin[] = { arg_int(KEY_SESSION, 7), arg_int(KEY_ID, 1),
				  arg_text(KEY_STATUS, store_sink(f->store), "begun") };
	struct arg at_end[] = { arg_text(KEY_STATUS, store_sink(f->store), "ok"), arg_int(KEY_FAULTS, 5),
				arg_int(KEY_INFERENCE, 9) };
	const struct store_track *track;

	dirty_heap();
	begin(f, f->thread, 1, "plain", NULL, 0);
	end(f, f->thread, 2, NULL, 0);
	begin(f, f->thread, 3, "run", at_begin, 3);
	end(f, f->thread, 4, at_end, 3);
	begin(f, f->thread, 5, "late", NULL, 0);
	end(f, f->thread, 6, at_end + 1, 1);
	track = store_track(f->store, f->thread);
	assert_int_equal(store_int(store_slice_arg(f->store, track, 1, KEY_SESSION), 0), 7);
	assert_int_equal(store_int(store_slice_arg(f->store, track, 1, KEY_ID), 0), 1);
	assert_int_equal(store_int(store_slice_arg(f->store, track, 1, KEY_FAULTS), 0), 5);
	assert_string_equal(names_text(f->names, store_text(store_slice_arg(f->store, track, 1, KEY_STATUS))), "ok");
	assert_int_equal(track->slices.inference[1], 9);
	assert_int_equal(store_int(store_slice_arg(f->store, track, 2, KEY_FAULTS), 0), 5);
	assert_null(store_slice_arg(f->store, track, 0, KEY_FAULTS));
	assert_int_equal(track->slices.own_args[0], 0);
}

CASE(events_out_of_order_are_counted_and_left_out)
{
	const struct store_slices *slices;
	const struct store_counts *counts = store_counts(f->store);

	begin(f, f->thread, 100, "first", NULL, 0);
	begin(f, f->thread, 50, "too early", NULL, 0); /* left out, and its end with it */
	begin(f, f->thread, 110, "inside", NULL, 0);
	end(f, f->thread, 120, NULL, 0);
	end(f, f->thread, 130, NULL, 0);
	end(f, f->thread, 90, NULL, 0);	 /* an impossible end: "first" stays open */
	end(f, f->thread, 140, NULL, 0); /* and this one ends nothing */
	slices = &store_track(f->store, f->thread)->slices;
	assert_int_equal(slices->n, 2);
	assert_int_equal(slices->end_ns[0], STORE_OPEN);
	assert_int_equal(slices->end_ns[1], 120);
	assert_int_equal(counts->n_disordered, 2);
	assert_int_equal(counts->n_unmatched, 1);
	assert_int_equal(counts->n_open, 1);
}

CASE(depth_has_an_end)
{
	const struct store_slices *slices;

	for (uint64_t i = 0; i < STORE_MAX_DEPTH + 100; i++)
		begin(f, f->thread, i, "down", NULL, 0);
	for (uint64_t i = 0; i < STORE_MAX_DEPTH + 100; i++)
		end(f, f->thread, 10000 + i, NULL, 0);
	begin(f, f->thread, 20000, "up again", NULL, 0);
	slices = &store_track(f->store, f->thread)->slices;
	assert_int_equal(slices->n, STORE_MAX_DEPTH + 1);
	assert_int_equal(slices->end_ns[0], 10000 + STORE_MAX_DEPTH + 99);
	assert_int_equal(slices->depth[STORE_MAX_DEPTH], 0);
	assert_int_equal(store_counts(f->store)->n_too_deep, 100);
	assert_int_equal(store_counts(f->store)->n_unmatched, 0);
	assert_int_equal(store_counts(f->store)->n_open, 1);
}

CASE(tracks_that_nobody_defined_take_no_events)
{
	struct track_def def = { .type = TRACK_THREAD };
	const uint32_t bad[] = { 0, f->last_track + 1, UINT32_MAX };

	for (int i = 0; i < 3; i++) {
		begin(f, bad[i], 1, "lost", NULL, 0);
		sink_put(store_sink(f->store), &(struct event){ .type = EVENT_TRACK, .track = bad[i], .def = &def },
			 NULL);
		assert_null(store_track(f->store, bad[i]));
	}
	sink_new_track(store_sink(f->store));
	assert_null(store_track(f->store, f->last_track));
	assert_int_equal(store_counts(f->store)->n_untracked, 6);
	assert_int_equal(store_counts(f->store)->n_slices, 0);
}

CASE(a_track_finds_its_process_unless_parents_run_in_a_circle)
{
	uint32_t group = add_track(f, TRACK_GROUP, f->process), lane = add_track(f, TRACK_LANE, group);
	uint32_t machine = add_track(f, TRACK_COUNTER, 0);
	uint32_t one = add_track(f, TRACK_GROUP, f->last_track + 2), two = add_track(f, TRACK_GROUP, one);

	assert_int_equal(store_process_of(f->store, lane), f->process);
	assert_int_equal(store_process_of(f->store, f->process), f->process);
	assert_int_equal(store_process_of(f->store, machine), 0);
	assert_int_equal(store_process_of(f->store, two), 0);
	assert_int_equal(store_process_of(f->store, 12345), 0);
}

CASE(samples_and_instants_are_kept)
{
	uint32_t counter = add_track(f, TRACK_COUNTER, f->process);
	struct arg args[] = { arg_int(KEY_COUNT, 12), arg_int(KEY_INFERENCE, 3) };
	struct event lost = {
		.type = EVENT_INSTANT, .kind = KIND_LOST, .track = f->thread, .time_ns = 77, .args = args, .n_args = 2
	};
	const struct store_instant *instants;
	const struct store_samples *samples;
	size_t n;

	for (int i = 0; i < 1000; i++)
		sink_put(store_sink(f->store),
			 &(struct event){
			     .type = EVENT_COUNTER, .track = counter, .time_ns = (uint64_t)i, .value = i / 2.0 },
			 NULL);
	assert_int_equal(sink_put(store_sink(f->store), &lost, NULL), 0);
	samples = &store_track(f->store, counter)->samples;
	assert_int_equal(samples->n, 1000);
	assert_true(samples->value[999] == 499.5 && samples->time_ns[999] == 999);
	instants = store_instants(f->store, &n);
	assert_int_equal(n, 1);
	assert_int_equal(instants[0].time_ns, 77);
	assert_int_equal(instants[0].kind, KIND_LOST);
	assert_int_equal(store_int(store_arg(f->store, instants[0].args, KEY_COUNT), 0), 12);
	assert_int_equal(store_int(store_arg(f->store, instants[0].args, KEY_INFERENCE), 0), 3);
}

/* Enough to move from malloc's blocks to pages, on two tracks in turn. */
CASE(a_million_slices_stay_what_they_were)
{
	uint32_t other = add_track(f, TRACK_THREAD, f->process);
	uint64_t n = 600000;

	for (uint64_t i = 0; i < n; i++) {
		struct arg args[] = { arg_int(KEY_INFERENCE, (int64_t)i + 1), arg_int(KEY_ID, (int64_t)i) };

		begin(f, f->thread, i * 10, "a", args, 2);
		end(f, f->thread, i * 10 + 5, NULL, 0);
		begin(f, other, i * 10 + 1, "b", args, 1);
		end(f, other, i * 10 + 2, NULL, 0);
	}
	for (uint64_t i = 0; i < n; i += 7) {
		const struct store_track *track = store_track(f->store, f->thread);

		assert_int_equal(track->slices.begin_ns[i], i * 10);
		assert_int_equal(track->slices.end_ns[i], i * 10 + 5);
		assert_int_equal(track->slices.inference[i], i + 1);
		assert_int_equal(store_int(store_slice_arg(f->store, track, i, KEY_ID), -1), i);
		assert_int_equal(store_track(f->store, other)->slices.begin_ns[i], i * 10 + 1);
	}
	assert_null(store_track(f->store, other)->slices.own_args);
}
