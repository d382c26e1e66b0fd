// SPDX-License-Identifier: Apache-2.0
/* What the injector finds in files. */
#include "capture/inject/inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/inject/inject_in.h"
#include "cases.h"

static int look(struct inject_file *found, const char *path, uint64_t map_start, struct err *err)
{
	struct image_file file;
	int fd = open(path, O_RDONLY | O_CLOEXEC), code;

	assert_true(fd >= 0);
	*found = (struct inject_file){ .map_start = map_start };
	code = image_file_open(&file, fd, path, err);
	if (!code)
		code = inject_file_look(&file, found, err);
	image_file_close(&file);
	close(fd);
	return code;
}

TEST(functions_of_this_process_are_found_where_the_loader_has_them)
{
	struct inject_file found;
	struct err err;
	Dl_info info;
	void *libc;

	/* the C library's own functions: a sanitizer overrides them */
	libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	assert_non_null(libc);
	assert_int_not_equal(dladdr(dlsym(libc, "dlopen"), &info), 0);
	assert_int_equal(look(&found, info.dli_fname, (uint64_t)info.dli_fbase, &err), 0);
	for (int i = 0; i < N_INJECT_SYMBOLS; i++)
		assert_int_equal(found.symbol[i], (uint64_t)dlsym(libc, inject_symbols[i]));
	assert_int_equal(found.slot, 0);
	dlclose(libc);
}

TEST(what_a_subverted_child_says_is_not_sound)
{
	struct inject_file file = { .n_gaps = INJECT_GAPS }, bad;

	assert_true(inject_file_is_sound(&file));
	bad = file;
	bad.n_gaps++;
	assert_false(inject_file_is_sound(&bad));
	bad = file;
	bad.gap[INJECT_GAPS - 1].size = UINT64_MAX;
	assert_false(inject_file_is_sound(&bad));
	memset(bad.version, 'x', sizeof bad.version);
	bad.n_gaps = 0;
	assert_false(inject_file_is_sound(&bad));
}

/* The gap behind data begins where .bss ends, not where the file does. */
TEST(gaps_lie_behind_all_that_a_segment_has)
{
	struct inject_file found;
	unsigned n_code = 0, n_data = 0;
	struct err err;

	assert_int_equal(look(&found, TEST_DIR "/data/inject/good/functions.so", 0x10000000, &err), 0);
	for (uint32_t i = 0; i < found.n_gaps; i++) {
		n_code += found.gap[i].is_code;
		n_data += !found.gap[i].is_code;
		assert_int_equal((found.gap[i].address + found.gap[i].size) & 4095, 0);
	}
	assert_int_equal(n_code, 1);
	assert_int_equal(n_data, 1);
	/* 400 bytes of data in the file, 400 more without file content: see the recipe in test/data/inject/README.md */
	assert_int_equal(found.gap[1].address & 4095, 0x330);
}

TEST(a_runtime_has_a_word_to_replace)
{
	struct inject_file found;
	struct err err;

	assert_int_equal(look(&found, TEST_DIR "/data/elf/good/plain.so", 0x7f0000000000, &err), 0);
	assert_true(found.slot > 0x7f0000000000 && found.original > 0x7f0000000000);
	assert_int_equal(found.slot & 7, 0);
}

TEST(nothing_is_found_in_broken_files)
{
	static const char *const bad[] = { "many_buckets.so", "no_buckets.so", "cut.so", "endless_segment.so" };
	struct inject_file found;
	struct err err;
	char path[512];

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(path, sizeof path, TEST_DIR "/data/inject/bad/%s", bad[i]);
		if (look(&found, path, 0x10000000, &err))
			continue;
		if (!strcmp(bad[i], "endless_segment.so"))
			for (uint32_t k = 0; k < found.n_gaps; k++)
				assert_true(found.gap[k].is_code);
		else
			for (int k = 0; k < N_INJECT_SYMBOLS; k++)
				assert_int_equal(found.symbol[k], 0);
	}
}

/* As linkers of old systems make it. */
TEST(a_file_without_gnu_hash_is_read_by_its_hash)
{
	struct inject_file found;
	struct err err;

	assert_int_equal(look(&found, TEST_DIR "/data/inject/good/no_gnu_hash.so", 0x10000000, &err), 0);
	assert_int_equal(found.symbol[INJECT_PTHREAD_CREATE], 0x100002c9);
	assert_int_equal(found.symbol[INJECT_ATFORK], 0); /* it has none */
}

/* ---- the code ---- */

TEST(a_process_that_has_anothers_number_now_is_left_alone)
{
	struct inject_opts opts = { .agent = "/nowhere", .level = 1 };
	struct inject inject;
	struct err err;

	/* the very first process started later than that */
	assert_int_equal(inject_prepare(&inject, getpid(), 1, &opts, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "its PID has been reused"));
	inject_done(&inject);
}
