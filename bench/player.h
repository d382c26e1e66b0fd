/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A player is a program that does one thing many times on request. Several of them, one plain, one recorded, one with a
 * peer's tracer, take turns of milliseconds on one CPU, so that disturbances of the machine affect all alike.
 * bench/players.py runs them and compares.
 *
 * A player prints "ready TIME CPU-TIME" (nanoseconds since it was started, if stamp.c started it). To each line "N" on
 * its standard input, do it N times, it answers with a line "MEDIAN MEAN", the nanoseconds for one time. "N RATE"
 * paces: RATE chunks per second. It ends when its input does.
 */
#ifndef BENCH_PLAYER_H
#define BENCH_PLAYER_H

struct player {
	long chunk; /* the least number of times in one measurement; the median is taken over these */
	void (*play)(void *ctx, long n);
	void (*settle)(void *ctx); /* called after each turn, not measured; NULL: none */
	void *ctx;
};

/* Pins the calling thread to this CPU, with high priority if allowed; negative: no CPU. */
void player_pin(int cpu);
/* Prints that it is ready; player_run does so by itself. */
void player_ready(void);
/* Plays until the input ends. */
void player_run(const struct player *player);

#endif
