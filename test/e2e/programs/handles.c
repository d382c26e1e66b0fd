/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handles LIBRARY MODEL SHAPE OUT_LEN NAME FOLDER: profiles its own runs of the model called NAME by handles, and
 * writes the last reports into FOLDER. Prints what the handles did; to standard error its own number of runs.
 */
#include <errno.h>
#include <inftrace_profile.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ort.h"

static struct model model;
static const char *name, *folder;
static int n_runs;

/* What the callback of one handle has got. */
struct got {
	const char *file;
	long reports, samples, empty, faults;
	uint64_t until_ns;
	struct inftrace_profile *profile;      /* to be closed in the callback */
	struct inftrace_profile *again, *last; /* to be started and stopped in it */
	unsigned block_ms;
	pthread_t thread;
};

static void report(void *ctx, const struct inftrace_report *report)
{
	struct got *got = ctx;
	char path[4096];
	FILE *out;

	got->reports++;
	got->samples += report->n_samples;
	got->empty += !report->n_samples;
	got->faults += strcmp(report->model, name) || strlen(report->text) != report->text_len ||
		       report->size != sizeof *report || report->from_ns > report->to_ns ||
		       (got->until_ns && report->from_ns < got->until_ns);
	got->until_ns = report->to_ns;
	got->thread = pthread_self();
	usleep(got->block_ms * 1000);
	if (report->n_samples) {
		snprintf(path, sizeof path, "%s/%s", folder, got->file);
		out = fopen(path, "w");
		fputs(report->text, out);
		fclose(out);
	}
	if (got->again && got->reports < 4)
		got->faults += inftrace_profile_start(got->again) != 0;
	if (got->last && inftrace_profile_stop(got->last) == 0)
		got->last = NULL;
	if (got->profile) {
		got->faults += inftrace_profile_flush(got->profile) != -EDEADLK;
		inftrace_profile_close(got->profile);
		got->profile = NULL;
	}
}

static void print(const char *what, const struct got *got)
{
	printf("%s: %ld reports, %ld samples, %ld faults%s\n", what, got->reports, got->samples, got->faults,
	       pthread_equal(got->thread, pthread_self()) ? ", on this thread" : "");
	fflush(stdout);
}

static struct inftrace_profile *samples(uint32_t n, uint32_t type, struct got *got)
{
	struct inftrace_samples_opts opts = {
		.size = sizeof opts, .model = name, .n_samples = n, .type = type, .report = report, .ctx = got
	};
	struct inftrace_profile *profile;
	int code = inftrace_profile_samples(&opts, &profile);

	if (code)
		die("inftrace_profile_samples", strerror(-code));
	return profile;
}

static struct inftrace_profile *stream(uint32_t rate_ms, uint32_t every, struct got *got)
{
	struct inftrace_stream_opts opts = {
		.size = sizeof opts, .rate_ms = rate_ms, .every = every, .report = report, .ctx = got
	};
	struct inftrace_profile *profile;
	int code = inftrace_profile_stream(&opts, &profile);

	if (code || (code = inftrace_profile_add(profile, name)))
		die("inftrace_profile_stream", strerror(-code));
	return profile;
}

static void start(struct inftrace_profile *profile)
{
	int code = inftrace_profile_start(profile);

	if (code)
		die("inftrace_profile_start", strerror(-code));
}

static void run(int n)
{
	for (int i = 0; i < n; i++)
		model_run(&model);
	n_runs += n;
}

/* Operators are recorded from a start on, or not. */
static void trace_beside_latencies(void)
{
	struct got got = { .file = "beside.txt" }, trace = { .file = "beside.json" };
	struct inftrace_profile *first = samples(1000, INFTRACE_LATENCY, &got), *second;

	start(first);
	second = samples(2, INFTRACE_TRACE, &trace);
	/* the recorder of a recorded program may record operators already */
	printf("trace: %s\n", strerror(-inftrace_profile_start(second)));
	inftrace_profile_stop(second);
	inftrace_profile_stop(first);
	start(second);
	run(2);
	inftrace_profile_stop(second);
	inftrace_profile_flush(second);
	print("later", &trace);
	inftrace_profile_close(first);
	inftrace_profile_close(second);
}

static void by_number(void)
{
	struct got latency = { .file = "latency.txt" }, trace = { .file = "trace.json" };
	struct inftrace_profile *first = samples(25, INFTRACE_LATENCY, &latency);
	struct inftrace_profile *second = samples(3, INFTRACE_TRACE, &trace);

	for (int turn = 0; turn < 2; turn++) {
		start(first);
		start(second);
		run(40);
		/* they stop by themselves: a stop may come first, or too late */
		inftrace_profile_stop(first);
		inftrace_profile_stop(second);
		inftrace_profile_flush(first);
		inftrace_profile_flush(second);
	}
	print("25 samples twice", &latency);
	print("trace of 3 twice", &trace);
	start(first);
	inftrace_profile_stop(first);
	inftrace_profile_flush(first);
	print("no inference", &latency);
	start(first);
	run(7);
	printf("stop %s", inftrace_profile_stop(first) ? "failed" : "worked");
	printf(", again: %s\n", strerror(-inftrace_profile_stop(first)));
	inftrace_profile_flush(first);
	print("stopped after 7", &latency);
	inftrace_profile_close(first);
	inftrace_profile_close(second);
}

