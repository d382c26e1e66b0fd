/* SPDX-License-Identifier: Apache-2.0 */
/*
 * beside LIBRARY MODEL SHAPE OUT_LEN: does what each line of standard input says, and answers with a line: start and
 * stop a stream on one session, run N: that session N times. Meanwhile two threads run sessions of their own. At the
 * end of the input it prints what a server does (attaching.py).
 */
#include <inftrace_profile.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ort.h"

enum { OTHERS = 2 };

static struct model model, other[OTHERS];
static bool is_over;
static uint64_t expected;
static long runs, differ;

/* Of the reports since the last start. */
static struct got {
	long samples, reports, gaps, lost;
	uint64_t from_ns, until_ns;
} got;

static void report(void *ctx, const struct inftrace_report *report)
{
	got.gaps += got.reports && report->from_ns != got.until_ns;
	got.from_ns = got.reports ? got.from_ns : report->from_ns;
	got.until_ns = report->to_ns;
	got.samples += report->n_samples;
	got.lost += (long)report->n_lost;
	got.reports++;
}

static void *work(void *arg)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
		model_run(arg), usleep(1000);
	return NULL;
}

static void obey(struct inftrace_profile *profile, const char *line)
{
	int code;

	if (!strcmp(line, "start\n")) {
		memset(&got, 0, sizeof got);
		code = inftrace_profile_start(profile);
		printf("started: %s\n", code ? inftrace_profile_message() : "yes");
	} else if (!strcmp(line, "stop\n")) {
		inftrace_profile_stop(profile);
		inftrace_profile_flush(profile);
		printf("%ld samples, %ld lost, %ld gaps from %" PRIu64 " to %" PRIu64 "\n", got.samples, got.lost,
		       got.gaps, got.from_ns, got.until_ns);
	} else {
		for (long n = strncmp(line, "run ", 4) ? 0 : atol(line + 4); n; n--, runs++)
			differ += model_run(&model) != expected;
		printf("ran\n");
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct inftrace_stream_opts opts = { .size = sizeof opts, .rate_ms = 20, .report = report };
	struct inftrace_profile *profile;
	pthread_t thread[OTHERS];
	char line[64];
	struct ort ort;

	if (argc < 5)
		die("usage", "beside LIBRARY MODEL SHAPE OUT_LEN");
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	expected = model_run(&model);
	if (inftrace_profile_stream(&opts, &profile) || inftrace_profile_add_session(profile, model.session))
		die("handle", inftrace_profile_message());
	for (int i = 0; i < OTHERS; i++) {
		model_open(&other[i], &ort, argv[2], argv[3], (size_t)atol(argv[4]));
		pthread_create(&thread[i], NULL, work, &other[i]);
	}
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin))
		obey(profile, line);
	__atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
	for (int i = 0; i < OTHERS; i++) {
		pthread_join(thread[i], NULL);
		model_close(&other[i]);
	}
	inftrace_profile_close(profile);
	model_close(&model);
	ort_close(&ort);
	printf("differ %ld\nruns %ld failed 0\n", differ, runs);
	return 0;
}
