// SPDX-License-Identifier: Apache-2.0
/*
 * The list of all runtimes: one line each; runtime_<name>.c defines runtime_<name>. Also the functions that all of them
 * share.
 */
#include "runtime/runtimes.h"

#include <string.h>

#define RUNTIMES(F) F(onnxruntime) F(openvino) F(llama) F(litert) F(torch) F(genai)

#ifdef WITH_RUNTIME_OF_TEST /* test/fake/runtime_fake.c */
#define RUNTIME_OF_TEST(F) F(fake)
#else
#define RUNTIME_OF_TEST(F)
#endif

#define DECLARE(name) extern const struct runtime runtime_##name;
RUNTIMES(DECLARE)
RUNTIME_OF_TEST(DECLARE)

#define ENTRY(name) &runtime_##name,
const struct runtime *const runtimes[] = { RUNTIMES(ENTRY) RUNTIME_OF_TEST(ENTRY) 0 };

static bool is_in(const struct runtime *runtime, const struct rtti *rtti)
{
	return runtime->is_in ? runtime->is_in(rtti) : rtti_named(rtti, runtime->family[0].class_name) != NULL;
}

bool runtimes_by_symbols(const struct image *image)
{
	for (const struct runtime *const *runtime = runtimes; *runtime; runtime++)
		if ((*runtime)->has_symbols && (*runtime)->has_symbols(image))
			return true;
	return false;
}

static bool contains_any(const char *file, const char *const *texts)
{
	for (; texts && *texts; texts++)
		if (strstr(file, *texts))
			return true;
	return false;
}

bool runtimes_is_library(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

	if (!strstr(file, ".so") && !strstr(file, ".node"))
		return false;
	for (const struct runtime *const *runtime = runtimes; *runtime; runtime++)
		if (contains_any(file, (*runtime)->libraries))
			return true;
	return false;
}

const struct runtime *runtimes_in(const struct rtti *rtti)
{
	for (const struct runtime *const *runtime = runtimes; *runtime; runtime++)
		if (is_in(*runtime, rtti))
			return *runtime;
	for (const struct runtime *const *runtime = runtimes; *runtime; runtime++)
		if ((*runtime)->is_in_by_search && (*runtime)->is_in_by_search(rtti))
			return *runtime;
	return NULL;
}

int runtimes_slot(const struct runtime_family *family, int minor)
{
	int slot = -1;

	for (const struct runtime_slot *row = family->slots; row->slot >= 0 && row->minor <= minor; row++)
		slot = row->slot;
	return slot;
}

void runtimes_find(struct runtime_found *found, const struct runtime *runtime, struct rtti *rtti,
		   const struct runtime_found *host)
{
	*found = (struct runtime_found){ .runtime = runtime, .image = rtti->image, .version = "" };
	for (unsigned i = 0; i < RUNTIME_FAMILIES; i++)
		found->slot[i] = -1;
	if (runtime->find)
		runtime->find(found, rtti, host);
	else
		for (unsigned i = 0; i < runtime->n_families; i++)
			found->slot[i] = runtimes_slot(&runtime->family[i], 0);
}
