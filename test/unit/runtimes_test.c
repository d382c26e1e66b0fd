// SPDX-License-Identifier: Apache-2.0
/*
 * A made-up runtime as one more row of the table (test/fake/runtime_fake.c): all users of the table find it.
 * test/tools/made_up_runtime_test.py checks that the agent records it.
 */
#include "runtime/runtimes.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/inject/inject_in.h"
#include "capture/proc/file_look.h"
#include "capture/proc/modules.h"
#include "cases.h"
#include "runtime/find/peek.h"
#include "runtime/probe_sites.h"

extern const struct runtime runtime_fake;

static int opened(void)
{
	int fd = open(FAKE_LIBRARY, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

TEST(its_file_is_recognised)
{
	struct modules_seen seen = { 0 };
	int fd = opened();

	assert_int_equal(modules_look(&seen, fd), MODULES_RUNTIME);
	modules_seen_done(&seen);
	close(fd);
}

static const struct image *image_of(const struct image_set *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (strstr(set->image[i].path, name))
			return &set->image[i];
	return NULL;
}

TEST(its_families_are_found_in_a_process)
{
	void *library = dlopen(FAKE_LIBRARY, RTLD_NOW);
	struct image_set set = { 0 };
	struct arena arena = { 0 };
	struct runtime_found found;
	struct rtti_vtable *vtable;
	const struct image *image;
	struct rtti rtti;

	assert_non_null(library);
	assert_int_equal(image_set_self(&set), 0);
	image = image_of(&set, "fake-runtime");
	assert_non_null(image);
	assert_int_equal(rtti_scan(&rtti, image, &set, &arena), 0);
	assert_ptr_equal(runtimes_in(&rtti), &runtime_fake);
	runtimes_find(&found, &runtime_fake, &rtti, NULL);
	assert_string_equal(found.left_out, "");
	for (unsigned i = 0; i < runtime_fake.n_families; i++)
		assert_true(found.slot[i] >= 0);
	/* the common class of operators, and two derived from it */
	assert_int_equal(rtti_derived(&rtti, "N4fake2OpE", &vtable), 3);
	arena_done(&arena);
	image_set_done(&set);
	dlclose(library);
}

TEST(each_row_gives_what_all_runtimes_are_found_by)
{
	for (size_t i = 0; runtimes[i]; i++) {
		assert_true(*runtimes[i]->name && *runtimes[i]->title);
		assert_non_null(runtimes[i]->entries);
		assert_true(*runtimes[i]->marks.prefix && runtimes[i]->marks.fewest);
	}
}

TEST(an_agent_can_be_brought_in_where_its_row_says)
{
	struct inject_file found = { 0 };
	struct image_file file;
	struct err err = { 0 };
	int fd = opened();

	assert_int_equal(image_file_open(&file, fd, FAKE_LIBRARY, &err), 0);
	assert_int_equal(inject_file_look(&file, &found, &err), 0);
	assert_true(found.slot && found.original);
	assert_int_equal(image_word(image_file_image(&file), found.slot), found.original);
	image_file_close(&file);
	close(fd);
}

TEST(its_sites_are_found_in_a_child_without_rights)
{
	struct probe_sites sites;
	struct err err = { 0 };
	int fd = opened();

	assert_int_equal(file_look_sites(&sites, fd, FAKE_LIBRARY, NULL, &err), 0);
	assert_ptr_equal(runtimes[sites.runtime], &runtime_fake);
	assert_int_equal(probe_sites_count(&sites, SITE_RUN), 1);
	assert_true(sites.site[0].offset);
	probe_sites_done(&sites);
	close(fd);
}

TEST(a_slot_is_that_of_the_newest_version_that_is_not_newer)
{
	static const struct runtime_slot slots[] = { { 14, 5 }, { 31, 6 }, { 0, -1 } };
	static const struct runtime_family family = { .name = "made up", .slots = slots };

	assert_int_equal(runtimes_slot(&family, 13), -1);
	assert_int_equal(runtimes_slot(&family, 14), 5);
	assert_int_equal(runtimes_slot(&family, 30), 5);
	assert_int_equal(runtimes_slot(&family, 40), 6);
}

struct node {
	uint64_t vptr;
	const char *text;
	const struct node *next;
	char inside[16];
};

TEST(a_path_leads_to_a_text)
{
	struct node last = { .text = "last", .inside = "here" }, first = { .text = "first", .next = &last };
	char text[32], small[4];

	assert_int_equal(peek_path("8c", (uint64_t)&first, text, sizeof text), 5);
	assert_string_equal(text, "first");
	assert_int_equal(peek_path("16>8c", (uint64_t)&first, text, sizeof text), 4);
	assert_string_equal(text, "last");
	assert_int_equal(peek_path("16>24t", (uint64_t)&first, text, sizeof text), 4);
	assert_string_equal(text, "here");
	assert_int_equal(peek_path("8c", (uint64_t)&first, small, sizeof small), 3);
	/* no object, and a path that ends nowhere */
	assert_int_equal(peek_path("16>16>8c", (uint64_t)&first, text, sizeof text), -1);
	assert_int_equal(peek_path("8", (uint64_t)&first, text, sizeof text), -1);
	assert_int_equal(peek_path("8x", (uint64_t)&first, text, sizeof text), -1);
}

TEST(libraries_of_runtimes_are_known_by_their_names)
{
	static const char *const own[] = { "/x/libonnxruntime.so.1.22.1",
					   "/v/libopenvino_c.so.2641",
					   "/v/libpywrap_litert_common.so",
					   "/v/libtensorflowlite_c.so",
					   "/n/llama-addon.node",
					   "libggml-base.so",
					   "/v/torch/lib/libtorch_python.so",
					   "libc10.so",
					   "/v/libonnxruntime-genai.so" };
	static const char *const others[] = { "/usr/lib/libc.so.6", "/x/torch/app", "/x/llama/serving.so",
					      "/bin/llama" };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		assert_true(runtimes_is_library(own[i]));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(runtimes_is_library(others[i]));
}
