// SPDX-License-Identifier: Apache-2.0
/*
 * event_tracy CPU [CHUNK]: a player (player.h) that begins and ends a zone of Tracy. Nobody is connected: Tracy keeps
 * what it records. Built by peer_programs.py from the sources of Tracy's client, which are not here.
 */
#include <stdlib.h>
#include <tracy/TracyC.h>

#include "player.h"

static void play(void *ctx, long n)
{
	for (long i = 0; i < n; i++) {
		TracyCZoneN(zone, "bench", 1);
		TracyCZoneEnd(zone);
		__asm__ volatile("");
	}
}

int main(int argc, char **argv)
{
	struct player player = { argc > 2 ? atol(argv[2]) : 500, play, NULL, NULL };

	player_pin(argc > 1 ? atoi(argv[1]) : -1);
	player_run(&player);
	return 0;
}
