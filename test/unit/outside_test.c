// SPDX-License-Identifier: Apache-2.0
/* What threads did while no model ran: by gap, and as trees that add up. */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/insight/recorded.h"
#include "analyze/outside/outside_place.h"
#include "cases.h"
#include "findings.h"
#include "first_sentence.h"
#include "show/words/export.h"
#include "show/words/time_words.h"
#include "stream.h"

enum { MAIN = 100, OTHER = 101, CHILD = 200 };

struct fixture {
	struct stream s;
	uint32_t process, lane;
	int64_t n_runs;
	struct summary *summary;
	struct event_sample sample[4096];
	char next[1024]; /* what the last finding advises */
	size_t n;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	stream_init(&f->s);
	f->process = stream_process(&f->s, MAIN, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	summary_free(f->summary);
	stream_done(&f->s);
	free(f);
	return 0;
}

/* A frame of Python further in. */
static uint32_t call(struct fixture *f, uint32_t caller, const char *function, const char *file, uint32_t line)
{
	struct callstacks *stacks = names_callstacks(f->s.names);
	struct frame frame = { .kind = FRAME_PYTHON,
			       .function = stream_name(&f->s, function),
			       .file = stream_name(&f->s, file),
			       .line = line };

	return callstacks_push(stacks, caller, callstacks_frame(stacks, &frame));
}

static uint32_t native(struct fixture *f, uint32_t caller, const char *function, const char *module)
{
	struct callstacks *stacks = names_callstacks(f->s.names);
	struct frame frame = { .kind = FRAME_NATIVE,
			       .function = function ? stream_name(&f->s, function) : 0,
			       .module = stream_name(&f->s, module),
			       .offset = 64 };

	return callstacks_push(stacks, caller, callstacks_frame(stacks, &frame));
}

static uint32_t resize(struct fixture *f)
{
	uint32_t load = call(f, call(f, 0, "<module>", "/app/c_pre.py", 20), "load", "/app/c_pre.py", 6);
	uint32_t image = call(f, load, "Image.resize", "/usr/lib/python3/dist-packages/PIL/Image.py", 2193);

	return native(f, image, "ImagingResample", "/usr/lib/python3/dist-packages/PIL/_imaging.so");
}

static struct event_sample did(int32_t tid, enum sample_state state, uint32_t stack)
{
	return (struct event_sample){ .tid = tid, .state = (uint8_t)state, .stack = stack };
}

/* It ends at that time, and stands for a stretch before. */
static void sample(struct fixture *f, uint64_t us, uint64_t weight_us, struct event_sample what)
{
	struct event_sample *own = &f->sample[f->n++];

	*own = what;
	own->weight_ns = weight_us * 1000;
	if (own->state == SAMPLE_RAN && !own->cpu_ns)
		own->cpu_ns = own->weight_ns;
	stream_put(&f->s,
		   (struct event){ .type = EVENT_SAMPLE, .track = f->process, .time_ns = us * 1000, .sample = own });
}

/* Every 10 ms in a stretch. */
static void samples(struct fixture *f, uint64_t from_us, uint64_t to_us, struct event_sample what)
{
	for (uint64_t us = from_us + 10000; us <= to_us; us += 10000)
		sample(f, us, 10000, what);
}

static void run(struct fixture *f, uint64_t begin_us, uint64_t end_us, int32_t tid)
{
	stream_int(&f->s, KEY_TID, tid);
	stream_inference(&f->s, f->lane, begin_us, "m", 1, ++f->n_runs);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->lane, end_us);
}

