// SPDX-License-Identifier: Apache-2.0
/* Names in the dynamic sections of modules of this process. */
#include "runtime/find/dynamic.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

/* The module that has this file name's beginning. */
static const struct image *module_of(const struct image_set *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++) {
		const char *slash = strrchr(set->image[i].path, '/');
		if (slash && !strncmp(slash + 1, name, strlen(name)))
			return &set->image[i];
	}
	fail_msg("no module %s", name);
	return NULL;
}

TEST(functions_are_found_by_their_names)
{
	struct image_set set = { 0 };
	struct dynamic dynamic;

	assert_int_equal(image_set_self(&set), 0);
	assert_true(dynamic_read(&dynamic, module_of(&set, "libc.so")));
	assert_ptr_equal((void *)dynamic_function(&dynamic, "getenv"), dlsym(RTLD_DEFAULT, "getenv"));
	assert_int_equal(dynamic_function(&dynamic, "getenv_or_not"), 0);
	image_set_done(&set);
}

TEST(slots_hold_what_a_module_imports)
{
	struct dynamic_place place = { 0, 0 };
	struct image_set set = { 0 };
	struct dynamic dynamic;
	const char *name;
	uint64_t slot;
	int n = 0;

	assert_int_equal(image_set_self(&set), 0);
	assert_true(dynamic_read(&dynamic, &set.image[0]));
	slot = dynamic_next_of(&dynamic, &place, "getenv");
	assert_true(slot != 0);
	assert_non_null(getenv("PATH")); /* which binds it */
	assert_ptr_equal(*(void **)slot, (void *)dlsym(RTLD_DEFAULT, "getenv"));
	assert_false(dynamic_function(&dynamic, "getenv"));
	for (place = (struct dynamic_place){ 0, 0 }; dynamic_next(&dynamic, &place, &name); n++)
		assert_true(*name);
	assert_true(n > 5);
	image_set_done(&set);
}
