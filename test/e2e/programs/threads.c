/* SPDX-License-Identifier: Apache-2.0 */
/* threads N: N threads that sleep, and the first one, which computes for some seconds of its CPU time. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t begun;

static void *rest(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&begun);
	for (;;)
		pause();
	return NULL;
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) static double compute(double until)
{
	volatile double sum = 0;

	while (cpu_s() < until)
		for (int i = 0; i < 10000; i++)
			sum = sum + i;
	return sum;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_attr_t attr;
	pthread_t thread;
	double began;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 32768);
	pthread_barrier_init(&begun, NULL, (unsigned)n + 1);
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread, &attr, rest, NULL)) {
			fprintf(stderr, "only %d threads can be started\n", i);
			return 77;
		}
	pthread_barrier_wait(&begun);
	began = cpu_s();
	compute(began + 3);
	printf("%.3f\n", cpu_s() - began);
	return 0;
}
