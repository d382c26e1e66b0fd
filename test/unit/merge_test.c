// SPDX-License-Identifier: Apache-2.0
/* Files on one clock: what each says of its clock, inferences that two have, and the tracks of the output. */
#define CASES_MAIN
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "analyze/store/store.h"
#include "cases.h"
#include "stream.h"
#include "trace/merge/merge_put.h"
#include "trace/perfetto/perfetto_write.h"

#define SECOND INT64_C(1000000000)
#define NOW (INT64_C(1795231675) * SECOND)

/* Numbers that only look like chance. */
static uint64_t next(uint64_t *state, uint64_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 33) % below;
}

static struct merge_sequence *add_sequence(struct merge_facts *facts, int32_t pid)
{
	struct merge_sequence *sequence = array_add(&facts->sequences, sizeof *sequence);

	sequence->pid = pid;
	return sequence;
}

static void add_run(struct merge_sequence *sequence, uint64_t begin_ns, uint64_t end_ns)
{
	*(struct merge_run *)array_add(&sequence->runs, sizeof(struct merge_run)) =
	    (struct merge_run){ begin_ns, end_ns };
}

/*
 * n inferences of about 1 ms: as a recording has them from `from` on, and in a profile `apart` later, whose times are
 * whole microseconds and off by up to `noise`.
 */
static void make_runs(struct merge_facts *here, struct merge_facts *there, size_t n, uint64_t noise, uint64_t jitter)
{
	struct merge_sequence *a = add_sequence(here, 7), *b = add_sequence(there, 7);
	const int64_t apart = 5 * SECOND;
	uint64_t at = 1000000, state = 1;

	for (size_t i = 0; i < n; i++) {
		uint64_t end = at + 1000000 + next(&state, jitter), off = next(&state, noise);

		add_run(a, (at + off) / 1000 * 1000, (end + off) / 1000 * 1000);
		add_run(b, at + (uint64_t)apart, end + (uint64_t)apart);
		at = end + 200000 + next(&state, jitter);
	}
}

static void drop_first(struct merge_facts *facts, size_t n)
{
	struct array *runs = &((struct merge_sequence *)facts->sequences.data)->runs;

	runs->n -= n;
	memmove(runs->data, (struct merge_run *)runs->data + n, runs->n * sizeof(struct merge_run));
}

static const struct merge_prior unknown;

TEST(inferences_that_both_have_give_the_offset)
{
	/* those that the profile and the recording lack at their begin */
	static const size_t lacks[][2] = { { 0, 0 }, { 10, 0 }, { 0, 25 }, { 49, 0 } };

	for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
		struct merge_facts here = { 0 }, there = { 0 };
		struct merge_match match;

		make_runs(&here, &there, 100, 2000, 100000);
		drop_first(&here, lacks[i][0]);
		drop_first(&there, lacks[i][1]);
		assert_true(merge_match(&here, &there, &unknown, &match));
		assert_int_equal(match.n_pairs, 100 - lacks[i][0] - lacks[i][1]);
		assert_in_range(match.offset_ns, 5 * SECOND - 2000, 5 * SECOND + 2000);
		assert_in_range(match.error_ns, 1000, 4000);
		merge_facts_done(&here);
		merge_facts_done(&there);
	}
}

