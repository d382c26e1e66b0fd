// SPDX-License-Identifier: Apache-2.0
/* Samples of stacks in a file, and back. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "event/callstack.h"
#include "trace/perfetto/perfetto_read.h"
#include "trace/perfetto/perfetto_texts.h"
#include "trace/perfetto/perfetto_write.h"

enum { MOST = 16 };

/* A sink that keeps samples. */
struct samples {
	struct sink sink;
	uint32_t last_track;
	struct track_def process;
	uint64_t time_ns[MOST];
	struct event_sample sample[MOST];
	size_t n;
};

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct samples *samples = (struct samples *)sink;

	if (event->type == EVENT_TRACK && event->def->type == TRACK_PROCESS)
		samples->process = *event->def;
	if (event->type != EVENT_SAMPLE || samples->n == MOST)
		return 0;
	samples->time_ns[samples->n] = event->time_ns;
	samples->sample[samples->n++] = *event->sample;
	return 0;
}

static void init(struct samples *samples)
{
	*samples = (struct samples){ 0 };
	samples->sink = (struct sink){ .put = put, .names = names_new(), .last_track = &samples->last_track };
}

static uint32_t python(struct names *names, uint32_t caller, const char *function, const char *file, uint32_t line)
{
	struct callstacks *stacks = names_callstacks(names);
	struct frame frame = {
		.kind = FRAME_PYTHON, .function = names_of(names, function), .file = names_of(names, file), .line = line
	};

	return callstacks_push(stacks, caller, callstacks_frame(stacks, &frame));
}

static void put_sample(struct sink *sink, uint32_t track, uint64_t time_ns, const struct event_sample *sample)
{
	struct event event = { .type = EVENT_SAMPLE, .track = track, .time_ns = time_ns, .sample = sample };

	assert_int_equal(sink_put(sink, &event, NULL), 0);
}

static void read_back(struct samples *to, int fd, struct perfetto_read_result *result)
{
	size_t size = (size_t)lseek(fd, 0, SEEK_END);
	void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	struct err err = { 0 };

	init(to);
	assert_int_equal(perfetto_read(data, size, &to->sink, result, &err), 0);
	munmap(data, size);
}

static const struct frame *frame_of(const struct samples *samples, uint32_t stack)
{
	const struct callstacks *stacks = names_callstacks(samples->sink.names);

	return callstacks_frame_of(stacks, callstacks_get(stacks, stack)->frame);
}

static const char *text(const struct samples *samples, uint32_t id)
{
	return names_text(samples->sink.names, id);
}

static void check_first(const struct samples *back)
{
	const struct callstacks *stacks = names_callstacks(back->sink.names);
	const struct event_sample *sample = &back->sample[0];

	assert_int_equal(back->time_ns[0], 5000);
	assert_int_equal(sample->weight_ns, 900);
	assert_int_equal(sample->cpu_ns, 300);
	assert_int_equal(sample->queue_ns, 200);
	assert_int_equal(sample->tid, 43);
	assert_int_equal(sample->state, SAMPLE_GIL);
	assert_int_equal(sample->flags, SAMPLE_CUT);
	assert_int_equal(sample->holder_tid, 42);
	assert_string_equal(text(back, sample->thread_name), "worker");
	assert_string_equal(text(back, sample->call), "futex");
	assert_string_equal(text(back, sample->object), "10.0.0.7:443");
	assert_int_equal(callstacks_get(stacks, sample->stack)->depth, 3);
	assert_string_equal(text(back, frame_of(back, sample->stack)->function), "A.run");
	assert_string_equal(text(back, frame_of(back, sample->stack)->file), "/a/b.py");
	assert_int_equal(frame_of(back, sample->stack)->line, 7);
	assert_int_equal(frame_of(back, sample->stack)->kind, FRAME_PYTHON);
	assert_int_equal(frame_of(back, 1)->kind, FRAME_CUT);
	assert_int_equal(frame_of(back, sample->holder_stack)->line, 9);
}

