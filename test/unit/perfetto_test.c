// SPDX-License-Identifier: Apache-2.0
/*
 * The trace file, written and read back. Events are compared as lines of text. test/fuzz covers malformed files.
 * perfetto_test FOLDER writes recordings for test/e2e, which loads them into Perfetto.
 */
#define CASES_MAIN
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "cases.h"
#include "lines.h"
#include "pb_out.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_read.h"
#include "trace/perfetto/perfetto_write.h"

/* Events go into a file in memory and, as lines, into `lines`. */
struct recording {
	struct lines lines;
	struct perfetto_writer *writer;
	int fd;
	uint8_t *data;
	size_t size;
};

static void start(struct recording *recording, bool compress)
{
	struct perfetto_write_opts opts = { .compress = compress };
	struct err err;

	memset(recording, 0, sizeof *recording);
	lines_init(&recording->lines);
	recording->fd = memfd_create("recording", MFD_CLOEXEC);
	recording->writer =
	    perfetto_write_new(recording->fd, recording->lines.sink.names, &recording->lines.last_track, &opts, &err);
	assert_non_null(recording->writer);
}

static void put(struct recording *recording, const struct event *event)
{
	struct err err = { 0 };

	assert_int_equal(sink_put(perfetto_write_sink(recording->writer), event, &err), 0);
	assert_int_equal(sink_put(&recording->lines.sink, event, &err), 0);
}

static void stop(struct recording *recording)
{
	struct stat st;
	struct err err;
	uint64_t bytes;

	assert_int_equal(sink_flush(perfetto_write_sink(recording->writer), &err), 0);
	bytes = perfetto_write_sink(recording->writer)->n_bytes;
	assert_int_equal(perfetto_write_free(recording->writer, &err), 0);
	fstat(recording->fd, &st);
	assert_int_equal(st.st_size, bytes);
	recording->size = (size_t)st.st_size;
	recording->data = mmap(NULL, recording->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, recording->fd, 0);
}

static void done(struct recording *recording)
{
	munmap(recording->data, recording->size);
	close(recording->fd);
	lines_done(&recording->lines);
}

static uint32_t define(struct recording *recording, const struct track_def *def)
{
	struct event event = { EVENT_TRACK, .track = sink_new_track(&recording->lines.sink), .def = def };

	put(recording, &event);
	return event.track;
}

static int read_lines(struct lines *lines, const void *data, size_t size, struct perfetto_read_result *result,
		      struct err *err)
{
	lines_init(lines);
	return perfetto_read(data, size, &lines->sink, result, err);
}

/* Random streams. */

enum { N_TRACKS = 12 };

struct chance {
	uint64_t state;
};

static uint32_t pick(struct chance *chance, uint32_t below)
{
	chance->state = chance->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((chance->state >> 33) % below);
}

static uint32_t pick_name(struct chance *chance, struct names *names, uint32_t below)
{
	static const char *const odd[] = { "a\"b\n", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "/layer/Conv", "x" };
	char text[400];
	uint32_t n = pick(chance, below);

	if (n < 4)
		return names_of(names, odd[n]);
	if (n % 17 == 0) {
		memset(text, 'a' + (int)(n % 26), sizeof text - 1);
		text[100 + n % 299] = 0;
		return names_of(names, text);
	}
	snprintf(text, sizeof text, "name %u", n);
	return names_of(names, text);
}

static uint32_t define_random(struct recording *recording, struct chance *chance, enum track_type *type, uint32_t n)
{
	static const char *const units[] = { "bytes", "count", "ns", "%", "" };
	struct names *names = recording->lines.sink.names;
	struct track_def def = { .type = n ? (enum track_type)pick(chance, 5) : TRACK_PROCESS };

	def.parent = n && def.type != TRACK_PROCESS ? pick(chance, n + 1) : 0;
	def.name = pick(chance, 4) ? pick_name(chance, names, 100) : 0;
	if (def.type == TRACK_PROCESS || def.type == TRACK_THREAD)
		def.pid = 1 + (int)pick(chance, 1000);
	if (def.type == TRACK_THREAD) {
		def.tid = 1 + (int)pick(chance, 1000);
		def.parent = 1;
	}
	if (def.type == TRACK_PROCESS) {
		def.start_ns = pick(chance, 1000000);
		def.command = pick_name(chance, names, 50);
	}
	if (def.type == TRACK_COUNTER)
		def.unit = names_of(names, units[pick(chance, 5)]);
	*type = def.type;
	return define(recording, &def);
}

static size_t random_args(struct chance *chance, struct names *names, struct arg *args)
{
	size_t n = pick(chance, 3) ? pick(chance, 5) : 0;

	for (size_t i = 0; i < n; i++) {
		enum event_key key = 1 + pick(chance, N_KEYS - 1);
		uint32_t kind = pick(chance, 8);
		if (key == KEY_CONTINUED) /* 1 has a meaning to readers */
			kind = 0;
		if (key == KEY_FLOW || key == KEY_FLOW_END) /* always integers */
			kind = 4 + kind % 3;
		if (kind < 4)
			args[i] = arg_name(key, kind ? pick_name(chance, names, 300) : 0);
		else if (kind < 6)
			args[i] = arg_int(key, (int64_t)pick(chance, 2000) - 1000);
		else if (kind < 7)
			args[i] = arg_int(key, INT64_MIN + pick(chance, 9));
		else
			args[i] = arg_real(key, pick(chance, 1000) / 7.0);
	}
	return n;
}

