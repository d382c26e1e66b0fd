// SPDX-License-Identifier: Apache-2.0
/*
 * A recording of a server that starts a process for each request, through everything that events pass in a recorder:
 * numbers of tracks come again, and memory follows the processes that live.
 */
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/recorder/recorder_in.h"
#include "capture/recorder/thin/thin.h"
#include "cases.h"
#include "trace/import/import.h"
#include "trace/perfetto/perfetto_write.h"
#include "trace/rotate/rotate.h"

#define SECOND UINT64_C(1000000000)

enum { LIVING = 8, THREADS = 4, RUNS = 5, OPERATORS = 3, PER_WORKER = 3 + THREADS };

struct worker {
	uint32_t process, group, lane, thread[THREADS];
	int32_t pid;
};

struct server {
	struct names *names;
	uint32_t last_track;
	int fd;
	struct perfetto_writer *writer; /* NULL: rotate */
	struct rotate *rotate;
	struct thin *thin;
	struct sink *sinks[1], *sink;
	struct recorder_tap tap;
	struct worker worker[LIVING];
	uint64_t time_ns;
	uint64_t step_ns; /* between two workers, if segments begin meanwhile */
};

static void put(struct server *server, const struct event *event)
{
	struct err err = { 0 };
	int code = sink_put(server->sink, event, &err);

	assert_string_equal(err.msg, "");
	assert_int_equal(code, 0);
}

static uint32_t define(struct server *server, struct track_def def)
{
	const struct event event = { .type = EVENT_TRACK, .track = sink_new_track(server->sink), .def = &def };

	put(server, &event);
	return event.track;
}

static void begin(struct server *server, uint32_t track, enum event_kind kind, const char *name, int64_t pid)
{
	const struct arg args[] = { arg_text(KEY_OP_TYPE, server->sink, "Conv"), arg_int(KEY_INFERENCE, pid) };

	put(server, &(struct event){ .type = EVENT_BEGIN,
				     .kind = kind,
				     .track = track,
				     .name = names_of(server->names, name),
				     .time_ns = server->time_ns++,
				     .args = args,
				     .n_args = 2 });
}

static void end(struct server *server, uint32_t track)
{
	put(server, &(struct event){ .type = EVENT_END, .track = track, .time_ns = server->time_ns++ });
}

static void begin_worker(struct server *server, struct worker *worker, int32_t pid)
{
	worker->pid = pid;
	worker->process = define(server, (struct track_def){ .type = TRACK_PROCESS, .pid = pid });
	worker->group = define(server, (struct track_def){ .type = TRACK_GROUP, .parent = worker->process });
	for (int i = 0; i < THREADS; i++)
		worker->thread[i] = define(
		    server,
		    (struct track_def){ .type = TRACK_THREAD, .parent = worker->process, .pid = pid, .tid = pid + i });
	worker->lane = define(server, (struct track_def){ .type = TRACK_LANE, .parent = worker->group });
}

/* Each slice has its process's pid as the number of its inference, and its name depends on it, too. */
static void work(struct server *server, const struct worker *worker)
{
	static const char *const names[] = { "conv", "relu", "gemm", "add" };

	for (int run = 0; run < RUNS; run++) {
		begin(server, worker->lane, KIND_INFERENCE, "model", worker->pid);
		for (int i = 0; i < OPERATORS; i++) {
			uint32_t track = worker->thread[(run + i) % THREADS];
			begin(server, track, KIND_OPERATOR, names[(worker->pid + i) % 4], worker->pid);
			end(server, track);
		}
		end(server, worker->lane);
	}
	/* it is killed in the middle of one */
	begin(server, worker->lane, KIND_INFERENCE, "model", worker->pid);
	begin(server, worker->thread[0], KIND_OPERATOR, "conv", worker->pid);
}

static void end_worker(struct server *server, const struct worker *worker)
{
	put(server, &(struct event){ .type = EVENT_TRACK_END, .track = worker->process });
}

static void start_sinks(struct server *server, struct sink *file, uint32_t every)
{
	const struct thin_opts thin = { .every = every };
	struct err err = { 0 };

	server->thin = thin_new(file, &thin, &err);
	server->sinks[0] = thin_sink(server->thin);
	recorder_tap_init(&server->tap, server->sinks, 1);
	server->sink = &server->tap.sink;
}

static void start(struct server *server, uint32_t every)
{
	const struct perfetto_write_opts opts = { .compress = true };
	struct err err = { 0 };

	*server = (struct server){ .names = names_new(), .time_ns = 1000 };
	server->fd = memfd_create("recording", MFD_CLOEXEC);
	server->writer = perfetto_write_new(server->fd, server->names, &server->last_track, &opts, &err);
	assert_non_null(server->writer);
	start_sinks(server, perfetto_write_sink(server->writer), every);
}

static uint64_t the_time;

