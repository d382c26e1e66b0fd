// SPDX-License-Identifier: Apache-2.0
/*
 * The speed and memory of `inftrace report`: events (packets) per second from the file to the page. Four threads run a
 * model of 200 operators. Recordings of 1, 6 and 20 million slices show whether memory grows with their size. The best
 * of three, each in a new process, so that page faults count as they do for a user. Floor: reading alone.
 *
 *	report_bench --plot MB [--from MB] [FOLDER]		time and memory from 10 MB to so many: 10000 is 10 GB
 *	report_bench [--check] [--operators N] [FOLDER]		--check: exit 1 below the budget, or when
 *								memory grows; N: a recording of this size only; FOLDER:
 *								where the last recording is left
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyze/insight/recorded.h"
#include "analyze/summary/recording.h"
#include "show/report/reports.h"
#include "trace/import/import.h"
#include "trace/perfetto/perfetto_write.h"

enum { N_NODES = 200, N_THREADS = 4, N_TYPES = 12, N_TIMES = 3 };
static const double budget = 10e6; /* events per second */
static const double max_growth =
    2; /* of memory, from the smallest recording, whose values are all kept, to the largest */

struct maker {
	struct sink *sink;
	uint32_t node[N_NODES], op_type[N_TYPES], provider, model, ok;
	uint32_t thread[N_THREADS], lane[N_THREADS];
	uint64_t time_ns[N_THREADS], random;
	struct arg args[8];
	int n_nodes;
};

struct result {
	double read_s, sum_up_s, page_s;
	uint64_t n_packets;
	long peak_kib;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check(int code, const struct err *err)
{
	if (!code)
		return;
	fprintf(stderr, "report_bench: %s\n", err->msg);
	exit(3);
}

static void put(struct maker *maker, struct event event, size_t n_args)
{
	struct err err;

	event.args = maker->args;
	event.n_args = n_args;
	check(sink_put(maker->sink, &event, &err), &err);
}

static uint32_t define(struct maker *maker, struct track_def def)
{
	uint32_t track = sink_new_track(maker->sink);

	put(maker, (struct event){ EVENT_TRACK, .track = track, .def = &def }, 0);
	return track;
}

static void begin_recording(struct maker *maker, struct sink *sink)
{
	struct names *names = sink->names;
	uint32_t process;
	char text[64];

	*maker = (struct maker){ .sink = sink,
				 .provider = names_of(names, "CPUExecutionProvider"),
				 .model = names_of(names, "bench"),
				 .ok = names_of(names, "ok"),
				 .random = 1 };
	for (int i = 0; i < N_TYPES; i++) {
		snprintf(text, sizeof text, "Type%d", i);
		maker->op_type[i] = names_of(names, text);
	}
	for (int i = 0; i < N_NODES; i++) {
		snprintf(text, sizeof text, "/layer%d/conv%d/Conv", i / 10, i);
		maker->node[i] = names_of(names, text);
	}
	process = define(maker, (struct track_def){ TRACK_PROCESS, .pid = 1000, .name = maker->model });
	for (int i = 0; i < N_THREADS; i++) {
		maker->thread[i] =
		    define(maker, (struct track_def){ TRACK_THREAD, process, .pid = 1000, .tid = 1001 + i });
		maker->lane[i] = define(maker, (struct track_def){ TRACK_LANE, process, .name = maker->model });
		maker->time_ns[i] = 1000000000;
	}
	maker->args[0] = arg_name(KEY_LEVEL, names_of(names, "operator"));
	put(maker,
	    (struct event){ EVENT_INSTANT, KIND_NOTE, process, names_of(names, EVENT_NOTE_RECORDING), 1000000000 }, 1);
}

/* Durations that vary as on a real machine. */
static uint64_t step(struct maker *maker, int thread, uint64_t ns)
{
	maker->random = maker->random * 6364136223846793005u + 1442695040888963407u;
	return maker->time_ns[thread] += ns + ns * (maker->random >> 40) / (8u << 24);
}

static void put_inference(struct maker *maker, int64_t number)
{
	int thread = (int)(number / 5 % N_THREADS);

	maker->args[0] = arg_name(KEY_MODEL, maker->model);
	maker->args[1] = arg_int(KEY_SESSION, 1);
	maker->args[2] = arg_int(KEY_ID, number);
	maker->args[3] = arg_int(KEY_INFERENCE, number);
	put(maker,
	    (struct event){ EVENT_BEGIN, KIND_INFERENCE, maker->lane[thread], maker->model, step(maker, thread, 1000) },
	    4);
	for (int node = 0; node < maker->n_nodes; node++) {
		maker->args[0] = arg_name(KEY_OP_TYPE, maker->op_type[node % N_TYPES]);
		maker->args[1] = arg_name(KEY_PROVIDER, maker->provider);
		maker->args[2] = arg_int(KEY_INFERENCE, number);
		put(maker,
		    (struct event){ EVENT_BEGIN, KIND_OPERATOR, maker->thread[thread], maker->node[node],
				    step(maker, thread, 100) },
		    3);
		put(maker,
		    (struct event){ EVENT_END, .track = maker->thread[thread],
				    .time_ns = step(maker, thread, 500 + (uint64_t)node * 20) },
		    0);
	}
	maker->args[0] = arg_name(KEY_STATUS, maker->ok);
	put(maker, (struct event){ EVENT_END, .track = maker->lane[thread], .time_ns = step(maker, thread, 500) }, 1);
}

static void make_recording(const char *path, uint64_t n_inferences, int n_nodes, bool compress)
{
	const struct perfetto_write_opts opts = { .compress = compress };
	struct names *names = names_new();
	uint32_t last_track = 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct perfetto_writer *writer;
	struct maker maker;
	struct err err = { .msg = "cannot open the file for the recording" };

	check(fd < 0, &err);
	writer = perfetto_write_new(fd, names, &last_track, &opts, &err);
	check(!writer, &err);
	begin_recording(&maker, perfetto_write_sink(writer));
	maker.n_nodes = n_nodes;
	for (uint64_t i = 0; i < n_inferences; i++)
		put_inference(&maker, (int64_t)i + 1);
	check(perfetto_write_free(writer, &err), &err);
	close(fd);
	names_free(names);
}

static int drop(struct sink *sink, const struct event *event, struct err *err)
{
	return 0;
}

/* The complete work of `inftrace report`; the page goes to /dev/null. */
static struct result measure(const char *path)
{
	static const struct report_look look;
	struct recording recording;
	struct recorded recorded;
	struct rusage usage;
	struct result to = { 0 };
	struct err err;
	FILE *out = fopen("/dev/null", "w");
	double start = now();

