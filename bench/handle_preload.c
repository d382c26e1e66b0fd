// SPDX-License-Identifier: Apache-2.0
/*
 * Preloaded into a player: starts a stream of libinftrace on all models before the program begins. HANDLE_TYPE is
 * latency or trace, HANDLE_EVERY as in the options, HANDLE_COUNT a file that gets the number of samples reported.
 */
#include <inftrace_profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct inftrace_profile *profile;
static unsigned long n_samples;

static void report(void *ctx, const struct inftrace_report *made)
{
	n_samples += made->n_samples;
}

/* At exit, before the library ends its callbacks. */
static void stop(void)
{
	FILE *out = getenv("HANDLE_COUNT") ? fopen(getenv("HANDLE_COUNT"), "w") : NULL;

	inftrace_profile_stop(profile);
	inftrace_profile_flush(profile);
	if (!out)
		return;
	fprintf(out, "%lu\n", n_samples);
	fclose(out);
}

__attribute__((constructor)) static void start(void)
{
	struct inftrace_stream_opts opts = { .size = sizeof opts, .rate_ms = 500, .report = report, .models = "." };

	if (!getenv("HANDLE_TYPE") || !getenv("HANDLE_EVERY"))
		return;
	unsetenv("LD_PRELOAD");
	opts.type = strcmp(getenv("HANDLE_TYPE"), "trace") ? INFTRACE_LATENCY : INFTRACE_TRACE;
	opts.every = (uint32_t)atoi(getenv("HANDLE_EVERY"));
	if (inftrace_profile_stream(&opts, &profile) || inftrace_profile_start(profile)) {
		fprintf(stderr, "handle_preload: %s\n", inftrace_profile_message());
		exit(3);
	}
	atexit(stop);
}
