// SPDX-License-Identifier: Apache-2.0
/*
 * next_tool SECONDS HOLD_MS WORD: prints "ready", then a line "pid hold held_us path why" for each program with WORD in
 * its command line that loads a runtime. held_us: from the mapping until the program was stopped. It holds each program
 * for HOLD_MS, then releases it.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "capture/probe/next/next.h"
#include "capture/proc/proc.h"

static bool wants(void *ctx, pid_t pid)
{
	const char *word = ctx;
	char words[4096];
	ssize_t got = proc_read("", pid, "cmdline", words, sizeof words);

	return got > 0 && memmem(words, (size_t)got, word, strlen(word));
}

static void take(struct next *next, long hold_ms, char *word)
{
	struct next_program program;
	struct err err;
	int n;

	while ((n = next_take(next, wants, word, &program, &err)) > 0) {
		printf("%d\t%s\t%lld\t%s\t%s\n", (int)program.pid,
		       !program.is_held	 ? "not"
		       : program.is_late ? "late"
					 : "early",
		       (long long)(program.held_ns - program.mapped_ns) / 1000, program.path, program.why_not);
		fflush(stdout);
		nanosleep(&(struct timespec){ hold_ms / 1000, hold_ms % 1000 * 1000000 }, NULL);
		next_release(next, program.pid);
	}
	if (n < 0) {
		fprintf(stderr, "%s\n", err.msg);
		exit(3);
	}
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	struct next *next = argc == 4 ? next_open(false, &err) : NULL;
	uint64_t end_ns;

	if (!next) {
		fprintf(stderr, "%s\n", err.msg);
		return 3;
	}
	puts("ready");
	fflush(stdout);
	end_ns = clock_ns() + (uint64_t)(atof(argv[1]) * 1e9);
	while (clock_ns() < end_ns) {
		struct pollfd ready = { next_fd(next), POLLIN, 0 };
		poll(&ready, 1, 50);
		take(next, atol(argv[2]), argv[3]);
	}
	next_close(next);
	return 0;
}
