// SPDX-License-Identifier: Apache-2.0
/*
 * A process that has forked twice, as daemons do, has no parent that leads to the program. It has the variable that
 * names the folder of this recording, unless it was started with an environment of its own. Waits for nothing.
 */
#include "capture/recorder/recorder_left.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "capture/proc/proc.h"
#include "capture/proc/proc_list.h"
#include "capture/source/tree.h"

enum { MAX_ENVIRONMENT = 256 << 10 };

static bool is_in_tree(const struct tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->n; i++)
		if (tree->process[i].pid == pid)
			return true;
	return false;
}

static bool has_variable(char *text, const char *wanted, pid_t pid)
{
	ssize_t got = proc_read("", pid, "environ", text, MAX_ENVIRONMENT);

	/* with the 0 before and behind it, or at the very begin */
	return got > 0 && (memmem(text, (size_t)got, wanted, strlen(wanted + 1) + 2) ||
			   !strncmp(text, wanted + 1, strlen(wanted + 1) + 1));
}

static void find_orphans(struct recorder *recorder)
{
	char wanted[300] = "", *text = malloc(MAX_ENVIRONMENT + 1);
	struct proc_row *rows = NULL;
	struct err ignored;
	size_t n = 0;

	snprintf(wanted + 1, sizeof wanted - 1, "INFTRACE_DIR=%s", recorder->target->ring_dir);
	if (text && !proc_list("", &rows, &n)) {
		text[MAX_ENVIRONMENT] = 0;
		for (size_t i = 0; i < n; i++)
			if (!is_in_tree(&recorder->tree, rows[i].pid) && has_variable(text, wanted, rows[i].pid))
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
