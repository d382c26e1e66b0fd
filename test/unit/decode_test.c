// SPDX-License-Identifier: Apache-2.0
/*
 * Records written into rings, decoded, written to a file and read back. decode_test FOLDER leaves the file and the
 * segment there, as a recording for trace_processor (test/e2e) and a seed for the fuzzer (test/fuzz).
 */
#define CASES_MAIN
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/decode/recorded_drain.h"
#include "capture/decode/records.h"
#include "cases.h"
#include "event/device_record.h"
#include "event/generator_call.h"
#include "lines.h"
#include "trace/perfetto/perfetto_read.h"
#include "trace/perfetto/perfetto_write.h"

enum { N_RINGS = 2, RING_BYTES = 4096, FILE_SIZE = SEGMENT_RINGS + N_RINGS * (RING_HEADER + RING_BYTES) };

/* Both ends of a segment: a writing agent and the recorder. Records have nanoseconds. */
struct pipe {
	char path[64];
	struct segment *segment;
	struct ring_writer writer[N_RINGS];
	uint32_t n_texts, n_nodes;
	struct recorded *process;
	struct lines lines;
	struct perfetto_writer *file;
	int fd;
};

static void open_pipe(struct pipe *pipe)
{
	struct err err;
	int fd;

	memset(pipe, 0, sizeof *pipe);
	strcpy(pipe->path, "/tmp/decode_test-XXXXXX");
	fd = mkstemp(pipe->path);
	assert_true(fd >= 0 && !ftruncate(fd, FILE_SIZE));
	pipe->segment = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	*pipe->segment = (struct segment){
		.magic = SEGMENT_MAGIC, .header_size = sizeof *pipe->segment, .pid = 4000, .n_rings = N_RINGS
	};
	for (uint32_t i = 0; i < N_RINGS; i++) {
		uint64_t offset = SEGMENT_RINGS + i * (RING_HEADER + RING_BYTES);

		pipe->segment->ring[i] = (struct ring_slot){ offset, RING_BYTES };
		ring_use(&pipe->writer[i], (struct ring *)((char *)pipe->segment + offset), RING_BYTES);
	}
	lines_init(&pipe->lines);
	pipe->process = recorded_open(pipe->path, pipe->lines.sink.names, NULL, &err);
	assert_non_null(pipe->process);
	pipe->process->flows_base = UINT64_C(1) << FLOW_BITS;
}

static void close_pipe(struct pipe *pipe)
{
	recorded_close(pipe->process);
	munmap(pipe->segment, FILE_SIZE);
	unlink(pipe->path);
	lines_done(&pipe->lines);
}

static void add_entry(struct pipe *pipe, struct dict_entry entry, const char *text)
{
	char *at = (char *)pipe->segment + SEGMENT_DICT + pipe->segment->dict_end;

	entry.n = (uint16_t)strlen(text);
	entry.size = (uint32_t)(sizeof entry + entry.n + 7) & ~7u;
	memcpy(at, &entry, sizeof entry);
	memcpy(at + sizeof entry, text, entry.n);
	pipe->segment->dict_end += entry.size;
}

static uint32_t add_text(struct pipe *pipe, const char *text)
{
	add_entry(pipe, (struct dict_entry){ .kind = DICT_TEXT, .id = ++pipe->n_texts }, text);
	return pipe->n_texts;
}

static uint32_t add_node(struct pipe *pipe, const char *name, const char *type)
{
	struct dict_entry node = { .kind = DICT_NODE, .word = { add_text(pipe, name), add_text(pipe, type) } };

	node.id = ++pipe->n_nodes;
	add_entry(pipe, node, "");
	return node.id;
}

static void add_allocator(struct pipe *pipe, uint32_t id, const char *name, uint32_t session, uint32_t is_behind_arena)
{
	struct dict_entry entry = { .kind = DICT_ALLOCATOR,
				    .id = id,
				    .word = { add_text(pipe, "cpu"), add_text(pipe, name), session, is_behind_arena } };

	add_entry(pipe, entry, "");
}

static void push(struct pipe *pipe, int ring, struct record record)
{
	struct record *at = ring_claim(&pipe->writer[ring]);

	assert_non_null(at);
	*at = record;
	ring_publish(&pipe->writer[ring]);
}

