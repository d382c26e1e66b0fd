/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowd LIBRARY MODEL SHAPE OUT_LEN RUNS: four threads, each with a session of its own, run a model RUNS times without
 * a pause, under a stream on all sessions and streams on each of them. Prints how many inferences are in reports, and
 * whether reports join without a gap.
 */
#include <inftrace_profile.h>
#include <pthread.h>
#include <stdlib.h>

#include "ort.h"

enum { THREADS = 4 };

static struct model model[THREADS];
static long runs;

struct got {
	long samples, reports, gaps, lost;
	uint64_t until_ns;
};

static void report(void *ctx, const struct inftrace_report *report)
{
	struct got *got = ctx;

	got->gaps += got->reports && report->from_ns != got->until_ns;
	got->until_ns = report->to_ns;
	got->samples += report->n_samples;
	got->lost += (long)report->n_lost;
	got->reports++;
}

static void check(int code)
{
	if (code)
		die("handle", inftrace_profile_message());
}

static struct inftrace_profile *stream(uint32_t rate_ms, const char *models, struct got *got)
{
	struct inftrace_stream_opts opts = {
		.size = sizeof opts, .rate_ms = rate_ms, .report = report, .ctx = got, .models = models
	};
	struct inftrace_profile *profile;

	check(inftrace_profile_stream(&opts, &profile));
	return profile;
}

static void *work(void *arg)
{
	for (long i = 0; i < runs; i++)
		model_run(arg);
	return NULL;
}

int main(int argc, char **argv)
{
	struct got all = { 0 }, one[THREADS] = { 0 };
	struct inftrace_profile *of_all = stream(20, ".", &all), *of_one[THREADS];
	pthread_t thread[THREADS];
	struct ort ort;

	if (argc < 6)
		die("usage", "crowd LIBRARY MODEL SHAPE OUT_LEN RUNS");
	runs = atol(argv[5]);
	ort_open(&ort, runtime_open(argv[1]));
	check(inftrace_profile_start(of_all));
	for (int i = 0; i < THREADS; i++) {
		model_open(&model[i], &ort, argv[2], argv[3], (size_t)atol(argv[4]));
		of_one[i] = stream((uint32_t)(10 + 7 * i), NULL, &one[i]);
		check(inftrace_profile_add_session(of_one[i], model[i].session));
		check(inftrace_profile_start(of_one[i]));
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, &model[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	check(inftrace_profile_stop(of_all));
	check(inftrace_profile_flush(of_all));
	printf("all: %ld samples, %ld lost, %ld gaps\n", all.samples, all.lost, all.gaps);
	for (int i = 0; i < THREADS; i++) {
		check(inftrace_profile_stop(of_one[i]));
		check(inftrace_profile_flush(of_one[i]));
		printf("one: %ld samples, %ld gaps\n", one[i].samples, one[i].gaps);
		inftrace_profile_close(of_one[i]);
		model_close(&model[i]);
	}
	inftrace_profile_close(of_all);
	ort_close(&ort);
	return 0;
}
