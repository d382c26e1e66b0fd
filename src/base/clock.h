/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ticks and nanoseconds. The hot path reads ticks: the invariant TSC, if the processor has one. Only the recorder
 * converts them to CLOCK_MONOTONIC nanoseconds. It measures pairs of both all the time and draws lines through them, so
 * that it follows a slewed clock and times never go backwards.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#if defined(__x86_64__)
static inline uint64_t clock_ticks(void)
{
	return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
static inline uint64_t clock_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}
#endif

/* Whether ticks run at one constant rate on all CPUs. If not, *reason is a static text; reason may be NULL. */
bool clock_is_invariant(const char *sysroot, const char **reason);

enum { CLOCK_LINES = 64 };

struct clock_line {
	uint64_t ticks, ns; /* the line starts here */
	uint64_t true_ns;   /* the clock's value then */
	double slope;	    /* ns per tick */
};

/* A ring of lines, each valid from its start to the start of the next. Starts from zeroed bytes. */
struct clock_map {
	struct clock_line line[CLOCK_LINES];
	uint32_t n;	   /* lines made so far */
	uint64_t error_ns; /* largest difference seen between a prediction and the clock */
	uint64_t width_ns; /* the narrowest bracket that a pair can be read in here */
};

/* Measures for about `ms` milliseconds. */
void clock_map_init(struct clock_map *map, unsigned ms);
/* Reads one more pair and turns the line towards it; call it a few times a second. */
void clock_map_update(struct clock_map *map);
/* The same for ticks that may be older than the newest line. */
uint64_t clock_map_old_ns(const struct clock_map *map, uint64_t ticks);

static inline uint64_t clock_line_ns(const struct clock_line *line, uint64_t ticks)
{
	return line->ns + (uint64_t)(int64_t)((double)(int64_t)(ticks - line->ticks) * line->slope);
}

static inline uint64_t clock_map_ns(const struct clock_map *map, uint64_t ticks)
{
	const struct clock_line *last = &map->line[(map->n - 1) % CLOCK_LINES];

	return __builtin_expect(ticks >= last->ticks, 1) ? clock_line_ns(last, ticks) : clock_map_old_ns(map, ticks);
}

#endif