static void push_counter(struct pipe *pipe, int ring, uint64_t time, uint32_t name, uint32_t unit, double value)
{
	struct record record = { .type = RECORD_USER_COUNTER, .time = time, .text = name, .id = unit };

	memcpy(&record.value, &value, sizeof value);
	push(pipe, ring, record);
}

/* Like the recorder: ring after ring, then the events that wait for sorting. */
static void drain(struct pipe *pipe, struct sink *out)
{
	struct err err = { 0 };
	struct records_step step = { .process = pipe->process, .out = out, .now_ns = 1000, .err = &err };

	for (uint32_t i = 0; i < N_RINGS; i++) {
		uint64_t bytes;
		struct ring *ring = segment_ring(&pipe->process->map, i, &bytes);
		const struct record *records;
		size_t n;

		step.reader = &pipe->process->reader[i];
		while ((records = ring_read_at(ring, bytes, ring->tail, &n)) && n) {
			assert_int_equal(recorded_read_names(pipe->process, out, step.now_ns, &err), 0);
			for (size_t r = 0; r < n; r++) {
				step.record = &records[r];
				assert_int_equal(records_take(&step), 0);
			}
			ring_read_done(ring, n);
		}
	}
	assert_int_equal(recorded_put(pipe->process, out, UINT64_MAX, 1000, &err), 0);
}

static bool has_line(const struct lines *lines, const char *line)
{
	for (size_t i = 0; i < lines->n; i++)
		if (!strcmp(lines->line[i], line))
			return true;
	return false;
}

static void assert_has(const struct lines *lines, const char *const *wanted)
{
	for (; *wanted; wanted++) {
		if (has_line(lines, *wanted))
			continue;
		for (size_t i = 0; i < lines->n; i++)
			print_message("%s\n", lines->line[i]);
		fail_msg("not there: %s", *wanted);
	}
}

/* Two threads: one runs operators in a slice of its own, the other ends slices of the first. */
static void push_sample(struct pipe *pipe)
{
	uint32_t request = add_text(pipe, "request"), http = add_text(pipe, "http"), copy = add_text(pipe, "copy");
	uint32_t mark = add_text(pipe, "cache miss"), queue = add_text(pipe, "queue"), count = add_text(pipe, "count");
	uint32_t conv = add_node(pipe, "conv_1", "Conv"), loop = add_node(pipe, "loop", "If");

	add_allocator(pipe, 1, "Arena", 3, 0);
	add_allocator(pipe, 2, "Cpu", 3, 1);
	push(pipe, 0, (struct record){ .type = RECORD_THREAD, .id = 4001 });
	push(pipe, 0, (struct record){ .type = RECORD_FLOW, .time = 100, .value = 7 });
	push(pipe, 0, (struct record){ .type = RECORD_USER_BEGIN, .time = 100, .text = request, .id = http });
	push(pipe, 0,
	     (struct record){ .type = RECORD_ALLOC,
			      .time = 210,
			      .value = 0x1000,
			      .id = 1,
			      .text = 4000,
			      .run = conv,
			      .flags = MEMORY_OPERATOR });
	push(pipe, 0,
	     (struct record){ .type = RECORD_ALLOC,
			      .time = 215,
			      .value = 0x9000,
			      .id = 2,
			      .text = 3,
			      .more = 20,
			      .run = conv,
			      .flags = MEMORY_OPERATOR });
	push(pipe, 0,
	     (struct record){ .type = RECORD_ALLOC,
			      .time = 220,
			      .value = 0x2000,
			      .id = 1,
			      .text = 96,
			      .run = conv,
			      .flags = MEMORY_OPERATOR });
	push(pipe, 0, (struct record){ .type = RECORD_FLOW, .time = 250, .value = 9 });
	push(pipe, 0, (struct record){ .type = RECORD_FLOW, .time = 251, .value = 10 });
	push(pipe, 0, (struct record){ .type = RECORD_OPERATOR, .time = 200, .value = 300, .id = conv, .run = 1 });
	push(pipe, 0, (struct record){ .type = RECORD_USER_INSTANT, .time = 310, .text = mark });
	push_counter(pipe, 0, 320, queue, count, 5.5);
	push(pipe, 0, (struct record){ .type = RECORD_OPERATOR_BEGIN, .time = 400, .id = loop, .run = 1 });
	push(pipe, 0, (struct record){ .type = RECORD_FLOW, .time = 410, .value = 11 });
	push(pipe, 0, (struct record){ .type = RECORD_OPERATOR_END, .value = 500, .id = loop });
	push(pipe, 0, (struct record){ .type = RECORD_USER_END, .time = 600 });
	push(pipe, 1, (struct record){ .type = RECORD_THREAD, .id = 4002 });
	push_counter(pipe, 1, 150, queue, count, 3);
	push(pipe, 1, (struct record){ .type = RECORD_FLOW, .time = 260, .value = 9, .flags = FLAG_END });
	push(pipe, 1, (struct record){ .type = RECORD_USER_BEGIN, .time = 260, .text = copy });
	push(pipe, 1, (struct record){ .type = RECORD_USER_END, .time = 290 });
	push(pipe, 1, (struct record){ .type = RECORD_FREE, .time = 280, .value = 0x1000 });
	push(pipe, 1, (struct record){ .type = RECORD_FREE, .time = 285, .value = 0x7777 });
	push(pipe, 1, (struct record){ .type = RECORD_FLOW, .time = 520, .value = 11, .flags = FLAG_END });
	push(pipe, 1, (struct record){ .type = RECORD_USER_INSTANT, .time = 520, .text = mark });
}