TEST(what_was_written_is_read)
{
	struct frame cut = { .kind = FRAME_CUT }, native = { .kind = FRAME_NATIVE, .offset = 0x1234 };
	struct names *names = names_new();
	struct callstacks *stacks = names_callstacks(names);
	uint32_t last_track = 0, inner, other;
	struct perfetto_read_result result;
	struct track_def def = { .type = TRACK_PROCESS, .pid = 42 };
	struct event track = { .type = EVENT_TRACK, .track = 1, .def = &def };
	struct event_sample sample = { 900, 300, 200, 43, .state = SAMPLE_GIL, .flags = SAMPLE_CUT };
	struct perfetto_writer *writer;
	struct err err = { 0 };
	struct samples back;
	int fd = memfd_create("trace", MFD_CLOEXEC);

	inner = callstacks_push(stacks, 0, callstacks_frame(stacks, &cut));
	inner = python(names, inner, "<module>", "/a/b.py", 20);
	other = python(names, inner, "hold", "/a/b.py", 9);
	inner = python(names, inner, "A.run", "/a/b.py", 7);
	sample.stack = inner;
	sample.holder_stack = other;
	sample.holder_tid = 42;
	sample.thread_name = names_of(names, "worker");
	sample.call = names_of(names, "futex");
	sample.object = names_of(names, "10.0.0.7:443");
	writer = perfetto_write_new(fd, names, &last_track, NULL, &err);
	last_track = 1;
	assert_int_equal(sink_put(perfetto_write_sink(writer), &track, &err), 0);
	put_sample(perfetto_write_sink(writer), 1, 5000, &sample);
	/* of another thread, earlier: the order of threads among each other is none */
	native.module = names_of(names, "/lib/libc.so.6");
	sample = (struct event_sample){ .tid = 42, .weight_ns = 10, .state = SAMPLE_RAN };
	sample.stack = callstacks_push(stacks, 0, callstacks_frame(stacks, &native));
	put_sample(perfetto_write_sink(writer), 1, 4000, &sample);
	assert_int_equal(perfetto_write_free(writer, &err), 0);
	read_back(&back, fd, &result);
	assert_int_equal(back.n, 2);
	assert_int_equal(back.process.pid, 42);
	check_first(&back);
	assert_int_equal(back.time_ns[1], 4000);
	assert_int_equal(frame_of(&back, back.sample[1].stack)->offset, 0x1234);
	assert_string_equal(text(&back, frame_of(&back, back.sample[1].stack)->module), "/lib/libc.so.6");
	names_free(back.sink.names);
	names_free(names);
	close(fd);
}

/* More CPU time than there was, or before the begin of all times: skipped and counted. */
TEST(samples_that_make_no_sense_are_left_out)
{
	static const struct event_sample bad[] = { { .weight_ns = 5, .cpu_ns = 6, .tid = 1 },
						   { .weight_ns = 5, .cpu_ns = 3, .queue_ns = 3, .tid = 1 },
						   { .weight_ns = 5001, .tid = 1 },
						   { .weight_ns = 5 } };
	struct names *names = names_new();
	uint32_t last_track = 0;
	struct perfetto_read_result result;
	struct track_def def = { .type = TRACK_PROCESS, .pid = 42 };
	struct event track = { .type = EVENT_TRACK, .track = 1, .def = &def };
	struct perfetto_writer *writer;
	struct err err = { 0 };
	struct samples back;
	int fd = memfd_create("trace", MFD_CLOEXEC);

	writer = perfetto_write_new(fd, names, &last_track, NULL, &err);
	last_track = 1;
	assert_int_equal(sink_put(perfetto_write_sink(writer), &track, &err), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		put_sample(perfetto_write_sink(writer), 1, 5000, &bad[i]);
	assert_int_equal(perfetto_write_free(writer, &err), 0);
	read_back(&back, fd, &result);
	assert_int_equal(back.n, 0);
	assert_int_equal(result.n_skipped, 4);
	names_free(back.sink.names);
	names_free(names);
	close(fd);
}
