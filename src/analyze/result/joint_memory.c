// SPDX-License-Identifier: Apache-2.0
/*
 * A process lives from its first sample to its last one, or longer, if its start or its exit was recorded: one that
 * starts as soon as another one has ended does not live at one time with it, though its exit is seen later. The most of
 * all lies at a start: a sweep over starts and ends, in the order of time, finds it.
 */
#include "analyze/result/joint_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How late a recorder may see an exit: it looks as often. */
static const uint64_t noticed_ns = 100000000;

struct moment {
	uint64_t at_ns;
	double bytes; /* below 0: the end of a process */
};

struct life {
	uint64_t begin_ns, end_ns;
};

static uint64_t sampled_ns(const struct summary_resource *own)
{
	return own->busy_ns + own->idle_ns;
}

static struct life life_of(const struct summary *summary, const struct summary_resource *own)
{
	const struct summary_process *process = &summary->processes[own->process];
	uint64_t first_ns = own->last_ns > sampled_ns(own) ? own->last_ns - sampled_ns(own) : 0;

	return (struct life){ process->start_ns && process->start_ns < first_ns ? process->start_ns : first_ns,
			      process->exit_ns > own->last_ns + noticed_ns ? process->exit_ns - noticed_ns
									   : own->last_ns };
}

double joint_memory_peak(const struct summary_resource *resource)
{
	return isfinite(resource->peak) ? fmax(resource->peak, resource->max) : resource->max;
}

/* Starts come before ends of the same time: the two processes were there. */
static int compare(const void *a_, const void *b_)
{
	const struct moment *a = a_, *b = b_;

	return a->at_ns != b->at_ns ? (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns) : (a->bytes < 0) - (b->bytes < 0);
}

static void sweep(struct moment *moments, uint32_t n, struct joint_memory *to)
{
	double bytes = 0;
	uint32_t n_alive = 0;

	qsort(moments, n, sizeof *moments, compare);
	for (uint32_t i = 0; i < n; i++) {
		bytes = moments[i].bytes < 0 && n_alive == 1 ? 0 : bytes + moments[i].bytes;
		n_alive += moments[i].bytes < 0 ? -1u : 1;
		if (bytes > to->bytes) {
			to->bytes = bytes;
			to->n_processes = n_alive;
		}
	}
}

static bool is_one(const struct summary *summary, const struct summary_resource *own, const char *counter,
		   const char *name)
{
	return own->process != SUMMARY_NONE && own->n && own->max > 0 &&
	       !strcmp(names_text(summary->names, own->name), counter) &&
	       (!name || !strcmp(names_text(summary->names, summary->processes[own->process].name), name));
}

struct joint_memory joint_memory_of(const struct summary *summary, const char *counter, const char *name)
{
	struct moment *moments = calloc(2 * (size_t)summary->n_resources + 1, sizeof *moments);
	struct joint_memory found = { 0 };

	for (uint32_t i = 0; moments && i < summary->n_resources; i++) {
		const struct summary_resource *own = &summary->resources[i];
		struct life life;

		if (!is_one(summary, own, counter, name))
			continue;
		life = life_of(summary, own);
		found.n_values += own->n;
		moments[2 * found.n_all] = (struct moment){ life.begin_ns, joint_memory_peak(own) };
		moments[2 * found.n_all++ + 1] = (struct moment){ life.end_ns, -joint_memory_peak(own) };
	}
	if (moments)
		sweep(moments, 2 * found.n_all, &found);
	free(moments);
	return found;
}
