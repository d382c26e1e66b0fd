/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_stress MS: 32 threads that make inferences of two models, and start, stop, flush and close handles of samples
 * of their own, and streams that they share, with programs that come and go by name, by pattern and by pointer. Prints
 * "done" if there were reports with samples. Built under thread sanitizer by library_test.py.
 */
#include <inftrace_profile.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 32, SHARED = 4 };

static struct inftrace_profile *shared[SHARED];
static const struct inftrace_name *run_name[2];
static const char *const model[2] = { "a", "b" };
static long n_samples;
static uint64_t until_ms;

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void report(void *ctx, const struct inftrace_report *got)
{
	(void)ctx;
	__atomic_fetch_add(&n_samples, (long)got->n_samples, __ATOMIC_RELAXED);
}

static struct inftrace_profile *open_own(unsigned number)
{
	struct inftrace_samples_opts opts = { .size = sizeof opts, .model = "a", .n_samples = 3, .report = report };
	struct inftrace_profile *profile;

	opts.type = number % 2;
	if (inftrace_profile_samples(&opts, &profile))
		abort();
	return profile;
}

static void see(void *ctx, const struct inftrace_program *program)
{
	*(long *)ctx += program->n_inferences;
}

static void infer(void)
{
	for (int i = 0; i < 6; i++) {
		INFTRACE_SLICE(run_name[i % 2]);
	}
}

static void *work(void *arg)
{
	unsigned number = (unsigned)(size_t)arg, seed = number;
	long n_listed = 0;
	struct inftrace_profile *own = open_own(number);

	while (now_ms() < until_ms) {
		struct inftrace_profile *any = rand_r(&seed) % 2 ? own : shared[rand_r(&seed) % SHARED];

		infer();
		switch (rand_r(&seed) % 9) {
		case 0:
			inftrace_profile_start(any);
			break;
		case 1:
			inftrace_profile_stop(any);
			break;
		case 2:
			inftrace_profile_add(any, model[rand_r(&seed) % 2]);
			break;
		case 3:
			inftrace_profile_remove(any, model[rand_r(&seed) % 2]);
			break;
		case 4:
			inftrace_profile_flush(any);
			break;
		case 5:
			inftrace_profile_close(own);
			own = open_own(number);
			break;
		case 6:
			inftrace_profile_add_session(any, &shared[rand_r(&seed) % SHARED]);
			break;
		case 7:
			inftrace_profile_remove_session(any, &shared[rand_r(&seed) % SHARED]);
			break;
		case 8:
			inftrace_profile_list(see, &n_listed);
		}
	}
	inftrace_profile_close(own);
	return NULL;
}

int main(int argc, char **argv)
{
	struct inftrace_name_opts run_opts = { .size = sizeof run_opts, .kind = INFTRACE_INFERENCE };
	struct inftrace_stream_opts opts = { .size = sizeof opts, .rate_ms = 10, .report = report };
	pthread_t thread[THREADS];

	for (int i = 0; i < 2; i++) {
		run_opts.model = model[i];
		run_name[i] = inftrace_intern_with(&run_opts);
	}
	for (unsigned i = 0; i < SHARED; i++) {
		opts.type = i % 2;
		opts.models = i < 2 ? "^[ab]$" : NULL;
		if (inftrace_profile_stream(&opts, &shared[i]))
			abort();
	}
	until_ms = now_ms() + (argc > 1 ? (uint64_t)atol(argv[1]) : 1000);
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < SHARED; i++)
		inftrace_profile_close(shared[i]);
	puts(n_samples ? "done" : "no samples");
	return 0;
}