TEST(what_does_not_match_gives_no_offset)
{
	struct merge_facts here = { 0 }, there = { 0 }, other = { 0 }, even = { 0 }, even_too = { 0 };
	struct merge_match match;
	struct merge_prior far = { true, 5 * SECOND + SECOND / 2, 1000000 }, zone = { true, 3605 * SECOND, 1000000 };

	/* differences as large as what tells inferences apart */
	make_runs(&here, &other, 100, 1000000, 1000000);
	assert_false(merge_match(&here, &other, &unknown, &match));
	merge_facts_done(&here);

	/* inferences one like the other, of which some are missing: any shift fits */
	make_runs(&even, &even_too, 50, 1000, 1);
	assert_true(merge_match(&even, &even_too, &unknown, &match));
	drop_first(&even, 5);
	assert_false(merge_match(&even, &even_too, &unknown, &match));

	/* a time that is known does not fit; one in another time zone does */
	make_runs(&here, &there, 50, 1000, 100000);
	assert_false(merge_match(&here, &there, &far, &match));
	assert_true(merge_match(&here, &there, &zone, &match));

	/* too few to be sure, in processes of different numbers */
	((struct merge_sequence *)here.sequences.data)->pid = 8;
	assert_true(merge_match(&here, &there, &unknown, &match));
	drop_first(&here, 40);
	drop_first(&there, 40);
	assert_false(merge_match(&here, &there, &unknown, &match));
	((struct merge_sequence *)here.sequences.data)->pid = 7;
	assert_true(merge_match(&here, &there, &unknown, &match));
	drop_first(&here, 8);
	assert_false(merge_match(&here, &there, &unknown, &match));
	for (size_t i = 0; i < 5; i++)
		merge_facts_done((struct merge_facts *[]){ &here, &there, &other, &even, &even_too }[i]);
}

TEST(names_of_profiles_have_a_time)
{
	static const struct {
		const char *path;
		int64_t ns;
		uint64_t error_ns;
	} names[] = {
		{ "onnxruntime_profile__2026-11-21_03-27-55_743.json", NOW + 743000000, 1000000 },
		{ "a_2020-01-01_00-00-00/p_2026-11-21_03-27-55.json.gz", NOW, 1000000000 },
		{ "p_2026-11-21_03-27-55_1234.json", NOW, 1000000000 },
		{ "p_2020-01-01_00-00-00_2026-11-21_03-27-55", NOW, 1000000000 },
	};
	static const char *const others[] = { "p.json", "_2026-11-21_03-27-5", "2026-11-21_03-27-55.json", "",
					      "p_2026-11-21_03-27-55/p.json" };
	uint64_t error_ns;
	int64_t ns;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_true(merge_time_of_name(names[i].path, &ns, &error_ns));
		assert_int_equal(ns, names[i].ns);
		assert_int_equal(error_ns, names[i].error_ns);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(merge_time_of_name(others[i], &ns, &error_ns));
}

static struct merge_file recording(const char *path, int64_t realtime_ns)
{
	return (struct merge_file){ .path = path,
				    .format = "perfetto",
				    .facts = { .is_recording = true,
					       .has_events = true,
					       .first_ns = 100 * SECOND,
					       .last_ns = 101 * SECOND,
					       .has_realtime = true,
					       .realtime_is = "its clock snapshot",
					       .realtime_ns = realtime_ns,
					       .machine = "this one" } };
}

static struct merge_file profile(const char *path)
{
	return (struct merge_file){ .path = path, .format = "ort-profile", .facts = { .has_events = true } };
}

TEST(each_file_is_placed_by_what_is_known_of_it)
{
	struct merge_file files[5] = { profile("p_2026-11-21_03-27-55_743.json"), recording("a", NOW - 200 * SECOND),
				       recording("b", NOW - 200 * SECOND - 3000), recording("c", NOW - 200 * SECOND),
				       profile("given.json") };
	struct err err = { 0 };
	size_t base;

	snprintf(files[3].facts.machine, sizeof files[3].facts.machine, "another one");
	files[3].facts.realtime_ns += SECOND;
	files[4].given = MERGE_GIVEN_AFTER;
	files[4].given_ns = 5;
	assert_int_equal(merge_place(files, 5, &base, &err), 0);
	assert_int_equal(base, 1);
	assert_int_equal(files[0].offset_ns, 200 * SECOND + 743000000);
	assert_int_equal(files[0].error_ns, 21000000);
	assert_string_equal(files[0].source, "its start time, which its name has");
	assert_int_equal(files[1].offset_ns, 0);
	assert_int_equal(files[2].offset_ns, 0);
	assert_string_equal(files[2].source, "its clock, which is the same");
	assert_int_equal(files[3].offset_ns, SECOND);
	assert_false(files[3].has_error);
	assert_int_equal(files[4].offset_ns, 100 * SECOND + 5);

	/* without a recording: the wall clock */
	files[0] = profile("p_2026-11-21_03-27-55_743.json");
	files[1] = profile("given.json");
	files[1].given = MERGE_GIVEN_REALTIME;
	files[1].given_ns = NOW;
	assert_int_equal(merge_place(files, 2, &base, &err), 0);
	assert_int_equal(base, 2);
	assert_int_equal(files[0].offset_ns, NOW + 743000000);
	assert_int_equal(files[1].offset_ns, NOW);
}

