// SPDX-License-Identifier: Apache-2.0
/*
 * The cost of the trace file: nanoseconds to write an event, its bytes, nanoseconds to read a packet, plain and
 * compressed. Threads run a model of 200 operators, 0.3 to 6 us each, recorded with name, kind, op_type, provider,
 * inference. Floors: the same bytes copied by write(2); the same packets only counted. Best of five.
 *
 * trace_bench [--check] [FOLDER]		--check: exit 1 above a budget; FOLDER: where files are
 * left
 *
 * trace_bench.sh adds trace_processor's time for the same files.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/pb.h"
#include "trace/perfetto/perfetto_read.h"
#include "trace/perfetto/perfetto_write.h"

enum { N_NODES = 200, N_THREADS = 4, N_TYPES = 12, N_OPERATORS = 500000, N_PACKETS = 2 * N_OPERATORS, N_TIMES = 5 };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void die(const struct err *err)
{
	fprintf(stderr, "trace_bench: %s\n", err->msg);
	exit(3);
}

struct stream {
	struct names *names;
	uint32_t last_track;
	uint32_t node[N_NODES], op_type[N_TYPES], provider, threads[N_THREADS];
};

static void stream_init(struct stream *stream)
{
	char text[64];

	stream->names = names_new();
	stream->last_track = 0;
	stream->provider = names_of(stream->names, "CPUExecutionProvider");
	for (int i = 0; i < N_TYPES; i++) {
		snprintf(text, sizeof text, "Type%d", i);
		stream->op_type[i] = names_of(stream->names, text);
	}
	for (int i = 0; i < N_NODES; i++) {
		snprintf(text, sizeof text, "/layer%d/conv%d/Conv", i / 10, i);
		stream->node[i] = names_of(stream->names, text);
	}
}

static void define_tracks(struct stream *stream, struct sink *sink)
{
	struct track_def process = { TRACK_PROCESS, 0, names_of(stream->names, "bench"), .pid = 1000 };
	struct event event = { EVENT_TRACK, .def = &process };
	struct err err;

	event.track = sink_new_track(sink);
	if (sink_put(sink, &event, &err))
		die(&err);
	for (int i = 0; i < N_THREADS; i++) {
		struct track_def thread = { TRACK_THREAD, event.track, .pid = 1000, .tid = 1001 + i };
		struct event define = { EVENT_TRACK, .track = sink_new_track(sink), .def = &thread };
		stream->threads[i] = define.track;
		if (sink_put(sink, &define, &err))
			die(&err);
	}
}

/* Durations that vary as on a real machine: otherwise compression would look better than it is. */
static uint64_t scatter(uint64_t *state, uint64_t ns)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return ns + ns * (*state >> 40) / (8u << 24);
}

/* Written like the recorder does it: thread by thread, 1,000 at a time. */
static void put_operators(struct stream *stream, struct sink *sink)
{
	uint64_t time_ns[N_THREADS], start = now_ns(), random = 1;
	struct arg args[3];
	struct err err;

	for (int i = 0; i < N_THREADS; i++)
		time_ns[i] = start;
	for (long i = 0; i < N_OPERATORS; i++) {
		int thread = (int)(i / 1000 % N_THREADS), node = (int)(i % N_NODES);
		struct event event = { EVENT_BEGIN,
				       KIND_OPERATOR,
				       stream->threads[thread],
				       stream->node[node],
				       time_ns[thread] += scatter(&random, 300),
				       .args = args,
				       .n_args = 3 };
		args[0] = arg_name(KEY_OP_TYPE, stream->op_type[node % N_TYPES]);
		args[1] = arg_name(KEY_PROVIDER, stream->provider);
		args[2] = arg_int(KEY_INFERENCE, 1 + i / N_NODES);
		if (sink_put(sink, &event, &err))
			die(&err);
		event = (struct event){ EVENT_END, .track = stream->threads[thread],
					.time_ns = time_ns[thread] += scatter(&random, 1000 + (uint64_t)node * 20) };
		if (sink_put(sink, &event, &err))
			die(&err);
	}
}

struct counter {
	struct sink sink;
	uint64_t n, sum;
};

static int count(struct sink *sink, const struct event *event, struct err *err)
{
	struct counter *counter = (struct counter *)sink;

	counter->n++;
	counter->sum += event->time_ns + event->name + event->n_args;
	return 0;
}

static int open_new(const char *path)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0) {
		perror(path);
		exit(3);
	}
	return fd;
}

struct file {
	void *data;
	size_t size;
};

static struct file map_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file file = { 0 };
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		perror(path);
		exit(3);
	}
	file.size = (size_t)st.st_size;
	file.data = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	return file;
}

/* Each of the four: nanoseconds a packet. */

