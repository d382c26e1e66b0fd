// SPDX-License-Identifier: Apache-2.0
/*
 * What the trace file costs: nanoseconds to write an event, bytes it takes, packets read a second, plain and
 * compressed. Threads run a model of 200 operators, 3 us each, as recorded: name, kind, op_type, provider,
 * inference. Prints the budgets of design.md beside the figures; fails above them only with --check.
 * trace_bench.sh puts trace_processor's figures next to these.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/perfetto_read.h"
#include "trace/perfetto_write.h"

enum { N_NODES = 200, N_THREADS = 4, N_TYPES = 12 };

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
	struct track_def process = { TRACK_PROCESS, 0, names_of(stream->names, "bench"), 1000 };
	struct event event = { EVENT_TRACK, .def = &process };
	struct err err;

	event.track = sink_new_track(sink);
	if (sink_put(sink, &event, &err))
		die(&err);
	for (int i = 0; i < N_THREADS; i++) {
		struct track_def thread = { TRACK_THREAD, event.track, 0, 1000, 1001 + i };
		struct event define = { EVENT_TRACK, .track = sink_new_track(sink), .def = &thread };
		stream->threads[i] = define.track;
		if (sink_put(sink, &define, &err))
			die(&err);
	}
}

/* Times as they scatter on a real machine: without this, compression would look better than it is. */
static uint64_t scatter(uint64_t *state, uint64_t ns)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return ns + ns * (*state >> 40) / (8u << 24);
}

/* n operators, 2 n packets, handed over as the recorder does it: thread by thread, 1,000 at a time. */
static void put_operators(struct stream *stream, struct sink *sink, long n)
{
	uint64_t time_ns[N_THREADS], start = now_ns(), random = 1;
	struct arg args[3];
	struct err err;

	for (int i = 0; i < N_THREADS; i++)
		time_ns[i] = start;
	for (long i = 0; i < n; i++) {
		int thread = (int)(i / 1000 % N_THREADS), node = (int)(i % N_NODES);
		struct event event = { EVENT_BEGIN, KIND_OPERATOR, stream->threads[thread], stream->node[node],
				       time_ns[thread] += scatter(&random, 300), .args = args, .n_args = 3 };
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

static double write_file(const char *path, long n, bool compress, uint64_t *bytes)
{
	struct perfetto_write_opts opts = { .compress = compress };
	struct stream stream;
	struct perfetto_writer *writer;
	struct err err;
	uint64_t start;
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	stream_init(&stream);
	writer = fd < 0 ? NULL : perfetto_write_new(fd, stream.names, &stream.last_track, &opts, &err);
	if (!writer) {
		perror(path);
		exit(3);
	}
	define_tracks(&stream, perfetto_write_sink(writer));
	start = now_ns();
	put_operators(&stream, perfetto_write_sink(writer), n);
	if (perfetto_write_flush(writer, &err))
		die(&err);
	start = now_ns() - start;
	*bytes = perfetto_write_bytes(writer);
	perfetto_write_free(writer, NULL);
	names_free(stream.names);
	close(fd);
	return (double)start / (2.0 * (double)n);
}

static double read_file(const char *path, uint64_t *n_events)
{
	struct perfetto_read_result result;
	struct counter counter = { .sink.put = count };
	uint32_t last_track = 0;
	struct err err;
	struct stat st;
	uint64_t start;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *data;

	if (fd < 0 || fstat(fd, &st)) {
		perror(path);
		exit(3);
	}
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	counter.sink.names = names_new();
	counter.sink.last_track = &last_track;
	start = now_ns();
	if (perfetto_read(data, (size_t)st.st_size, &counter.sink, &result, &err))
		die(&err);
	start = now_ns() - start;
	*n_events = counter.n;
	munmap(data, (size_t)st.st_size);
	names_free(counter.sink.names);
	close(fd);
	return (double)start / (double)counter.n;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 1000000;
	const char *dir = argc > 1 ? argv[1] : "/tmp";
	char path[4096];

	for (int compress = 0; compress < 2; compress++) {
		double write_ns = 1e9, read_ns = 1e9, once;
		uint64_t bytes, n_events;
		snprintf(path, sizeof path, "%s/bench-%s.pftrace", dir, compress ? "compressed" : "plain");
		for (int i = 0; i < 5; i++)
			if ((once = write_file(path, n, compress, &bytes)) < write_ns)
				write_ns = once;
		printf("%-10s write %5.1f ns/event  %5.2f bytes/packet", compress ? "compressed" : "plain", write_ns,
		       (double)bytes / (2.0 * (double)n));
		for (int i = 0; i < 5; i++)
			if ((once = read_file(path, &n_events)) < read_ns)
				read_ns = once;
		printf("  read %5.1f ns/packet = %5.1f M packets/s\n", read_ns, 1e3 / read_ns);
	}
	return 0;
}
