// SPDX-License-Identifier: Apache-2.0
/*
 * The recorder as a library: a real child (sleep) with a hand-made segment beside it, real sources, and several sinks
 * at a time.
 */
#include "capture/recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/temp_dir.h"
#include "base/tick.h"
#include "cases.h"
#include "segment_build.h"
#include "store_text.h"
#include "trace/perfetto/perfetto_read.h"
#include "trace/perfetto/perfetto_write.h"

enum { N_RUNS = 50, N_LOST = 7 };

/* The recording, and the messages meanwhile. */
struct world {
	char dir[128];
	struct names *names;
	uint32_t last_track;
	struct segment_build build;
	int hold; /* the child waits for its end */
	struct say_progress last;
	int n_progress;
	char said[1000];
	int policy; /* of this thread while it records */
	struct recorder_result result;
	const struct recorder_guest *guest;
};

static void keep_text(void *ctx, enum say_severity severity, const char *text)
{
	struct world *world = ctx;
	size_t used = strlen(world->said);

	snprintf(world->said + used, sizeof world->said - used, "%d:%s\n", severity, text);
}

static void keep_progress(void *ctx, const struct say_progress *progress)
{
	struct world *world = ctx;

	world->last = *progress;
	world->n_progress++;
}

static pid_t start_child(struct world *world, const char *seconds)
{
	int hold[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		close(hold[1]);
		while (read(hold[0], &byte, 1) < 0 && errno == EINTR)
			;
		execlp("sleep", "sleep", seconds, NULL);
		_exit(127);
	}
	close(hold[0]);
	world->hold = hold[1];
	return child;
}

/* The child continues, and its agent writes records. */
static int go(void *ctx, struct err *err)
{
	struct world *world = ctx;
	uint64_t ticks = clock_is_invariant("", NULL) ? clock_ticks() : clock_ns();

	segment_build_record(
	    &world->build,
	    (struct record){ .type = RECORD_THREAD, .time = ticks, .id = (uint32_t)world->build.segment->pid });
	for (uint32_t i = 1; i <= N_RUNS; i++)
		segment_build_run(&world->build, i, ticks + i * 1000);
	world->build.segment->ring_lost = N_LOST;
	world->policy = sched_getscheduler(0);
	close(world->hold);
	return 0;
}

static void world_open(struct world *world)
{
	struct err err;

	*world = (struct world){ .names = names_new() };
	assert_int_equal(temp_dir_make(world->dir, sizeof world->dir, "recorder-test", &err), 0);
}

static void world_close(struct world *world)
{
	names_free(world->names);
	temp_dir_remove(world->dir);
}

/* Records the child into these sinks. */
static int record(struct world *world, struct sink *const *sinks, size_t n, struct err *err)
{
	pid_t child = start_child(world, "0.3");
	struct recorder_way way = { .target = { .pid = child, .ring_dir = world->dir }, .go = go, .ctx = world };
	const struct recorder_opts opts = {
		.plan = { .level = "operator", .interval_ns = 20000000 },
		.sinks = sinks,
		.n_sinks = n,
		.say = { keep_text, keep_progress, world },
		.command = "sleep 0.3",
		.guest = world->guest,
	};
	char path[256];
	int code;

	snprintf(path, sizeof path, "%s/1" SEGMENT_SUFFIX, world->dir);
	segment_build_open(&world->build, path, child);
	segment_build_model(&world->build, "net");
	code = recorder_run(&opts, &way, &world->result, err);
	segment_build_close(&world->build);
	return code;
}