/* Flow ids of process track 1. */
#define ID(n) "10995116277" n

static void push_begin(struct pipe *pipe, uint64_t time, enum event_kind kind, const char *name, uint32_t model)
{
	const char *of = kind == KIND_OPERATOR ? "Conv" : kind == KIND_INFERENCE ? "main" : NULL;
	uint32_t detail = of ? add_text(pipe, of) : 0, npu = add_text(pipe, "NPU");

	push(pipe, 0,
	     (struct record){ .type = RECORD_USER_BEGIN,
			      .time = time,
			      .text = add_text(pipe, name),
			      .id = detail,
			      .value = model | (uint64_t)npu << 32,
			      .run = kind == KIND_SESSION || kind == KIND_LOAD ? 0 : 5,
			      .flags = (uint8_t)kind });
}

#define CASE(name) TEST_OF(name, struct pipe, pipe, open_pipe(pipe), close_pipe(pipe))

CASE(annotations_may_be_slices_of_models)
{
	static const char *const wanted[] = {
		"TRACK 3 type 3 parent 2 'annotations' pid 0 tid 0 unit '' start 0 command ''",
		"BEGIN 3 at 210 operator 'conv_1' op_type='Conv' model='net' provider='NPU' inference=5",
		"END 3 at 220",
		"BEGIN 3 at 300 user 'of a kind that no program may give'",
		"TRACK 4 type 2 parent 1 'models' pid 0 tid 0 unit '' start 0 command ''",
		"TRACK 5 type 2 parent 4 'net' pid 0 tid 0 unit '' start 0 command ''",
		"TRACK 6 type 3 parent 5 'session creation' pid 0 tid 0 unit '' start 0 command ''",
		"BEGIN 6 at 100 session 'net' model='net' provider='NPU'",
		"BEGIN 6 at 110 load 'net' model='net' provider='NPU'",
		"END 6 at 120",
		"END 6 at 150 status='ok'",
		"TRACK 7 type 2 parent 5 'main' pid 0 tid 0 unit '' start 0 command ''",
		"TRACK 8 type 3 parent 7 'inferences' pid 0 tid 0 unit '' start 0 command ''",
		"BEGIN 8 at 200 inference 'net:main' function='main' model='net' provider='NPU' inference=5 tid=4001",
		"END 8 at 230 status='no memory'",
		NULL,
	};
	uint32_t net;

	net = add_text(pipe, "net");
	push(pipe, 0, (struct record){ .type = RECORD_THREAD, .id = 4001 });
	push_begin(pipe, 100, KIND_SESSION, "net", net);
	push_begin(pipe, 110, KIND_LOAD, "net", net);
	push(pipe, 0, (struct record){ .type = RECORD_USER_END, .time = 120 }); /* owed: it has no kind */
	push(pipe, 0, (struct record){ .type = RECORD_USER_END, .time = 150, .flags = KIND_SESSION });
	push_begin(pipe, 200, KIND_INFERENCE, "net:main", net);
	push_begin(pipe, 210, KIND_OPERATOR, "conv_1", net);
	push(pipe, 0, (struct record){ .type = RECORD_USER_END, .time = 220, .flags = KIND_OPERATOR });
	push(pipe, 0,
	     (struct record){ .type = RECORD_USER_END,
			      .time = 230,
			      .flags = KIND_INFERENCE,
			      .more = FLAG_FAILED,
			      .text = add_text(pipe, "no memory") });
	push_begin(pipe, 300, KIND_LOST, "of a kind that no program may give", net);
	drain(pipe, &pipe->lines.sink);
	assert_has(&pipe->lines, wanted);
}

