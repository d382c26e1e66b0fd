// SPDX-License-Identifier: Apache-2.0
/* Slices that repeat, and those that almost repeat: what was written is read. perfetto_test.c covers all other events.
 */
#include "trace/perfetto/perfetto_quick.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "lines.h"
#include "trace/perfetto/perfetto_read.h"
#include "trace/perfetto/perfetto_write.h"

enum { N_TRACKS = 5, N_NODES = 40, N_ROUNDS = 200 };

struct stream {
	struct lines lines;
	struct perfetto_writer *writer;
	int fd;
	uint32_t track[N_TRACKS], node[N_NODES], type[3], provider[3];
	uint64_t time_ns, state;
};

static uint32_t pick(struct stream *stream, uint32_t below)
{
	stream->state = stream->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((stream->state >> 33) % below);
}

static void put(struct stream *stream, const struct event *event)
{
	struct err err = { 0 };

	assert_int_equal(sink_put(perfetto_write_sink(stream->writer), event, &err), 0);
	assert_int_equal(sink_put(&stream->lines.sink, event, &err), 0);
}

/* A slice in one piece, up to the time of the stream. */
static void put_whole(struct stream *stream, const struct event *slice)
{
	struct sink *sink = perfetto_write_sink(stream->writer);
	struct err err = { 0 };

	assert_non_null(sink->put_slice);
	assert_int_equal(sink_put_slice(sink, slice, stream->time_ns, &err), 0);
	assert_int_equal(sink_put_parts(&stream->lines.sink, slice, stream->time_ns, &err), 0);
}

static uint32_t text(struct stream *stream, const char *format, int n)
{
	char name[64];

	snprintf(name, sizeof name, format, n);
	return names_of(stream->lines.sink.names, name);
}

/* Six nodes get names that share their template with those of six others, which have the same arguments. */
static void start(struct stream *stream, uint64_t seed)
{
	static const enum track_type types[N_TRACKS] = { TRACK_THREAD, TRACK_LANE, TRACK_THREAD, TRACK_PROCESS,
							 TRACK_GROUP };
	struct err err;

	memset(stream, 0, sizeof *stream);
	lines_init(&stream->lines);
	stream->state = seed;
	stream->time_ns = 5000000000;
	stream->fd = memfd_create("recording", MFD_CLOEXEC);
	stream->writer =
	    perfetto_write_new(stream->fd, stream->lines.sink.names, &stream->lines.last_track, NULL, &err);
	assert_non_null(stream->writer);
	for (int i = 0; i < N_NODES / 2; i++)
		stream->node[i] = text(stream, "node %d", i);
	for (int i = 0; names_count(stream->lines.sink.names) < QUICK_TEMPLATES + N_NODES / 2 - 6; i++)
		text(stream, "filler %d", i);
	for (int i = N_NODES / 2; i < N_NODES; i++)
		stream->node[i] = text(stream, "node %d", i);
	for (int i = 0; i < 3; i++) {
		stream->type[i] = text(stream, "type %d", i);
		stream->provider[i] = text(stream, "provider %d", i);
	}
	for (int i = 0; i < N_TRACKS; i++) {
		struct track_def def = { .type = types[i] };
		if (def.type == TRACK_PROCESS || def.type == TRACK_THREAD)
			def.pid = 7 + i;
		if (def.type == TRACK_THREAD)
			def.tid = 7 + i;
		stream->track[i] = sink_new_track(&stream->lines.sink);
		put(stream, &(struct event){ EVENT_TRACK, .track = stream->track[i], .def = &def });
	}
}

