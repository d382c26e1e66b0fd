// SPDX-License-Identifier: Apache-2.0
/*
 * The cost of sampling one process: sampler_bench [--check] [PEER COMMAND...]. The process has 64 threads and 256 MB.
 * First the floor, one pread of /proc/self/stat; then the sources and the tree, called like the recorder does; then the
 * peer, which gets the pid and prints lines "NAME MICROSECONDS". Medians of rounds. With --check it fails when CPU and
 * memory of one process cost more than the budget.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/proc/proc.h"
#include "capture/source/tree.h"

/* For a floor of FLOOR_US; a higher floor on a slower or busier machine is added. */
#define BUDGET_US 6.0
#define FLOOR_US 3.2

enum { N_THREADS = 64, N_BYTES = 256 << 20, N_ROUNDS = 15, N_CALLS = 2000, PACE_MS = 10, N_PACED = 200 };

struct counting_sink {
	struct sink sink;
	uint32_t last_track;
	uint64_t n_events;
};

static int count(struct sink *sink, const struct event *event, struct err *err)
{
	((struct counting_sink *)sink)->n_events++;
	return 0;
}

struct bench {
	struct counting_sink sink;
	struct tree tree, empty;
	struct target target;
	const struct source *source[4]; /* NULL-terminated */
	void *state[4];
	struct proc_file self;
};

static void die(const char *what, const struct err *err)
{
	fprintf(stderr, "sampler_bench: %s%s%s\n", what, err ? ": " : "", err ? err->msg : "");
	exit(3);
}

/* The sampled process. */