static void push_generated(struct pipe *pipe, uint64_t begin, uint64_t end, enum generator_call kind)
{
	push(pipe, 0,
	     (struct record){ .type = RECORD_GENERATOR_CALL,
			      .time = begin,
			      .value = end,
			      .id = 3,
			      .flags = (uint8_t)kind,
			      .more = kind != GENERATOR_RELEASED });
}

/* They are read in one round, in which inferences wait to be sorted. */
CASE(calls_of_generators_lie_between_the_inferences)
{
	char order[256] = "";
	uint32_t net;

	net = add_text(pipe, "net");
	push(pipe, 0, (struct record){ .type = RECORD_THREAD, .id = 4001 });
	for (uint64_t at = 200; at <= 280; at += 40) {
		push_begin(pipe, at, KIND_INFERENCE, "net:main", net);
		push(pipe, 0, (struct record){ .type = RECORD_USER_END, .time = at + 10, .flags = KIND_INFERENCE });
	}
	push_generated(pipe, 190, 220, GENERATOR_PROMPT);
	push_generated(pipe, 235, 250, GENERATOR_NEXT);
	push_generated(pipe, 260, 260, GENERATOR_RELEASED);
	drain(pipe, &pipe->lines.sink);
	for (size_t i = 0, n = 0; i < pipe->lines.n; i++) {
		unsigned track, at;

		if (sscanf(pipe->lines.line[i], "%*s %u at %u", &track, &at) == 2)
			n += (size_t)sprintf(order + n, "%s%u ", track == 3 ? "call " : "", at);
	}
	assert_string_equal(order, "200 210 call 190 call 220 240 250 call 235 call 250 call 260 call 260 280 290 ");
}

CASE(annotations_flows_and_allocations_become_events)
{
	static const char *const wanted[] = {
		"TRACK 3 type 3 parent 2 'annotations' pid 0 tid 0 unit '' start 0 command ''",
		"BEGIN 3 at 100 user 'request' category='http' flow=" ID("83"),
		"BEGIN 2 at 200 operator 'conv_1' op_type='Conv' inference=1 flow=" ID("85") " flow=" ID("86"),
		"END 2 at 300 allocated=4096 allocations=2",
		"INSTANT 3 at 310 user 'cache miss'",
		"BEGIN 2 at 400 operator 'loop' op_type='If' inference=1",
		"END 2 at 500 flow=" ID("87"),
		"END 3 at 600",
		"COUNTER 5 at 150 0x1.8p+1",
		"COUNTER 5 at 320 0x1.6p+2",
		"BEGIN 7 at 260 user 'copy' flow_end=" ID("85"),
		"END 7 at 290",
		"INSTANT 7 at 520 user 'cache miss' flow_end=" ID("87"),
		"INSTANT 8 at 215 allocation 'arena growth' bytes=3145728 device='cpu' allocator='Cpu' session=3",
		"TRACK 10 type 4 parent 8 'cpu in use, session 3' pid 0 tid 0 unit 'bytes' start 0 command ''",
		"TRACK 11 type 4 parent 8 'cpu held by arenas, session 3' pid 0 tid 0 unit 'bytes' start 0 command ''",
		"COUNTER 10 at 220 0x1p+12",
		"COUNTER 10 at 280 0x1.8p+6",
		"COUNTER 11 at 215 0x1.8p+21",
		NULL,
	};

	push_sample(pipe);
	drain(pipe, &pipe->lines.sink);
	assert_has(&pipe->lines, wanted);
	assert_int_equal(pipe->process->memory.n_unknown, 1); /* a block allocated before the recording */
}