static void random_event(struct recording *recording, struct chance *chance, uint32_t track, enum track_type type,
			 uint64_t *time_ns)
{
	struct names *names = recording->lines.sink.names;
	struct event event = { .track = track };
	struct arg args[8];
	uint32_t what = pick(chance, 10);

	*time_ns += pick(chance, 5) ? pick(chance, 3000) : (uint64_t)pick(chance, 3) * 123456789;
	event.time_ns = *time_ns;
	event.type = type == TRACK_COUNTER			 ? EVENT_COUNTER
		     : what < 4 && recording->lines.depth[track] ? EVENT_END
		     : what < 8					 ? EVENT_BEGIN
								 : EVENT_INSTANT;
	if (event.type == EVENT_COUNTER)
		event.value = what < 5	 ? (double)pick(chance, 100000) - 50000
			      : what < 8 ? pick(chance, 1000) / 3.0 - 1e17
					 : pick(chance, 1000) * 1e300;
	if (event.type == EVENT_BEGIN || event.type == EVENT_INSTANT) {
		event.kind = pick(chance, N_KINDS);
		event.name = pick(chance, 10) ? pick_name(chance, names, 500) : 0;
	}
	if (event.type != EVENT_COUNTER)
		event.n_args = random_args(chance, names, args);
	event.args = args;
	put(recording, &event);
}

static void record_random(struct recording *recording, uint64_t seed, bool compress, int n_events)
{
	struct chance chance = { seed };
	enum track_type type[N_TRACKS];
	uint32_t track[N_TRACKS];
	uint64_t time_ns[N_TRACKS];
	struct err err;

	start(recording, compress);
	for (uint32_t i = 0; i < N_TRACKS; i++) {
		track[i] = define_random(recording, &chance, &type[i], i);
		time_ns[i] = seed % 3 ? 1000000000000 + pick(&chance, 1000000) : pick(&chance, 10);
	}
	for (int i = 0; i < n_events; i++) {
		uint32_t one = pick(&chance, N_TRACKS);
		random_event(recording, &chance, track[one], type[one], &time_ns[one]);
		if (!pick(&chance, 200))
			assert_int_equal(sink_flush(perfetto_write_sink(recording->writer), &err), 0);
	}
	stop(recording);
}

/* Hand-made files of other programs. */

struct foreign {
	uint8_t data[4096];
	struct pb_out out;
};

static size_t open_packet(struct foreign *foreign, uint64_t timestamp, uint64_t sequence)
{
	size_t packet = pb_out_open(&foreign->out, TRACE_PACKET);

	if (timestamp)
		pb_out_uint(&foreign->out, PACKET_TIMESTAMP, timestamp);
	pb_out_uint(&foreign->out, PACKET_SEQUENCE_ID, sequence);
	return packet;
}

static void add_event(struct foreign *foreign, uint64_t timestamp, uint64_t type, uint64_t track, const char *name)
{
	size_t packet = open_packet(foreign, timestamp, 1);
	size_t event = pb_out_open(&foreign->out, PACKET_TRACK_EVENT);

	pb_out_uint(&foreign->out, EVENT_TYPE, type);
	pb_out_uint(&foreign->out, EVENT_TRACK_UUID, track);
	if (name)
		pb_out_bytes(&foreign->out, EVENT_NAME, name, strlen(name));
	pb_out_close(&foreign->out, event);
	pb_out_close(&foreign->out, packet);
}

static void add_legacy(struct foreign *foreign, uint64_t timestamp, char phase, uint64_t dur_us, const char *name)
{
	size_t packet = open_packet(foreign, timestamp, 1);
	size_t event = pb_out_open(&foreign->out, PACKET_TRACK_EVENT);
	size_t legacy;

	pb_out_bytes(&foreign->out, EVENT_NAME, name, strlen(name));
	legacy = pb_out_open(&foreign->out, EVENT_LEGACY);
	pb_out_uint(&foreign->out, LEGACY_PHASE, (uint64_t)phase);
	if (dur_us)
		pb_out_uint(&foreign->out, LEGACY_DURATION_US, dur_us);
	pb_out_uint(&foreign->out, LEGACY_PID, 10);
	pb_out_uint(&foreign->out, LEGACY_TID, 11);
	pb_out_close(&foreign->out, legacy);
	pb_out_close(&foreign->out, event);
	pb_out_close(&foreign->out, packet);
}

static void add_descriptor(struct foreign *foreign, uint64_t uuid, uint64_t parent, const char *name)
{
	size_t packet = open_packet(foreign, 0, 1), track = pb_out_open(&foreign->out, PACKET_TRACK_DESCRIPTOR);

	pb_out_uint(&foreign->out, TRACK_UUID, uuid);
	pb_out_uint(&foreign->out, TRACK_PARENT_UUID, parent);
	pb_out_bytes(&foreign->out, TRACK_NAME, name, strlen(name));
	pb_out_close(&foreign->out, track);
	pb_out_close(&foreign->out, packet);
}

static void foreign_start(struct foreign *foreign)
{
	foreign->out = (struct pb_out){ foreign->data, 0, sizeof foreign->data };
}

static void assert_reads_as(struct foreign *foreign, const char *const *wanted)
{
	struct perfetto_read_result result;
	struct lines lines;
	struct err err;
	size_t n = 0;

	assert_false(foreign->out.is_full);
	assert_int_equal(read_lines(&lines, foreign->data, foreign->out.len, &result, &err), 0);
	for (; wanted[n]; n++) {
		assert_true(n < lines.n);
		assert_string_equal(lines.line[n], wanted[n]);
	}
	assert_int_equal(lines.n, n);
	assert_false(result.is_ours);
	lines_done(&lines);
}

/* Times are distances, or absolute on MONOTONIC; none is so large that it reads as a negative distance. */
static void assert_no_time_wraps(const struct recording *recording)
{
	struct pb_in in = pb_in(recording->data, recording->size), packet;
	struct pb_field field, inner;

	while (pb_next(&in, &field) > 0)
		for (packet = pb_inside(&field); pb_next(&packet, &inner) > 0;)
			assert_true(inner.number != PACKET_TIMESTAMP || inner.value < (uint64_t)1 << 62);
}

TEST(what_was_written_is_read)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct perfetto_read_result result;
		struct recording recording;
		struct lines lines;
		struct err err;
		record_random(&recording, seed, seed & 1, 800);
		assert_int_equal(read_lines(&lines, recording.data, recording.size, &result, &err), 0);
		assert_same_lines(&recording.lines, &lines);
		assert_no_time_wraps(&recording);
		assert_false(result.is_cut);
		assert_int_equal(result.n_late, 0);
		assert_int_equal(result.n_skipped, 0);
		lines_done(&lines);
		done(&recording);
	}
}

