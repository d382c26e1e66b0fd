// SPDX-License-Identifier: Apache-2.0
/* Recordings in segments, on a clock that the test sets: what is on the disk can be read at every moment. */
#include "trace/rotate/rotate.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "lines.h"
#include "trace/import/import.h"
#include "trace/rotate/rotate_folder.h"
#include "turn.h"

#define SECOND UINT64_C(1000000000)
#define START (1000 * SECOND)

static uint64_t the_time;

static uint64_t now_ns(void)
{
	return the_time;
}

/* A process with a lane of inferences and a thread of operators, like a server. */
struct server {
	char folder[64], path[100], result[PATH_MAX];
	struct names *names;
	uint32_t last_track, recorder, process, lane, thread;
	struct rotate *rotate;
	struct sink *sink;
	uint64_t n_inferences;
};

static void put(struct server *server, const struct event *event)
{
	struct err err = { 0 };
	int code = sink_put(server->sink, event, &err);

	assert_string_equal(err.msg, "");
	assert_int_equal(code, 0);
}

static uint32_t track(struct server *server, struct track_def def, const char *name)
{
	uint32_t id = sink_new_track(server->sink);

	def.name = names_of(server->names, name);
	put(server, &(struct event){ .type = EVENT_TRACK, .track = id, .def = &def });
	return id;
}

static void begin(struct server *server, uint32_t on, enum event_kind kind, const char *name)
{
	struct arg args[] = { arg_name(KEY_MODEL, names_of(server->names, "resnet")),
			      arg_int(KEY_INFERENCE, (int64_t)server->n_inferences) };

	put(server, &(struct event){ .type = EVENT_BEGIN,
				     .kind = kind,
				     .track = on,
				     .name = names_of(server->names, name),
				     .time_ns = the_time,
				     .args = args,
				     .n_args = 2 });
}

static void end(struct server *server, uint32_t on)
{
	put(server, &(struct event){ .type = EVENT_END, .track = on, .time_ns = the_time });
}

static void note(struct server *server, const char *topic, uint32_t on, struct arg arg)
{
	put(server, &(struct event){ .type = EVENT_INSTANT,
				     .kind = KIND_NOTE,
				     .track = on,
				     .name = names_of(server->names, topic),
				     .time_ns = the_time,
				     .args = &arg,
				     .n_args = 1 });
}

static struct rotate_opts opts_of(const struct server *server, uint64_t keep_ns, uint64_t keep_bytes)
{
	return (struct rotate_opts){ .path = server->path,
				     .keep = keep_ns ? "10s" : "1M",
				     .keep_ns = keep_ns,
				     .keep_bytes = keep_bytes,
				     .now_ns = now_ns };
}

static void start(struct server *server, uint64_t keep_ns, uint64_t keep_bytes)
{
	struct rotate_opts opts;
	struct err err = { 0 };

	*server = (struct server){ .folder = "/tmp/rotate-test-XXXXXX" };
	assert_non_null(mkdtemp(server->folder));
	snprintf(server->path, sizeof server->path, "%s/x.pftrace", server->folder);
	server->names = names_new();
	the_time = START;
	opts = opts_of(server, keep_ns, keep_bytes);
	server->rotate = rotate_new(server->names, &server->last_track, &opts, &err);
	assert_string_equal(err.msg, "");
	server->sink = rotate_sink(server->rotate);
	server->recorder = track(server, (struct track_def){ .type = TRACK_GROUP }, "inftrace");
	server->process = track(server, (struct track_def){ .type = TRACK_PROCESS, .pid = 42 }, "server");
	server->lane = track(server, (struct track_def){ .type = TRACK_LANE, .parent = server->process }, "inferences");
	server->thread = track(
	    server, (struct track_def){ .type = TRACK_THREAD, .parent = server->process, .pid = 42, .tid = 43 }, "");
	note(server, EVENT_NOTE_RECORDING, server->recorder, arg_int(KEY_START_REALTIME_NS, 5 * (int64_t)SECOND));
	note(server, EVENT_NOTE_CREATED, server->process, arg_int(KEY_SESSION, 1));
	note(server, EVENT_NOTE_CREATED, server->process, arg_int(KEY_SESSION, 2));
}

static void flush_to(struct server *server, uint64_t time_ns)
{
	struct err err = { 0 };

	the_time = time_ns;
	assert_int_equal(sink_flush(server->sink, &err), 0);
}

