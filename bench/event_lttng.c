// SPDX-License-Identifier: Apache-2.0
/*
 * event_lttng CPU [CHUNK]: a player (player.h) that hits a tracepoint of LTTng-UST with two 64-bit fields. Records only
 * while a session daemon is recording: players.py starts one.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "event_lttng.h"

#include <stdlib.h>

#include "player.h"

static void play(void *ctx, long n)
{
	for (long i = 0; i < n; i++)
		lttng_ust_tracepoint(inftrace_bench, event, (uint64_t)i, 7);
}

int main(int argc, char **argv)
{
	struct player player = { argc > 2 ? atol(argv[2]) : 1000, play, NULL, NULL };

	player_pin(argc > 1 ? atoi(argv[1]) : -1);
	player_run(&player);
	return 0;
}
