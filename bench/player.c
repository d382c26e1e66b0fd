// SPDX-License-Identifier: Apache-2.0
/* Turns: reads an order, warms up, measures, answers. See player.h. */
#include "player.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"

enum { MAX_CHUNKS = 1 << 16, CHUNK_NS = 10000, FIRST = -15 };

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
	setpriority(PRIO_PROCESS, 0, FIRST); /* if allowed: the rest of the machine waits */
}

static void sleep_until(uint64_t ns)
{
	struct timespec until = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* After another player's turn the caches are cold. Returns a chunk long enough for the clock. */
static long warm_up(const struct player *player, long n)
{
	uint64_t start = clock_ns(), each;

	n = n / 10 / player->chunk * player->chunk + player->chunk;
	player->play(player->ctx, n);
	each = (clock_ns() - start) / (uint64_t)n + 1;
	return each * (uint64_t)player->chunk < CHUNK_NS ? (long)(CHUNK_NS / each) + 1 : player->chunk;
}

static void turn(const struct player *player, long n, double rate)
{
	static double each[MAX_CHUNKS];
	long chunk = rate > 0 ? player->chunk : warm_up(player, n), n_chunks = (n + chunk - 1) / chunk;
	uint64_t first = clock_ns(), start, end;
	double sum = 0;

	for (long i = 0; i < n_chunks; i++) {
		if (rate > 0)
			sleep_until(first + (uint64_t)((double)i * 1e9 / rate));
		start = clock_ns();
		player->play(player->ctx, chunk);
		end = clock_ns();
		each[i % MAX_CHUNKS] = (double)(end - start) / (double)chunk;
		sum += (double)(end - start);
	}
	if (player->settle)
		player->settle(player->ctx);
	sum /= (double)(n_chunks * chunk);
	if (n_chunks > MAX_CHUNKS)
		n_chunks = MAX_CHUNKS;
	qsort(each, (size_t)n_chunks, sizeof *each, by_value);
	printf("%.3f %.3f\n", each[n_chunks / 2], sum);
}

void player_ready(void)
{
	const char *started = getenv("BENCH_STARTED");
	unsigned long long wall = clock_ns(), cpu, wall_before = wall, cpu_before;
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	cpu = cpu_before = (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
	if (started)
		sscanf(started, "%llu %llu", &wall_before, &cpu_before);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready %llu %llu\n", wall - wall_before, cpu - cpu_before);
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