static double write_events(const char *path, bool compress)
{
	struct perfetto_write_opts opts = { .compress = compress };
	struct perfetto_writer *writer;
	struct stream stream;
	struct err err;
	uint64_t start;
	int fd = open_new(path);

	stream_init(&stream);
	writer = perfetto_write_new(fd, stream.names, &stream.last_track, &opts, &err);
	if (!writer)
		die(&err);
	define_tracks(&stream, perfetto_write_sink(writer));
	start = now_ns();
	put_operators(&stream, perfetto_write_sink(writer));
	if (sink_flush(perfetto_write_sink(writer), &err))
		die(&err);
	start = now_ns() - start;
	perfetto_write_free(writer, NULL);
	names_free(stream.names);
	close(fd);
	return (double)start / N_PACKETS;
}

static double copy_bytes(const struct file *file, const char *path)
{
	enum { CHUNK = 256 << 10 };
	static char chunk[CHUNK];
	int fd = open_new(path);
	uint64_t start = now_ns();

	for (size_t at = 0; at < file->size; at += CHUNK) {
		size_t n = file->size - at < CHUNK ? file->size - at : CHUNK;
		memcpy(chunk, (char *)file->data + at, n);
		if (write(fd, chunk, n) != (ssize_t)n) {
			perror(path);
			exit(3);
		}
	}
	start = now_ns() - start;
	close(fd);
	unlink(path);
	return (double)start / N_PACKETS;
}

static double read_events(const struct file *file)
{
	struct counter counter = { .sink.put = count };
	struct perfetto_read_result result;
	uint32_t last_track = 0;
	struct err err;
	uint64_t start;

	counter.sink.names = names_new();
	counter.sink.last_track = &last_track;
	start = now_ns();
	if (perfetto_read(file->data, file->size, &counter.sink, &result, &err))
		die(&err);
	start = now_ns() - start;
	names_free(counter.sink.names);
	if (counter.n != N_PACKETS + 1 + N_THREADS) {
		fprintf(stderr, "trace_bench: %llu events were read\n", (unsigned long long)counter.n);
		exit(3);
	}
	return (double)start / N_PACKETS;
}

static volatile uint64_t n_counted;

static double count_packets(const struct file *file)
{
	struct pb_in in = pb_in(file->data, file->size);
	struct pb_field field;
	uint64_t start = now_ns();

	while (pb_next(&in, &field) > 0)
		n_counted += field.number;
	return (double)(now_ns() - start) / N_PACKETS;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* 1 if the figure is above its budget; no budget: 0. */
static int show(const char *what, double figure, const char *unit, double floor, double budget)
{
	printf("  %-22s %7.2f %-10s", what, figure, unit);
	if (floor > 0)
		printf("  floor %6.2f", floor);
	if (budget > 0)
		printf("  budget %6.2f%s", budget, figure > budget ? "  ABOVE" : "");
	putchar('\n');
	return budget > 0 && figure > budget;
}

static int bench(const char *folder, bool compress)
{
	double write_ns = 1e9, copy_ns = 1e9, read_ns = 1e9, count_ns = 1e9;
	char path[4096], copy[4096];
	struct file file;
	int above = 0;

	snprintf(path, sizeof path, "%s/bench-%s.pftrace", folder, compress ? "compressed" : "plain");
	snprintf(copy, sizeof copy, "%s/bench-copy", folder);
	for (int i = 0; i < N_TIMES; i++)
		write_ns = least(write_ns, write_events(path, compress));
	file = map_file(path);
	for (int i = 0; i < N_TIMES; i++) {
		copy_ns = least(copy_ns, copy_bytes(&file, copy));
		read_ns = least(read_ns, read_events(&file));
		count_ns = least(count_ns, count_packets(&file));
	}
	printf("%s: %s, %d packets, %zu bytes\n", compress ? "compressed" : "plain", path, N_PACKETS, file.size);
	above |= show("write", write_ns, "ns/event", copy_ns, compress ? 0 : 40);
	above |= show("size", (double)file.size / N_PACKETS, "bytes", 0, compress ? 10 : 24);
	above |= show("read", read_ns, "ns/packet", compress ? 0 : count_ns, 100);
	munmap(file.data, file.size);
	return above;
}

int main(int argc, char **argv)
{
	bool is_check = argc > 1 && !strcmp(argv[1], "--check");
	const char *folder = argc > 1 + is_check ? argv[1 + is_check] : NULL;
	char own[] = "/tmp/trace_bench.XXXXXX", path[64];
	int above;

	if (!folder && !mkdtemp(own)) {
		perror(own);
		return 3;
	}
	above = bench(folder ? folder : own, false);
	above |= bench(folder ? folder : own, true);
	if (!folder) {
		snprintf(path, sizeof path, "%s/bench-plain.pftrace", own);
		unlink(path);
		snprintf(path, sizeof path, "%s/bench-compressed.pftrace", own);
		unlink(path);
		rmdir(own);
	}
	return is_check && above;
}
