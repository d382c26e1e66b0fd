/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sessions LIBRARY MODEL SHAPE OUT_LEN NAME: profiles sessions of one name, which come and go, by pointer, by pattern
 * and by name. Prints what the handles did.
 */
#include <errno.h>
#include <inftrace_profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ort.h"

static struct ort ort;
static char **args;
static const char *name;

/* What the callback of one handle has got: of all programs, and of one session. */
struct got {
	long reports, samples, faults;
	long of_session;
	const void *session;
};

static void report(void *ctx, const struct inftrace_report *report)
{
	struct got *got = ctx;

	got->faults += strcmp(report->model, name) || report->n_lost || report->note || report->from_ns > report->to_ns;
	if (report->session && report->session == got->session)
		got->of_session += report->n_samples;
	else
		got->samples += report->n_samples;
	__atomic_add_fetch(&got->reports, 1, __ATOMIC_RELEASE);
}

static void check(const char *what, int code)
{
	if (code)
		die(what, inftrace_profile_message());
}

static struct model *opened(void)
{
	struct model *model = malloc(sizeof *model);

	model_open(model, &ort, args[2], args[3], (size_t)atol(args[4]));
	return model;
}

static void closed(struct model *model)
{
	model_close(model);
	free(model);
}

static void run(struct model *model, int n)
{
	while (n-- > 0)
		model_run(model);
}

static struct inftrace_profile *stream(const char *models, struct got *got)
{
	struct inftrace_stream_opts opts = {
		.size = sizeof opts, .rate_ms = 3600000, .report = report, .ctx = got, .models = models
	};
	struct inftrace_profile *profile;

	check("stream", inftrace_profile_stream(&opts, &profile));
	return profile;
}

static struct inftrace_profile *samples(const struct model *model, struct got *got)
{
	struct inftrace_samples_opts opts = {
		.size = sizeof opts, .n_samples = 1000, .report = report, .ctx = got, .session = model->session
	};
	struct inftrace_profile *profile;

	check("samples", inftrace_profile_samples(&opts, &profile));
	return profile;
}

static void stop(struct inftrace_profile *profile)
{
	check("stop", inftrace_profile_stop(profile));
	check("flush", inftrace_profile_flush(profile));
}

/* The sessions that are looked for in a list, as bits. */
struct seen {
	const struct model *model[3];
	unsigned found, inferences;
};

static void see(void *ctx, const struct inftrace_program *program)
{
	struct seen *seen = ctx;

	for (unsigned i = 0; i < 3; i++)
		if (seen->model[i] && seen->model[i]->session == program->session && program->number &&
		    !strcmp(program->model, name))
			seen->found |= 1u << i;
	seen->inferences += program->n_inferences;
}

static void print_list(const struct model *a, const struct model *b, const struct model *c)
{
	struct seen seen = { .model = { a, b, c } };
	int n = inftrace_profile_list(see, &seen);

	printf("list: %d, found %u, %u inferences\n", n, seen.found, seen.inferences);
}

/* One that was there before the agent is found by its first inference. */
static void late(const char *pattern)
{
	struct got got = { 0 };
	struct inftrace_profile *profile = stream(pattern, &got);
	struct model *model = opened();

	run(model, 1);
	print_list(model, NULL, NULL);
	check("start", inftrace_profile_start(profile));
	print_list(model, NULL, NULL);
	run(model, 3);
	print_list(model, NULL, NULL);
	stop(profile);
	printf("late: %ld samples, %ld faults\n", got.samples, got.faults);
	inftrace_profile_close(profile);
	closed(model);
}

static void by_pointer(void)
{
	struct got one = { 0 }, both = { 0 };
	struct inftrace_profile *watch = stream("^$", &both), *profile, *second = stream(NULL, &both);
	struct model *a, *b;

	check("start", inftrace_profile_start(watch));
	a = opened();
	b = opened();
	print_list(a, b, NULL);
	one.session = a->session;
	both.session = b->session;
	profile = samples(a, &one);
	check("add", inftrace_profile_add(second, name));
	check("add", inftrace_profile_add_session(second, b->session));
	printf("again: %s\n", strerror(-inftrace_profile_add_session(second, b->session)));
	check("start", inftrace_profile_start(profile));
	check("start", inftrace_profile_start(second));
	run(a, 5);
	run(b, 7);
	stop(profile);
	printf("one of two: %ld of it, %ld of others, %ld faults\n", one.of_session, one.samples, one.faults);
	one.of_session = one.reports = 0;
	check("start", inftrace_profile_start(profile));
	run(a, 4);
	closed(b);
	while (!__atomic_load_n(&both.reports, __ATOMIC_ACQUIRE))
		usleep(1000);
	printf("released: %ld of it; remove: %s\n", both.of_session,
	       strerror(-inftrace_profile_remove_session(second, both.session)));
	closed(a);
	while (!__atomic_load_n(&one.reports, __ATOMIC_ACQUIRE))
		usleep(1000);
	printf("released: %ld of it; stop: %s\n", one.of_session, inftrace_profile_stop(profile) ? "no" : "yes");
	printf("start: %s", strerror(-inftrace_profile_start(profile)));
	printf(", %s\n", inftrace_profile_message());
	stop(second);
	printf("by name beside it: %ld, %ld faults\n", both.samples, both.faults);
	print_list(NULL, NULL, NULL);
	inftrace_profile_close(profile);
	inftrace_profile_close(second);
	inftrace_profile_close(watch);
}

static void by_pattern(const char *pattern)
{
	struct got got = { 0 };
	struct inftrace_profile *profile = stream(pattern, &got);
	struct model *a, *b;

	check("start", inftrace_profile_start(profile));
	a = opened();
	b = opened();
	run(a, 2);
	run(b, 1);
	closed(a);
	run(b, 1);
	closed(b);
	while (!__atomic_load_n(&got.reports, __ATOMIC_ACQUIRE))
		usleep(1000);
	printf("dropped: %ld samples; remove: %s\n", got.samples, strerror(-inftrace_profile_remove(profile, name)));
	a = opened();
	run(a, 2);
	check("remove", inftrace_profile_remove(profile, name));
	run(a, 4);
	check("flush", inftrace_profile_flush(profile));
	printf("removed: %ld more samples\n", got.samples - 4);
	b = opened();
	run(a, 1);
	run(b, 2);
	stop(profile);
	printf("created: %ld more samples, %ld faults\n", got.samples - 6, got.faults);
	check("start", inftrace_profile_start(profile));
	run(b, 2);
	stop(profile);
	printf("started again: %ld more samples, %ld faults\n", got.samples - 9, got.faults);
	inftrace_profile_close(profile);
	closed(a);
	closed(b);
}

int main(int argc, char **argv)
{
	char pattern[256];

	if (argc < 6)
		die("usage", "sessions LIBRARY MODEL SHAPE OUT_LEN NAME");
	args = argv;
	name = argv[5];
	snprintf(pattern, sizeof pattern, "^(?:other|%s)$", name);
	ort_open(&ort, runtime_open(argv[1]));
	late(pattern);
	by_pointer();
	by_pattern(pattern);
	ort_close(&ort);
	return 0;
}
