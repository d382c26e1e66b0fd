// SPDX-License-Identifier: Apache-2.0
/* Turns: reading what to do, warming up, measuring, answering. See player.h. */
#include "player.h"

#include "base/clock.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { MAX_CHUNKS = 1 << 16, FIRST = -15 };

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void player_pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set)) {
		perror("cannot stay on one CPU");
		exit(3);
	}
	setpriority(PRIO_PROCESS, 0, FIRST);	/* where we may: the rest of the machine waits */
}

static void sleep_until(uint64_t ns)
{
	struct timespec until = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void turn(const struct player *player, long n, double rate)
{
	static double each[MAX_CHUNKS];
	long n_chunks = (n + player->chunk - 1) / player->chunk;
	uint64_t first, start, end = 0;
	double sum = 0;

	if (rate <= 0)	/* the first ones after the others had the CPU find cold caches */
		player->play(player->ctx, player->chunk * (n_chunks / 10 + 1));
	first = clock_ns();
	for (long i = 0; i < n_chunks; i++) {
		if (rate > 0)
			sleep_until(first + (uint64_t)((double)i * 1e9 / rate));
		start = clock_ns();
		player->play(player->ctx, player->chunk);
		end = clock_ns();
		each[i % MAX_CHUNKS] = (double)(end - start) / (double)player->chunk;
		sum += (double)(end - start);
	}
	if (player->settle)
		player->settle(player->ctx);
	if (n_chunks > MAX_CHUNKS)
		n_chunks = MAX_CHUNKS;
	qsort(each, (size_t)n_chunks, sizeof *each, by_value);
	printf("%.3f %.3f\n", each[n_chunks / 2], sum / (double)(n_chunks * player->chunk));
}

void player_ready(void)
{
	const char *started = getenv("BENCH_STARTED");

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready %llu\n", started ? (unsigned long long)clock_ns() - strtoull(started, NULL, 10) : 0);
}

void player_run(const struct player *player)
{
	char line[64];

	player_ready();
	while (fgets(line, sizeof line, stdin)) {
		char *rest;
		long n = strtol(line, &rest, 10);
		if (n > 0)
			turn(player, n, strtod(rest, NULL));
	}
}
