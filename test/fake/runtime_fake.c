// SPDX-License-Identifier: Apache-2.0
/* A row of the table of runtimes for fake_runtime.c; only in tests (-DWITH_RUNTIME_OF_TEST). */
#include <errno.h>
#include <stdlib.h>

#include "runtime/probe_sites.h"
#include "runtime/runtimes.h"

#define SLOTS(...) \
	(const struct runtime_slot[]) \
	{ \
		__VA_ARGS__, { 0, -1 } \
	}

static const struct runtime_family families[] = {
	{ .name = "release", .class_name = "N4fake7SessionE", .slots = SLOTS({ 0, 0 }), .event = RUNTIME_RELEASE },
	{ .name = "session creation",
	  .class_name = "N4fake7SessionE",
	  .slots = SLOTS({ 0, 2 }),
	  .event = RUNTIME_CREATION,
	  .object_name = "8c" },
	/* its function returns nothing, so that its object is the first argument, and the second is a number */
	{ .name = "tuning",
	  .class_name = "N4fake7SessionE",
	  .slots = SLOTS({ 0, 3 }),
	  .event = RUNTIME_PART,
	  .is_self_second = true },
	{ .name = "operators",
	  .class_name = "N4fake2OpE",
	  .slots = SLOTS({ 0, 1 }),
	  .event = RUNTIME_OPERATOR,
	  .is_operator = true,
	  .counted = "operator classes",
	  .object_name = "8c",
	  .object_type = "r" },
	{ .name = "runs",
	  .class_name = "N4fake7SessionE",
	  .slots = SLOTS({ 0, 1 }),
	  .event = RUNTIME_RUN,
	  .object_name = "8c" },
};

enum { RUNS = 4 };

static const char *const entries[] = { "fake_session_*", NULL };

#ifndef IN_AGENT
static int find_sites(struct probe_sites *sites, const struct image_file *file, const struct probe_sites *host,
		      struct err *err)
{
	struct arena arena = { 0 };
	struct runtime_found found;
	struct rtti_vtable *vtable;
	struct rtti rtti;
	int code = rtti_scan(&rtti, image_file_image(file), &file->set, &arena);

	if (code || !rtti_derived(&rtti, families[RUNS].class_name, &vtable)) {
		arena_done(&arena);
		return err_set(err, ENOENT, "cannot analyse it: it holds no fake runtime");
	}
	runtimes_find(&found, runtimes[sites->runtime], &rtti, NULL);
	sites->site = calloc(1, sizeof *sites->site);
	if (sites->site) {
		sites->n = 1;
		sites->site->kind = SITE_RUN;
		sites->site->address = image_word(rtti.image, vtable[0].slots + 8 * (uint64_t)found.slot[RUNS]);
		image_file_offset(file, sites->site->address, &sites->site->offset);
	}
	arena_done(&arena);
	probe_sites_order(sites);
	return sites->site ? 0 : err_set(err, ENOMEM, "cannot analyse it: out of memory");
}
#endif

const struct runtime runtime_fake = {
	.name = "fake",
	.title = "Fake Runtime",
	.entries = entries,
	.marks = { .prefix = "N4fake", .fewest = 4, .whole = { "7SessionE" }, .part = { "2OpE" } },
	.family = families,
	.n_families = sizeof families / sizeof *families,
	.inject_family = RUNS,
#ifndef IN_AGENT
	.find_sites = find_sites,
#endif
};
