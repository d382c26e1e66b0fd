// SPDX-License-Identifier: Apache-2.0
/*
 * annotate_run CPU nothing|instant|tokens|slice: a player (player.h) that annotates by libinftrace with nothing in
 * between: whatever the recorder, or its absence, makes of it. nothing: the loop alone.
 */
#include <inftrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "player.h"

static void play_nothing(void *ctx, long n)
{
	for (long i = 0; i < n; i++)
		__asm__ volatile("");
}

static void play_instant(void *ctx, long n)
{
	for (long i = 0; i < n; i++) {
		inftrace_instant(ctx);
		__asm__ volatile("");
	}
}

static void play_tokens(void *ctx, long n)
{
	for (long i = 0; i < n; i++) {
		inftrace_tokens(1, i, 1, 1);
		__asm__ volatile("");
	}
}

static void play_slice(void *ctx, long n)
{
	for (long i = 0; i < n; i++) {
		INFTRACE_SLICE(ctx);
		__asm__ volatile("");
	}
}

/* A recorder has time to read what was written: what is lost is cheap. */
static void rest(void *ctx)
{
	usleep(40000);
}

/* The thread's ring starts small and grows while it is filled. */
static void grow_ring(const struct player *player)
{
	for (long n = 600; player->settle && n < 40000; n += n / 2) {
		player->play(player->ctx, n);
		rest(NULL);
	}
}

int main(int argc, char **argv)
{
	const char *way = argc > 2 ? argv[2] : "";
	struct player player = { 500, NULL, inftrace_is_on() ? rest : NULL,
				 (void *)(uintptr_t)inftrace_intern("bench") };

	player.play = !strcmp(way, "nothing")	? play_nothing
		      : !strcmp(way, "instant") ? play_instant
		      : !strcmp(way, "tokens")	? play_tokens
		      : !strcmp(way, "slice")	? play_slice
						: NULL;
	if (!player.play) {
		fprintf(stderr, "usage: annotate_run CPU nothing|instant|tokens|slice\n");
		return 2;
	}
	player_pin(atoi(argv[1]));
	grow_ring(&player);
	player_run(&player);
	return 0;
}
