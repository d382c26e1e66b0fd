// SPDX-License-Identifier: Apache-2.0
/*
 * event_perfetto CPU [CHUNK]: a player (player.h) that begins and ends a slice of Perfetto's SDK, while a session in
 * this process records into a ring. Built by peer_programs.py from the sources of the SDK, which are not here.
 */
#include <perfetto_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "player.h"

#define CATEGORIES(C) C(bench, "bench", "")
PERFETTO_TE_CATEGORIES_DEFINE(CATEGORIES)

/* A TraceConfig: a ring of 64 MiB, and the data source track_event with all categories. */
static const unsigned char config[] = "\x0a\x06\x08\x80\x80\x04\x20\x01\x12\x15\x0a\x13\x0a\x0btrack_event"
				      "\x8a\x07\x03\x12\x01*";

static void play(void *ctx, long n)
{
	for (long i = 0; i < n; i++) {
		PERFETTO_TE(bench, PERFETTO_TE_SLICE_BEGIN("bench"));
		PERFETTO_TE(bench, PERFETTO_TE_SLICE_END());
		__asm__ volatile("");
	}
}

/* The service reads meanwhile: what is lost is cheap. */
static void rest(void *ctx)
{
	usleep(40000);
}

int main(int argc, char **argv)
{
	struct player player = { argc > 2 ? atol(argv[2]) : 500, play, rest, NULL };
	struct PerfettoProducerInitArgs args = PERFETTO_PRODUCER_INIT_ARGS_INIT();
	struct PerfettoTracingSessionImpl *session;

	args.backends = PERFETTO_BACKEND_IN_PROCESS;
	args.shmem_size_hint_kb = 4096;
	PerfettoProducerInit(args);
	PerfettoTeInit();
	PERFETTO_TE_REGISTER_CATEGORIES(CATEGORIES);
	session = PerfettoTracingSessionCreate(PERFETTO_BACKEND_IN_PROCESS);
	PerfettoTracingSessionSetup(session, (void *)(uintptr_t)config, sizeof config - 1);
	PerfettoTracingSessionStartBlocking(session);
	if (!PERFETTO_TE_IS_CATEGORY_ENABLED(bench)) {
		fputs("event_perfetto: nothing is recorded\n", stderr);
		return 3;
	}
	player_pin(argc > 1 ? atoi(argv[1]) : -1);
	player_run(&player);
	PerfettoTracingSessionDestroy(session);
	return 0;
}