TEST(cut_at_any_byte_is_valid_up_to_there)
{
	for (int compress = 0; compress < 2; compress++) {
		struct recording recording;
		size_t n_most = 0;
		record_random(&recording, 7, compress, 120);
		for (size_t size = 1; size <= recording.size; size++) {
			struct perfetto_read_result result;
			struct lines lines;
			struct err err;
			assert_int_equal(read_lines(&lines, recording.data, size, &result, &err), 0);
			assert_first_lines(&recording.lines, &lines);
			assert_true(lines.n >= n_most);
			assert_true(!result.is_cut || result.cut_at < size);
			n_most = lines.n;
			lines_done(&lines);
		}
		assert_int_equal(n_most, recording.lines.n);
		done(&recording);
	}
}

TEST(zeros_at_the_end_are_a_cut)
{
	struct perfetto_read_result result;
	struct recording recording;
	struct lines lines;
	struct err err;
	uint8_t *data;

	record_random(&recording, 7, false, 300);
	data = calloc(1, recording.size + 5000);
	memcpy(data, recording.data, recording.size);
	assert_int_equal(read_lines(&lines, data, recording.size + 5000, &result, &err), 0);
	assert_same_lines(&recording.lines, &lines);
	assert_true(result.is_cut);
	assert_int_equal(result.cut_at, recording.size);
	lines_done(&lines);
	free(data);
	done(&recording);
}

TEST(text_that_is_not_utf8_is_mended)
{
	struct recording recording;
	struct lines lines;
	struct err err;
	struct track_def def = { TRACK_LANE };
	struct event event = { EVENT_BEGIN, KIND_OPERATOR, .time_ns = 5 };

	start(&recording, false);
	event.track = define(&recording, &def);
	event.name = names_of(recording.lines.sink.names, "a\"b\n\xff\xe2\x82");
	put(&recording, &event);
	stop(&recording);
	assert_int_equal(read_lines(&lines, recording.data, recording.size, NULL, &err), 0);
	assert_int_equal(lines.n, 2);
	assert_string_equal(lines.line[1], "BEGIN 1 at 5 operator 'a\"b\n\xef\xbf\xbd\xef\xbf\xbd'");
	lines_done(&lines);
	done(&recording);
}

TEST(recording_note_makes_a_file_ours)
{
	struct perfetto_read_result result;
	struct recording recording;
	struct lines lines;
	struct err err;
	struct track_def def = { TRACK_PROCESS, .pid = 1 };
	struct event event = { EVENT_INSTANT, KIND_NOTE };

	for (int is_ours = 0; is_ours < 2; is_ours++) {
		start(&recording, false);
		event.track = define(&recording, &def);
		event.name = names_of(recording.lines.sink.names, is_ours ? EVENT_NOTE_RECORDING : EVENT_NOTE_COST);
		put(&recording, &event);
		stop(&recording);
		assert_int_equal(read_lines(&lines, recording.data, recording.size, &result, &err), 0);
		assert_int_equal(result.is_ours, is_ours);
		lines_done(&lines);
		done(&recording);
	}
}

TEST(time_that_goes_back_on_a_track_stays_where_it_was_and_is_counted)
{
	struct perfetto_read_result result;
	struct recording recording;
	struct lines lines;
	struct err err;
	struct track_def def = { TRACK_LANE };
	struct event event = { EVENT_BEGIN, KIND_OPERATOR, .time_ns = 500 };

	start(&recording, false);
	event.track = define(&recording, &def);
	put(&recording, &event);
	assert_int_equal(perfetto_write_sink(recording.writer)->n_moved, 0);
	event = (struct event){ EVENT_END, .track = event.track, .time_ns = 400 };
	assert_int_equal(sink_put(perfetto_write_sink(recording.writer), &event, &err), 0);
	assert_int_equal(perfetto_write_sink(recording.writer)->n_moved, 1);
	stop(&recording);
	assert_int_equal(read_lines(&lines, recording.data, recording.size, &result, &err), 0);
	assert_string_equal(lines.line[2], "END 1 at 500");
	assert_int_equal(result.n_late, 0);
	lines_done(&lines);
	done(&recording);
}

/* As if written by inftrace, and changed since. */
static void add_our_mark(struct foreign *foreign)
{
	static const char mark[] = PERFETTO_WRITER "0";
	size_t packet = open_packet(foreign, 0, 1), system = pb_out_open(&foreign->out, PACKET_SYSTEM_INFO);

	pb_out_bytes(&foreign->out, SYSTEM_VERSION, mark, sizeof mark - 1);
	pb_out_close(&foreign->out, system);
	pb_out_close(&foreign->out, packet);
}

TEST(file_of_ours_that_is_out_of_order_is_put_in_order)
{
	struct perfetto_read_result result;
	struct foreign foreign;
	struct lines lines;
	struct err err;

	foreign_start(&foreign);
	add_our_mark(&foreign);
	add_event(&foreign, 900, TYPE_END, 5, NULL);
	add_event(&foreign, 1000, TYPE_BEGIN, 5, "a");
	add_event(&foreign, 700, TYPE_END, 5, NULL);
	assert_int_equal(read_lines(&lines, foreign.data, foreign.out.len, &result, &err), 0);
	assert_int_equal(lines.n, 3);
	assert_string_equal(lines.line[1], "BEGIN 1 at 1000  'a'");
	assert_string_equal(lines.line[2], "END 1 at 1000");
	assert_int_equal(result.n_late, 1);
	assert_int_equal(result.n_skipped, 1);
	lines_done(&lines);
}

TEST(event_on_no_track_is_refused)
{
	struct recording recording;
	struct event event = { EVENT_BEGIN, KIND_OPERATOR, .track = 3 };
	struct err err;

	start(&recording, false);
	assert_int_equal(sink_put(perfetto_write_sink(recording.writer), &event, &err), -EINVAL);
	event.track = 0;
	assert_int_equal(sink_put(perfetto_write_sink(recording.writer), &event, &err), -EINVAL);
	stop(&recording);
	done(&recording);
}