static void summarise(struct fixture *f, uint64_t end_us)
{
	struct summary_file file = { 0 };
	uint64_t sum_ns[N_OUTSIDE_VIEWS] = { 0 };

	stream_instant(&f->s, f->process, end_us, KIND_NOTE, EVENT_NOTE_COST);
	f->summary = stream_summary(&f->s, &file);
	assert_non_null(f->summary);
	for (uint32_t i = 0; i < f->summary->n_outside; i++) {
		const struct summary_outside *row = &f->summary->outside[i];

		sum_ns[row->is.view] += row->is.parent == OUTSIDE_NONE ? row->is.ns : 0;
		assert_true(row->is.ran_ns <= row->is.ns);
		if (row->is.parent != OUTSIDE_NONE) {
			assert_true(row->is.parent < i);
			assert_true(row->is.ns <= f->summary->outside[row->is.parent].is.ns);
		}
	}
	for (int view = 0; f->summary->n_outside && view < N_OUTSIDE_VIEWS; view++)
		assert_int_equal(sum_ns[view], f->summary->time.outside_ns);
}

/* The time of a row by its words and those above it, in microseconds; 0: there is none. */
static uint64_t found(const struct fixture *f, enum outside_view view, const char *above, const char *words)
{
	for (uint32_t i = 0; i < f->summary->n_outside; i++) {
		const struct summary_outside *row = &f->summary->outside[i];
		uint32_t parent = row->is.parent != OUTSIDE_NONE ? f->summary->outside[row->is.parent].is.name : 0;

		if (row->is.view == view && !strcmp(names_text(f->s.names, row->is.name), words) &&
		    !strcmp(names_text(f->s.names, parent), above))
			return row->is.ns / 1000;
	}
	return 0;
}

/* The first sentence. */
static void says(const struct fixture *f, const char *text)
{
	assert_string_equal(time_cause(f->summary, true).s, text);
	assert_true(first_sentence_words(text) <= FIRST_SENTENCE_MOST);
}

#define CASE(name) TEST_FROM(name, struct fixture, f, setup, teardown)

CASE(a_gap_is_what_its_thread_did)
{
	const char *place = "Image.resize, called from c_pre.py:6";

	samples(f, 0, 800000, did(MAIN, SAMPLE_RAN, resize(f)));
	samples(f, 0, 1000000, did(OTHER, SAMPLE_RAN, call(f, 0, "spin", "/app/other.py", 3)));
	samples(f, 800000, 900000, did(MAIN, SAMPLE_SLEPT, call(f, 0, "nap", "/app/c_pre.py", 9)));
	run(f, 900000, 1000000, MAIN);
	summarise(f, 1000000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "", "ran"), 800000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "ran", place), 800000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "slept", "nap (c_pre.py:9)"), 100000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "", "unattributed"), 0);
	assert_int_equal(found(f, OUTSIDE_BY_PATH, "", "c_pre.py:20"), 800000);
	assert_int_equal(found(f, OUTSIDE_BY_PATH, "Image.resize (Image.py:2193)", "ImagingResample (_imaging.so)"),
			 800000);
	assert_int_equal(found(f, OUTSIDE_BY_THREAD, "", "thread 100"), 900000);
	assert_int_equal(found(f, OUTSIDE_BY_MODEL, "", "none"), 900000);
	assert_int_equal(found(f, OUTSIDE_BY_THREAD, "", "thread 101"), 0);
	says(f, "Outside of models: 90.0 % of 1.00 s, most of it in Image.resize, called from c_pre.py:6 (800 ms)");
}

CASE(a_long_name_leaves_room_for_its_caller)
{
	uint32_t load = call(f, call(f, 0, "<module>", "/app/c_pre.py", 20), "load", "/app/c_pre.py", 6);
	uint32_t image = call(f, load, "StreamingVoiceFilter.set_enrollment_of_the_speaker",
			      "/usr/lib/python3/dist-packages/voicefilter/streaming.py", 391);

	samples(f, 0, 900000, did(MAIN, SAMPLE_RAN, native(f, image, "fft", "/usr/lib/python3/dist-packages/a.so")));
	run(f, 900000, 1000000, MAIN);
	summarise(f, 1000000);
	says(f, "Outside of models: 90.0 % of 1.00 s, most of it in StreamingVoiceFilt…nt_of_the_speaker, called from "
		"c_pre.py:6 (900 ms)");
}

