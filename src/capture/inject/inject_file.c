// SPDX-License-Identifier: Apache-2.0
/*
 * Functions are found by .gnu.hash, which every GNU C library has that comes into question. The word to replace is that
 * of the inject_family of the runtime's row (runtime/runtimes.h): every inference calls it, at a moment at which the
 * runtime holds nothing.
 */
#include "capture/inject/inject_file.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/processor.h"
#include "runtime/file_runtime.h"

const char *const inject_symbols[N_INJECT_SYMBOLS] = { "pthread_create",
						       "dlopen",
						       "dlsym",
						       "dlerror",
						       "__errno_location",
						       "__register_atfork",
						       "pthread_detach",
						       "pthread_key_create",
						       "pthread_setspecific" };

enum { MAX_SYMBOLS = 1 << 20 };

struct dynamic {
	uint64_t symbols, strings, strings_size, gnu_hash;
};

static void read_dynamic(const struct image *image, struct dynamic *dynamic)
{
	memset(dynamic, 0, sizeof *dynamic);
	for (uint64_t at = image->dynamic; image->dynamic_end - at >= 16; at += 16) {
		uint64_t tag = image_word(image, at), value = image_word(image, at + 8);
		if (tag == DT_NULL)
			return;
		if (tag == DT_SYMTAB)
			dynamic->symbols = value;
		else if (tag == DT_STRTAB)
			dynamic->strings = value;
		else if (tag == DT_STRSZ)
			dynamic->strings_size = value;
		else if (tag == DT_GNU_HASH)
			dynamic->gnu_hash = value;
	}
}

static bool read_u32(const struct image *image, uint64_t at, uint32_t *value)
{
	const void *from = image_at(image, at, 4, 0);

	if (from)
		memcpy(value, from, 4);
	return from != NULL;
}

