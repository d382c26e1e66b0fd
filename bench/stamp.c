// SPDX-License-Identifier: Apache-2.0
/*
 * stamp CPU CMD [ARG...]: executes a program on one CPU. Sets BENCH_STARTED in its environment to the time
 * (CLOCK_MONOTONIC, ns) and the CPU time used so far: the program itself measures its start from there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "player.h"

int main(int argc, char **argv)
{
	struct timespec cpu;
	char text[64];

	player_pin(argc > 1 ? atoi(argv[1]) : -1);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	snprintf(text, sizeof text, "%llu %llu", (unsigned long long)clock_ns(),
		 (unsigned long long)cpu.tv_sec * 1000000000u + (unsigned long long)cpu.tv_nsec);
	setenv("BENCH_STARTED", text, 1);
	if (argc > 2)
		execvp(argv[2], argv + 2);
	perror("stamp");
	return 3;
}