/* A thread that is sampled just after it got a CPU did not run all the time before. */
CASE(the_kernel_says_what_of_a_stretch_ran)
{
	struct event_sample what = did(MAIN, SAMPLE_RAN, resize(f));
	const char *place = "Image.resize, called from c_pre.py:6";

	what.cpu_ns = 2000000;
	what.queue_ns = 8000000;
	samples(f, 0, 500000, what);
	what.state = SAMPLE_QUEUED; /* it waits still: the kernel counts that when it runs */
	what.cpu_ns = what.queue_ns = 0;
	samples(f, 500000, 600000, what);
	what.state = SAMPLE_RAN; /* the wait before is in it, too */
	what.cpu_ns = 5000000;
	what.queue_ns = 105000000;
	sample(f, 610000, 10000, what);
	run(f, 610000, 700000, MAIN);
	summarise(f, 700000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "ran", place), 105000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "waited for a CPU", place), 505000);
}

CASE(a_constant_stretch_covers_whole_gaps)
{
	struct event_sample wait = did(MAIN, SAMPLE_CALL, call(f, 0, "fetch", "/app/net.py", 4));

	wait.call = stream_name(&f->s, "recvfrom");
	wait.object = stream_name(&f->s, "10.0.0.7:443");
	sample(f, 900000, 880000, wait);
	run(f, 900000, 1000000, MAIN);
	summarise(f, 1000000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "blocked in a system call", "recvfrom on 10.0.0.7:443"), 880000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "recvfrom on 10.0.0.7:443", "fetch (net.py:4)"), 880000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "", "unattributed"), 20000);
	says(f, "Outside of models: 90.0 % of 1.00 s, most of it in recvfrom on 10.0.0.7:443, called from net.py:4 "
		"(880 ms)");
}

/* Gaps of 2 ms are sampled every 10 ms: now and then a sample meets one. */
CASE(short_gaps_are_divided_together)
{
	uint32_t running = call(f, 0, "run", "/app/c_pre.py", 8);

	for (uint64_t i = 0; i < 300; i++)
		run(f, i * 9700, i * 9700 + 7700, MAIN);
	for (uint64_t us = 10000; us <= 2900000; us += 10000)
		sample(f, us + 50, 10000, did(MAIN, SAMPLE_RAN, (us + 50) % 9700 >= 7700 ? resize(f) : running));
	summarise(f, 2910000);
	assert_int_equal(f->summary->time.outside_ns, 300 * 2000 * 1000);
	assert_in_range(found(f, OUTSIDE_BY_WHAT, "ran", "Image.resize, called from c_pre.py:6"), 570000, 600000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "ran", "run (c_pre.py:8)"), 0);
}

CASE(what_the_first_thread_did_before_another_one_is_there)
{
	samples(f, 0, 800000, did(MAIN, SAMPLE_RAN, resize(f)));
	samples(f, 800000, 900000, did(OTHER, SAMPLE_RAN, call(f, 0, "work", "/app/c_pre.py", 12)));
	run(f, 900000, 1000000, OTHER);
	summarise(f, 1000000);
	assert_int_equal(found(f, OUTSIDE_BY_THREAD, "", "thread 100"), 800000);
	assert_int_equal(found(f, OUTSIDE_BY_THREAD, "", "thread 101"), 100000);
}

