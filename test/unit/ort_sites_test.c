// SPDX-License-Identifier: Apache-2.0
/*
 * Small files with the structure of ONNX Runtime (test/data/make_elf.py), and the C++ library, whose symbols give the
 * right answers. test_sites.py covers real runtimes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "runtime/find/eh_frame.h"
#include "runtime/find/rtti.h"
#include "runtime/probe_sites.h"

struct found {
	struct image_file file;
	struct probe_sites sites;
	struct err err;
	int failed;
};

static void find(struct found *found, const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof path, TEST_DIR "/data/elf/%s", name);
	memset(found, 0, sizeof *found);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	found->failed = image_file_open(&found->file, fd, name, &found->err);
	if (!found->failed)
		found->failed = probe_sites_find(&found->sites, &found->file, NULL, &found->err);
	close(fd);
}

static void done(struct found *found)
{
	probe_sites_done(&found->sites);
	image_file_close(&found->file);
}

static const struct probe_site *only(const struct found *found, enum probe_kind kind)
{
	assert_int_equal(probe_sites_count(&found->sites, kind), 1);
	return &found->sites.site[found->sites.first[kind]];
}

static bool is_of_later_versions(int kind)
{
	return kind == SITE_INITIALIZE_WEIGHTS || kind == SITE_COPY_WEIGHTS || kind == SITE_SHARE_PACKED;
}

static void check_whole(const char *name)
{
	struct found found;

	find(&found, name);
	assert_string_equal(found.err.msg, "");
	assert_string_equal(found.sites.version, "1.15.1");
	assert_string_equal(found.sites.build_id, "000102030405060708090a0b0c0d0e0f10111213");
	assert_string_equal(found.sites.left_out, "");
	assert_true(found.sites.is_old_string);
	assert_false(found.sites.is_library);
	for (int kind = 0; kind < N_SITE_KINDS; kind++)
		assert_int_equal(probe_sites_count(&found.sites, kind),
				 kind == SITE_OPERATOR ? 5 : !is_of_later_versions(kind));
	for (size_t i = 0; i < found.sites.n; i++) {
		const struct probe_site *site = &found.sites.site[i];
		uint8_t first = found.file.data[site->offset];
		assert_int_equal(site->is_cheap, first == 0x53 || first == 0x55 || first == 0x74 || first == 0xe8);
	}
	done(&found);
}

TEST(every_family_is_found)
{
	check_whole("good/plain.so");
}

TEST(relocations_may_be_packed)
{
	check_whole("good/relr.so");
}

TEST(functions_may_begin_without_endbr64)
{
	check_whole("good/old-compiler.so");
}

TEST(an_entry_lies_past_endbr64_and_an_end_behind_its_call)
{
	const struct probe_site *end;
	struct found found;
	const uint8_t *at;

	find(&found, "good/plain.so");
	at = found.file.data + only(&found, SITE_RUN)->offset;
	assert_memory_equal(at - 4, "\xf3\x0f\x1e\xfa\x53", 5);
	end = only(&found, SITE_OPERATOR_END);
	/* call [rax + 16]; mov rax, [rsp + 8]; test rax, rax; je */
	assert_memory_equal(found.file.data + end->offset - 11, "\xff\x50\x10\x48\x8b\x44\x24\x08\x48\x85\xc0\x74", 12);
	assert_true(end->is_cheap);
	done(&found);
}

/* Where the first instruction is dear, a border is the first cheap one behind it. */
TEST(a_border_is_a_cheap_place_behind_the_entry)
{
	const uint8_t *at;
	struct found found;

	find(&found, "good/plain.so");
	at = found.file.data + only(&found, SITE_LOOK_UP)->offset;
	/* endbr64; sub rsp, 8; xor eax, eax; call */
	assert_memory_equal(at - 10, "\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x31\xc0\xe8", 11);
	done(&found);
}

/* The inner half has the log text, but exceptions pass it: a return probe there would end the program. */
TEST(of_a_function_in_two_halves_the_one_that_catches_is_taken)
{
	const struct probe_site *site;
	struct found found;

	find(&found, "good/split.so");
	assert_string_equal(found.sites.left_out, "");
	site = only(&found, SITE_INITIALIZE);
	/* push rbx; a nop; call */
	assert_int_equal(found.file.data[site->offset + 2], 0xe8);
	done(&found);
}