	check(recording_sum_up(&recording, path, NULL, &err), &err);
	to.sum_up_s = now() - start;
	start = now();
	check(recorded_init(&recorded, recording.summary, &err), &err);
	report_write(out, reports[0], &(struct report){ recording.summary, recorded.model, recorded.n }, &look);
	fclose(out);
	to.page_s = now() - start;
	to.n_packets = 2 * recording.summary->counts.n_slices;
	getrusage(RUSAGE_SELF, &usage);
	to.peak_kib = usage.ru_maxrss;
	recorded_done(&recorded);
	recording_close(&recording);
	return to;
}

static double read_only(const char *path)
{
	struct names *names = names_new();
	uint32_t last_track = 0;
	struct sink floor = { drop, names, &last_track };
	struct import import;
	struct err err;
	double start = now();

	check(import_open(&import, path, &err), &err);
	check(import_read(&import, &floor, &err), &err);
	import_close(&import);
	names_free(names);
	return now() - start;
}

static double total(const struct result *result)
{
	return result->sum_up_s + result->page_s;
}

/* Each time in a child: its memory is new. */
static struct result best_of(const char *path, int n_times)
{
	struct result *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct result best = { 0 };

	for (int i = 0; i < n_times; i++) {
		int status;
		pid_t child = fork();

		if (!child) {
			*shared = measure(path);
			shared->read_s = n_times > 1 ? read_only(path) : 0;
			_exit(0);
		}
		if (waitpid(child, &status, 0) < 0 || status) {
			fprintf(stderr, "report_bench: a measurement failed\n");
			exit(3);
		}
		shared->read_s = i && best.read_s < shared->read_s ? best.read_s : shared->read_s;
		if (!i || total(shared) < total(&best))
			best = *shared;
		best.read_s = shared->read_s;
	}
	munmap(shared, sizeof *shared);
	return best;
}

static struct result bench(const char *path, uint64_t n_operators)
{
	struct result result;
	struct stat stat;
	double rate;