/* A worker's waits do not make its parent's start shorter, and the parent has the time behind its end. */
CASE(what_a_parent_did_before_and_behind_a_fork_is_there)
{
	uint32_t parent = f->process, child = stream_process(&f->s, CHILD, "app"), lane = f->lane;

	samples(f, 0, 800000, did(MAIN, SAMPLE_RAN, resize(f)));
	stream_int(&f->s, KEY_PID, CHILD);
	stream_int(&f->s, KEY_PARENT_PID, MAIN);
	stream_instant(&f->s, child, 810000, KIND_NOTE, EVENT_NOTE_FORKED);
	samples(f, 800000, 3000000, did(MAIN, SAMPLE_SLEPT, call(f, 0, "serve", "/app/c_pre.py", 14)));
	f->process = child;
	samples(f, 800000, 3000000, did(CHILD, SAMPLE_SLEPT, call(f, 0, "work", "/app/c_pre.py", 12)));
	f->lane = stream_lane(&f->s, child, "m");
	run(f, 3000000, 3100000, CHILD);
	samples(f, 3100000, 3200000, did(CHILD, SAMPLE_RAN, call(f, 0, "work", "/app/c_pre.py", 12)));
	f->process = parent;
	f->lane = lane;
	samples(f, 3000000, 3200000, did(MAIN, SAMPLE_SLEPT, call(f, 0, "serve", "/app/c_pre.py", 14)));
	samples(f, 3200000, 3500000, did(MAIN, SAMPLE_RAN, call(f, 0, "close", "/app/c_pre.py", 16)));
	summarise(f, 3500000);
	assert_int_equal(f->summary->time.outside_ns, 3400000000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "ran", "Image.resize, called from c_pre.py:6"), 800000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "slept", "work (c_pre.py:12)"), 2200000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "ran", "work (c_pre.py:12)"), 100000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "ran", "close (c_pre.py:16)"), 300000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "slept", "serve (c_pre.py:14)"), 0);
}

/* A shell only waits for the program that it starts. */
CASE(without_inferences_it_is_the_process_that_worked_most)
{
	uint32_t shell = f->process, child = stream_process(&f->s, CHILD, "app");

	for (uint64_t us = 0; us < 1000000; us += 100000) {
		f->process = shell;
		samples(f, us, us + 100000, did(MAIN, SAMPLE_SLEPT, call(f, 0, "wait4", "/app/sh.py", 1)));
		f->process = child;
		samples(f, us, us + 100000, did(CHILD, SAMPLE_RAN, call(f, 0, "work", "/app/c_pre.py", 12)));
	}
	summarise(f, 1000000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "ran", "work (c_pre.py:12)"), 1000000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "slept", "wait4 (sh.py:1)"), 0);
}

/* It waits for its child, of which samples are missing at first: that is not why no model ran. */
CASE(what_a_parent_did_after_the_fork_is_not_its_childs)
{
	uint32_t parent = f->process, child;

	samples(f, 0, 800000, did(MAIN, SAMPLE_RAN, resize(f)));
	child = stream_track(
	    &f->s, (struct track_def){
		       .type = TRACK_PROCESS, .pid = CHILD, .name = stream_name(&f->s, "app"), .start_ns = 800000000 });
	stream_int(&f->s, KEY_PID, CHILD);
	stream_int(&f->s, KEY_PARENT_PID, MAIN);
	stream_instant(&f->s, child, 810000, KIND_NOTE, EVENT_NOTE_FORKED);
	samples(f, 800000, 3000000, did(MAIN, SAMPLE_SLEPT, call(f, 0, "serve", "/app/c_pre.py", 14)));
	f->process = child;
	samples(f, 2000000, 3000000, did(CHILD, SAMPLE_SLEPT, call(f, 0, "work", "/app/c_pre.py", 12)));
	f->lane = stream_lane(&f->s, child, "m");
	run(f, 3000000, 3100000, CHILD);
	f->process = parent;
	summarise(f, 3100000);
	assert_int_equal(f->summary->time.outside_ns, 3000000000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "ran", "Image.resize, called from c_pre.py:6"), 800000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "slept", "work (c_pre.py:12)"), 1000000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "slept", "serve (c_pre.py:14)"), 0);
}

CASE(time_stopped_is_nobodys_fault)
{
	uint32_t halts = stream_track(&f->s, (struct track_def){ .type = TRACK_LANE, .parent = f->process });
	struct event_sample long_one = did(MAIN, SAMPLE_RAN, resize(f));

	samples(f, 0, 100000, did(MAIN, SAMPLE_RAN, resize(f)));
	stream_begin(&f->s, halts, 110000, KIND_HALT, EVENT_HALT_STOPPED);
	stream_end(&f->s, halts, 410000);
	long_one.cpu_ns = 10000000;
	sample(f, 410000, 310000, long_one);
	samples(f, 410000, 500000, did(MAIN, SAMPLE_RAN, resize(f)));
	run(f, 500000, 600000, MAIN);
	summarise(f, 600000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "", "was stopped"), 300000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "ran", "Image.resize, called from c_pre.py:6"), 200000);
	says(f, "Outside of models: 83.3 % of 600 ms, most of it with the program stopped (300 ms)");
}

