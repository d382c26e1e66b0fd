// SPDX-License-Identifier: Apache-2.0
/*
 * CUPTI serves one at a time. A program that profiles itself (torch.profiler, ONNX Runtime's profiling builds) would be
 * refused, or be given our buffers: so the calls by which it begins lead here first, and what we have begun is ended
 * before they go on. Other modules' imports of these functions are replaced, and look-ups by name answered.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "capture/agent/cupti/cupti_in.h"
#include "capture/agent/glibc.h"
#include "capture/agent/replace/hook.h"
#include "capture/agent/replace/module_walk.h"

static void (*wanted)(const char *function); /* set before any of this is called */

static int on_subscribe(void **subscriber, cupti_callback *callback, void *data)
{
	wanted("cuptiSubscribe");
	return cupti.Subscribe(subscriber, callback, data);
}

static int on_register(cupti_request *request, cupti_complete *complete)
{
	wanted("cuptiActivityRegisterCallbacks");
	return cupti.ActivityRegisterCallbacks(request, complete);
}

static int (*real_subscribe_v2)(void **, cupti_callback *, void *, void *);

static int on_subscribe_v2(void **subscriber, cupti_callback *callback, void *data, void *params)
{
	wanted("cuptiSubscribe_v2");
	return real_subscribe_v2(subscriber, callback, data, params);
}

static const struct entry {
	const char *name;
	void *with;
} entries[] = {
	{ "cuptiSubscribe", on_subscribe },
	{ "cuptiSubscribe_v2", on_subscribe_v2 },
	{ "cuptiActivityRegisterCallbacks", on_register },
};
enum { N_ENTRIES = sizeof entries / sizeof *entries, MAX_WATCHED = 64 };

/*
 * Modules whose imports were replaced. They stay loaded: what was replaced refers to these images, and they are few.
 */
static struct {
	struct image image[MAX_WATCHED];
	unsigned n;
	size_t n_modules;
} watched;

static bool is_watched(const struct image *image)
{
	for (unsigned i = 0; i < watched.n; i++)
		if (watched.image[i].base == image->base)
			return true;
	return false;
}

static bool wants(const struct image *image)
{
	for (unsigned i = 0; i < N_ENTRIES; i++)
		if (hook_has_import(image, entries[i].name))
			return true;
	return false;
}

/* The loader's lock is held, so that nothing can be unloaded. Collects the modules that are not watched yet. */
static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct image_set *set = data;

	(void)info;
	(void)size;
	if (image_set_self(set))
		return 1;
	for (size_t i = 0; set->n != watched.n_modules && i < set->n && watched.n < MAX_WATCHED; i++)
		if (!is_watched(&set->image[i]) && wants(&set->image[i]))
			watched.image[watched.n++] = set->image[i];
	watched.n_modules = set->n;
	return 1;
}

/* Keeps it loaded. False: it is gone already. */
static bool pin(const struct image *image)
{
	void *handle = *image->path ? glibc.dlopen(image->path, RTLD_LAZY | RTLD_NOLOAD) : NULL;

	return !*image->path || (handle && ((struct link_map *)handle)->l_addr == image->base);
}

void cupti_yield_watch(void (*to)(const char *function))
{
	struct image_set set = { 0 };
	unsigned first = watched.n;

	wanted = to;
	if (!real_subscribe_v2)
		*(void **)&real_subscribe_v2 = glibc.dlsym(cupti.library, "cuptiSubscribe_v2");
	module_walk_begin();
	dl_iterate_phdr(look, &set);
	module_walk_end();
	for (unsigned at = first; at < watched.n; at++) {
		if (!pin(&watched.image[at]))
			continue;
		watched.image[at].path = ""; /* the set's */
		for (unsigned i = 0; i < N_ENTRIES; i++)
			hook_import(&watched.image[at], entries[i].name, entries[i].with);
	}
	image_set_done(&set);
}

void *cupti_instead_of(const char *name, void *real)
{
	for (unsigned i = 0; i < N_ENTRIES && cupti.library; i++)
		if (!strcmp(entries[i].name, name) && real == glibc.dlsym(cupti.library, name))
			return entries[i].with;
	return NULL;
}