TEST(operators_keep_to_the_byte_budget)
{
	for (int compress = 0; compress < 2; compress++) {
		struct track_def process = { TRACK_PROCESS, .pid = 7 },
				 thread = { TRACK_THREAD, 1, .pid = 7, .tid = 8 };
		struct chance chance = { 1 };
		struct recording recording;
		struct names *names;
		uint64_t time_ns = 3000000000000;
		start(&recording, compress);
		names = recording.lines.sink.names;
		define(&recording, &process);
		define(&recording, &thread);
		for (uint32_t i = 0; i < 20000; i++) {
			char node[32], type[32];
			snprintf(node, sizeof node, "/layer%u/conv/Conv", i % 200);
			snprintf(type, sizeof type, "Type%u", i % 200 % 12);
			struct arg args[] = { arg_name(KEY_OP_TYPE, names_of(names, type)),
					      arg_name(KEY_PROVIDER, names_of(names, "CPUExecutionProvider")),
					      arg_int(KEY_INFERENCE, i / 200 + 1) };
			struct event event = { EVENT_BEGIN,
					       KIND_OPERATOR,
					       2,
					       names_of(names, node),
					       time_ns += 300 + pick(&chance, 300),
					       .args = args,
					       .n_args = 3 };
			put(&recording, &event);
			event =
			    (struct event){ EVENT_END, .track = 2, .time_ns = time_ns += 1000 + pick(&chance, 9000) };
			put(&recording, &event);
		}
		stop(&recording);
		assert_in_range(recording.size, 40000, compress ? 40000 * 10 : 40000 * 24);
		done(&recording);
	}
}

/* Obstacles to writing. */

static int open_for_writing(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

TEST(full_disk_is_said_once_and_for_all)
{
	struct names *names = names_new();
	uint32_t last_track = 0;
	struct err err = { 0 };
	int fd = open_for_writing("/dev/full");

	assert_null(perfetto_write_new(fd, names, &last_track, NULL, &err));
	assert_int_equal(err.code, ENOSPC);
	assert_non_null(strstr(err.msg, "cannot write the recording: No space left on device"));
	close(fd);
	names_free(names);
}

static void put_until_it_fails(struct perfetto_writer *writer, struct lines *lines)
{
	struct track_def def = { TRACK_LANE };
	struct event event = { EVENT_TRACK, .track = sink_new_track(perfetto_write_sink(writer)), .def = &def };
	struct err err = { 0 };

	assert_int_equal(sink_put(perfetto_write_sink(writer), &event, &err), 0);
	sink_put(&lines->sink, &event, &err);
	event.type = EVENT_INSTANT;
	event.kind = KIND_OPERATOR;
	for (event.time_ns = 1000; !sink_put(perfetto_write_sink(writer), &event, &err); event.time_ns += 777)
		sink_put(&lines->sink, &event, &err);
	assert_int_equal(err.code, EFBIG);
	err.code = 0;
	assert_int_equal(sink_flush(perfetto_write_sink(writer), &err), -EFBIG);
	assert_int_equal(err.code, EFBIG);
}

TEST(file_that_may_not_grow_ends_with_a_whole_packet)
{
	char path[] = "/tmp/perfetto_test.XXXXXX";
	struct rlimit old, limit;
	struct stat st;

	getrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_IGN);
	close(mkstemp(path));
	for (rlim_t size = 300000; size < 300012; size++) {
		struct perfetto_read_result result;
		struct lines all, lines;
		struct perfetto_writer *writer;
		struct err err;
		int fd = open_for_writing(path);
		uint8_t *data;
		lines_init(&all);
		writer = perfetto_write_new(fd, all.sink.names, &all.last_track, NULL, &err);
		limit = (struct rlimit){ size, old.rlim_max };
		setrlimit(RLIMIT_FSIZE, &limit);
		put_until_it_fails(writer, &all);
		setrlimit(RLIMIT_FSIZE, &old);
		fstat(fd, &st);
		assert_in_range(st.st_size, size - 30, size);
		assert_int_equal(st.st_size, perfetto_write_sink(writer)->n_bytes);
		assert_int_equal(perfetto_write_free(writer, &err), -EFBIG);
		close(fd);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		assert_int_equal(read_lines(&lines, data, (size_t)st.st_size, &result, &err), 0);
		assert_false(result.is_cut);
		assert_in_range(lines.n, 10000, all.n);
		assert_first_lines(&all, &lines);
		munmap(data, (size_t)st.st_size);
		close(fd);
		lines_done(&lines);
		lines_done(&all);
	}
	unlink(path);
}

/* Files of other programs. */

static void assert_refused(const void *data, size_t size, const char *why)
{
	struct perfetto_read_result result;
	struct lines lines;
	struct err err;

	assert_true(read_lines(&lines, data, size, &result, &err) < 0);
	if (!strstr(err.msg, why))
		fail_msg("'%s' is not in '%s'", why, err.msg);
	lines_done(&lines);
}

TEST(other_files_are_told_from_traces)
{
	static const char text[] = "\nHello, world. This text begins with the byte that a trace begins with.\n";
	uint8_t random[4096];
	struct chance chance = { 3 };

	for (size_t i = 0; i < sizeof random; i++)
		random[i] = (uint8_t)pick(&chance, 256);
	assert_refused("", 0, "empty");
	assert_refused(text, sizeof text - 1, "not a Perfetto trace");
	assert_refused(text + 1, sizeof text - 2, "not a Perfetto trace");
	assert_refused("{\"traceEvents\":[]}", 18, "not a Perfetto trace");
	assert_refused("\x7f"
		       "ELF\2\1\1",
		       7, "not a Perfetto trace");
	assert_refused("\x1f\x8b\x08\0\0\0\0\0", 8, "not a Perfetto trace");
	assert_refused(random, sizeof random, "not a Perfetto trace");
}