CASE(a_state_is_named_where_no_place_has_much)
{
	char function[16];

	for (uint64_t i = 0; i < 20; i++) {
		snprintf(function, sizeof function, "f%d", (int)i);
		samples(f, i * 40000, (i + 1) * 40000, did(MAIN, SAMPLE_QUEUED, call(f, 0, function, "/app/m.py", 3)));
	}
	run(f, 800000, 1000000, MAIN);
	summarise(f, 1000000);
	says(f, "Outside of models: 80.0 % of 1.00 s, most of it waiting for a CPU (800 ms)");
}

CASE(who_holds_the_gil_is_named)
{
	struct event_sample wait = did(MAIN, SAMPLE_GIL, call(f, 0, "step", "/app/gil.py", 30));

	wait.holder_tid = OTHER;
	wait.holder_stack = call(f, 0, "burn", "/app/gil.py", 4);
	samples(f, 0, 900000, wait);
	run(f, 900000, 1000000, MAIN);
	summarise(f, 1000000);
	assert_int_equal(found(f, OUTSIDE_BY_WHAT, "waited for the GIL", "held by burn (gil.py:4)"), 900000);
	says(f, "Outside of models: 90.0 % of 1.00 s, most of it waiting for the GIL, held by burn (gil.py:4), 900 ms");
}

CASE(without_samples_nothing_is_said)
{
	run(f, 900000, 1000000, MAIN);
	summarise(f, 1000000);
	assert_int_equal(f->summary->n_outside, 0);
	says(f, "No model ran in 90.0 % of the 1.00 s");
}

/* NULL: the frame of this file is the program's own. */
static const char *caller_of_file(struct fixture *f, const char *file)
{
	uint32_t stack = call(f, call(f, 0, "<module>", "/home/me/lib/python3-tools/run.py", 7), "inside", file, 3);
	struct outside_place place = outside_place_of(f->s.names, stack);

	return place.from ? names_text(f->s.names, place.from->file) : NULL;
}

TEST_WITH(packages_are_told_from_the_program, setup, teardown)
{
	static const char *const libraries[] = {
		"/app/venv/lib/python3.12/site-packages/PIL/Image.py", /* in the project's own folder */
		"/usr/lib/python3/dist-packages/numpy/core.py",
		"/usr/lib/python311.zip/json/decoder.py",
		"/opt/conda/lib/python3.13t/json/decoder.py",
		"/usr/lib/pypy3.9/threading.py",
		"/usr/lib64/python3.9/json/decoder.py",
		"/app/vendor/numpy-2.0-cp312-none-any.whl/numpy/core.py",
		"/app/eggs/numpy-1.0-py3.8.egg/numpy/core.py",
		"/root/.pex/installed_wheels/0f/numpy-2.0/numpy/core.py",
		"/root/.shiv/app_1f/site-packages/numpy/core.py",
		"<frozen zipimport>",
	};
	static const char *const own[] = {
		"/home/me/lib/python3-tools/work.py",
		"/srv/app.pyz/app/work.py",
		"/home/me/src/edited/work.py",
		"<string>",
		"<ipython-input-3>",
		"/tmp/ipykernel_9/1.py",
	};

	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		assert_string_equal(caller_of_file(*state, libraries[i]), "/home/me/lib/python3-tools/run.py");
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		assert_null(caller_of_file(*state, own[i]));
}