/* Inferences of 100 ms with an operator each, until then; flushed after each. */
static void serve(struct server *server, uint64_t until_ns)
{
	while (the_time < until_ns) {
		server->n_inferences++;
		begin(server, server->lane, KIND_INFERENCE, "resnet");
		begin(server, server->thread, KIND_OPERATOR, "Conv_1");
		the_time += SECOND / 20;
		end(server, server->thread);
		end(server, server->lane);
		flush_to(server, the_time + SECOND / 20);
	}
}

static void read_into(struct lines *lines, const char *path)
{
	struct import import;
	struct err err = { 0 };

	lines_init(lines);
	if (import_open(&import, path, &err) || import_read(&import, &lines->sink, &err))
		fail_msg("%s", err.msg);
	assert_false(import.result.is_cut);
	assert_int_equal(import.result.n_late, 0);
	import_close(&import);
}

static size_t count(const struct lines *lines, const char *what)
{
	size_t n = 0;

	for (size_t i = 0; i < lines->n; i++)
		n += strstr(lines->line[i], what) != NULL;
	return n;
}

static const char *line_with(const struct lines *lines, const char *what)
{
	const char *line = "";

	for (size_t i = 0; i < lines->n; i++)
		if (strstr(lines->line[i], what))
			line = lines->line[i];
	return line;
}

static size_t segments(const struct server *server, uint64_t **numbers)
{
	int fd = open(rotate_folder_of(server->path).s, O_RDONLY | O_DIRECTORY);
	size_t n = 0;

	*numbers = NULL;
	if (fd < 0)
		return 0;
	assert_int_equal(rotate_folder_list(fd, numbers, &n), 0);
	close(fd);
	return n;
}

static size_t n_segments(const struct server *server)
{
	uint64_t *numbers;
	size_t n = segments(server, &numbers);

	free(numbers);
	return n;
}

static char *segment_path(const struct server *server, uint64_t number)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", rotate_folder_of(server->path).s, rotate_folder_name(number).s) > 0);
	return path;
}

static uint64_t bytes_on_disk(const struct server *server)
{
	uint64_t *numbers, bytes = 0;
	size_t n = segments(server, &numbers);
	struct stat file;

	for (size_t i = 0; i < n; i++) {
		char *path = segment_path(server, numbers[i]);
		bytes += stat(path, &file) ? 0 : (uint64_t)file.st_size;
		free(path);
	}
	free(numbers);
	return bytes;
}

static void finish(struct server *server)
{
	struct err err = { 0 };

	assert_int_equal(rotate_close(server->rotate, server->result, &err), 0);
	assert_string_equal(server->result, server->path);
	assert_int_equal(n_segments(server), 0);
}

static void clean(struct server *server)
{
	unlink(server->path);
	assert_int_equal(rmdir(server->folder), 0);
	names_free(server->names);
}

#define CASE(name, ...) TEST_OF(name, struct server, server, start(server, __VA_ARGS__), clean(server))
#define DUMPS(name, ...) TEST_OF(name, struct server, server, start_with_dumps(server, __VA_ARGS__), clean(server))

CASE(short_recording_is_one_file_with_all_of_it, 10 * SECOND, 0)
{
	struct lines lines;

	serve(server, START + SECOND / 2);
	finish(server);
	read_into(&lines, server->path);
	assert_int_equal(count(&lines, " inference 'resnet'"), server->n_inferences);
	assert_int_equal(count(&lines, "'kept'"), 0);
	assert_int_equal(count(&lines, "continued"), 0);
	lines_done(&lines);
}

CASE(newest_part_is_kept_and_the_rest_is_counted, 10 * SECOND, 0)
{
	struct lines lines;
	unsigned long long n_events;
	size_t n_kept;

	serve(server, START + 100 * SECOND);
	assert_in_range(n_segments(server), 10, 12);
	finish(server);
	read_into(&lines, server->path);
	n_kept = count(&lines, " inference 'resnet'");
	assert_in_range(n_kept, 100, 112);
	assert_int_equal(count(&lines, " operator 'Conv_1'"), n_kept);
	assert_int_equal(count(&lines, "END "), 2 * n_kept);
	assert_non_null(strstr(line_with(&lines, "'kept'"), "text='10s'"));
	assert_int_equal(sscanf(strstr(line_with(&lines, "'kept'"), "events="), "events=%llu", &n_events), 1);
	/* with the three notes of the start */
	assert_int_equal(n_events, 3 + 2 * (server->n_inferences - n_kept));
	lines_done(&lines);
}