static void by_time(void)
{
	struct got all = { .file = "stream.txt" }, fourth = { .file = "fourth.txt" }, slow = { .file = "slow.txt" };
	struct inftrace_profile *one = stream(50, 1, &all), *two = stream(70, 4, &fourth),
				*three = stream(40, 1, &slow);

	slow.block_ms = 60;
	start(one);
	start(two);
	start(three);
	for (int i = 0; i < 100; i++) {
		run(2);
		usleep(2000);
	}
	inftrace_profile_stop(one);
	inftrace_profile_stop(two);
	inftrace_profile_stop(three);
	inftrace_profile_flush(one);
	inftrace_profile_flush(two);
	inftrace_profile_flush(three);
	printf("stream: %s reports, %ld samples, %ld faults\n", all.reports > 3 ? "several" : "few", all.samples,
	       all.faults);
	printf("every fourth: %ld samples, %ld faults\n", fourth.samples, fourth.faults);
	printf("slow: %ld samples, %ld faults\n", slow.samples, slow.faults);
	all.empty = all.reports = all.samples = 0;
	start(one);
	while (!__atomic_load_n(&all.reports, __ATOMIC_ACQUIRE))
		usleep(1000);
	inftrace_profile_stop(one);
	inftrace_profile_flush(one);
	printf("idle: %s\n", all.reports == all.empty && !all.samples ? "empty reports" : "samples");
	inftrace_profile_close(one);
	inftrace_profile_close(two);
	inftrace_profile_close(three);
}

static void closed_in_its_callback(void)
{
	struct got got = { .file = "closed.txt" };

	got.profile = stream(30, 1, &got);
	start(got.profile);
	while (__atomic_load_n(&got.profile, __ATOMIC_ACQUIRE))
		usleep(1000);
	usleep(100000);
	print("closed", &got);
}

/* A callback may start and stop its own handle. */
static void driven_by_its_callback(void)
{
	struct got again = { .file = "again.txt" }, last = { .file = "last.txt" };
	struct inftrace_profile *samples_of = samples(5, INFTRACE_LATENCY, &again), *stream_of = stream(30, 1, &last);

	again.again = samples_of;
	last.last = stream_of;
	start(samples_of);
	while (__atomic_load_n(&again.reports, __ATOMIC_ACQUIRE) < 4)
		run(1);
	inftrace_profile_flush(samples_of);
	print("started in its callback", &again);
	start(stream_of);
	while (__atomic_load_n(&last.reports, __ATOMIC_ACQUIRE) < 2)
		usleep(1000);
	inftrace_profile_flush(stream_of);
	printf("stopped in its callback: %s\n", strerror(-inftrace_profile_stop(stream_of)));
	/* more of them if the callback was late */
	printf("last: %s reports, %ld faults\n", last.reports > 1 ? "several" : "few", last.faults);
	inftrace_profile_close(samples_of);
	inftrace_profile_close(stream_of);
}

static void forked(void)
{
	struct got got = { .file = "forked.txt" };
	struct inftrace_profile *profile = samples(1000, INFTRACE_LATENCY, &got);
	int status;

	start(profile);
	run(5);
	if (!fork()) {
		run(5);
		status = inftrace_profile_start(profile) == -ECHILD && inftrace_profile_stop(profile) == -EALREADY &&
			 !inftrace_profile_flush(profile);
		inftrace_profile_close(profile);
		_exit(status);
	}
	wait(&status);
	run(5);
	inftrace_profile_stop(profile);
	inftrace_profile_flush(profile);
	inftrace_profile_close(profile);
	printf("child: %d\n", WEXITSTATUS(status));
	print("parent", &got);
}

int main(int argc, char **argv)
{
	struct got got = { .file = "busy.txt" };
	struct inftrace_profile *profile;
	struct ort ort;
	int code;

	if (argc < 7)
		die("usage", "handles LIBRARY MODEL SHAPE OUT_LEN NAME FOLDER");
	name = argv[5];
	folder = argv[6];
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	run(1);
	profile = samples(5, INFTRACE_LATENCY, &got);
	code = inftrace_profile_start(profile);
	if (code) {
		printf("start: %s\n", strerror(-code));
	} else {
		printf("start again: %s\n", strerror(-inftrace_profile_start(profile)));
		inftrace_profile_close(profile);
		trace_beside_latencies();
		by_number();
		by_time();
		closed_in_its_callback();
		driven_by_its_callback();
		forked();
	}
	run(1);
	fprintf(stderr, "%d runs\n", n_runs);
	model_close(&model);
	ort_close(&ort);
	return 0;
}