	make_recording(path, n_operators / N_NODES, N_NODES, false);
	if (lstat(path, &stat))
		exit(3);
	result = best_of(path, N_TIMES);
	rate = (double)result.n_packets / total(&result);
	printf("recording: %.1f M operators, %.1f M events, %.0f MiB\n", (double)n_operators / 1e6,
	       (double)result.n_packets / 1e6, (double)stat.st_size / (1 << 20));
	printf("report: %.1f M events/s, %.2f s, %.1f ns an event (budget: %.0f M/s)\n", rate / 1e6, total(&result),
	       1e9 / rate, budget / 1e6);
	printf(
	    "  reading alone %.2f s (floor: %.1f M events/s), with summing up %.2f s, print %.3f s; at most %.1f MiB\n",
	    result.read_s, (double)result.n_packets / result.read_s / 1e6, result.sum_up_s, result.page_s,
	    (double)result.peak_kib / 1024);
	fflush(stdout);
	return result;
}

/* A row for each size: of the file, the events in it, the time, and the memory, which must stay below MAX_MIB. */
static bool plot(const char *path, uint64_t from, uint64_t up_to)
{
	enum { OPERATOR_BYTES = 46, INFERENCE_BYTES = 50, MAX_MIB = 1024 };
	bool is_good = true;

	printf("%-28s %10s %12s %9s %12s\n", "recording", "MiB", "M events", "report", "memory");
	for (int kind = 0; kind < 4; kind++) {
		int n_nodes = kind / 2 ? 0 : N_NODES;
		for (uint64_t bytes = from; bytes <= up_to; bytes *= 10) {
			struct result result;
			struct stat stat;

			make_recording(path, bytes / (uint64_t)(n_nodes * OPERATOR_BYTES + INFERENCE_BYTES), n_nodes,
				       kind % 2);
			if (lstat(path, &stat))
				exit(3);
			result = best_of(path, 1);
			printf("%-28s %10.0f %12.1f %7.2f s %8.1f MiB\n",
			       kind == 0   ? "operators"
			       : kind == 1 ? "operators, compressed"
			       : kind == 2 ? "inferences alone"
					   : "inferences alone, compressed",
			       (double)stat.st_size / (1 << 20), (double)result.n_packets / 1e6, total(&result),
			       (double)result.peak_kib / 1024);
			fflush(stdout);
			is_good &= result.peak_kib <= MAX_MIB * 1024l;
		}
	}
	return is_good;
}

int main(int argc, char **argv)
{
	static const uint64_t sizes[] = { 1000000, 6000000, 20000000 };
	uint64_t n_operators = 0, from = 10000000, up_to = 0;
	const char *folder = "/tmp";
	bool is_check = false, is_kept = false, is_good = true;
	struct result first = { 0 }, result;
	char path[4096];

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--check"))
			is_check = true;
		else if (!strcmp(argv[i], "--operators") && i + 1 < argc)
			n_operators = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--plot") && i + 1 < argc)
			up_to = strtoull(argv[++i], NULL, 10) * 1000000;
		else if (!strcmp(argv[i], "--from") && i + 1 < argc)
			from = strtoull(argv[++i], NULL, 10) * 1000000;
		else
			is_kept = (folder = argv[i]) != NULL;
	}
	snprintf(path, sizeof path, "%s/bench-report.pftrace", folder);
	if (up_to) {
		is_good = plot(path, from, up_to);
		unlink(path);
		return !is_good;
	}
	for (size_t i = 0; i < (n_operators ? 1 : sizeof sizes / sizeof *sizes); i++) {
		result = bench(path, n_operators ? n_operators : sizes[i]);
		first = i ? first : result;
		is_good &= (double)result.n_packets / total(&result) >= budget;
	}
	is_good &= (double)result.peak_kib <= max_growth * (double)first.peak_kib;
	if (!is_kept)
		unlink(path);
	return is_check && !is_good;
}
