// SPDX-License-Identifier: Apache-2.0
/* Compares every name of every process with the one that was typed. How near two words are is base/near.h's knowledge.
 */
#include "capture/recorder/attach/attach_near.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"
#include "capture/proc/proc_list.h"
#include "capture/recorder/attach/attach_fit.h"
#include "capture/recorder/attach/attach_in.h"

enum { OFFERED = 3, SHORTEST_PART = 3 };

struct offer {
	pid_t pid;
	bool has_runtime;
	size_t distance;
	char name[64];
};

/* A part of a name is as good as one slip. SIZE_MAX: not near. */
static size_t distance(const char *typed, const char *name)
{
	struct near near;

	near_init(&near, typed, strlen(typed));
	near_offer(&near, name);
	if (near_best(&near))
		return near.distance;
	return strlen(typed) >= SHORTEST_PART && strstr(name, typed) ? 1 : SIZE_MAX;
}

static bool is_better(const struct offer *a, const struct offer *b)
{
	if (a->has_runtime != b->has_runtime)
		return a->has_runtime;
	return a->distance < b->distance;
}

/* Keeps the best, in order. */
static void keep(struct offer *best, size_t *n, const struct offer *offer)
{
	size_t at = *n;

	while (at && is_better(offer, &best[at - 1]))
		at--;
	if (at == OFFERED)
		return;
	*n += *n < OFFERED;
	memmove(best + at + 1, best + at, (*n - at - 1) * sizeof *best);
	best[at] = *offer;
}

static void look_at(pid_t pid, const char *typed, struct modules_seen *seen, struct offer *best, size_t *n)
{
	struct offer offer = { .pid = pid, .distance = SIZE_MAX };
	struct attach_names names;

	attach_fit_names(pid, &names);
	for (int i = 0; i < ATTACH_NAMES; i++) {
		size_t found = distance(typed, names.name[i]);
		if (found < offer.distance) {
			offer.distance = found;
			snprintf(offer.name, sizeof offer.name, "%.63s", names.name[i]);
		}
	}
	if (offer.distance == SIZE_MAX)
		return;
	offer.has_runtime = attach_loaded(seen, pid) == ATTACH_RUNTIME;
	keep(best, n, &offer);
}

void attach_near(const char *name, char *text, size_t size)
{
	struct modules_seen seen = { 0 };
	struct offer best[OFFERED];
	struct proc_row *row;
	size_t n_rows, n = 0, used = 0;

	*text = 0;
	if (proc_list("", &row, &n_rows))
		return;
	for (size_t i = 0; i < n_rows; i++)
		if (row[i].pid != getpid() && row[i].pid != getppid())
			look_at(row[i].pid, name, &seen, best, &n);
	for (size_t i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s (%d)",
					 !i	      ? ""
					 : i + 1 == n ? " or "
						      : ", ",
					 best[i].name, (int)best[i].pid);
	modules_seen_done(&seen);
	free(row);
}