/* 2026-11-21, 4,388,047.8 s after its base time. */
TEST(a_trace_of_pytorch_has_its_own_base_time)
{
	static const char path[] = TEST_DIR "/data/chrome/good/kineto-torch2.15.json";
	struct merge_file files[2] = { recording("a.pftrace", 1795245000ll * SECOND),
				       { .path = path, .format = "chrome" } };
	struct err err = { 0 };
	struct import import;
	size_t base;

	assert_int_equal(import_open(&import, path, &err), 0);
	assert_int_equal(merge_scan(&import, &files[1].facts, &err), 0);
	import_close(&import);
	assert_true(files[1].facts.has_realtime);
	assert_int_equal(files[1].facts.realtime_ns, 1790857026ll * SECOND);
	assert_int_equal(merge_place(files, 2, &base, &err), 0);
	assert_string_equal(files[1].source, "its base time, by the wall clock");
	assert_int_equal(((int64_t)files[1].facts.first_ns + files[1].offset_ns) / SECOND, 73);
	merge_facts_done(&files[1].facts);
}

static void refuse(struct merge_file file, const struct merge_file *other, const char *message)
{
	struct merge_file files[2] = { file };
	struct err err = { 0 };
	size_t base;

	if (other)
		files[1] = *other;
	assert_true(merge_place(files, other ? 2 : 1, &base, &err) < 0);
	assert_string_equal(err.msg, message);
}

TEST(a_file_that_nothing_places_is_refused)
{
	struct merge_file clock = recording("a", NOW - 200 * SECOND), old = recording("a", 0),
			  durations = { .path = "q.csv", .format = "qnn-csv", .facts = { .has_no_begins = true } },
			  given = profile("p.json");

	old.facts.has_realtime = false;
	old.facts.realtime_is = NULL;
	refuse(profile("p.json"), &clock,
	       "cannot place p.json: its name does not say when it began, and its inferences match those of no "
	       "recording; give --offset p.json=TIME, the time of its 0 in nanoseconds since 1970");
	refuse(profile("p.json"), NULL,
	       "cannot place p.json: its name does not say when it began; give --offset p.json=TIME, the time of its 0 "
	       "in nanoseconds since 1970");
	refuse(durations, &clock,
	       "cannot place q.csv: it has durations, but no begins; give --offset q.csv=TIME, the time of its 0 in "
	       "nanoseconds since 1970");
	clock.path = "b";
	refuse(old, &clock,
	       "cannot place b: a does not say when it was recorded; give --offset b=+TIME, how long after its begin");
	clock.path = "a";
	given.given = MERGE_GIVEN_REALTIME;
	given.given_ns = NOW - 201 * SECOND;
	refuse(given, &clock,
	       "cannot place p.json: according to the time that was given, it starts 1.00 s before the clock of a; "
	       "the files come from different runs");
	refuse(given, &old,
	       "cannot place p.json: a does not say when it was recorded; give --offset p.json=+TIME, how long after "
	       "its begin");
	given.given = MERGE_GIVEN_AFTER;
	refuse(given, NULL,
	       "cannot place p.json: a time with a sign counts from the start of a recording of inftrace, and none is "
	       "given; give --offset p.json=TIME, the time of its 0 in nanoseconds since 1970");
}

/* What a recording of these events says. */
static struct merge_facts facts_of(struct stream *s)
{
	struct merge_facts facts;
	struct err err = { 0 };
	struct import import;
	char path[40];
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct perfetto_writer *writer =
	    perfetto_write_new(fd, s->names, &s->last_track, &(struct perfetto_write_opts){ 0 }, &err);

