// SPDX-License-Identifier: Apache-2.0
/* Compares the results of type information with the symbols of a real library. */
#include "runtime/find/rtti.h"

#include <dlfcn.h>
#include <string.h>

#include "cases.h"
#include "runtime/onnx_peek.h"

static struct image_set set;
static struct arena arena;
static struct rtti rtti;
static void *library;

static int load(void **state)
{
	library = dlopen("libstdc++.so.6", RTLD_NOW);
	assert_non_null(library);
	assert_int_equal(image_set_self(&set), 0);
	for (size_t i = 0; i < set.n; i++)
		if (strstr(set.image[i].path, "libstdc++"))
			return rtti_scan(&rtti, &set.image[i], &set, &arena);
	return -1;
}

static int unload(void **state)
{
	arena_done(&arena);
	image_set_done(&set);
	return dlclose(library);
}

static const struct rtti_vtable *vtable_of(const struct rtti_vtable *vtable, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(vtable[i].type->name, name))
			return &vtable[i];
	return NULL;
}

TEST(types_and_tables_are_where_the_symbols_say)
{
	const struct rtti_type *type = rtti_named(&rtti, "St12out_of_range");
	struct rtti_vtable *vtable;
	size_t n = rtti_derived(&rtti, "St9exception", &vtable);
	const struct rtti_vtable *found = vtable_of(vtable, n, "St12out_of_range");

	assert_non_null(type);
	assert_ptr_equal(type->address, dlsym(library, "_ZTISt12out_of_range"));
	assert_non_null(found);
	assert_ptr_equal(found->slots - 16, dlsym(library, "_ZTVSt12out_of_range"));
	assert_ptr_equal(image_word(rtti.image, found->slots + 16), dlsym(library, "_ZNKSt11logic_error4whatEv"));
}

TEST(derived_means_derived)
{
	struct rtti_vtable *vtable;
	size_t n = rtti_derived(&rtti, "St11logic_error", &vtable);

	assert_non_null(vtable_of(vtable, n, "St11logic_error"));
	assert_non_null(vtable_of(vtable, n, "St12length_error"));
	assert_null(vtable_of(vtable, n, "St13runtime_error"));
	assert_null(vtable_of(vtable, n, "St9exception"));
	assert_int_equal(rtti_derived(&rtti, "N3not5thereE", &vtable), 0);
}

TEST(nothing_is_read_outside_of_the_segments)
{
	const struct image_segment *segment = &rtti.image->segment[0];

	assert_null(image_at(rtti.image, segment->end - 7, 8, 0));
	assert_null(image_at(rtti.image, UINT64_MAX - 3, 8, 0));
	assert_null(image_at(rtti.image, 0, 1, 0));
	assert_int_equal(image_word(rtti.image, 1), 0);
	assert_null(image_text(rtti.image, 0, 10));
}

/* ir_version 8; a field to skip; graph { node, name "net" } */
static const char model[] = "\x08\x08\x12\x03"
			    "abc"
			    "\x3a\x0a\x0a\x03xyz\x12\x03net";

TEST(the_graphs_name_is_found_in_a_model)
{
	char name[16];

	onnx_peek_graph_name(model, sizeof model - 1, name, sizeof name);
	assert_string_equal(name, "net");
	onnx_peek_graph_name(model, sizeof model - 1, name, 3);
	assert_string_equal(name, "ne");
	assert_true(onnx_peek_is_model(model, sizeof model - 1));
	assert_false(onnx_peek_is_model("\x7f"
					"ELF and so on and so on",
					20));
}

TEST(a_model_that_is_cut_has_no_name_and_is_not_read_beyond)
{
	char name[16], copy[sizeof model];

	for (size_t size = 0; size < sizeof model - 1; size++) {
		memcpy(copy, model, size);
		onnx_peek_graph_name(copy, size, name, sizeof name);
		assert_string_equal(name, "");
	}
}

TEST_GROUP(load, unload)