static void start_file(struct pipe *pipe)
{
	struct err err;

	pipe->fd = memfd_create("recording", MFD_CLOEXEC);
	pipe->file = perfetto_write_new(pipe->fd, pipe->lines.sink.names, &pipe->lines.last_track, NULL, &err);
	assert_non_null(pipe->file);
	drain(pipe, perfetto_write_sink(pipe->file));
	assert_int_equal(perfetto_write_free(pipe->file, &err), 0);
}

TEST(they_are_the_same_when_read_from_a_file)
{
	struct perfetto_read_result result;
	struct pipe direct, filed;
	struct lines read;
	struct stat st;
	struct err err;
	void *data;

	open_pipe(&direct);
	push_sample(&direct);
	drain(&direct, &direct.lines.sink);
	open_pipe(&filed);
	push_sample(&filed);
	start_file(&filed);
	fstat(filed.fd, &st);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, filed.fd, 0);
	lines_init(&read);
	assert_int_equal(perfetto_read(data, (size_t)st.st_size, &read.sink, &result, &err), 0);
	assert_int_equal(result.n_late, 0);
	assert_same_lines(&direct.lines, &read);
	lines_done(&read);
	munmap(data, (size_t)st.st_size);
	close(filed.fd);
	close_pipe(&direct);
	close_pipe(&filed);
}

/* From a newer agent: ignored. */
CASE(records_and_entries_that_are_not_known_are_no_events)
{
	add_entry(pipe, (struct dict_entry){ .kind = 77, .id = 1 }, "later");
	for (uint16_t type = RECORD_DEVICE_STATE + 1; type < RECORD_DEVICE_STATE + 40; type++)
		push(pipe, 0, (struct record){ .type = type, .time = type, .id = 1, .text = 1, .run = 1 });
	drain(pipe, &pipe->lines.sink);
	assert_int_equal(pipe->lines.n, 0);
}

CASE(records_that_make_no_sense_are_no_events)
{
	push(pipe, 0, (struct record){ .type = RECORD_USER_END, .time = 5 });
	push(pipe, 0, (struct record){ .type = RECORD_USER_COUNTER, .time = 5 });
	push(pipe, 0, (struct record){ .type = RECORD_ALLOC, .time = 5, .value = 0x1000 });
	push(pipe, 0, (struct record){ .type = RECORD_ALLOC, .time = 5, .id = UINT32_MAX, .value = 0x1000 });
	push(pipe, 0, (struct record){ .type = RECORD_ALLOC, .time = 5, .id = 1 });
	for (int i = 0; i < 100; i++)
		push(pipe, 0, (struct record){ .type = RECORD_FLOW, .time = 5, .value = (uint64_t)i });
	drain(pipe, &pipe->lines.sink);
	for (size_t i = 0; i < pipe->lines.n; i++)
		assert_memory_equal(pipe->lines.line[i], "TRACK", 5);
	assert_int_equal(pipe->process->lanes.n_orphans, 1 + 100 - READER_FLOWS);
}

static bool has_part(const struct lines *lines, const char *part)
{
	for (size_t i = 0; i < lines->n; i++)
		if (strstr(lines->line[i], part))
			return true;
	return false;
}

static void push_run(struct pipe *pipe, uint32_t run, uint64_t time, uint32_t tag)
{
	push(pipe, 0, (struct record){ .type = RECORD_RUN_BEGIN, .time = time, .run = run, .id = 1, .text = tag });
	push(pipe, 0, (struct record){ .type = RECORD_RUN_END, .time = time + 1, .run = run, .id = 1 });
}

CASE(inferences_are_counted_beyond_what_the_agent_can)
{
	push_run(pipe, UINT32_MAX - 1, 10, 0);
	push_run(pipe, UINT32_MAX, 20, 0);
	push_run(pipe, 2, 30, 0);
	push_run(pipe, 1, 40, 0); /* of another thread, which has taken its numbers before */
	drain(pipe, &pipe->lines.sink);
	assert_true(has_part(&pipe->lines, " inference=4294967294 "));
	assert_true(has_part(&pipe->lines, " inference=4294967295 "));
	assert_true(has_part(&pipe->lines, " inference=4294967298 "));
	assert_true(has_part(&pipe->lines, " inference=4294967297 "));
}