TEST(what_began_before_stays_right)
{
	struct server server;
	struct lines lines;

	start(&server, 10 * SECOND, 0);
	begin(&server, server.thread, KIND_USER, "main loop");
	serve(&server, START + 50 * SECOND);
	note(&server, EVENT_NOTE_RELEASED, server.process, arg_int(KEY_SESSION, 2));
	serve(&server, START + 100 * SECOND);
	end(&server, server.thread);
	finish(&server);
	read_into(&lines, server.path);
	assert_int_equal(count(&lines, " user 'main loop'"), 1);
	assert_non_null(strstr(line_with(&lines, "'main loop'"), "at 1000000000000 "));
	assert_int_equal(count(&lines, "'recording'"), 1);
	assert_int_equal(count(&lines, "'created'"), 1);
	assert_non_null(strstr(line_with(&lines, "'created'"), "session=1"));
	assert_int_equal(count(&lines, "'server'"), 1);
	/* every slice has its end */
	assert_int_equal(count(&lines, "BEGIN"), count(&lines, "END "));
	lines_done(&lines);
	clean(&server);
}

/* The wall clock moves on with the note. */
CASE(repeated_note_lies_at_the_begin_with_the_time_of_day_then, 10 * SECOND, 0)
{
	struct lines lines;
	unsigned long long at, wall;
	const char *line;

	serve(server, START + 100 * SECOND);
	finish(server);
	read_into(&lines, server->path);
	line = line_with(&lines, "'recording'");
	assert_int_equal(sscanf(strstr(line, "at "), "at %llu", &at), 1);
	assert_int_equal(sscanf(strstr(line, "start_realtime_ns="), "start_realtime_ns=%llu", &wall), 1);
	assert_in_range(at, START + 86 * SECOND, START + 90 * SECOND);
	assert_int_equal(wall - 5 * SECOND, at - START);
	lines_done(&lines);
}

TEST(each_segment_is_a_recording)
{
	struct server server;
	uint64_t *numbers;
	size_t n;

	start(&server, 10 * SECOND, 0);
	begin(&server, server.thread, KIND_USER, "main loop");
	serve(&server, START + 60 * SECOND);
	n = segments(&server, &numbers);
	assert_true(n > 9);
	/* the last one is being written */
	for (size_t i = 0; i + 1 < n; i++) {
		char *path = segment_path(&server, numbers[i]);
		struct lines lines;

		read_into(&lines, path);
		assert_int_equal(count(&lines, " user 'main loop'"), 1);
		assert_int_equal(count(&lines, "'created'"), 2);
		assert_int_equal(count(&lines, "'recording'"), 1);
		assert_int_equal(count(&lines, "'server'"), 1);
		assert_in_range(count(&lines, " inference 'resnet'"), 9, 12);
		lines_done(&lines);
		free(path);
	}
	free(numbers);
	finish(&server);
	clean(&server);
}

/* As after SIGKILL: nothing is closed. */
CASE(folder_is_read_as_one_recording, 10 * SECOND, 0)
{
	struct lines whole, parts, named;
	struct err err;

	begin(server, server->thread, KIND_USER, "main loop");
	serve(server, START + 100 * SECOND);
	begin(server, server->lane, KIND_INFERENCE, "resnet");
	assert_int_equal(sink_sync(server->sink, &err), 0);
	read_into(&parts, rotate_folder_of(server->path).s);
	read_into(&named, server->path);
	finish(server);
	read_into(&whole, server->path);
	assert_same_lines(&whole, &parts);
	assert_same_lines(&whole, &named);
	assert_int_equal(count(&whole, "BEGIN"), count(&whole, "END ") + 2);
	lines_done(&whole);
	lines_done(&parts);
	lines_done(&named);
}

CASE(segment_that_was_cut_off_does_not_hide_the_next, 10 * SECOND, 0)
{
	struct lines all, cut;
	uint64_t *numbers;
	struct stat file;
	char *path;
	size_t n;

	serve(server, START + 30 * SECOND);
	n = segments(server, &numbers);
	path = segment_path(server, numbers[n / 2]);
	read_into(&all, server->path);
	assert_int_equal(stat(path, &file), 0);
	assert_int_equal(truncate(path, file.st_size - 3), 0);
	read_into(&cut, server->path);
	assert_in_range(cut.n, all.n - 5, all.n - 1);
	lines_done(&all);
	lines_done(&cut);
	free(path);
	free(numbers);
	rotate_drop(server->rotate);
}

enum { KEEP = 1 << 20 };