CASE(places_are_those_of_the_program)
{
	const struct names *names = f->s.names;
	uint32_t main = native(f, 0, "main", "/usr/bin/app"), own = native(f, main, "scale", "/usr/bin/app");
	struct outside_place place = outside_place_of(names, native(f, own, "memcpy", "/lib/libc.so.6"));

	assert_string_equal(outside_place_words(names, &place).s, "memcpy, called from app");
	place = outside_place_of(names, own);
	assert_string_equal(outside_place_words(names, &place).s, "scale (app)");
	place = outside_place_of(names, native(f, resize(f), "_PyEval_Vector", "/usr/bin/python3.11"));
	assert_string_equal(outside_place_words(names, &place).s, "Image.resize, called from c_pre.py:6");
	place = outside_place_of(names, native(f, call(f, 0, "work", "/app/a.py", 3), "dgemm_", "/l/libblas.so.3"));
	assert_string_equal(outside_place_words(names, &place).s, "dgemm_, called from a.py:3");
	/* what a decorator's wrapper calls, unless it is code of machines */
	own = call(f, call(f, 0, "work", "/app/a.py", 3), "with_checks.<locals>.wrapper", "/l/site-packages/k/t.py", 9);
	place = outside_place_of(names, native(f, own, "memcpy", "/lib/libc.so.6"));
	assert_string_equal(outside_place_words(names, &place).s, "with_checks.<locals>.wrapper, called from a.py:3");
	own = call(f, own, "Trainer.predict", "/l/site-packages/k/trainer.py", 90);
	place = outside_place_of(names, native(f, own, "memcpy", "/lib/libc.so.6"));
	assert_string_equal(outside_place_words(names, &place).s, "Trainer.predict, called from a.py:3");
	/* of a library without symbols, the library, unless what it calls has a name */
	own = native(f, native(f, call(f, 0, "work", "/app/a.py", 3), NULL, "/l/cv2.so"), NULL, "/l/libtbb.so");
	place = outside_place_of(names, own);
	assert_string_equal(outside_place_words(names, &place).s, "cv2.so, called from a.py:3");
	place = outside_place_of(names, native(f, own, "memcpy", "/lib/libc.so.6"));
	assert_string_equal(outside_place_words(names, &place).s, "memcpy, called from a.py:3");
	place = outside_place_of(names, native(f, call(f, 0, "work", "/app/a.py", 3), NULL, "/usr/bin/python3.11"));
	assert_string_equal(outside_place_words(names, &place).s, "work (a.py:3)");
	place = outside_place_of(names, call(f, call(f, 0, "<module>", "/app/a.py", 1), "_find_and_load",
					     "<frozen importlib._bootstrap>", 1360));
	assert_string_equal(outside_place_words(names, &place).s, "import, called from a.py:1");
	/* a worker begins where its parent's line stood, or in a program that starts it */
	main = call(f, call(f, 0, "<module>", "/app/a.py", 14), "BaseContext.Pool",
		    "/usr/lib/python3.11/multiprocessing/context.py", 119);
	main = call(f, main, "BaseProcess._bootstrap", "/usr/lib/python3.11/multiprocessing/process.py", 314);
	main = call(f, main, "worker", "/usr/lib/python3.11/multiprocessing/pool.py", 114);
	own = call(f, main, "SimpleQueue.get", "/usr/lib/python3.11/multiprocessing/queues.py", 367);
	place = outside_place_of(names, own);
	assert_string_equal(outside_place_words(names, &place).s, "SimpleQueue.get (queues.py:367)");
	main = call(f, main, "work", "/app/a.py", 9);
	place = outside_place_of(names, call(f, main, "resize", "/usr/lib/python3/dist-packages/cv2/__init__.py", 7));
	assert_string_equal(outside_place_words(names, &place).s, "resize, called from a.py:9");
	main = call(f, call(f, 0, "<module>", "<string>", 1), "main",
		    "/usr/lib/python3.11/multiprocessing/forkserver.py", 214);
	place = outside_place_of(names, native(f, main, "epoll_wait", "/lib/libc.so.6"));
	assert_string_equal(outside_place_words(names, &place).s, "epoll_wait (libc.so.6)");
	main = call(f, call(f, 0, "<module>", "<string>", 1), "Pool.map", "/usr/lib/python3.11/multiprocessing/pool.py",
		    367);
	place = outside_place_of(names, main);
	assert_string_equal(outside_place_words(names, &place).s, "Pool.map, called from <string>:1");
	/* without symbols */
	main = native(f, native(f, 0, "__libc_start_main", "/lib/libc.so.6"), NULL, "/opt/stripped");
	place = outside_place_of(names, main);
	assert_string_equal(outside_place_words(names, &place).s, "stripped");
	place = outside_place_of(names, native(f, main, "sin", "/lib/libm.so.6"));
	assert_string_equal(outside_place_words(names, &place).s, "sin, called from stripped");
	place = outside_place_of(names, 0);
	assert_string_equal(outside_place_words(names, &place).s, "");
}