	stream_replay(s, perfetto_write_sink(writer));
	assert_int_equal(perfetto_write_free(writer, &err), 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	assert_int_equal(import_open(&import, path, &err), 0);
	assert_int_equal(merge_scan(&import, &facts, &err), 0);
	import_close(&import);
	close(fd);
	return facts;
}

TEST(each_session_has_inferences_of_its_own)
{
	const struct merge_sequence *sequence;
	struct merge_facts facts;
	struct stream s;
	uint32_t lane;

	stream_init(&s);
	lane = stream_lane(&s, stream_process(&s, 7, "app"), "inferences");
	for (int i = 0; i < 6; i++) {
		stream_inference(&s, lane, 100 + 10 * (uint64_t)i, "one model", i % 3 ? 1 : 2, i + 1);
		stream_end(&s, lane, 105 + 10 * (uint64_t)i);
	}
	facts = facts_of(&s);
	sequence = facts.sequences.data;
	assert_int_equal(facts.sequences.n, 2);
	assert_int_equal(sequence[0].runs.n, 2);
	assert_int_equal(sequence[1].runs.n, 4);
	assert_int_equal(sequence[1].pid, 7);
	merge_facts_done(&facts);
	stream_done(&s);
}

/* The number of tracks of a type, the first and the last of them. */
static size_t count_tracks(const struct store *store, enum track_type type, const char *name,
			   const struct store_track **first, const struct store_track **last)
{
	size_t n = 0;

	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);

		if (track && track->def.type == type &&
		    (!name || !strcmp(names_text(store_names(store), track->def.name), name))) {
			*last = track;
			if (!n++)
				*first = track;
		}
	}
	return n;
}

static uint64_t count_slices(const struct store *store)
{
	uint64_t n = 0;

	for (uint32_t id = 1; id <= store_n_tracks(store); id++)
		n += store_track(store, id) ? store_track(store, id)->slices.n : 0;
	return n;
}

/* The same file twice: all that could collide does. */
TEST(files_keep_tracks_and_numbers_of_their_own)
{
	struct names *names = names_new();
	const char *path = TEST_DIR "/data/pftrace/good/two_inferences.pftrace";
	const struct store_track *first = NULL, *second = NULL;
	struct merge_file files[2] = { { .path = path }, { .path = path, .offset_ns = SECOND } };
	struct import import[2];
	uint32_t last_track = 0;
	struct store *store = store_new(names, &last_track);
	struct err err = { 0 };
	uint64_t n_once = 0;

	for (size_t i = 0; i < 2; i++) {
		struct merge_put put;

		assert_int_equal(import_open(&import[i], path, &err), 0);
		assert_int_equal(merge_scan(&import[i], &files[i].facts, &err), 0);
		assert_true(files[i].facts.is_recording);
		merge_put_init(&put, store_sink(store), files, i, 0, i ? "b" : "a");
		assert_int_equal(import_read(&import[i], &put.sink, &err), 0);
		merge_put_done(&put);
		n_once = i ? n_once : count_slices(store);
	}
	assert_true(n_once > 0);
	assert_int_equal(count_slices(store), 2 * n_once);
	assert_int_equal(count_tracks(store, TRACK_PROCESS, NULL, &first, &second), 2);
	assert_int_equal(second->def.pid, first->def.pid + MERGE_PID_STEP);
	assert_string_equal(strrchr(names_text(names, first->def.name), '('), "(a)");
	assert_string_equal(strrchr(names_text(names, second->def.name), '('), "(b)");
	/* the second half lies a second later */
	assert_int_equal(count_tracks(store, TRACK_LANE, "inferences", &first, &second), 2);
	assert_true(first->slices.n > 0);
	assert_int_equal(second->slices.begin_ns[0], first->slices.begin_ns[0] + SECOND);
	for (size_t i = 0; i < 2; i++) {
		merge_facts_done(&files[i].facts);
		import_close(&import[i]);
	}
	store_free(store);
	names_free(names);
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
	return cases_run();
}
