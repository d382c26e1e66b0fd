/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A player is a program that does one thing many times, when it is told to: several of them, one plain, one
 * recorded, one with a peer's tracer in it, take turns on one CPU, milliseconds each, so that what disturbs the
 * machine disturbs all of them alike. bench/players.py lets them play and compares.
 *
 * A player says "ready TIME CPU-TIME" (nanoseconds since it was started, if stamp.c started it), then answers each
 * line "N" on its standard input, do it N times, by a line "MEDIAN MEAN" in nanoseconds for one time. "N RATE" paces:
 * RATE chunks in a second. It ends when its input does.
 */
#ifndef BENCH_PLAYER_H
#define BENCH_PLAYER_H

struct player {
	long chunk; /* how many times make one measurement, at least; the median is one of these */
	void (*play)(void *ctx, long n);
	void (*settle)(void *ctx); /* not measured, after each turn; NULL: nothing to do */
	void *ctx;
};

/* Keeps the calling thread on this CPU, before others where that is allowed; a negative number is no CPU. */
void player_pin(int cpu);
/* Says that it is ready; player_run does it by itself. */
void player_ready(void);
/* Plays until the input ends. */
void player_run(const struct player *player);

#endif