TEST(damage_is_told_with_its_place)
{
	struct recording recording;
	struct pb_in in;
	struct pb_field field;
	char why[64];
	size_t at = 0;

	record_random(&recording, 7, false, 300);
	in = pb_in(recording.data, recording.size);
	for (int i = 0; i < 100 && pb_next(&in, &field) > 0; i++)
		at = (size_t)(in.at - recording.data);
	recording.data[at] = 0x0f;
	snprintf(why, sizeof why, "at byte %zu: there is no packet", at);
	assert_refused(recording.data, recording.size, why);
	recording.data[at] = 0x0a;
	recording.data[at + 2] = 0xff;
	snprintf(why, sizeof why, "at byte %zu: ", at);
	assert_refused(recording.data, recording.size, why);
	done(&recording);
}

TEST(events_in_any_order_are_sorted)
{
	static const char *const wanted[] = { "TRACK 1 type 3 parent 0 'outer' pid 0 tid 0 unit '' start 0 command ''",
					      "TRACK 2 type 3 parent 1 'inner' pid 0 tid 0 unit '' start 0 command ''",
					      "BEGIN 2 at 1000  'a'",
					      "BEGIN 2 at 1000  'b'",
					      "END 2 at 2000",
					      "END 2 at 3000",
					      NULL };
	struct foreign foreign;

	foreign_start(&foreign);
	add_event(&foreign, 3000, TYPE_END, 5, NULL);
	add_event(&foreign, 1000, TYPE_BEGIN, 5, "a");
	add_event(&foreign, 2000, TYPE_END, 5, NULL);
	add_event(&foreign, 1000, TYPE_BEGIN, 5, "b");
	add_event(&foreign, 500, TYPE_END, 5, NULL); /* its begin lies before the trace */
	add_descriptor(&foreign, 5, 6, "inner");
	add_descriptor(&foreign, 6, 0, "outer");
	assert_reads_as(&foreign, wanted);
}

/* What belongs together lies on several tracks: it comes soon after each other. */
TEST(events_of_all_tracks_come_in_the_order_of_time)
{
	static const char *const wanted[] = { "TRACK 1 type 3 parent 0 'a' pid 0 tid 0 unit '' start 0 command ''",
					      "TRACK 2 type 3 parent 0 'b' pid 0 tid 0 unit '' start 0 command ''",
					      "BEGIN 1 at 1000  'first'",
					      "BEGIN 2 at 1500  'second'",
					      "END 1 at 2000",
					      "END 2 at 2500",
					      NULL };
	struct foreign foreign;

	foreign_start(&foreign);
	add_descriptor(&foreign, 5, 0, "a");
	add_descriptor(&foreign, 6, 0, "b");
	add_event(&foreign, 1500, TYPE_BEGIN, 6, "second");
	add_event(&foreign, 2500, TYPE_END, 6, NULL);
	add_event(&foreign, 1000, TYPE_BEGIN, 5, "first");
	add_event(&foreign, 2000, TYPE_END, 5, NULL);
	assert_reads_as(&foreign, wanted);
}

TEST(tracks_that_are_their_own_parents_are_tracks)
{
	static const char *const wanted[] = { "TRACK 1 type 3 parent 0 'c' pid 0 tid 0 unit '' start 0 command ''",
					      "TRACK 2 type 3 parent 1 'b' pid 0 tid 0 unit '' start 0 command ''",
					      "TRACK 3 type 3 parent 2 'a' pid 0 tid 0 unit '' start 0 command ''",
					      "TRACK 4 type 3 parent 0 'd' pid 0 tid 0 unit '' start 0 command ''",
					      NULL };
	struct foreign foreign;

	foreign_start(&foreign);
	add_descriptor(&foreign, 1, 2, "a");
	add_descriptor(&foreign, 2, 3, "b");
	add_descriptor(&foreign, 3, 1, "c");
	add_descriptor(&foreign, 4, 4, "d");
	assert_reads_as(&foreign, wanted);
}

TEST(tracks_told_anew_do_not_become_their_own_parents)
{
	static const char *const wanted[] = { "TRACK 1 type 3 parent 0 'a' pid 0 tid 0 unit '' start 0 command ''",
					      "TRACK 2 type 3 parent 1 'b' pid 0 tid 0 unit '' start 0 command ''",
					      "TRACK 3 type 3 parent 2 'c' pid 0 tid 0 unit '' start 0 command ''",
					      "TRACK 1 type 3 parent 0 'd' pid 0 tid 0 unit '' start 0 command ''",
					      "TRACK 3 type 3 parent 1 'e' pid 0 tid 0 unit '' start 0 command ''",
					      NULL };
	struct foreign foreign;

	foreign_start(&foreign);
	add_our_mark(&foreign);
	add_descriptor(&foreign, 1, 9, "a");
	add_descriptor(&foreign, 2, 1, "b");
	add_descriptor(&foreign, 3, 2, "c");
	add_descriptor(&foreign, 3, 2, "c");
	add_descriptor(&foreign, 1, 3, "d");
	add_descriptor(&foreign, 3, 1, "e");
	assert_reads_as(&foreign, wanted);
}

TEST(slices_in_one_piece_nest)
{
	static const char *const wanted[] = { "TRACK 1 type 0 parent 0 '' pid 10 tid 0 unit '' start 0 command ''",
					      "TRACK 2 type 1 parent 1 '' pid 10 tid 11 unit '' start 0 command ''",
					      "BEGIN 2 at 1000000  'outer'",
					      "BEGIN 2 at 1000000  'first'",
					      "END 2 at 1010000",
					      "BEGIN 2 at 1010000  'second'",
					      "END 2 at 1100000",
					      "END 2 at 1100000",
					      "BEGIN 2 at 1100000  'next'",
					      "END 2 at 1101000",
					      NULL };
	struct foreign foreign;

	foreign_start(&foreign);
	add_legacy(&foreign, 1000000, 'X', 10, "first");
	add_legacy(&foreign, 1010000, 'X', 500, "second"); /* would outlast the one around it */
	add_legacy(&foreign, 1000000, 'X', 100, "outer");
	add_legacy(&foreign, 1100000, 'X', 1, "next");
	assert_reads_as(&foreign, wanted);
}

