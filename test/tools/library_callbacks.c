/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks of handles, on inferences that the program annotates itself: prints what doc/library.md says of them. */
#include <errno.h>
#include <inftrace.h>
#include <inftrace_profile.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { WAITING = 1000, MORE = 50, TURNS = 40 };

static const struct inftrace_name *net;

static void run(void)
{
	inftrace_begin(net);
	inftrace_end();
}

static void check(const char *what, int code)
{
	if (!code)
		return;
	printf("%s: %d, %s\n", what, code, inftrace_profile_message());
	exit(1);
}

static struct inftrace_profile *samples(uint32_t n, inftrace_report_fn *report, void *ctx)
{
	char model[] = "net";
	struct inftrace_samples_opts opts = {
		.size = sizeof opts, .model = model, .n_samples = n, .report = report, .ctx = ctx
	};
	struct inftrace_profile *profile;

	check("open", inftrace_profile_samples(&opts, &profile));
	/* it has copied them */
	memset(model, 'x', sizeof model - 1);
	memset(&opts, 0xff, sizeof opts);
	return profile;
}

static struct inftrace_profile *stream(uint32_t rate_ms, inftrace_report_fn *report, void *ctx)
{
	struct inftrace_stream_opts opts = { .size = sizeof opts, .rate_ms = rate_ms, .report = report, .ctx = ctx };
	struct inftrace_profile *profile;

	check("open", inftrace_profile_stream(&opts, &profile));
	check("add", inftrace_profile_add(profile, "net"));
	return profile;
}

static void run_one(struct inftrace_profile *profile)
{
	check("start", inftrace_profile_start(profile));
	usleep(10); /* clocks are converted: not within a moment of the start and the stop */
	run();
	usleep(10);
	inftrace_profile_stop(profile); /* it may have stopped by itself */
}

/* ---- 1,000 reports wait at most, and the next one counts what was dropped */

static sem_t go_on;
static unsigned n_reports, n_samples, n_lost;

static void report_late(void *ctx, const struct inftrace_report *report)
{
	(void)ctx;
	if (!n_reports++)
		sem_wait(&go_on);
	n_samples += report->n_samples;
	n_lost = (unsigned)report->n_lost;
}

static void print_waiting(void)
{
	struct inftrace_profile *profile = samples(1, report_late, NULL);
	struct inftrace_profile *held = samples(1u << 31, report_late, NULL); /* so that the hooks stay in meanwhile */

	sem_init(&go_on, 0, 0);
	check("start", inftrace_profile_start(held));
	for (int i = 0; i < WAITING + MORE; i++)
		run_one(profile);
	sem_post(&go_on);
	check("flush", inftrace_profile_flush(profile));
	printf("waiting: %u reports of %u samples, %u lost\n", n_reports, n_samples, n_lost);
	run_one(profile);
	check("flush", inftrace_profile_flush(profile));
	printf("the next one: %u samples, %u lost\n", n_samples - WAITING, n_lost);
	inftrace_profile_close(profile);
	inftrace_profile_close(held);
}

/* ---- one at a time, those of a handle in order; signals are blocked; every function but flush may be called */

struct got {
	struct inftrace_profile *profile;
	uint64_t until_ns;
	unsigned reports, samples, disorder, refused;
};

static int n_inside;
static unsigned n_together, n_signals;

static void list(void *ctx, const struct inftrace_program *program)
{
	*(unsigned *)ctx += !strcmp(program->model, "net");
}

static void report_in_turn(void *ctx, const struct inftrace_report *report)
{
	struct got *got = ctx;
	unsigned n_listed = 0;
	sigset_t blocked;

	n_together += __atomic_add_fetch(&n_inside, 1, __ATOMIC_SEQ_CST) != 1;
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	n_signals += !sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGPROF);
	got->disorder += !strcmp(report->model, "net") && report->from_ns != got->until_ns && got->until_ns;
	if (!strcmp(report->model, "net"))
		got->until_ns = report->to_ns;
	got->samples += report->n_samples;
	got->refused += inftrace_profile_flush(got->profile) != -EDEADLK;
	got->refused += inftrace_profile_list(list, &n_listed) != (int)n_listed;
	if (!got->reports++) {
		got->refused += inftrace_profile_add(got->profile, "another") != 0;
		got->refused += inftrace_profile_remove(got->profile, "another") != 0;
		got->refused += inftrace_profile_add_session(got->profile, got) != 0;
		got->refused += inftrace_profile_remove_session(got->profile, got) != 0;
	}
	__atomic_sub_fetch(&n_inside, 1, __ATOMIC_SEQ_CST);
}

static void print_turns(void)
{
	enum { HANDLES = 3 };
	struct got got[HANDLES] = { 0 };
	unsigned n_runs = 0;

	for (int i = 0; i < HANDLES; i++) {
		got[i].profile = stream((uint32_t)(1 + i), report_in_turn, &got[i]);
		check("start", inftrace_profile_start(got[i].profile));
	}
	for (bool goes_on = true; goes_on; n_runs++) {
		run();
		usleep(200); /* else there are millions of samples */
		goes_on = false;
		for (int i = 0; i < HANDLES; i++)
			goes_on |= __atomic_load_n(&got[i].reports, __ATOMIC_RELAXED) < TURNS;
	}
	for (int i = 0; i < HANDLES; i++) {
		check("stop", inftrace_profile_stop(got[i].profile));
		check("flush", inftrace_profile_flush(got[i].profile));
		printf("handle %d: %s, %u out of order, %u refused\n", i + 1,
		       got[i].samples == n_runs ? "every sample" : "other samples", got[i].disorder, got[i].refused);
		inftrace_profile_close(got[i].profile);
	}
	printf("%u at the same time, %u with open signals\n", n_together, n_signals);
}

int main(void)
{
	net = inftrace_intern_with(&(struct inftrace_name_opts){
	    .size = sizeof(struct inftrace_name_opts), .kind = INFTRACE_INFERENCE, .model = "net" });
	if (getauxval(AT_SECURE)) {
		struct inftrace_profile *profile = samples(1, report_late, NULL);
		int code = inftrace_profile_start(profile);

		printf("%d, %s\n", code == -EPERM, inftrace_profile_message());
		return 0;
	}
	print_waiting();
	print_turns();
	return 0;
}
