/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiled_reload LIBRARY MODEL SHAPE OUT_LEN: unloads the runtime and loads it again while a stream on all models
 * runs. Prints what was listed and reported.
 */
#include <inftrace_profile.h>
#include <stdlib.h>
#include <unistd.h>

#include "ort.h"

static long n_samples;

static void report(void *ctx, const struct inftrace_report *report)
{
	n_samples += report->n_samples;
}

static void see(void *ctx, const struct inftrace_program *program)
{
	*(long *)ctx += program->n_inferences;
}

static void check(int code)
{
	if (code)
		die("handle", inftrace_profile_message());
}

/* Runs until the runtime is hooked, and n times more. */
static void use(char **argv, int n)
{
	struct model model;
	struct ort ort;
	long n_seen = 0;

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	while (!n_seen) {
		model_run(&model);
		usleep(10000);
		inftrace_profile_list(see, &n_seen);
	}
	while (n-- > 0)
		model_run(&model);
	n_seen = 0;
	printf("listed %d", inftrace_profile_list(see, &n_seen));
	model_close(&model);
	ort_close(&ort);
	runtime_close();
	printf(", then %d\n", inftrace_profile_list(see, &n_seen));
	n_samples -= n_seen;
}

int main(int argc, char **argv)
{
	struct inftrace_stream_opts opts = { .size = sizeof opts, .rate_ms = 3600000, .report = report, .models = "." };
	struct inftrace_profile *profile;

	if (argc < 5)
		die("usage", "profiled_reload LIBRARY MODEL SHAPE OUT_LEN");
	check(inftrace_profile_stream(&opts, &profile));
	check(inftrace_profile_start(profile));
	use(argv, 5);
	use(argv, 7);
	check(inftrace_profile_stop(profile));
	check(inftrace_profile_flush(profile));
	printf("reported and not listed: %ld\n", n_samples);
	inftrace_profile_close(profile);
	return 0;
}