CASE(size_on_the_disk_stays_below_what_is_kept, 0, KEEP)
{
	uint64_t largest = 0, bytes;
	struct err err;

	for (uint64_t i = 1; i <= 600; i++) {
		for (int j = 0; j < 200; j++) {
			begin(server, server->thread, KIND_OPERATOR, "Conv_1");
			end(server, server->thread);
		}
		the_time = START + i * SECOND / 10;
		assert_int_equal(sink_sync(server->sink, &err), 0);
		bytes = bytes_on_disk(server);
		largest = bytes > largest ? bytes : largest;
	}
	assert_in_range(largest, KEEP * 8 / 10, KEEP + (64 << 10));
	assert_true(server->sink->n_bytes > 2 * KEEP);
	finish(server);
}

CASE(full_disk_leaves_what_was_written, 1000 * SECOND, 0)
{
	struct rlimit old, low;
	struct stat file;
	char *path;
	struct lines lines;
	struct err err = { 0 };
	int code = 0;

	serve(server, START + 150 * SECOND);
	assert_int_equal(sink_sync(server->sink, &err), 0);
	path = segment_path(server, 2);
	assert_int_equal(stat(path, &file), 0);
	low.rlim_cur = (rlim_t)file.st_size + 1000;
	free(path);
	getrlimit(RLIMIT_FSIZE, &old);
	low.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &low);
	for (int i = 0; i < 1000 && !code; i++) {
		begin(server, server->thread, KIND_OPERATOR, "Conv_1");
		end(server, server->thread);
		code = sink_sync(server->sink, &err);
	}
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(code, -EFBIG);
	assert_int_equal(rotate_close(server->rotate, server->result, &err), -EFBIG);
	assert_string_equal(server->result, rotate_folder_of(server->path).s);
	read_into(&lines, server->path);
	assert_int_equal(count(&lines, " inference 'resnet'"), server->n_inferences);
	lines_done(&lines);
	rotate_folder_remove(open(server->result, O_RDONLY), server->path);
}

static uint64_t no_room(int fd)
{
	return 1000;
}

CASE(segments_stay_where_the_disk_has_no_room_for_a_copy, 10 * SECOND, 0)
{
	struct rotate_opts opts;
	struct lines lines;
	struct err err = { 0 };

	rotate_drop(server->rotate);
	opts = opts_of(server, 10 * SECOND, 0);
	opts.left_bytes = no_room;
	server->rotate = rotate_new(server->names, &server->last_track, &opts, &err);
	server->sink = rotate_sink(server->rotate);
	server->lane = track(server, (struct track_def){ .type = TRACK_LANE }, "inferences");
	server->thread = track(server, (struct track_def){ .type = TRACK_LANE }, "operators");
	serve(server, START + 30 * SECOND);
	assert_int_equal(rotate_close(server->rotate, server->result, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "x.pftrace.d, which is read like one file"));
	read_into(&lines, server->path);
	assert_true(count(&lines, " inference 'resnet'") >= 100);
	lines_done(&lines);
	rotate_folder_remove(open(server->result, O_RDONLY), server->path);
}

CASE(two_recorders_do_not_share_a_name, 10 * SECOND, 0)
{
	struct rotate_opts opts;
	struct err err = { 0 };

	opts = opts_of(server, 10 * SECOND, 0);
	assert_null(rotate_new(server->names, &server->last_track, &opts, &err));
	assert_int_equal(err.code, EEXIST);
	opts.overwrites = true;
	assert_null(rotate_new(server->names, &server->last_track, &opts, &err));
	assert_int_equal(err.code, EBUSY);
	finish(server);
}

CASE(file_that_came_meanwhile_is_not_replaced, 10 * SECOND, 0)
{
	struct err err = { 0 };
	FILE *other;

	serve(server, START + 5 * SECOND);
	other = fopen(server->path, "w");
	assert_non_null(other);
	fclose(other);
	assert_int_equal(rotate_close(server->rotate, server->result, &err), -EEXIST);
	assert_true(n_segments(server) > 3);
	rotate_folder_remove(open(server->result, O_RDONLY), server->path);
}

/* Each segment starts a thread that writes it: a week of segments takes seconds of CPU time. */
CASE(week_takes_no_more_memory_than_an_hour, 600 * SECOND, 0)
{
	uint64_t days = is_in_turn(0, 7) ? 7 : 1;
	size_t after_an_hour = 0;

	for (uint64_t s = 30; s <= days * 24 * 3600; s += 30) {
		begin(server, server->lane, KIND_INFERENCE, "resnet");
		flush_to(server, START + s * SECOND);
		end(server, server->lane);
		if (s == 3600)
			after_an_hour = mallinfo2().uordblks;
		if (s % 3600 == 0)
			assert_in_range(n_segments(server), 1, 13);
	}
	assert_in_range(mallinfo2().uordblks, 0, after_an_hour + (64 << 10));
	finish(server);
}