static void *sleep_forever(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

static pid_t start_subject(void)
{
	int ready[2];
	pid_t pid;
	char byte = 0;

	if (pipe(ready))
		die("no pipe", NULL);
	pid = fork();
	if (pid) {
		close(ready[1]);
		if (pid < 0 || read(ready[0], &byte, 1) != 1)
			die("no process to look at", NULL);
		close(ready[0]);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memset(mmap(NULL, N_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, N_BYTES);
	for (int i = 0; i < N_THREADS - 1; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, sleep_forever, NULL))
			_exit(1);
	}
	if (write(ready[1], &byte, 1) != 1)
		_exit(1);
	sleep_forever(NULL);
	_exit(0);
}

static const struct source *source_named(const char *name)
{
	for (size_t i = 0; sources[i]; i++) {
		if (!strcmp(sources[i]->name, name))
			return sources[i];
	}
	die("a source is missing", NULL);
	return NULL;
}

static void set_sources(struct bench *bench, const char *first, const char *second, const char *third)
{
	const char *name[] = { first, second, third };
	struct err err;

	memset(bench->source, 0, sizeof bench->source);
	for (int i = 0; i < 3 && name[i]; i++) {
		bench->source[i] = source_named(name[i]);
		bench->state[i] = calloc(1, bench->source[i]->state_size);
		if (!bench->state[i] ||
		    bench->source[i]->start(bench->state[i], &bench->target, &bench->sink.sink, &err))
			die("cannot start a source", &err);
	}
}

static void stop_sources(struct bench *bench)
{
	for (int i = 0; bench->source[i]; i++) {
		bench->source[i]->stop(bench->state[i]);
		free(bench->state[i]);
	}
}

/* The measured functions. */

static void read_floor(struct bench *bench)
{
	char text[1024];

	if (proc_file_read(&bench->self, "", getpid(), "stat", text, sizeof text) <= 0)
		die("cannot read /proc/self/stat", NULL);
}

static void update_tree(struct bench *bench)
{
	struct err err;

	if (tree_update(&bench->tree, &bench->target, &bench->sink.sink, clock_ns(), &err))
		die("cannot follow the process", &err);
}

static void drain(struct bench *bench)
{
	struct err err;

	for (int i = 0; bench->source[i]; i++) {
		if (bench->source[i]->drain(bench->state[i], &bench->sink.sink, clock_ns(), &err))
			die("cannot sample", &err);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_us(struct bench *bench, void (*call)(struct bench *bench))
{
	double us[N_ROUNDS];

	for (int round = 0; round < N_ROUNDS; round++) {
		uint64_t began_ns = clock_ns();
		for (int i = 0; i < N_CALLS; i++)
			call(bench);
		us[round] = (double)(clock_ns() - began_ns) / 1e3 / N_CALLS;
	}
	qsort(us, N_ROUNDS, sizeof *us, by_value);
	return us[N_ROUNDS / 2];
}

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* CPU time of a call every 10 ms, with cold caches. */
static double paced_us(struct bench *bench, void (*call)(struct bench *bench))
{
	double us[N_PACED], before;

	for (int i = 0; i < N_PACED; i++) {
		poll(NULL, 0, PACE_MS);
		before = cpu_us();
		call(bench);
		us[i] = cpu_us() - before;
	}
	qsort(us, N_PACED, sizeof *us, by_value);
	return us[N_PACED / 2];
}

static void look(struct bench *bench)
{
	update_tree(bench);
	drain(bench);
}

static double sources_us(struct bench *bench, const char *first, const char *second, const char *third,
			 bool has_process)
{
	double us;

	bench->target.tree = has_process ? &bench->tree : &bench->empty;
	set_sources(bench, first, second, third);
	us = median_us(bench, drain);
	stop_sources(bench);
	bench->target.tree = &bench->tree;
	return us;
}

static void run_peer(char **command, pid_t pid, double ours_us)
{
	char line[4096] = "", name[200];
	size_t used = 0;
	FILE *pipe;
	double us;

	for (; *command; command++)
		used += (size_t)snprintf(line + used, sizeof line - used, "%s ", *command);
	snprintf(line + used, sizeof line - used, "%d", (int)pid);
	pipe = popen(line, "r");
	if (!pipe)
		die("cannot start the peer", NULL);
	while (fgets(line, sizeof line, pipe)) {
		if (sscanf(line, "%199s %lf", name, &us) == 2)
			printf("%-52s %8.2f us   %.1f x ours\n", name, us, us / ours_us);
	}
	if (pclose(pipe))
		die("the peer failed", NULL);
}

int main(int argc, char **argv)
{
	bool is_check = argc > 1 && !strcmp(argv[1], "--check");
	pid_t pid = start_subject();
	struct bench bench = { .sink.sink = { count, names_new(), &bench.sink.last_track } };
	double floor_us, machine_us, one_us, all_us, budget_us;

	/* an interval that is always over */
	bench.target = (struct target){ .sysroot = "", .pid = pid, .interval_ns = 1, .tree = &bench.tree };
	while (!bench.tree.n)
		update_tree(&bench);
	floor_us = median_us(&bench, read_floor);
	budget_us = BUDGET_US * (floor_us > FLOOR_US ? floor_us / FLOOR_US : 1);
	machine_us = sources_us(&bench, "cpu", "memory", NULL, false);
	one_us = sources_us(&bench, "cpu", "memory", NULL, true) - machine_us;
	all_us = sources_us(&bench, "cpu", "memory", "process", true) - machine_us;
	printf("%-52s %8.2f us\n", "floor: pread of /proc/self/stat", floor_us);
	printf("%-52s %8.2f us   budget %.1f\n", "one process: cpu and memory", one_us, budget_us);
	printf("%-52s %8.2f us\n", "one process: cpu, memory, threads and faults", all_us);
	printf("%-52s %8.2f us\n", "one process: it uses no GPU and no NPU",
	       sources_us(&bench, "gpu", "npu", NULL, true) - sources_us(&bench, "gpu", "npu", NULL, false));
	printf("%-52s %8.2f us\n", "machine: cpu and memory", machine_us);
	printf("%-52s %8.2f us\n", "tree: has anything changed?", median_us(&bench, update_tree));
	bench.target.interval_ns = PACE_MS * 1000000;
	set_sources(&bench, "cpu", "memory", "process");
	printf("%-52s %8.2f us of CPU\n", "floor, one each 10 ms", paced_us(&bench, read_floor));
	printf("%-52s %8.2f us of CPU\n", "all of these, one look each 10 ms", paced_us(&bench, look));
	stop_sources(&bench);
	fflush(stdout);
	if (argc > 1 + is_check)
		run_peer(argv + 1 + is_check, pid, one_us);
	tree_done(&bench.tree);
	proc_file_close(&bench.self);
	names_free(bench.sink.sink.names);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return is_check && one_us > budget_us;
}
