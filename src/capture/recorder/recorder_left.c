// SPDX-License-Identifier: Apache-2.0
/*
 * A process that has forked twice, as daemons do, has no parent that leads to the program. It has the variable that
 * names the folder of this recording, unless it was started with an environment of its own. Waits for the end of no
 * process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "capture/proc/proc.h"
#include "capture/proc/proc_list.h"
#include "capture/recorder/recorder_in.h"
#include "capture/source/tree.h"

enum { MAX_ENVIRONMENT = 256 << 10, LONGEST_MS = 50 };

static bool is_in_tree(const struct tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->n; i++)
		if (tree->process[i].pid == pid)
			return true;
	return false;
}

static bool is_younger(const struct recorder *recorder, pid_t pid)
{
	struct proc_stat stat;
	char text[1024];
	struct timespec boot;
	ssize_t got = proc_read("", pid, "stat", text, sizeof text);

	clock_gettime(CLOCK_BOOTTIME, &boot);
	return got > 0 && proc_stat_parse(text, (size_t)got, &stat) && !stat.is_kernel &&
	       proc_ticks_ns(stat.start_ticks) + (clock_ns() - recorder->start_ns) + 1000000000u >
		   (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec;
}

/* A process has no environment while it calls exec; tries: what all of them together may be waited for, in ms. */
static ssize_t read_environment(const struct recorder *recorder, pid_t pid, char *text, int *tries)
{
	const struct timespec pause = { 0, 1000000 };
	ssize_t got = proc_read("", pid, "environ", text, MAX_ENVIRONMENT);

	while (!got && *tries > 0 && is_younger(recorder, pid)) {
		nanosleep(&pause, NULL);
		--*tries;
		got = proc_read("", pid, "environ", text, MAX_ENVIRONMENT);
	}
	return got;
}

static bool has_variable(const char *text, ssize_t got, const char *wanted)
{
	/* with the 0 before and behind it, or at the very begin */
	return got > 0 && (memmem(text, (size_t)got, wanted, strlen(wanted + 1) + 2) ||
			   !strncmp(text, wanted + 1, strlen(wanted + 1) + 1));
}

static void find_orphans(struct recorder *recorder)
{
	char wanted[300] = "", *text = malloc(MAX_ENVIRONMENT + 1);
	struct proc_row *rows = NULL;
	struct err ignored;
	int tries = LONGEST_MS;
	size_t n = 0;

	snprintf(wanted + 1, sizeof wanted - 1, "INFTRACE_DIR=%s", recorder->target->ring_dir);
	if (text && !proc_list("", &rows, &n)) {
		text[MAX_ENVIRONMENT] = 0;
		for (size_t i = 0; i < n; i++)
			if (!is_in_tree(&recorder->tree, rows[i].pid) &&
			    has_variable(text, read_environment(recorder, rows[i].pid, text, &tries), wanted))
				tree_add(&recorder->tree, recorder->target, &recorder->tap.sink, rows[i].pid,
					 clock_ns(), &ignored);
	}
	free(rows);
	free(text);
}

size_t recorder_left(struct recorder *recorder)
{
	struct err ignored;
	size_t n = 0;

	if (recorder->target->ring_dir)
		find_orphans(recorder);
	tree_update(&recorder->tree, recorder->target, &recorder->tap.sink, clock_ns(), &ignored);
	for (size_t i = 0; i < recorder->tree.n; i++)
		n += recorder->tree.process[i].pid != recorder->target->pid;
	return n;
}
