/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soak LIBRARY MODEL SHAPE OUT_LEN COUNTERS THREADS REST_US: THREADS threads make a session, run it some times, compare
 * each result with the first one, and release it. Every fourth session a thread ends, and another takes its place.
 * Until SIGUSR1; then prints "runs N failed 0" and "differ N". The mapped file COUNTERS, to which several of these
 * processes may add, survives any kill: runs begun, runs ended, sessions.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ort.h"

enum { RUNS_OF_A_SESSION = 20, SESSIONS_OF_A_THREAD = 4 };

struct counters {
	uint64_t begun, ended, sessions;
};

static struct ort ort;
static char **args;
static struct counters *counters;
static uint64_t expected;
static long n_runs, n_differ;
static volatile sig_atomic_t has_ended;

static void on_signal(int sig)
{
	has_ended = 1;
}

static void use_a_session(void)
{
	long rest_us = atol(args[7]);
	struct model model;

	model_open(&model, &ort, args[2], args[3], (size_t)atol(args[4]));
	__atomic_add_fetch(&counters->sessions, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < RUNS_OF_A_SESSION && !has_ended; i++) {
		__atomic_add_fetch(&counters->begun, 1, __ATOMIC_SEQ_CST);
		if (model_run(&model) != expected)
			__atomic_add_fetch(&n_differ, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&counters->ended, 1, __ATOMIC_SEQ_CST);
		__atomic_add_fetch(&n_runs, 1, __ATOMIC_RELAXED);
		usleep((useconds_t)rest_us);
	}
	model_close(&model);
}

static void *short_lived(void *unused)
{
	for (int i = 0; i < SESSIONS_OF_A_THREAD && !has_ended; i++)
		use_a_session();
	return NULL;
}

static void *replace(void *unused)
{
	pthread_t thread;

	while (!has_ended) {
		if (pthread_create(&thread, NULL, short_lived, NULL))
			die("soak", "cannot make a thread");
		pthread_join(thread, NULL);
	}
	return NULL;
}

static struct counters *map_counters(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *at = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof *counters))
		at = mmap(NULL, sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		die(path, "cannot make the counters");
	return at;
}

/* The result that every run must have, from a run that counts as all others do. */
static void expect(void)
{
	struct model model;

	model_open(&model, &ort, args[2], args[3], (size_t)atol(args[4]));
	__atomic_add_fetch(&counters->sessions, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&counters->begun, 1, __ATOMIC_SEQ_CST);
	expected = model_run(&model);
	__atomic_add_fetch(&counters->ended, 1, __ATOMIC_SEQ_CST);
	n_runs++;
	model_close(&model);
}

int main(int argc, char **argv)
{
	int n_threads = atoi(argv[6]);
	pthread_t thread[256];

	args = argv;
	signal(SIGUSR1, on_signal);
	counters = map_counters(argv[5]);
	ort_open(&ort, runtime_open(argv[1]));
	expect();
	for (int i = 0; i < n_threads; i++)
		pthread_create(&thread[i], NULL, replace, NULL);
	for (int i = 0; i < n_threads; i++)
		pthread_join(thread[i], NULL);
	printf("runs %ld failed 0\ndiffer %ld\n", n_runs, n_differ);
	ort_close(&ort);
	return n_differ != 0;
}