static uint64_t now_ns(void)
{
	return the_time;
}

static void start_kept(struct server *server, const char *path, uint64_t keep_ns)
{
	const struct rotate_opts opts = { .path = path, .keep = "a while", .keep_ns = keep_ns, .now_ns = now_ns };
	struct err err = { 0 };

	*server = (struct server){ .names = names_new(), .time_ns = SECOND };
	the_time = SECOND;
	server->rotate = rotate_new(server->names, &server->last_track, &opts, &err);
	assert_string_equal(err.msg, "");
	start_sinks(server, rotate_sink(server->rotate), 1);
}

static void pass_time(struct server *server)
{
	struct err err = { 0 };

	if (!server->step_ns)
		return;
	the_time = server->time_ns += server->step_ns;
	assert_int_equal(sink_flush(server->sink, &err), 0);
}

static void serve(struct server *server, int32_t first, int32_t last)
{
	for (int32_t pid = first; pid <= last; pid++) {
		struct worker *worker = &server->worker[pid % LIVING];
		if (worker->process)
			end_worker(server, worker);
		begin_worker(server, worker, pid);
		work(server, worker);
		pass_time(server);
	}
}

static void finish(struct server *server)
{
	struct err err = { 0 };
	char path[PATH_MAX];

	assert_int_equal(sink_sync(server->sink, &err), 0);
	if (server->writer)
		assert_int_equal(perfetto_write_free(server->writer, &err), 0);
	else
		assert_int_equal(rotate_close(server->rotate, path, &err), 0);
	thin_free(server->thin);
	recorder_tap_done(&server->tap);
	names_free(server->names);
}

/* Bytes, while no block of the file waits to be written. */
static size_t memory_of(struct server *server)
{
	struct err err = { 0 };

	assert_int_equal(sink_sync(server->sink, &err), 0);
	return mallinfo2().uordblks;
}

static void memory_follows_the_processes_that_live(uint32_t every)
{
	struct server server;
	size_t before;

	start(&server, every);
	serve(&server, 1, 2000);
	before = memory_of(&server);
	serve(&server, 2001, 20000);
	assert_in_range(memory_of(&server), 0, before + (64 << 10));
	assert_in_range(server.last_track, LIVING * PER_WORKER, (LIVING + 1) * PER_WORKER);
	assert_int_equal(server.tap.n_processes, 20000);
	finish(&server);
	close(server.fd);
}

TEST(memory_follows_living_processes)
{
	memory_follows_the_processes_that_live(1);
}

TEST(memory_follows_them_when_operators_thin_out)
{
	memory_follows_the_processes_that_live(8);
}

static void note(struct server *server, const char *topic, struct arg arg)
{
	put(server, &(struct event){ .type = EVENT_INSTANT,
				     .kind = KIND_NOTE,
				     .track = server->worker[0].process,
				     .name = names_of(server->names, topic),
				     .time_ns = server->time_ns++,
				     .args = &arg,
				     .n_args = 1 });
}

TEST(notes_count_for_the_last_line)
{
	struct server server;

	start(&server, 1);
	begin_worker(&server, &server.worker[0], 1);
	note(&server, EVENT_NOTE_RUNTIME, arg_text(KEY_STATUS, server.sink, "operators (no type information)"));
	assert_int_equal(server.tap.n_runtimes, 1);
	assert_false(server.tap.lacks_runs);
	note(&server, EVENT_NOTE_RUNTIME, arg_text(KEY_STATUS, server.sink, "runs (no type information)"));
	note(&server, EVENT_NOTE_RUNTIME, arg_text(KEY_VERSION, server.sink, "1.31.1"));
	assert_int_equal(server.tap.n_runtimes, 3);
	assert_true(server.tap.lacks_runs);
	note(&server, EVENT_NOTE_PROCESS, arg_int(KEY_COUNT, 2));
	note(&server, EVENT_NOTE_SAMPLED_OUT, arg_int(KEY_COUNT, 3));
	note(&server, EVENT_NOTE_OTHER_RUNTIME, arg_text(KEY_RUNTIME, server.sink, "ncnn"));
	assert_int_equal(server.tap.n_unseen, 2);
	assert_int_equal(server.tap.n_sampled_out, 3);
	assert_string_equal(names_text(server.names, server.tap.other), "ncnn");
	finish(&server);
	close(server.fd);
}

/* What the file says. */
struct check {
	struct sink sink;
	uint32_t last_track;
	struct track_def *def;
	size_t n_slices, n_processes, n_named; /* n_named: processes with the name that is looked for */
	const char *name;
};

static int32_t pid_of(const struct check *check, uint32_t track)
{
	while (check->def[track].type != TRACK_PROCESS)
		track = check->def[track].parent;
	return check->def[track].pid;
}

