// SPDX-License-Identifier: Apache-2.0
/* Names in the dynamic sections of modules of this process. */
#include "runtime/find/dynamic.h"

#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/processor.h"
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

/*
 * A module of four symbols: an import, an import whose address is that of the module's own stub (which linkers put into
 * .gnu.hash), a definition; and one relocation, of the first.
 */
enum { BUCKETS = 7 };
struct made {
	char texts[32];
	Elf64_Sym symbols[4];
	uint32_t hash[4];
	uint64_t filter;
	uint32_t bucket, chain[3];
	uint32_t old[2 + BUCKETS + 4]; /* n_buckets, n_symbols, the first symbol of each, the one behind each */
	Elf64_Rela relocation;
	uint64_t slot;
	Elf64_Dyn dynamic[8];
};

enum { AT = 0x100000 };

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* first: the first symbol of .gnu.hash; 1: as a linker writes a table without any. */
static void make(struct image *image, struct made *made, uint32_t first)
{
	static const struct made empty;
	const Elf64_Dyn dynamic[8] = { { DT_STRTAB, { AT + offsetof(struct made, texts) } },
				       { DT_STRSZ, { sizeof made->texts } },
				       { DT_SYMTAB, { AT + offsetof(struct made, symbols) } },
				       { DT_GNU_HASH, { AT + offsetof(struct made, hash) } },
				       { DT_JMPREL, { AT + offsetof(struct made, relocation) } },
				       { DT_PLTRELSZ, { sizeof made->relocation } },
				       { DT_NULL, { 0 } } };

	*made = empty;
	memcpy(made->texts, "\0imported\0stubbed\0defined", 26);
	made->symbols[1] = (Elf64_Sym){ 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0, 0 };
	made->symbols[2] = (Elf64_Sym){ 10, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 16, 0 };
	made->symbols[3] = (Elf64_Sym){ 18, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 32, 0 };
	made->hash[0] = 1;
	made->hash[1] = first;
	made->hash[2] = 1;
	if (first > 1) {
		made->bucket = first;
		made->chain[0] = hash_of("stubbed") & ~1u;
		made->chain[1] = hash_of("defined") | 1;
	}
	made->relocation = (Elf64_Rela){ AT + offsetof(struct made, slot), ELF64_R_INFO(1, PROCESSOR_JUMP_SLOT), 0 };
	memcpy(made->dynamic, dynamic, sizeof dynamic);
	*image = (struct image){ .path = "", .n_segments = 1 };
	image->segment[0] =
	    (struct image_segment){ AT, AT + sizeof *made, IMAGE_R | IMAGE_W | IMAGE_X, (uint8_t *)made };
	image->dynamic = AT + offsetof(struct made, dynamic);
	image->dynamic_end = image->dynamic + sizeof made->dynamic;
}

static bool is_imported(const char *name)
{
	return !strcmp(name, "imported");
}

static bool is_own(const char *name)
{
	return !strcmp(name, "defined") || !strcmp(name, "");
}

/* As an older linker makes it: no .gnu.hash, and a .hash that has imports, too. */
TEST(a_module_with_an_old_table_has_its_functions)
{
	enum { DEFINED = 0xabd04d4 % BUCKETS, STUBBED = 0xabb88c4 % BUCKETS }; /* System V's hashes */
	struct dynamic dynamic;
	struct image image;
	struct made made;

	make(&image, &made, 2);
	image.base = AT;
	made.dynamic[3] = (Elf64_Dyn){ DT_HASH, { AT + offsetof(struct made, old) } };
	made.old[0] = BUCKETS;
	made.old[1] = 4;
	made.old[2 + DEFINED] = 1;     /* the first one of the bucket, */
	made.old[2 + BUCKETS + 1] = 3; /* and the next one */
	made.old[2 + STUBBED] = 2;
	assert_true(dynamic_read(&dynamic, &image));
	assert_int_equal(dynamic_function(&dynamic, "defined"), AT + 32);
	assert_int_equal(dynamic_function(&dynamic, "stubbed"), 0);
	assert_true(dynamic_has(&dynamic, "stubbed"));
	assert_int_equal(dynamic_function(&dynamic, "missing"), 0);
}

TEST(an_import_in_the_table_of_hashes_is_no_definition)
{
	struct dynamic dynamic;
	struct image image;
	struct made made;

	make(&image, &made, 2);
	image.base = AT;
	assert_true(dynamic_read(&dynamic, &image));
	assert_int_equal(dynamic_function(&dynamic, "defined"), AT + 32);
	assert_int_equal(dynamic_function(&dynamic, "stubbed"), 0);
	assert_true(dynamic_has(&dynamic, "stubbed"));
	assert_true(dynamic_has(&dynamic, "defined"));
	assert_false(dynamic_has(&dynamic, "imported"));
}

TEST(imports_are_found_with_and_without_a_table_of_hashes)
{
	for (uint32_t first = 0; first < 3; first++) {
		struct dynamic dynamic;
		struct image image;
		struct made made;
		make(&image, &made, first);
		if (!first)
			made.dynamic[3].d_tag = DT_DEBUG;
		assert_true(dynamic_read(&dynamic, &image));
		assert_true(dynamic_imports_any(&dynamic, is_imported));
		assert_false(dynamic_imports_any(&dynamic, is_own));
	}
}