TEST(slices_in_one_piece_nest_with_others)
{
	static const char *const wanted[] = { "TRACK 1 type 0 parent 0 '' pid 10 tid 0 unit '' start 0 command ''",
					      "TRACK 2 type 1 parent 1 '' pid 10 tid 11 unit '' start 0 command ''",
					      "BEGIN 2 at 1000000  'outer'",
					      "BEGIN 2 at 1005000  'outlasts it'",
					      "END 2 at 1020000",
					      "END 2 at 1020000",
					      "BEGIN 2 at 2000000  'outer'",
					      "BEGIN 2 at 2005000  'outlasts it'",
					      "END 2 at 2030000",
					      "END 2 at 2030000",
					      "INSTANT 2 at 3000000  'after'",
					      NULL };
	struct foreign foreign;

	foreign_start(&foreign);
	add_legacy(&foreign, 1000000, 'B', 0, "outer");
	add_legacy(&foreign, 1005000, 'X', 100, "outlasts it");
	add_legacy(&foreign, 1020000, 'E', 0, "");
	add_legacy(&foreign, 2000000, 'X', 10, "outer");
	add_legacy(&foreign, 2005000, 'B', 0, "outlasts it");
	add_legacy(&foreign, 2030000, 'E', 0, "");
	add_legacy(&foreign, 3000000, 'I', 0, "after");
	assert_reads_as(&foreign, wanted);
}

TEST(clocks_are_brought_together)
{
	static const char *const wanted[] = { "TRACK 1 type 3 parent 0 '' pid 0 tid 0 unit '' start 0 command ''",
					      "INSTANT 1 at 1500  'by boot time'",
					      "INSTANT 1 at 1600  'by a clock of its own'",
					      "INSTANT 1 at 1630  'by the same'",
					      "INSTANT 1 at 1700  'by one in units'",
					      NULL };
	static const uint64_t clock[][4] = { /* id, time, is incremental, unit */
					     { CLOCK_MONOTONIC_ID, 1000, 0, 1 },
					     { CLOCK_BOOTTIME_ID, 7000, 0, 1 },
					     { 64, 1, 1, 10 },
					     { 65, 7, 0, 100 }
	};
	struct foreign foreign;
	size_t packet, inside, entry;

	foreign_start(&foreign);
	packet = open_packet(&foreign, 0, 1);
	inside = pb_out_open(&foreign.out, PACKET_CLOCK_SNAPSHOT);
	for (int i = 0; i < 4; i++) {
		entry = pb_out_open(&foreign.out, SNAPSHOT_CLOCKS);
		for (uint32_t part = 0; part < 4; part++)
			pb_out_uint(&foreign.out, 1 + part, clock[i][part]);
		pb_out_close(&foreign.out, entry);
	}
	pb_out_close(&foreign.out, inside);
	pb_out_close(&foreign.out, packet);
	add_event(&foreign, 7500, TYPE_INSTANT, 9, "by boot time");
	packet = open_packet(&foreign, 0, 1);
	inside = pb_out_open(&foreign.out, PACKET_DEFAULTS);
	pb_out_uint(&foreign.out, DEFAULTS_CLOCK_ID, 64);
	pb_out_close(&foreign.out, inside);
	pb_out_close(&foreign.out, packet);
	add_event(&foreign, 60, TYPE_INSTANT, 9, "by a clock of its own");
	add_event(&foreign, 3, TYPE_INSTANT, 9, "by the same");
	packet = open_packet(&foreign, 0, 1);
	inside = pb_out_open(&foreign.out, PACKET_DEFAULTS);
	pb_out_uint(&foreign.out, DEFAULTS_CLOCK_ID, 65);
	pb_out_close(&foreign.out, inside);
	pb_out_close(&foreign.out, packet);
	add_event(&foreign, 14, TYPE_INSTANT, 9, "by one in units");
	assert_reads_as(&foreign, wanted);
}

TEST(arguments_that_are_not_ours_are_left_out)
{
	static const char *const wanted[] = { "TRACK 1 type 3 parent 0 '' pid 0 tid 0 unit '' start 0 command ''",
					      "BEGIN 1 at 1000 operator '' provider='P' id=1", NULL };
	static const struct {
		const char *name, *text;
		uint64_t number;
	} arg[] = { { "provider", "P", 0 }, { "stranger", NULL, 3 }, { "model", NULL, 0 }, { "id", NULL, 1 } };
	struct foreign foreign;
	size_t packet, event, inside;

	foreign_start(&foreign);
	packet = open_packet(&foreign, 1000, 1);
	event = pb_out_open(&foreign.out, PACKET_TRACK_EVENT);
	pb_out_uint(&foreign.out, EVENT_TYPE, TYPE_BEGIN);
	pb_out_uint(&foreign.out, EVENT_TRACK_UUID, 1);
	pb_out_bytes(&foreign.out, EVENT_CATEGORIES, "ui", 2);
	pb_out_bytes(&foreign.out, EVENT_CATEGORIES, "operator", 8);
	for (int i = 0; i < 4; i++) {
		inside = pb_out_open(&foreign.out, EVENT_ANNOTATIONS);
		pb_out_bytes(&foreign.out, ANNOTATION_NAME, arg[i].name, strlen(arg[i].name));
		if (arg[i].text)
			pb_out_bytes(&foreign.out, ANNOTATION_STRING, arg[i].text, strlen(arg[i].text));
		if (arg[i].number)
			pb_out_uint(&foreign.out, ANNOTATION_UINT, arg[i].number);
		pb_out_close(&foreign.out, inside);
	}
	pb_out_close(&foreign.out, event);
	pb_out_close(&foreign.out, packet);
	assert_reads_as(&foreign, wanted);
}