static int n_dumped, n_busy, n_beyond;

static void dumped(void *ctx, const char *path, const char *why, const struct err *err)
{
	assert_string_equal(why, "it was slow");
	assert_true(!err || err->code == EBUSY || err->code == EDQUOT);
	n_dumped += !err;
	n_busy += err && err->code == EBUSY;
	n_beyond += err && err->code == EDQUOT;
}

static void start_with_dumps(struct server *server, uint32_t max)
{
	struct rotate_opts opts;
	struct err err = { 0 };

	start(server, 10 * SECOND, 0);
	rotate_drop(server->rotate);
	opts = opts_of(server, 10 * SECOND, 0);
	opts.dump_after_ns = 5 * SECOND;
	opts.max_dumps = max;
	opts.dumped = dumped;
	server->rotate = rotate_new(server->names, &server->last_track, &opts, &err);
	server->sink = rotate_sink(server->rotate);
	server->lane = track(server, (struct track_def){ .type = TRACK_LANE }, "inferences");
	server->thread = track(server, (struct track_def){ .type = TRACK_LANE }, "operators");
	note(server, EVENT_NOTE_RECORDING, server->lane, arg_int(KEY_START_REALTIME_NS, 1));
	n_dumped = n_busy = n_beyond = 0;
}

DUMPS(dump_has_what_was_kept_and_what_followed, 10)
{
	struct lines lines, rest;
	struct rotate_dumped newest;
	char path[200];

	begin(server, server->thread, KIND_USER, "main loop");
	serve(server, START + 60 * SECOND);
	rotate_ask_dump(server->rotate, "it was slow");
	serve(server, START + 63 * SECOND);
	rotate_ask_dump(server->rotate, "it was slow");
	serve(server, START + 64 * SECOND);
	assert_int_equal(n_dumped, 0);
	assert_int_equal(n_busy, 1);
	assert_true(rotate_newest_dump(server->rotate, &newest));
	snprintf(path, sizeof path, "%s/x.dump-0001.pftrace", server->folder);
	assert_string_equal(newest.path.s, path);
	assert_true(newest.begin_ns <= START + 50 * SECOND && newest.until_ns == START + 65 * SECOND);
	serve(server, START + 100 * SECOND);
	assert_int_equal(n_dumped, 1);
	read_into(&lines, path);
	assert_in_range(count(&lines, " inference 'resnet'"), 148, 164);
	assert_int_equal(count(&lines, " user 'main loop'"), 1);
	assert_int_equal(count(&lines, "'recording'"), 1);
	assert_non_null(strstr(line_with(&lines, "'dump'"), "x.dump-0001.pftrace"));
	assert_in_range(n_segments(server), 10, 12);
	finish(server);
	/* the recording goes on without a gap */
	read_into(&rest, server->path);
	assert_in_range(count(&rest, " inference 'resnet'"), 100, 112);
	lines_done(&lines);
	lines_done(&rest);
	unlink(path);
}

DUMPS(dump_that_is_not_complete_is_written_at_the_end, 10)
{
	struct lines lines;
	char path[200];

	serve(server, START + 3 * SECOND);
	rotate_ask_dump(server->rotate, "it was slow");
	serve(server, START + 4 * SECOND);
	finish(server);
	assert_int_equal(n_dumped, 1);
	snprintf(path, sizeof path, "%s/x.dump-0001.pftrace", server->folder);
	read_into(&lines, path);
	assert_int_equal(count(&lines, " inference 'resnet'"), server->n_inferences);
	lines_done(&lines);
	unlink(path);
}

DUMPS(number_of_dumps_is_limited_and_the_rest_counted, 2)
{
	struct lines lines;
	char path[200];
	struct err err;

	for (uint64_t s = 1; s <= 60; s++) {
		serve(server, START + s * SECOND);
		rotate_ask_dump(server->rotate, "it was slow");
	}
	assert_int_equal(n_dumped, 2);
	assert_int_equal(n_busy + n_beyond, 58);
	assert_true(n_beyond > 40);
	assert_int_equal(sink_sync(server->sink, &err), 0);
	finish(server);
	read_into(&lines, server->path);
	assert_non_null(strstr(line_with(&lines, "'dump'"), "count=58"));
	lines_done(&lines);
	for (int i = 1; i <= 2; i++) {
		snprintf(path, sizeof path, "%s/x.dump-000%d.pftrace", server->folder, i);
		assert_int_equal(unlink(path), 0);
	}
}
