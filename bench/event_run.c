// SPDX-License-Identifier: Apache-2.0
/*
 * event_run CPU event|span|floor|floor-span|fault: a player (player.h) that records events with nothing in between.
 * floor: a clock and a store of 32 bytes, into memory of the size of the ring; floor-span: two clocks. event and span:
 * the same through the ring (event/ring.h), which another thread reads on any other CPU, like the recorder. Each turn
 * waits until everything is read: nothing may be lost, because a lost event is a cheap one. fault: page faults, an
 * event that `perf record` can record at any rate on every machine.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/clock.h"
#include "event/ring.h"
#include "player.h"

enum { BYTES = 8 << 20, CHUNK = 1000, PACED_CHUNK = 100 };

struct bench {
	struct ring *ring;
	struct ring_writer writer;
	uint64_t sum; /* written by the reader */
	bool is_over;
};

/* The cheapest possible event: four words, and a release store that publishes them to another thread. */
static inline void floor_store(struct bench *bench, uint64_t time, uint64_t value)
{
	struct ring_writer *writer = &bench->writer;
	uint64_t *word = (uint64_t *)(void *)writer->data + 4 * (writer->head & writer->mask);

	word[0] = time;
	word[1] = value;
	word[2] = 7 | 1ull << 32;
	word[3] = (uint64_t)RECORD_OPERATOR << 32;
	__atomic_store_n(&writer->ring->head, ++writer->head, __ATOMIC_RELEASE);
}

static void play_floor(void *ctx, long n)
{
	for (long i = 0; i < n; i++)
		floor_store(ctx, clock_ticks(), (uint64_t)i);
}

static void play_floor_span(void *ctx, long n)
{
	for (long i = 0; i < n; i++) {
		uint64_t start = clock_ticks();
		floor_store(ctx, start, clock_ticks());
	}
}

static void play_event(void *ctx, long n)
{
	struct bench *bench = ctx;

	for (long i = 0; i < n; i++) {
		struct record *record = ring_claim(&bench->writer);
		if (!record)
			continue;
		*record = (struct record){
			.time = clock_ticks(), .value = (uint64_t)i, .id = 7, .run = 1, .type = RECORD_OPERATOR
		};
		ring_publish(&bench->writer);
	}
}

static void play_span(void *ctx, long n)
{
	struct bench *bench = ctx;

	for (long i = 0; i < n; i++) {
		uint64_t start = clock_ticks(), end = clock_ticks();
		struct record *record = ring_claim(&bench->writer);
		if (!record)
			continue;
		*record = (struct record){ .time = start, .value = end, .id = 7, .run = 1, .type = RECORD_OPERATOR };
		ring_publish(&bench->writer);
	}
}

static void play_fault(void *ctx, long n)
{
	static char *pages;

	if (!pages)
		pages = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(pages, (size_t)n * 4096, MADV_DONTNEED);
	for (long i = 0; i < n; i++)
		pages[i * 4096] = 1;
}

static void *read_ring(void *ctx)
{
	struct timespec pause = { 0, 1000000 };
	struct bench *bench = ctx;
	const struct record *record;
	size_t n;

	while (!__atomic_load_n(&bench->is_over, __ATOMIC_RELAXED)) {
		record = ring_read_at(bench->ring, BYTES, bench->ring->tail, &n);
		for (size_t i = 0; i < n; i++)
			bench->sum += record[i].time + record[i].type;
		ring_read_done(bench->ring, n);
		if (!n)
			nanosleep(&pause, NULL);
	}
	return NULL;
}

static void wait_for_reader(void *ctx)
{
	struct timespec pause = { 0, 100000 };
	struct bench *bench = ctx;

	while (ring_fill(&bench->writer))
		nanosleep(&pause, NULL);
	if (bench->ring->lost) {
		fprintf(stderr, "event_run: %llu events were lost: the figures would be wrong\n",
			(unsigned long long)bench->ring->lost);
		exit(3);
	}
}

static const struct {
	const char *name;
	void (*play)(void *ctx, long n);
	bool is_read;
} ways[] = {
	{ "floor", play_floor, false }, { "floor-span", play_floor_span, false }, { "event", play_event, true },
	{ "span", play_span, true },	{ "fault", play_fault, false },
};

int main(int argc, char **argv)
{
	struct bench bench = { .ring = aligned_alloc(4096, RING_HEADER + BYTES) };
	struct player player = { CHUNK, NULL, NULL, &bench };
	pthread_t reader;

	memset(bench.ring, 0, RING_HEADER + BYTES);
	ring_use(&bench.writer, bench.ring, BYTES);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (argc > 2 && !strcmp(argv[2], ways[i].name)) {
			player.play = ways[i].play;
			player.settle = ways[i].is_read ? wait_for_reader : NULL;
		}
	if (player.play == play_fault)
		player.chunk = PACED_CHUNK;
	if (!player.play) {
		fprintf(stderr, "usage: event_run CPU event|span|floor|floor-span|fault\n");
		return 2;
	}
	if (player.settle && pthread_create(&reader, NULL, read_ring, &bench))
		return 3;
	player_pin(atoi(argv[1]));
	player_run(&player);
	__atomic_store_n(&bench.is_over, true, __ATOMIC_RELAXED);
	if (player.settle)
		pthread_join(reader, NULL);
	free(bench.ring);
	return 0;
}
