// SPDX-License-Identifier: Apache-2.0
/*
 * The speed and memory of `inftrace report`: events (packets) per second from the file to the page. Four threads run a
 * model of 200 operators. Recordings of 1, 6 and 20 million slices show whether memory grows with their size. The best
 * of three, each in a new process, so that page faults count as they do for a user. Floor: reading alone.
 *
 *	report_bench --plot MB [--from MB] [--only WORDS] [FOLDER]
 *								time and memory from 10 MB to so many: 10000 is 10 GB
 *	report_bench [--check] [--operators N] [--compressed] [FOLDER]
 *								--check: exit 1 below the budget, or when
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
#include "made_recording.h"
#include "show/report/reports.h"
#include "trace/import/import.h"

enum { N_NODES = 200, N_TIMES = 3, MAX_THREADS = 1000000 };
static const double budget = 10e6; /* events per second */
static const double max_growth =
    2; /* of memory, from the smallest recording, whose values are all kept, to the largest */

struct plot {
	uint64_t from, up_to; /* bytes of the file */
	const char *only;     /* kinds with this in their name; NULL: all */
};

struct result {
	double read_s, sum_up_s, page_s;
	double cpu_s; /* of all of it */
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

static void make_recording(const char *path, const struct made_recording *made)
{
	struct err err;

	check(made_recording_write(made, path, &err), &err);
}

static int drop(struct sink *sink, const struct event *event, struct err *err)
{
	return 0;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
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
	double start = now(), cpu_s;

	getrusage(RUSAGE_SELF, &usage);
	cpu_s = seconds(&usage.ru_utime) + seconds(&usage.ru_stime);
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
	to.cpu_s = seconds(&usage.ru_utime) + seconds(&usage.ru_stime) - cpu_s;
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

static struct result bench(const char *path, uint64_t n_operators, bool is_compressed)
{
	struct result result;
	struct stat stat;
	double rate;

	make_recording(path, &(struct made_recording){ MADE_OPERATORS, n_operators / N_NODES, N_NODES, is_compressed });
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

/* About as many inferences make a file of so many bytes. */
static uint64_t inferences_for(const struct made_recording *made, uint64_t bytes)
{
	static const uint64_t plain[] = { 0, 50, 700, 105, 350 };
	uint64_t each = made->kind == MADE_OPERATORS ? 50 + 46 * (uint64_t)made->n_nodes : plain[made->kind];

	return bytes * (made->is_compressed ? 7 : 1) / each;
}

static bool plot_one(const char *path, const struct made_recording *made)
{
	enum { MAX_MIB = 1024 };
	struct result result;
	struct stat stat;

	make_recording(path, made);
	if (lstat(path, &stat))
		exit(3);
	result = best_of(path, 1);
	printf("%-36s %-10s %8.0f %10.1f %8.2f s %8.2f s %6.1f %8.1f MiB\n", made_recording_name(made->kind),
	       made->is_compressed ? "compressed" : "plain", (double)stat.st_size / (1 << 20),
	       (double)result.n_packets / 1e6, total(&result), result.cpu_s,
	       (double)result.n_packets / result.cpu_s / 1e6, (double)result.peak_kib / 1024);
	fflush(stdout);
	return result.peak_kib <= MAX_MIB * 1024l;
}

/* A row for each size of the file: the events in it, the time, the speed, and the memory, which is bounded. */
static bool plot(const char *path, const struct plot *plot)
{
	bool is_good = true;

	printf("%-36s %-10s %8s %10s %10s %10s %6s %12s\n", "recording", "", "MiB", "M events", "report", "CPU", "M/s",
	       "memory");
	for (int kind = 0; kind < 2 * N_MADE; kind++) {
		struct made_recording made = { (enum made_kind)(kind / 2), 0, N_NODES, kind % 2 };

		if (plot->only && !strstr(made_recording_name(made.kind), plot->only))
			continue;
		for (uint64_t bytes = plot->from; bytes <= plot->up_to; bytes *= 10) {
			made.n_inferences = inferences_for(&made, bytes);
			if (made.kind == MADE_THREADS && made.n_inferences > MAX_THREADS)
				continue; /* each has a line of its own: memory is in proportion to them */
			is_good &= plot_one(path, &made);
		}
	}
	return is_good;
}

int main(int argc, char **argv)
{
	static const uint64_t sizes[] = { 1000000, 6000000, 20000000 };
	struct plot what = { 10000000, 0, NULL };
	uint64_t n_operators = 0;
	const char *folder = "/tmp";
	bool is_check = false, is_kept = false, is_good = true, is_compressed = false;
	struct result first = { 0 }, result;
	char path[4096];

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--check"))
			is_check = true;
		else if (!strcmp(argv[i], "--compressed"))
			is_compressed = true;
		else if (!strcmp(argv[i], "--operators") && i + 1 < argc)
			n_operators = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--plot") && i + 1 < argc)
			what.up_to = strtoull(argv[++i], NULL, 10) * 1000000;
		else if (!strcmp(argv[i], "--from") && i + 1 < argc)
			what.from = strtoull(argv[++i], NULL, 10) * 1000000;
		else if (!strcmp(argv[i], "--only") && i + 1 < argc)
			what.only = argv[++i];
		else
			is_kept = (folder = argv[i]) != NULL;
	}
	snprintf(path, sizeof path, "%s/bench-report.pftrace", folder);
	if (what.up_to) {
		is_good = plot(path, &what);
		if (!is_kept)
			unlink(path);
		return !is_good;
	}
	for (size_t i = 0; i < (n_operators ? 1 : sizeof sizes / sizeof *sizes); i++) {
		result = bench(path, n_operators ? n_operators : sizes[i], is_compressed);
		first = i ? first : result;
		is_good &= (double)result.n_packets / total(&result) >= budget;
	}
	is_good &= (double)result.peak_kib <= max_growth * (double)first.peak_kib;
	if (!is_kept)
		unlink(path);
	return is_check && !is_good;
}
