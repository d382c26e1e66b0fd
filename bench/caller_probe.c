// SPDX-License-Identifier: Apache-2.0
/*
 * A library for bench/callers.py: the agent's search for the calling line, as it is, with a dictionary that always says
 * 1. The quickest of many rounds: a busy machine only makes some longer.
 */
#include <stdlib.h>

#include "capture/agent/dict.h"
#include "capture/agent/replace/copies.h"
#include "capture/agent/replace/module_walk.h"
#include "capture/agent/run/caller.h"

enum { ROUNDS = 2000, CALLS = 100 };

struct copy copies[MAX_COPIES];
uint32_t n_copies;
struct hot *hot;
struct agent agent;

uint32_t dict_caller(const char *text, size_t len)
{
	return 1;
}

int module_walk_images(struct image_set *set)
{
	return image_set_self(set);
}

void *agent_keep(struct thread *thread, uint32_t *place, size_t size)
{
	static uint32_t last;

	if (!*place)
		*place = ++last;
	if (!thread->kept[*place])
		thread->kept[*place] = calloc(1, size);
	return thread->kept[*place];
}

int64_t caller_probe(int has_python);

/* Picoseconds of one search by the thread that calls this; below 0: no line was found. */
__attribute__((visibility("default"))) int64_t caller_probe(int has_python)
{
	static struct thread thread = { .generation = 1 };
	struct image_set set = { 0 };
	uint64_t best = UINT64_MAX;
	uint32_t found = 0;

	if (has_python && image_set_self(&set))
		return -1;
	for (size_t i = 0; i < set.n; i++)
		caller_look(&set.image[i]);
	image_set_done(&set);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin = clock_ns(), took;
		for (int i = 0; i < CALLS; i++)
			found += caller_of(&thread);
		took = clock_ns() - begin;
		best = took < best ? took : best;
	}
	return has_python && !found ? -1 : (int64_t)(best * 1000 / CALLS);
}

int64_t caller_probe_below(int n_frames);

/* The same without Python, below so many frames of this library, which is passed over as a runtime's is. */
__attribute__((visibility("default"), noinline)) int64_t caller_probe_below(int n_frames)
{
	int64_t took = n_frames ? caller_probe_below(n_frames - 1) : caller_probe(0);

	__asm__ volatile("" ::: "memory"); /* no tail call */
	return took;
}