/* The symbol's address if it is a function of this name that the file defines; else 0. */
static uint64_t match(const struct image *image, const struct dynamic *dynamic, uint64_t index, const char *name)
{
	const void *from = image_at(image, dynamic->symbols + index * sizeof(Elf64_Sym), sizeof(Elf64_Sym), 0);
	size_t size = strlen(name) + 1;
	const void *text;
	Elf64_Sym symbol;

	if (!from)
		return 0;
	memcpy(&symbol, from, sizeof symbol);
	if (!symbol.st_shndx || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name > dynamic->strings_size ||
	    dynamic->strings_size - symbol.st_name < size)
		return 0;
	text = image_at(image, dynamic->strings + symbol.st_name, size, 0);
	return text && !memcmp(text, name, size) && image_has(image, symbol.st_value, IMAGE_X) ? symbol.st_value : 0;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* { n_buckets, first symbol, n_words of the filter, shift, filter, buckets, chains } */
static uint64_t find_by_gnu_hash(const struct image *image, const struct dynamic *dynamic, const char *name)
{
	uint32_t n_buckets, first, n_words, index, hash = gnu_hash_of(name), found;
	uint64_t buckets, chains;

	if (!read_u32(image, dynamic->gnu_hash, &n_buckets) || !read_u32(image, dynamic->gnu_hash + 4, &first) ||
	    !read_u32(image, dynamic->gnu_hash + 8, &n_words) || !n_buckets)
		return 0;
	buckets = dynamic->gnu_hash + 16 + 8 * (uint64_t)n_words;
	chains = buckets + 4 * (uint64_t)n_buckets;
	if (!read_u32(image, buckets + 4 * (uint64_t)(hash % n_buckets), &index) || index < first)
		return 0;
	for (uint32_t step = 0; step < MAX_SYMBOLS && read_u32(image, chains + 4 * (uint64_t)(index - first), &found);
	     step++, index++) {
		uint64_t address = (found | 1) == (hash | 1) ? match(image, dynamic, index, name) : 0;
		if (address)
			return address;
		if (found & 1)
			break;
	}
	return 0;
}

uint64_t inject_file_symbol(const struct image *image, const char *name)
{
	struct dynamic dynamic;

	read_dynamic(image, &dynamic);
	return dynamic.symbols && dynamic.strings && dynamic.gnu_hash ? find_by_gnu_hash(image, &dynamic, name) : 0;
}

static bool read_segment(const struct image_file *file, const Elf64_Ehdr *header, unsigned number, Elf64_Phdr *segment)
{
	uint64_t at = header->e_phoff + (uint64_t)number * sizeof *segment;

	if (header->e_phoff > file->size || at > file->size || file->size - at < sizeof *segment)
		return false;
	memcpy(segment, file->data + at, sizeof *segment);
	return segment->p_type == PT_LOAD && segment->p_memsz && segment->p_filesz <= segment->p_memsz &&
	       segment->p_vaddr <= UINT64_MAX / 2 && segment->p_memsz <= UINT64_MAX / 4 &&
	       segment->p_offset <= INT64_MAX / 2;
}

/*
 * Behind code the page goes on with other bytes of the file, behind data with zeroes. An image leaves out what the file
 * does not hold.
 */
static void find_gaps(const struct image_file *file, struct inject_file *result)
{
	Elf64_Phdr segment;
	Elf64_Ehdr header;

	if (file->size < sizeof header)
		return;
	memcpy(&header, file->data, sizeof header);
	for (unsigned i = 0; i < header.e_phnum && result->n_gaps < INJECT_GAPS; i++) {
		struct inject_gap gap;
		if (!read_segment(file, &header, i, &segment))
			continue;
		gap.address = segment.p_vaddr + segment.p_memsz;
		gap.size = -gap.address & (page_size() - 1);
		gap.offset = segment.p_offset + segment.p_memsz;
		gap.is_code = (segment.p_flags & (PF_X | PF_W)) == PF_X && segment.p_filesz == segment.p_memsz;
		if (gap.size && (gap.is_code || (segment.p_flags & (PF_X | PF_W)) == PF_W))
			result->gap[result->n_gaps++] = gap;
	}
}

/* The word of the family that the runtime's row names, in the table of the first of its classes; 0: not known. */
static uint64_t slot_of(const struct runtime_found *found, struct rtti *rtti)
{
	const struct runtime_family *family = &found->runtime->family[found->runtime->inject_family];
	int slot = found->slot[found->runtime->inject_family];
	struct rtti_vtable *vtable;

	if (slot < 0 || !rtti_derived(rtti, family->only ? family->only : family->class_name, &vtable))
		return 0;
	return vtable[0].slots + 8 * (uint64_t)slot;
}

/* Only a runtime itself has the class; a library that belongs to one does not. */
static bool can_inject(const struct runtime *runtime, const struct rtti *rtti)
{
	const struct runtime_family *family =
	    runtime && runtime->inject_family >= 0 ? &runtime->family[runtime->inject_family] : NULL;

	return family && rtti_named(rtti, family->only ? family->only : family->class_name);
}

static int find_slot(const struct image_file *file, struct inject_file *result, struct err *err)
{
	const struct image *image = image_file_image(file);
	struct file_runtime in;
	int code = file_runtime_find(&in, file, err);

	if (!code && can_inject(in.runtime, &in.rtti)) {
		snprintf(result->version, sizeof result->version, "%s", in.found.version);
		result->slot = slot_of(&in.found, &in.rtti);
		result->original = result->slot ? image_word(image, result->slot) : 0;
		if (!image_has(image, result->original, IMAGE_X))
			code = err_set(err, ENOTSUP,
				       "cannot inject: the runtime in %s, version '%s', is not supported; "
				       "try attach without --inject",
				       image->path, in.found.version);
	}
	file_runtime_done(&in);
	return code;
}

static void add_bias(struct inject_file *result, uint64_t bias)
{
	for (int i = 0; i < N_INJECT_SYMBOLS; i++)
		result->symbol[i] += result->symbol[i] ? bias : 0;
	for (uint32_t i = 0; i < result->n_gaps; i++)
		result->gap[i].address += bias;
	result->original += result->slot ? bias : 0;
	result->slot += result->slot ? bias : 0;
}

int inject_file_look(const struct image_file *file, void *opaque, struct err *err)
{
	const struct image *image = image_file_image(file);
	struct inject_file *result = opaque;
	uint64_t bias;
	int code;

	*result = (struct inject_file){ .map_start = result->map_start, .map_offset = result->map_offset };
	if (!image_file_bias(file, result->map_start, result->map_offset, &bias))
		return err_set(err, EINVAL, "cannot read %s: it is not what the process has mapped", image->path);
	for (int i = 0; i < N_INJECT_SYMBOLS; i++)
		result->symbol[i] = inject_file_symbol(image, inject_symbols[i]);
	find_gaps(file, result);
	code = find_slot(file, result, err);
	add_bias(result, bias);
	return code;
}

bool inject_file_is_sound(const struct inject_file *file)
{
	if (file->n_gaps > INJECT_GAPS || !memchr(file->version, 0, sizeof file->version))
		return false;
	for (uint32_t i = 0; i < file->n_gaps; i++)
		if (file->gap[i].size >= page_size())
			return false;
	return true;
}