/* Written by Perfetto's SDK, now and formerly; an annotation of that name is not a flow. */
TEST(flows_are_read_in_both_forms)
{
	static const char *const wanted[] = { "TRACK 1 type 3 parent 0 '' pid 0 tid 0 unit '' start 0 command ''",
					      "BEGIN 1 at 10  'a' flow=-1 flow=7 flow_end=8 flow_end=9",
					      "END 1 at 20 flow=3", NULL };
	struct foreign foreign;
	size_t packet, event, annotation;
	uint64_t ids[] = { UINT64_MAX, 8, 3 };

	foreign_start(&foreign);
	for (uint64_t type = TYPE_BEGIN; type <= TYPE_END; type++) {
		packet = pb_out_open(&foreign.out, TRACE_PACKET);
		pb_out_uint(&foreign.out, PACKET_TIMESTAMP, type * 10);
		event = pb_out_open(&foreign.out, PACKET_TRACK_EVENT);
		pb_out_uint(&foreign.out, EVENT_TYPE, type);
		pb_out_uint(&foreign.out, EVENT_TRACK_UUID, 5);
		if (type == TYPE_BEGIN) {
			pb_out_bytes(&foreign.out, EVENT_NAME, "a", 1);
			pb_out_double(&foreign.out, EVENT_FLOW_IDS, pb_double(ids[0]));
			pb_out_uint(&foreign.out, EVENT_FLOW_IDS_OLD, 7);
			pb_out_double(&foreign.out, EVENT_TERMINATING_FLOW_IDS, pb_double(ids[1]));
			pb_out_uint(&foreign.out, EVENT_TERMINATING_FLOW_IDS_OLD, 9);
			annotation = pb_out_open(&foreign.out, EVENT_ANNOTATIONS);
			pb_out_bytes(&foreign.out, ANNOTATION_NAME, "flow", 4);
			pb_out_uint(&foreign.out, ANNOTATION_INT, 4);
			pb_out_close(&foreign.out, annotation);
		} else {
			pb_out_double(&foreign.out, EVENT_FLOW_IDS, pb_double(ids[2]));
		}
		pb_out_close(&foreign.out, event);
		pb_out_close(&foreign.out, packet);
	}
	assert_reads_as(&foreign, wanted);
}

TEST(trace_without_events_is_no_error)
{
	static const char *const wanted[] = { NULL };
	struct foreign foreign;
	size_t packet;

	foreign_start(&foreign);
	packet = open_packet(&foreign, 1000, 1);
	pb_out_bytes(&foreign.out, 1 /* ftrace_events */, "", 0);
	pb_out_close(&foreign.out, packet);
	assert_reads_as(&foreign, wanted);
}

/* A bomb: 33 MiB of empty packets in 33 KiB. */
TEST(compressed_packets_have_a_limit)
{
	enum { SIZE = 33 << 20 };
	struct pb_out out = { malloc(SIZE), 0, SIZE };
	uint8_t *plain = calloc(1, SIZE), *packed = malloc(compressBound(SIZE));
	uLongf n_packed = compressBound(SIZE);
	size_t packet;

	for (size_t i = 0; i < SIZE; i += 2)
		plain[i] = 0x0a;
	assert_int_equal(compress2(packed, &n_packed, plain, SIZE, 9), Z_OK);
	packet = pb_out_open(&out, TRACE_PACKET);
	pb_out_bytes(&out, PACKET_COMPRESSED, packed, n_packed);
	pb_out_close(&out, packet);
	assert_refused(out.data, out.len, "become more than 32 MiB");
	free(plain);
	free(packed);
	free(out.data);
}

static void *read_whole(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;

	assert_true(fd >= 0 && !fstat(fd, &st) && st.st_size);
	*size = (size_t)st.st_size;
	data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return data;
}

static void judge_folder(const char *folder, bool is_good)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);
	int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		struct lines lines;
		struct err err;
		char path[4096];
		size_t size;
		void *data;
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		data = read_whole(path, &size);
		if ((read_lines(&lines, data, size, NULL, &err) == 0) != is_good)
			fail_msg("%s: %s", path, is_good ? err.msg : "was read");
		assert_int_equal(!*err.msg, is_good);
		lines_done(&lines);
		munmap(data, size);
		n++;
	}
	closedir(dir);
	assert_true(n > 5);
}

TEST(the_folder_is_the_verdict)
{
	judge_folder(TEST_DIR "/data/pftrace/good", true);
	judge_folder(TEST_DIR "/data/pftrace/bad", false);
}

/* A recording with one of everything; test/e2e/test_perfetto.py knows its content. */

static void slice(struct recording *recording, uint32_t track, enum event_kind kind, const char *name,
		  uint64_t begin_ns)
{
	struct names *names = recording->lines.sink.names;
	struct arg args[] = { arg_name(KEY_OP_TYPE, names_of(names, "Conv")), arg_int(KEY_INFERENCE, 1),
			      arg_int(KEY_BYTES, -5), arg_real(KEY_EVENT_NS, 12.5) };
	struct event event = { EVENT_BEGIN, kind, track, names_of(names, name), begin_ns, .args = args, .n_args = 4 };

	put(recording, &event);
}

static void end(struct recording *recording, uint32_t track, uint64_t time_ns)
{
	struct names *names = recording->lines.sink.names;
	struct arg status = arg_name(KEY_STATUS, names_of(names, "ok"));
	struct event event = { EVENT_END, .track = track, .time_ns = time_ns, .args = &status, .n_args = 1 };

	put(recording, &event);
}

static void note(struct recording *recording, uint32_t track, enum event_kind kind, const char *name, uint64_t time_ns)
{
	struct names *names = recording->lines.sink.names;
	struct arg args[] = { arg_int(KEY_COUNT, 3), arg_name(KEY_WHERE, names_of(names, "ring")) };
	struct event event = { EVENT_INSTANT, kind, track, names_of(names, name), time_ns, .args = args, .n_args = 2 };

	put(recording, &event);
}