/* Ten rounds of 90 ms before an inference of 10 ms. */
static void check_finding(struct fixture *f, const char *kind, struct event_sample before, const char *place)
{
	struct recorded recorded;
	const struct finding *found;

	for (uint64_t i = 0; i < 10; i++) {
		samples(f, i * 100000, i * 100000 + 90000, before);
		run(f, i * 100000 + 90000, i * 100000 + 100000, MAIN);
	}
	summarise(f, 1000000);
	assert_int_equal(recorded_init(&recorded, f->summary, NULL), 0);
	found = findings_of(recorded.model, kind, 0);
	assert_non_null(found);
	/* the first gap is before the first call of all */
	assert_true(fabs(found->value - 0.81) < 0.001 && fabs(found->low - 81e6) < 1e4 && found->a == 81);
	assert_string_equal(found->text, place);
	for (const char *const *other = (const char *const[]){ "own_work", "waits_for_gil", "waits_for_thread",
							       "waits_for_input", "was_stopped", NULL };
	     *other; other++)
		assert_true(!strcmp(*other, kind) || !findings_of(recorded.model, *other, 0));
	assert_string_not_equal(insight_words_of(recorded.model, found, true).evidence.s, "");
	snprintf(f->next, sizeof f->next, "%s", insight_words_of(recorded.model, found, true).next.s);
	recorded_done(&recorded);
}

CASE(preprocessing_is_found)
{
	check_finding(f, "own_work", did(MAIN, SAMPLE_RAN, resize(f)), "Image.resize, called from c_pre.py:6");
	assert_null(strstr(f->next, "multiprocessing"));
}

CASE(copies_between_processes_are_told_from_other_work)
{
	uint32_t start = call(f, 0, "BaseProcess._bootstrap", "/usr/lib/python3.11/multiprocessing/process.py", 314);
	uint32_t receive = call(f, start, "Connection._recv", "/usr/lib/python3.11/multiprocessing/connection.py", 395);

	check_finding(f, "own_work", did(MAIN, SAMPLE_RAN, receive), "Connection._recv at connection.py:395");
	assert_non_null(strstr(f->next, "multiprocessing.shared_memory"));
}

CASE(a_profiler_of_python_is_found)
{
	struct recorded recorded;
	const struct finding *found;
	struct event_sample traced = did(MAIN, SAMPLE_RAN, resize(f));

	for (uint64_t i = 0; i < 10; i++) {
		traced.flags = i < 4 ? SAMPLE_TRACED : 0;
		samples(f, i * 100000, i * 100000 + 90000, traced);
		run(f, i * 100000 + 90000, i * 100000 + 100000, MAIN);
	}
	summarise(f, 1000000);
	assert_int_equal(recorded_init(&recorded, f->summary, NULL), 0);
	found = findings_of(recorded.model, "python_traced", 0);
	assert_true(found && fabs(found->value - 0.36) < 0.001 && found->low == 360e6);
	recorded_done(&recorded);
}

