/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brood LIBRARY MODEL SHAPE OUT_LEN: runs a model in a thread, which is between two runs at each fork: a lock of the
 * runtime that it held would stay locked in the child for ever. From line to line of its standard input it
 *
 * 1. forks every millisecond. A child looks for a library that does not exist, and ends; one of N_OTHERS waits.
 * 2. prints the waiting children.
 * 3. lets them run the model.
 *
 * At the end of the input it ends them, and prints how many runs there were and how many differ from the first.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ort.h"

enum { MAX_CHILDREN = 24, N_OTHERS = 4, REST_US = 2000, CHILD_REST_US = 20000, HANGS_S = 60 };

static struct model model;
static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER;
static int is_ended;
static uint64_t expected;
static long n_runs, n_differ;
static pid_t children[MAX_CHILDREN];
static int n_children;

static void run(useconds_t rest_us)
{
	pthread_mutex_lock(&running);
	n_differ += model_run(&model) != expected;
	pthread_mutex_unlock(&running);
	n_runs++;
	usleep(rest_us);
}

static void *background(void *arg)
{
	while (!__atomic_load_n(&is_ended, __ATOMIC_ACQUIRE))
		run(REST_US);
	return NULL;
}

static void on_end(int number)
{
	_exit(n_differ != 0);
}

static void live(const int *start)
{
	char byte;

	signal(SIGTERM, on_end);
	close(start[1]);
	while (read(start[0], &byte, 1) < 0)
		;
	for (;;)
		run(CHILD_REST_US);
}

static void look_up(void)
{
	alarm(HANGS_S);
	if (dlopen("libwhich-does-not-exist.so", RTLD_NOW))
		_exit(1);
	alarm(0);
}

static void give_birth(const int *start, int is_kept)
{
	int status;
	pid_t child;

	pthread_mutex_lock(&running);
	child = fork();
	if (!child) {
		pthread_mutex_init(&running, NULL);
		look_up();
		if (is_kept)
			live(start);
		_exit(0);
	}
	pthread_mutex_unlock(&running);
	if (is_kept)
		children[n_children++] = child;
	else if (waitpid(child, &status, 0) != child || status)
		n_differ++;
}

static int has_line(void)
{
	struct pollfd input = { STDIN_FILENO, POLLIN, 0 };

	return poll(&input, 1, 1) > 0;
}

static void end_children(void)
{
	int status;

	for (int i = 0; i < n_children; i++) {
		kill(children[i], SIGTERM);
		n_differ += waitpid(children[i], &status, 0) != children[i] || status;
	}
}

int main(int argc, char **argv)
{
	pthread_t thread;
	struct ort ort;
	char line[80];
	int start[2];

	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	expected = model_run(&model);
	pthread_create(&thread, NULL, background, NULL);
	setvbuf(stdin, NULL, _IONBF, 0);
	if (pipe(start))
		return 1;
	puts("ready");
	fflush(stdout);
	if (fgets(line, sizeof line, stdin))
		for (int i = 0; !has_line(); i++)
			give_birth(start, i % N_OTHERS == 0 && n_children < MAX_CHILDREN);
	fgets(line, sizeof line, stdin);
	for (int i = 0; i < n_children; i++)
		printf("%d ", (int)children[i]);
	puts("");
	fflush(stdout);
	fgets(line, sizeof line, stdin);
	close(start[1]);
	while (fgets(line, sizeof line, stdin))
		;
	__atomic_store_n(&is_ended, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	end_children();
	printf("runs %ld failed 0\ndiffer %ld\n", n_runs, n_differ);
	return 0;
}