static void value(struct recording *recording, uint32_t track, uint64_t time_ns, double value)
{
	struct event event = { EVENT_COUNTER, .track = track, .time_ns = time_ns, .value = value };

	put(recording, &event);
}

static uint32_t define_sample(struct recording *recording, enum track_type type, uint32_t parent, const char *name)
{
	struct names *names = recording->lines.sink.names;
	struct track_def def = { type, parent, names_of(names, name) };

	if (type == TRACK_PROCESS || type == TRACK_THREAD)
		def.pid = 4000;
	if (type == TRACK_THREAD)
		def.tid = 4001;
	if (type == TRACK_PROCESS) {
		def.command = names_of(names, "/usr/bin/app --model a b.onnx");
		def.start_ns = 1000000;
	}
	if (type == TRACK_COUNTER)
		def.unit = names_of(names, strchr(name, '%') ? "%" : parent ? "bytes" : "count");
	return define(recording, &def);
}

static void record_sample(struct recording *recording, bool compress)
{
	enum { T = 1000000000 };
	uint32_t process, thread, models, model, lane[12], rss, load, machine;

	start(recording, compress);
	process = define_sample(recording, TRACK_PROCESS, 0, "app");
	thread = define_sample(recording, TRACK_THREAD, process, "worker");
	models = define_sample(recording, TRACK_GROUP, process, "models");
	model = define_sample(recording, TRACK_GROUP, models, "resnet");
	for (int i = 0; i < 12; i++)
		lane[i] = define_sample(recording, TRACK_LANE, model, i < 10 ? "main" : "same name");
	rss = define_sample(recording, TRACK_COUNTER, process, "resident memory");
	load = define_sample(recording, TRACK_COUNTER, process, "cpu %");
	machine = define_sample(recording, TRACK_COUNTER, 0, "switches");
	note(recording, process, KIND_NOTE, EVENT_NOTE_RECORDING, T);
	for (int i = 0; i < 12; i++)
		slice(recording, lane[i], KIND_INFERENCE, "resnet:main", T + 100 + i);
	slice(recording, thread, KIND_OPERATOR, "a\"b\n\xff", T + 200);
	slice(recording, thread, KIND_OPERATOR, "inner", T + 200);
	end(recording, thread, T + 250);
	end(recording, thread, T + 250);
	note(recording, thread, KIND_LOST, "lost", T + 260);
	for (int i = 11; i >= 0; i--)
		end(recording, lane[i], T + 1000 + i);
	value(recording, rss, T + 300, 123456789012.0);
	value(recording, load, T + 280, 12.25);
	value(recording, machine, T + 290, 7);
	value(recording, machine, T + 310, 8);
	slice(recording, thread, KIND_OPERATOR, "cut off", T + 2000);
	stop(recording);
}

/* The file contains "resources" and "machine"; a reader gets the tree that was written, as from older files. */
TEST(groups_of_counters_are_in_the_file_alone)
{
	struct perfetto_read_result result;
	struct recording recording;
	uint32_t process, counter[2];
	struct lines lines;
	struct err err;

	start(&recording, false);
	process = define_sample(&recording, TRACK_PROCESS, 0, "app");
	counter[0] = define_sample(&recording, TRACK_COUNTER, process, "rss");
	counter[1] = define_sample(&recording, TRACK_COUNTER, 0, "cpu %");
	note(&recording, process, KIND_NOTE, EVENT_NOTE_RECORDING, 1000);
	for (int i = 0; i < 2; i++)
		value(&recording, counter[i], 2000, 7);
	stop(&recording);
	assert_non_null(memmem(recording.data, recording.size, "inftrace: what the process uses", 31));
	assert_non_null(memmem(recording.data, recording.size, "inftrace: what all processes", 28));
	assert_int_equal(read_lines(&lines, recording.data, recording.size, &result, &err), 0);
	assert_same_lines(&recording.lines, &lines);
	lines_done(&lines);
	done(&recording);
}

/* The same group in a file whose packets may be in any order, with an event that it must not have. */
TEST(a_group_of_counters_holds_no_events)
{
	struct perfetto_read_result result;
	uint8_t data[512], *at = data, *packet, *inside, *name;
	struct lines lines;
	struct err err;

	at = pb_open(at, TRACE_PACKET, &packet);
	at = pb_open(at, PACKET_TRACK_DESCRIPTOR, &inside);
	at = pb_put_uint(at, TRACK_UUID, 7);
	at = pb_open(at, TRACK_DESCRIPTION, &name);
	memcpy(at, PERFETTO_MACHINE_TEXT, sizeof PERFETTO_MACHINE_TEXT - 1);
	at = pb_close(pb_close(pb_close(at + sizeof PERFETTO_MACHINE_TEXT - 1, name), inside), packet);
	at = pb_open(at, TRACE_PACKET, &packet);
	at = pb_put_uint(at, PACKET_TIMESTAMP, 5);
	at = pb_open(at, PACKET_TRACK_EVENT, &inside);
	at = pb_put_uint(at, EVENT_TYPE, TYPE_BEGIN);
	at = pb_put_uint(at, EVENT_TRACK_UUID, 7);
	at = pb_close(pb_close(at, inside), packet);
	assert_int_equal(read_lines(&lines, data, (size_t)(at - data), &result, &err), 0);
	assert_int_equal(result.n_skipped, 1);
	lines_done(&lines);
}

static void keep(struct recording *recording, const char *folder, const char *name, int number)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/%s-%d.pftrace", folder, name, number);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, recording->data, recording->size) != (ssize_t)recording->size) {
		perror(path);
		exit(1);
	}
	close(fd);
	done(recording);
}

static int write_recordings(const char *folder)
{
	struct recording recording;

	for (int compress = 0; compress < 2; compress++) {
		record_sample(&recording, compress);
		keep(&recording, folder, "sample", compress);
	}
	for (int seed = 0; seed < 6; seed++) {
		record_random(&recording, (uint64_t)seed, seed & 1, 2000);
		keep(&recording, folder, "random", seed);
	}
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? write_recordings(argv[1]) : cases_run();
}
