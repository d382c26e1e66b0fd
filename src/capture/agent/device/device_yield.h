/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of devices that serve one profiler at a time: the calls by which a program begins to profile itself lead to
 * the agent first. Other modules' imports of these functions are replaced.
 */
#ifndef CAPTURE_AGENT_DEVICE_DEVICE_YIELD_H
#define CAPTURE_AGENT_DEVICE_DEVICE_YIELD_H

#include <stddef.h>

#include "runtime/find/image.h"

enum { YIELD_MODULES = 64 };

struct device_entry {
	const char *name;
	void *with; /* the agent's function in its place */
};

/* Modules whose imports were replaced. They stay loaded: what was replaced refers to these images, and they are few. */
struct device_yield {
	const struct device_entry *entries; /* a row without a name ends them */
	struct image image[YIELD_MODULES];
	unsigned n;
	unsigned long long n_loads; /* of the loader, up to which modules were looked at */
};

/* Hooks the modules that import one of the entries; again: those loaded since. */
void device_yield_watch(struct device_yield *yield);
/* The agent's function in the place of that name; NULL: none. */
void *device_yield_entry(const struct device_yield *yield, const char *name);

#endif