static void read_back(const char *path, struct sink *sink)
{
	struct perfetto_read_result result;
	struct err err = { 0 };
	struct stat stat_;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *data;

	assert_int_equal(fstat(fd, &stat_), 0);
	data = mmap(NULL, (size_t)stat_.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_int_equal(perfetto_read(data, (size_t)stat_.st_size, sink, &result, &err), 0);
	assert_false(result.is_cut);
	munmap(data, (size_t)stat_.st_size);
}

static bool has_line(const struct store_text *text, const char *part)
{
	for (size_t i = 0; i < text->n; i++)
		if (strstr(text->line[i], part))
			return true;
	return false;
}

static void compare(const struct store_text *live, const struct store_text *file)
{
	for (size_t i = 0; i < live->n && i < file->n; i++)
		assert_string_equal(live->line[i], file->line[i]);
	assert_int_equal(live->n, file->n);
}

#define CASE(name) TEST_OF(name, struct world, world, world_open(world), world_close(world))

CASE(a_store_and_a_file_get_the_same_events)
{
	struct names *file_names = names_new();
	uint32_t file_last = 0;
	struct store *live, *again = store_new(file_names, &file_last);
	struct store_text live_text, file_text;
	struct perfetto_writer *writer;
	struct err err = { 0 };
	char path[256];
	int fd;

	snprintf(path, sizeof path, "%s/recording", world->dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	writer = perfetto_write_new(fd, world->names, &world->last_track, NULL, &err);
	live = store_new(world->names, &world->last_track);
	assert_int_equal(
	    record(world, (struct sink *const[]){ perfetto_write_sink(writer), store_sink(live) }, 2, &err), 0);
	assert_int_equal(perfetto_write_free(writer, &err), 0);
	close(fd);
	read_back(path, store_sink(again));
	live_text = store_text_of(live);
	file_text = store_text_of(again);
	compare(&live_text, &file_text);
	/* with events of all kinds */
	assert_true(has_line(&live_text, "slice") && has_line(&live_text, "sample"));
	assert_true(has_line(&live_text, "conv1") && has_line(&live_text, " kind 6 depth 0 run 50 "));
	assert_true(has_line(&live_text, "where='threads that got no ring'"));
	assert_true(has_line(&live_text, "command='sleep 0.3' "));
	assert_true(has_line(&live_text, " cost kind"));
	assert_true(has_line(&live_text, " exit kind"));
	store_text_done(&live_text);
	store_text_done(&file_text);
	store_free(live);
	store_free(again);
	names_free(file_names);
}

CASE(figures_are_those_of_the_recording)
{
	struct err err = { 0 };
	struct store *live;

	live = store_new(world->names, &world->last_track);
	assert_int_equal(record(world, (struct sink *const[]){ store_sink(live) }, 1, &err), 0);
	assert_int_equal(world->result.n_inferences, N_RUNS);
	assert_int_equal(world->result.n_lost, N_LOST);
	assert_int_equal(world->result.n_processes, 1);
	assert_int_equal(world->result.n_bytes, 0);
	assert_true(world->result.median_ns > 0 && world->result.p99_ns >= world->result.median_ns);
	assert_true(WIFEXITED(world->result.wait_status) && !WEXITSTATUS(world->result.wait_status));
	assert_true(world->last.is_over);
	/* that it has begun, before half a second is over */
	assert_true(world->n_progress > 1);
	assert_int_equal(world->last.n_inferences, N_RUNS);
	assert_int_equal(world->last.n_lost, N_LOST);
	assert_true(world->last.elapsed_ns >= 300000000);
	assert_string_equal(world->said, "");
	store_free(live);
}

/* A sink that sees how the recorder waits. */
struct onlooker {
	struct sink sink;
	int most_slack_ns;
};

static int look_on(struct sink *sink, const struct event *event, struct err *err)
{
	struct onlooker *onlooker = (struct onlooker *)sink;
	int slack_ns = prctl(PR_GET_TIMERSLACK);

	if (slack_ns > onlooker->most_slack_ns)
		onlooker->most_slack_ns = slack_ns;
	return 0;
}

CASE(waking_up_ends_no_time_slice_of_the_program)
{
	struct onlooker onlooker = { .sink = { look_on, world->names, &world->last_track } };
	int slack_ns = prctl(PR_GET_TIMERSLACK);
	struct err err = { 0 };

	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	assert_int_equal(record(world, (struct sink *const[]){ &onlooker.sink }, 1, &err), 0);
	assert_int_equal(world->policy, SCHED_BATCH);
	assert_true(tick_ns() > 0);
	assert_int_equal(onlooker.most_slack_ns, tick_ns());
	/* what this thread does next is no recording */
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	assert_int_equal(prctl(PR_GET_TIMERSLACK), slack_ns);
}

/* A sink whose nth flush fails. */
struct failing {
	struct sink sink;
	int n_left;
};

static int take(struct sink *sink, const struct event *event, struct err *err)
{
	return 0;
}

static int fail_flush(struct sink *sink, struct err *err)
{
	struct failing *failing = (struct failing *)sink;

	return --failing->n_left < 0 ? err_set(err, ENOSPC, "cannot write: disk full") : 0;
}

CASE(a_sink_that_fails_ends_the_recording_and_the_others_get_its_end)
{
	struct err err = { 0 };
	struct store *live;
	struct store_text text;
	struct failing failing;

	failing = (struct failing){ .sink = { take, world->names, &world->last_track, fail_flush }, .n_left = 1 };
	live = store_new(world->names, &world->last_track);
	assert_int_equal(record(world, (struct sink *const[]){ &failing.sink, store_sink(live) }, 2, &err), 0);
	assert_true(world->result.has_failed);
	assert_string_equal(world->said, "1:recording has stopped: cannot write: disk full; the program goes on\n");
	text = store_text_of(live);
	assert_true(has_line(&text, " stopped kind") && has_line(&text, "text='cannot write: disk full'"));
	assert_true(has_line(&text, " cost kind"));
	store_text_done(&text);
	store_free(live);
}

CASE(a_sink_that_fails_at_once_is_an_error_and_the_program_is_not_let_go)
{
	struct err err = { 0 };
	struct failing failing;
	pid_t child;

	failing = (struct failing){ .sink = { take, world->names, &world->last_track, fail_flush } };
	assert_int_equal(record(world, (struct sink *const[]){ &failing.sink }, 1, &err), -ENOSPC);
	assert_string_equal(err.msg, "cannot write: disk full");
	/* still waiting */
	child = world->build.segment ? (pid_t)waitpid(-1, NULL, WNOHANG) : -1;
	assert_int_equal(child, 0);
	close(world->hold);
	assert_true(waitpid(-1, NULL, 0) > 0);
}

CASE(a_source_that_cannot_run_is_noted_with_its_reason)
{
	struct err err = { 0 };
	struct store *live;
	struct store_text text;

	live = store_new(world->names, &world->last_track);
	assert_int_equal(record(world, (struct sink *const[]){ store_sink(live) }, 1, &err), 0);
	text = store_text_of(live);
	for (size_t i = 0; sources[i]; i++) {
		const struct target target = { .sysroot = "", .pid = getpid(), .ring_dir = world->dir };
		char part[100];
		int code = sources[i]->check(&target, &err);
		snprintf(part, sizeof part, "source='%s' ", sources[i]->name);
		if (code && code != -EOPNOTSUPP)
			assert_true(has_line(&text, part) && has_line(&text, err.msg));
		else
			assert_false(has_line(&text, part));
	}
	/* such a recording has no probes: it must not note that they are missing */
	assert_false(has_line(&text, "source='uprobe'"));
	store_text_done(&text);
	store_free(live);
}

static bool served_three_times(void *ctx)
{
	int *n = ctx;

	return ++*n < 3;
}

CASE(a_guest_is_served_and_may_end_the_recording)
{
	int pipe_ends[2], n = 0;
	struct recorder_guest guest = { .ready = served_three_times, .ctx = &n };
	struct err err = { 0 };
	struct store *live;

	assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
	assert_int_equal(write(pipe_ends[1], "x", 1), 1); /* stays readable */
	guest.fd = pipe_ends[0];
	world->guest = &guest;
	live = store_new(world->names, &world->last_track);
	assert_int_equal(record(world, (struct sink *const[]){ store_sink(live) }, 1, &err), 0);
	assert_true(n >= 3);
	assert_true(world->result.has_stopped && !world->result.has_failed);
	assert_true(WIFEXITED(world->result.wait_status));
	store_free(live);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

TEST(one_recording_after_the_other_in_one_process)
{
	for (int i = 0; i < 2; i++)
		figures_are_those_of_the_recording(state);
}
