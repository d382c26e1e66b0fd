// SPDX-License-Identifier: Apache-2.0
/*
 * stamp CPU CMD [ARG...]: executes a program on one CPU and leaves the time (CLOCK_MONOTONIC, ns) at which it did so in the
 * environment, as BENCH_STARTED: what a program's start takes is counted from there, by the program itself.
 */
#include "player.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char text[32];

	player_pin(argc > 1 ? atoi(argv[1]) : -1);
	snprintf(text, sizeof text, "%llu", (unsigned long long)clock_ns());
	setenv("BENCH_STARTED", text, 1);
	if (argc > 2)
		execvp(argv[2], argv + 2);
	perror("stamp");
	return 3;
}