static int check_put(struct sink *sink, const struct event *event, struct err *err)
{
	struct check *check = (struct check *)sink;

	if (event->type == EVENT_TRACK) {
		assert_in_range(event->track, 1, 1 << 20);
		check->def[event->track] = *event->def;
		check->n_processes += event->def->type == TRACK_PROCESS;
		check->n_named += check->name && !strcmp(names_text(sink->names, event->def->name), check->name);
	} else if (event->type == EVENT_BEGIN) {
		assert_int_equal(event->args[1].integer, pid_of(check, event->track));
		assert_string_equal(names_text(sink->names, event->args[0].name), "Conv");
		check->n_slices++;
	}
	return 0;
}

static void check_file(struct check *check, const char *path)
{
	struct import import = { 0 };
	struct err err = { 0 };

	check->def = calloc((1 << 20) + 1, sizeof *check->def);
	check->sink = (struct sink){ .put = check_put, .names = names_new(), .last_track = &check->last_track };
	assert_int_equal(import_open(&import, path, &err), 0);
	assert_int_equal(import_read(&import, &check->sink, &err), 0);
	import_close(&import);
	names_free(check->sink.names);
	free(check->def);
}

enum { N = 1000, SLICES = RUNS * (1 + OPERATORS) + 2 };

TEST(numbers_that_come_again_mean_another_track)
{
	struct server server;
	struct check check = { 0 };
	char path[32];

	start(&server, 1);
	serve(&server, 1, N);
	finish(&server);
	snprintf(path, sizeof path, "/proc/self/fd/%d", server.fd);
	check_file(&check, path);
	assert_int_equal(check.n_processes, N);
	assert_int_equal(check.n_slices, N * SLICES);
	close(server.fd);
}

static void pass_texts(struct server *server, int from, int to)
{
	char text[32];

	for (int i = from; i < to; i++) {
		snprintf(text, sizeof text, "text %d", i);
		names_pass(server->names, text, strlen(text));
	}
}

/* A worker lives in two or three segments. */
TEST(they_do_in_segments_too)
{
	char folder[] = "/tmp/recorder-tracks-XXXXXX", path[100];
	struct server server;
	struct check check = { .name = "passing" };
	struct track_def def = { .type = TRACK_PROCESS, .pid = 1 << 22 };

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/x.pftrace", folder);
	start_kept(&server, path, 1000 * SECOND);
	pass_texts(&server, 0, 70000);
	/* a process that lives on, and whose name is long forgotten elsewhere */
	def.name = names_pass(server.names, "passing", 7);
	assert_true(names_is_passing(def.name));
	define(&server, def);
	pass_texts(&server, 70000, 400000);
	server.step_ns = 20 * SECOND;
	serve(&server, 1, N / 10);
	finish(&server);
	check_file(&check, path);
	assert_in_range(check.n_named, 1, 1);
	assert_in_range(check.n_slices, 50 * SLICES, N / 10 * SLICES);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

static int count_put(struct sink *sink, const struct event *event, struct err *err)
{
	assert_int_equal(event->type, EVENT_TRACK_END);
	((struct check *)sink)->n_slices++;
	return 0;
}

TEST(what_lies_below_a_track_ends_with_it)
{
	struct check check = { .sink = { .put = count_put } };
	struct recorder_tracks tracks = { 0 };
	struct err err = { 0 };
	bool is_new;

	assert_int_equal(recorder_tracks_define(&tracks, 1, 0, &is_new), 1);
	assert_true(is_new);
	assert_int_equal(recorder_tracks_define(&tracks, 2, 1, &is_new), 2);
	assert_int_equal(recorder_tracks_define(&tracks, 3, 2, &is_new), 3);
	assert_int_equal(recorder_tracks_define(&tracks, 4, 1, &is_new), 4);
	/* a program that calls exec defines its process again */
	assert_int_equal(recorder_tracks_define(&tracks, 1, 0, &is_new), 1);
	assert_false(is_new);
	assert_int_equal(recorder_tracks_end(&tracks, 2, &check.sink, &err), 0);
	assert_int_equal(check.n_slices, 2);
	assert_int_equal(recorder_tracks_end(&tracks, 2, &check.sink, &err), 0);
	assert_int_equal(recorder_tracks_end(&tracks, 99, &check.sink, &err), 0);
	assert_int_equal(check.n_slices, 2);
	assert_true(recorder_tracks_define(&tracks, 3, 1, &is_new) > UINT32_MAX);
	assert_true(is_new);
	/* a parent that has ended holds nothing */
	assert_true(recorder_tracks_define(&tracks, 5, 2, &is_new) > UINT32_MAX);
	assert_int_equal(recorder_tracks_end(&tracks, 1, &check.sink, &err), 0);
	assert_int_equal(check.n_slices, 5);
	assert_int_equal(tracks.free.n, 5);
	recorder_tracks_done(&tracks);
}