/* One in eight differs from the slice that this node usually is. */
static size_t arguments(struct stream *stream, uint32_t node, uint64_t round, struct arg *args)
{
	uint32_t odd = pick(stream, 8) ? UINT32_MAX : pick(stream, 9);
	size_t n = 0;

	args[n++] = arg_name(odd == 0 ? KEY_PATH : KEY_OP_TYPE, stream->type[(node + (odd == 1)) % 3]);
	if (odd != 2)
		args[n++] = arg_name(KEY_PROVIDER, stream->provider[(node + (odd == 3)) % 3]);
	args[n++] = arg_int(KEY_INFERENCE, odd == 4 ? -3 : (int64_t)(round << (node % 50)));
	if (odd == 5)
		args[n++] = arg_real(KEY_SHARE, 0.25);
	if (odd == 6)
		args[n++] = arg_int(KEY_FLOW, 77);
	if (odd == 7)
		args[n++] = arg_name(KEY_SHAPES, stream->type[0]);
	if (node % 4 == 0)
		args[n++] = arg_int(KEY_BYTES, (int64_t)round * 4096);
	if (odd == 8 && round > 3) /* the first one with this key, of a slice that was there before */
		args[n - 1] = arg_int((round & 1) ? KEY_FLOW_END : KEY_COUNT, 5);
	return n;
}

static void put_slice(struct stream *stream, uint32_t node, uint64_t round)
{
	struct arg args[8], status = arg_name(KEY_STATUS, stream->type[1]);
	struct event event = { EVENT_BEGIN, pick(stream, 30) ? KIND_OPERATOR : KIND_KERNEL,
			       .track = stream->track[pick(stream, 6) ? 0 : pick(stream, N_TRACKS)],
			       .name = pick(stream, 50) ? stream->node[node] : 0, .args = args };

	event.n_args = arguments(stream, node, round, args);
	stream->time_ns += (uint64_t)1 << pick(stream, 34);
	event.time_ns = stream->time_ns;
	stream->time_ns += pick(stream, 300);
	if (pick(stream, 2)) {
		put_whole(stream, &event);
		return;
	}
	put(stream, &event);
	event.type = EVENT_END;
	event.kind = KIND_NONE;
	event.time_ns = stream->time_ns;
	event.args = &status;
	event.n_args = !pick(stream, 20);
	put(stream, &event);
}

/* Ends the recording; what is read from it is what was put. */
static void assert_reads_back(struct stream *stream)
{
	struct perfetto_read_result result;
	struct lines lines;
	struct stat st;
	struct err err;
	void *data;

	assert_int_equal(perfetto_write_free(stream->writer, &err), 0);
	fstat(stream->fd, &st);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, stream->fd, 0);
	lines_init(&lines);
	assert_int_equal(perfetto_read(data, (size_t)st.st_size, &lines.sink, &result, &err), 0);
	assert_same_lines(&stream->lines, &lines);
	assert_false(result.is_cut || result.n_late || result.n_skipped);
	munmap(data, (size_t)st.st_size);
	close(stream->fd);
	lines_done(&lines);
	lines_done(&stream->lines);
}

TEST(slices_that_almost_repeat_are_read_as_they_were)
{
	for (uint64_t seed = 1; seed < 9; seed++) {
		struct stream stream;

		start(&stream, seed);
		for (uint64_t round = 0; round < N_ROUNDS; round++)
			for (uint32_t node = 0; node < N_NODES; node++)
				put_slice(&stream, node, round);
		assert_reads_back(&stream);
	}
}

/* The file has them with each event; the reader need not keep them either. */
TEST(texts_that_pass_are_read_as_they_were)
{
	struct stream stream;
	struct names *names;
	char tag[64];

	start(&stream, 1);
	names = stream.lines.sink.names;
	for (int i = 0; i < 70000; i++)
		names_pass(names, tag, (size_t)snprintf(tag, sizeof tag, "old tag %d", i));
	for (uint64_t i = 0; i < 100; i++) {
		int len = snprintf(tag, sizeof tag, "request \xc3\xa9 %d", (int)i);
		struct arg args[] = { arg_int(KEY_ID, (int64_t)i),
				      arg_name(KEY_TAG, names_pass(names, tag, (size_t)len)),
				      arg_name(KEY_MODEL, stream.node[1]) };

		assert_true(names_is_passing(args[1].name));
		put(&stream,
		    &(struct event){ EVENT_BEGIN, KIND_USER, stream.track[0], i % 2 ? args[1].name : stream.node[0],
				     ++stream.time_ns, .args = args, .n_args = 3 });
		put(&stream, &(struct event){ EVENT_END, .track = stream.track[0], .time_ns = ++stream.time_ns });
	}
	assert_reads_back(&stream);
}