/* So many that no more are kept. */
static void fill_names(struct names *names)
{
	char text[32];

	for (int i = 0; i < 70000; i++)
		names_pass(names, text, (size_t)snprintf(text, sizeof text, "old tag %d", i));
}

CASE(a_tag_of_many_is_read_but_not_kept)
{
	uint32_t n;

	fill_names(pipe->lines.sink.names);
	push_run(pipe, 1, 10, add_text(pipe, "a new tag"));
	push_run(pipe, 2, 20, add_text(pipe, "another one"));
	drain(pipe, &pipe->lines.sink);
	assert_true(has_part(&pipe->lines, " tag='a new tag'"));
	assert_true(has_part(&pipe->lines, " tag='another one'"));
	n = names_count(pipe->lines.sink.names);
	assert_int_equal(names_of(pipe->lines.sink.names, "a new tag"), n + 1);
}

/* Blocks come and go, some of them unseen: the live bytes equal those of a plain list. */
TEST(live_bytes_are_those_of_the_blocks)
{
	enum { N = 20000, ADDRESSES = 500 };
	struct memory memory = { .process_track = 1 };
	uint64_t bytes[ADDRESSES] = { 0 }, live = 0, random = 1;
	struct lines lines;
	struct err err;

	lines_init(&lines);
	lines.is_known[sink_new_track(&lines.sink)] = true;
	memory_allocator(&memory, 1)->device = names_of(lines.sink.names, "cpu");
	for (uint64_t i = 0; i < N; i++) {
		struct memory_event event = { .time_ns = i, .allocator = 1, .is_free = true };
		uint32_t at;

		random = random * 6364136223846793005u + 1442695040888963407u;
		at = (uint32_t)(random >> 33) % ADDRESSES;
		event.address = (uint64_t)(at + 1) << 8;
		live -= bytes[at];
		bytes[at] = 0;
		if (random >> 63) {
			event.is_free = false;
			event.bytes = bytes[at] = random >> 40 & 0xffff;
		}
		live += bytes[at];
		assert_int_equal(memory_add(&memory, &event), 0);
		if (i % 1000 == 0)
			assert_int_equal(memory_apply(&memory, &lines.sink, i, &err), 0);
	}
	assert_int_equal(memory_apply(&memory, &lines.sink, UINT64_MAX, &err), 0);
	assert_int_equal(memory.n_accounts, 1);
	assert_int_equal(memory.account[0].now.in_use, live);
	assert_int_equal(memory.account[0].levels[0].last, live);
	memory_done(&memory);
	lines_done(&lines);
}

static void write_file(const char *folder, const char *name, const void *data, size_t size)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	out = fopen(path, "wb");
	assert_true(out && fwrite(data, 1, size, out) == size && !fclose(out));
}

static int write_recordings(const char *folder)
{
	/* the input of source_agent_fuzz.c: its struct input, the dictionary, the records of one ring */
	struct {
		uint32_t dict_size, n_rings;
		uint64_t dict_end, dict_lost, ring_lost;
		struct ring_slot slot;
		uint64_t head, lost, tail;
		uint32_t state, unused;
	} input = { .n_rings = 1, .slot = { SEGMENT_RINGS, RING_BYTES }, .state = SEGMENT_ARMED };
	static char seed[64 << 10];
	static char data[1 << 20];
	struct pipe pipe;
	size_t n;

	open_pipe(&pipe);
	push_sample(&pipe);
	input.dict_size = (uint32_t)(input.dict_end = pipe.segment->dict_end);
	input.head = pipe.writer[0].head;
	n = sizeof input;
	memcpy(seed, &input, n);
	memcpy(seed + n, (char *)pipe.segment + SEGMENT_DICT, input.dict_size);
	n += input.dict_size;
	memcpy(seed + n, pipe.writer[0].data, input.head * sizeof(struct record));
	write_file(folder, "annotations.segment", seed, n + input.head * sizeof(struct record));
	start_file(&pipe);
	n = (size_t)pread(pipe.fd, data, sizeof data, 0);
	write_file(folder, "annotations.pftrace", data, n);
	close(pipe.fd);
	close_pipe(&pipe);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? write_recordings(argv[1]) : cases_run();
}