/* Whichever line it comes at, and whatever it calls. */
CASE(collecting_garbage_is_found)
{
	struct recorded recorded;
	const struct finding *found;
	uint32_t own[2];

	for (uint32_t i = 0; i < 2; i++)
		own[i] = call(f, call(f, 0, "serve", "/app/a.py", 7 + i), FRAME_COLLECTION, "", 0);
	own[1] = native(f, own[1], "subtype_dealloc", "/lib/libother.so");
	for (uint64_t i = 0; i < 10; i++) {
		samples(f, i * 100000, i * 100000 + 90000, did(MAIN, SAMPLE_RAN, own[i % 2]));
		run(f, i * 100000 + 90000, i * 100000 + 100000, MAIN);
	}
	summarise(f, 1000000);
	says(f, "Outside of models: 90.0 % of 1.00 s, most of it in garbage collection (900 ms)");
	assert_int_equal(recorded_init(&recorded, f->summary, NULL), 0);
	found = findings_of(recorded.model, "collects", 0);
	assert_true(found && fabs(found->value - 0.81) < 0.001 && fabs(found->low - 81e6) < 1e4 && found->a == 81);
	assert_null(findings_of(recorded.model, "own_work", 0));
	recorded_done(&recorded);
}

CASE(waiting_for_the_gil_is_found)
{
	struct event_sample wait = did(MAIN, SAMPLE_GIL, call(f, 0, "step", "/app/gil.py", 30));

	wait.holder_tid = OTHER;
	wait.holder_stack = call(f, 0, "burn", "/app/gil.py", 4);
	check_finding(f, "waits_for_gil", wait, "held by burn (gil.py:4)");
}

CASE(waiting_for_a_thread_is_found)
{
	check_finding(f, "waits_for_thread", did(MAIN, SAMPLE_LOCK, call(f, 0, "step", "/app/q.py", 3)),
		      "step at q.py:3");
}

CASE(waiting_for_input_is_found)
{
	struct event_sample wait = did(MAIN, SAMPLE_CALL, call(f, 0, "fetch", "/app/net.py", 4));

	wait.call = stream_name(&f->s, "recvfrom");
	wait.object = stream_name(&f->s, "10.0.0.7:443");
	check_finding(f, "waits_for_input", wait, "recvfrom on 10.0.0.7:443, called from net.py:4");
}

CASE(what_a_parent_did_before_a_gap_is_not_of_it)
{
	uint32_t parent = f->process, child = stream_process(&f->s, CHILD, "app"), lane = f->lane;

	stream_int(&f->s, KEY_PID, CHILD);
	stream_int(&f->s, KEY_PARENT_PID, MAIN);
	stream_instant(&f->s, child, 0, KIND_NOTE, EVENT_NOTE_FORKED);
	f->process = child;
	samples(f, 0, 100000, did(CHILD, SAMPLE_RAN, call(f, 0, "work", "/app/c_pre.py", 12)));
	f->lane = stream_lane(&f->s, child, "m");
	run(f, 100000, 2000000, CHILD); /* and ends */
	f->process = parent;
	f->lane = lane;
	sample(f, 2100000, 2100000, did(MAIN, SAMPLE_SLEPT, call(f, 0, "serve", "/app/c_pre.py", 14)));
	samples(f, 2100000, 3000000, did(MAIN, SAMPLE_RAN, call(f, 0, "close", "/app/c_pre.py", 16)));
	summarise(f, 3000000);
	assert_in_range(found(f, OUTSIDE_BY_WHAT, "slept", "serve (c_pre.py:14)"), 99000, 101000);
	assert_in_range(found(f, OUTSIDE_BY_WHAT, "ran", "close (c_pre.py:16)"), 899000, 901000);
}

CASE(without_a_model_the_verdict_says_what_the_program_did)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	stream_instant(&f->s, f->process, 1, KIND_NOTE, EVENT_NOTE_RECORDING);
	samples(f, 0, 800000, did(MAIN, SAMPLE_RAN, resize(f)));
	samples(f, 800000, 1000000, did(MAIN, SAMPLE_SLEPT, call(f, 0, "nap", "/app/c_pre.py", 9)));
	summarise(f, 1000000);
	export_verdict(out, &(struct report){ f->summary }, true);
	fclose(out);
	assert_string_equal(
	    text, "no model was run: no runtime that inftrace knows was loaded by the process seen. The program "
		  "spent 800 ms (80.0 %) in Image.resize, called from c_pre.py:6. Nothing lost");
	free(text);
}
