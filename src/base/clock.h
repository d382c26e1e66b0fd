/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ticks and nanoseconds. The hot path reads ticks: the invariant TSC, if the processor has one. Only the recorder
 * converts them to CLOCK_MONOTONIC nanoseconds. It measures pairs of both all the time and draws lines through them, so
 * that it follows a slewed clock and times never go backwards.
 *
 * Ticks and the clock part when the machine is suspended (the clock stands still, the counter goes on or starts again
 * from 0), when a virtual machine moves, or when the counter is unstable. Then a new line starts at the clock, and the
 * lines before it stay valid for what was counted before.
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

/* What the calling thread has used of CPUs: what work costs, also where others take the CPU meanwhile. */
static inline uint64_t clock_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
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

/* What a map reads; tests hand in a made-up one. */
struct clock_reader {
	uint64_t (*ticks)(void *ctx);
	uint64_t (*ns)(void *ctx, clockid_t clock);
	void *ctx;
};

extern const struct clock_reader clock_reader_system;

enum { CLOCK_LINES = 64, CLOCK_JUMP_NS = 10000000 };

struct clock_line {
	uint64_t ticks, until;	      /* valid between these; the newest also beyond */
	uint64_t ns;		      /* at `ticks` */
	uint64_t true_ticks, true_ns; /* the pair that it was drawn from, */
	uint64_t width;		      /* and in how many ticks it was read */
	double slope;		      /* ns per tick */
	double doubt;		      /* of the slope, relative */
};

/* Ticks and the clock have parted between two pairs. */
struct clock_jump {
	uint64_t from_ns, to_ns; /* the clock at these pairs */
	int64_t by_ns;		 /* how far the counter went more than the clock; negative: less, or back */
};

/* A ring of lines. Starts from zeroed bytes. */
struct clock_map {
	const struct clock_reader *reader;
	struct clock_line line[CLOCK_LINES];
	uint32_t n;		      /* lines made so far */
	uint32_t first;		      /* of these, the first one since the last jump */
	uint64_t last_ticks, last_ns; /* the last pair */
	uint64_t error_ns;	      /* largest difference seen between a prediction and the clock, but for jumps */
	uint64_t width_ns;	      /* the narrowest bracket that a pair can be read in here */
	uint64_t n_jumps;
	struct clock_jump jump; /* the last one */
};

/* Measures for about `ms` milliseconds. reader NULL: the system's clocks. */
void clock_map_init(struct clock_map *map, const struct clock_reader *reader, unsigned ms);
/* Reads one more pair and turns the line towards it; call it a few times a second. Counts a jump. */
void clock_map_update(struct clock_map *map);
/* What clock_map_ns returns for ticks that may lie on an older line. */
uint64_t clock_map_old_ns(const struct clock_map *map, uint64_t ticks);

static inline uint64_t clock_line_ns(const struct clock_line *line, uint64_t ticks)
{
	return line->ns + (uint64_t)(int64_t)((double)(int64_t)(ticks - line->ticks) * line->slope);
}

/* With a jump in memory, ticks beyond the newest line may be of an older one. */
static inline bool clock_map_is_newest(const struct clock_map *map, const struct clock_line *last, uint64_t ticks)
{
	return ticks >= last->ticks && (!map->n_jumps || ticks <= last->until);
}

/*
 * The time of these ticks, by the line that was valid when they were taken. The map was initialised. Often that is the
 * line before the newest: whoever reads a ring has just drawn one. Without jumps, one line begins where another ends.
 */
static inline uint64_t clock_map_ns(const struct clock_map *map, uint64_t ticks)
{
	const struct clock_line *last = &map->line[(map->n - 1) % CLOCK_LINES];
	const struct clock_line *before = &map->line[(map->n - 2) % CLOCK_LINES];

	if (clock_map_is_newest(map, last, ticks))
		return clock_line_ns(last, ticks);
	if (__builtin_expect(!map->n_jumps && map->n > 1 && ticks >= before->ticks, 1))
		return clock_line_ns(before, ticks);
	return clock_map_old_ns(map, ticks);
}

/* Ticks from `from` on that lie on one line, until the map is updated. Starts from zeroed bytes. */
struct clock_span {
	uint64_t from, n_ticks;
	uint64_t ticks, ns; /* of the line */
	double slope;
};

/* Finds the span of these ticks, for those that follow; empty where it is not easily told. */
void clock_map_find_span(const struct clock_map *map, uint64_t ticks, struct clock_span *span);

/* The same as clock_map_ns, for many ticks in a row. */
static inline uint64_t clock_map_span_ns(const struct clock_map *map, struct clock_span *span, uint64_t ticks)
{
	if (__builtin_expect(ticks - span->from >= span->n_ticks, 0)) {
		clock_map_find_span(map, ticks, span);
		if (!span->n_ticks)
			return clock_map_ns(map, ticks);
	}
	return span->ns + (uint64_t)(int64_t)((double)(int64_t)(ticks - span->ticks) * span->slope);
}

/* Do the pairs read so far say what these ticks are? False: they lie more than CLOCK_JUMP_NS from any line. */
bool clock_map_knows(const struct clock_map *map, uint64_t ticks);
uint64_t clock_map_now(const struct clock_map *map);

#endif