TEST(what_is_refused_says_why_and_where)
{
	static const char *const refused[][2] = {
		{ "bad/empty", "cannot read bad/empty: it is empty" },
		{ "bad/text", "cannot read bad/text: at byte 0: it is not an ELF file" },
		{ "bad/32-bit.so",
		  "cannot read bad/32-bit.so: at byte 4: it is a 32-bit file; only 64-bit files are supported" },
		{ "bad/big-endian.so",
		  "cannot read bad/big-endian.so: at byte 5: its byte order is not this processor's" },
		{ "bad/arm.so", "cannot read bad/arm.so: at byte 18: it is not for x86-64" },
		{ "bad/object.o",
		  "cannot read bad/object.o: at byte 16: it is neither a program nor a shared library" },
		{ "bad/cut-in-header.so", "cannot read bad/cut-in-header.so: at byte 40: it ends inside its header" },
		{ "bad/no-headers.so", "cannot read bad/no-headers.so: at byte 54: its program headers make no sense" },
		{ "bad/cut.so",
		  "cannot read bad/cut.so: at byte 120: it is truncated: a segment ends behind the end of the file" },
		{ "bad/far-segment.so",
		  "cannot read bad/far-segment.so: at byte 120: a segment has an impossible address" },
		{ "bad/nothing-to-load.so", "cannot read bad/nothing-to-load.so: at byte 64: it has nothing to load" },
	};

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct found found;
		find(&found, refused[i][0]);
		assert_int_equal(found.failed, -ENOEXEC);
		assert_string_equal(found.err.msg, refused[i][1]);
		done(&found);
	}
}

TEST(only_what_catches_everything_may_have_a_return_probe)
{
	for (int kind = 0; kind < N_SITE_KINDS; kind++)
		assert_int_equal(probe_kind_returns(kind),
				 kind == SITE_RUN || kind == SITE_INITIALIZE || kind == SITE_LOAD);
}

/* The C++ library's file, and its load address. */
static void open_library(struct image_file *file, uint64_t *base, void **library)
{
	struct err err = { 0 };
	struct link_map *map;
	int fd;

	*library = dlopen("libstdc++.so.6", RTLD_NOW);
	assert_non_null(*library);
	assert_int_equal(dlinfo(*library, RTLD_DI_LINKMAP, &map), 0);
	*base = map->l_addr;
	fd = open(map->l_name, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(image_file_open(file, fd, "libstdc++", &err), 0);
	close(fd);
}

TEST(a_file_reads_as_the_loaded_module_does)
{
	struct arena arena = { 0 };
	struct rtti_vtable *vtable;
	struct image_file file;
	uint64_t base, offset;
	struct rtti rtti;
	void *library;
	size_t n;

	open_library(&file, &base, &library);
	assert_int_equal(rtti_scan(&rtti, image_file_image(&file), &file.set, &arena), 0);
	n = rtti_derived(&rtti, "St12out_of_range", &vtable);
	assert_int_equal(n, 1);
	assert_int_equal(base + vtable[0].slots - 16, (uint64_t)dlsym(library, "_ZTVSt12out_of_range"));
	assert_int_equal(base + image_word(rtti.image, vtable[0].slots + 16),
			 (uint64_t)dlsym(library, "_ZNKSt11logic_error4whatEv"));
	assert_true(image_file_offset(&file, image_word(rtti.image, vtable[0].slots), &offset));
	assert_false(image_file_offset(&file, UINT64_MAX, &offset));
	arena_done(&arena);
	image_file_close(&file);
	dlclose(library);
}

TEST(functions_begin_where_symbols_say)
{
	struct eh_function function;
	struct image_file file;
	struct eh_frame frames;
	struct err err = { 0 };
	uint64_t base, address;
	void *library;

	open_library(&file, &base, &library);
	assert_int_equal(eh_frame_open(&frames, image_file_image(&file), file.frames, file.frames_end, &err), 0);
	address =
	    (uint64_t)dlsym(library, "_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE") -
	    base;
	assert_true(eh_frame_function(&frames, address, &function));
	assert_int_equal(function.start, address);
	assert_true(eh_frame_function(&frames, address + 5, &function));
	assert_int_equal(function.start, address);
	assert_true(function.end > address + 5);
	assert_false(eh_frame_function(&frames, 0, &function));
	assert_false(eh_frame_function(&frames, UINT64_MAX, &function));
	image_file_close(&file);
	dlclose(library);
}

TEST(where_a_file_is_mapped_tells_where_it_was_loaded)
{
	struct image_file file;
	uint64_t base, bias;
	void *library;

	open_library(&file, &base, &library);
	assert_true(image_file_bias(&file, base, 0, &bias));
	assert_int_equal(bias, base);
	assert_false(image_file_bias(&file, base, file.size + (1 << 20), &bias));
	image_file_close(&file);
	dlclose(library);
}
