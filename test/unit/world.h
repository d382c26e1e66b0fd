/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder without a file, for tests of sources: it reads machines made of files, the folders below test/sysroot. */
#ifndef TEST_WORLD_H
#define TEST_WORLD_H

#include <stdio.h>

#include "capture/source/tree.h"
#include "keep.h"

enum { WORLD_SOURCES = 8 };

struct world {
	struct keep *keep;
	struct tree tree;
	struct target target;
	char sysroot[4096];
	size_t n;
	const struct source *source[WORLD_SOURCES];
	void *state[WORLD_SOURCES];
	struct err err;
};

static inline const struct source *source_named(const char *name)
{
	for (size_t i = 0; sources[i]; i++)
		if (!strcmp(sources[i]->name, name))
			return sources[i];
	fail_msg("no source %s", name);
	return NULL;
}

/* Sets the machine's files; NULL: unchanged. */
static inline void enter(struct world *world, const char *snapshot)
{
	if (snapshot)
		snprintf(world->sysroot, sizeof world->sysroot, TEST_DIR "/sysroot/%s", snapshot);
}

/* With these sources, started; names end with NULL. */
static inline struct world *world_of(const char *snapshot, pid_t pid, const char *const *names)
{
	struct world *world = calloc(1, sizeof *world);

	world->keep = keep_new();
	world->target =
	    (struct target){ .sysroot = world->sysroot, .pid = pid, .tree = &world->tree, .interval_ns = 1000000000 };
	enter(world, snapshot);
	for (; names[world->n]; world->n++) {
		const struct source *source = world->source[world->n] = source_named(names[world->n]);
		void *state = world->state[world->n] = calloc(1, source->state_size);
		assert_int_equal(source->start(state, &world->target, &world->keep->sink, &world->err), 0);
	}
	return world;
}

static inline void world_free(struct world *world)
{
	for (size_t i = 0; i < world->n; i++) {
		world->source[i]->stop(world->state[i]);
		free(world->state[i]);
	}
	tree_done(&world->tree);
	keep_free(world->keep);
	free(world);
}

static inline void look(struct world *world, const char *snapshot, uint64_t now_ns)
{
	enter(world, snapshot);
	assert_int_equal(tree_update(&world->tree, &world->target, &world->keep->sink, now_ns, &world->err), 0);
	for (size_t i = 0; i < world->n; i++)
		assert_int_equal(world->source[i]->drain(world->state[i], &world->keep->sink, now_ns, &world->err), 0);
}

static inline void is_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= fabs(wanted) * 1e-9))
		fail_msg("%.17g is not %.17g", value, wanted);
}

static inline void is_missing(double value)
{
	if (!isnan(value))
		fail_msg("%.17g should be missing", value);
}

#endif
