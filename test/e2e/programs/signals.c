/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals LIBRARY MODEL SHAPE OUT_LEN N: makes N runs while SIGPROF arrives 10,000 times a second, with a handler that
 * reads the clock. Prints the number of signals to standard error, because it differs from run to run.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ort.h"

static volatile long n_signals;

static void on_signal(int sig)
{
	n_signals += now_ns() != 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };
	struct itimerspec often = { .it_interval.tv_nsec = 100000, .it_value.tv_nsec = 100000 };
	struct model model;
	struct ort ort;
	uint64_t sum = 0;
	timer_t timer;
	long n = atol(argv[5]);

	sigaction(SIGPROF, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &often, NULL))
		die("timer", "failed");
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	for (long i = 0; i < n; i++)
		sum += model_run(&model);
	printf("%016lx\nruns %ld failed 0\n", sum, n);
	model_close(&model);
	ort_close(&ort);
	timer_delete(timer);
	fprintf(stderr, "signals %ld\n", n_signals);
	return n_signals < 10;
}
