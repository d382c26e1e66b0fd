// SPDX-License-Identifier: Apache-2.0
/*
 * Functions are found by .gnu.hash, which every GNU C library has that comes into question. The word to replace is that
 * of the inject_family of the runtime's row (runtime/runtimes.h): every inference calls it, at a moment at which the
 * runtime holds nothing.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/processor.h"
#include "capture/inject/inject_in.h"
#include "runtime/file_runtime.h"
#include "runtime/find/dynamic.h"
#include "runtime/other_runtimes.h"

const char *const inject_symbols[N_INJECT_SYMBOLS] = { "pthread_create",
						       "dlopen",
						       "dlsym",
						       "dlerror",
						       "__errno_location",
						       "__register_atfork",
						       "pthread_detach",
						       "pthread_key_create",
						       "pthread_setspecific" };

/* The file's own address of an exported function, 0 if there is none. */
static uint64_t inject_file_symbol(const struct image *image, const char *name)
{
	struct dynamic dynamic;

	return dynamic_read(&dynamic, image) ? dynamic_function(&dynamic, name) : 0;
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

/* The word of an import that the library itself defines. It holds the address of a stub until it is bound. */
static void find_import(const struct image *image, const char *name, struct inject_file *result)
{
	struct dynamic_place place = { 0, 0 };
	struct dynamic dynamic;

	if (!dynamic_read(&dynamic, image) || !(result->original = dynamic_function(&dynamic, name)))
		return;
	result->slot = dynamic_next_of(&dynamic, &place, name);
	result->unbound = result->slot ? image_word(image, result->slot) : 0;
}

static int refuse(const struct image *image, const char *version, struct err *err)
{
	return err_set(err, ENOTSUP,
		       "cannot inject: the runtime in %s, version '%s', is not supported; try attach without --inject",
		       image->path, version);
}

/* The word in the table of C functions; 0: not known. */
static uint64_t entry_of(const struct runtime_found *found)
{
	unsigned entry = found->runtime->inject_entry;

	return entry && found->api && entry < found->n_api ? found->api + 8 * (uint64_t)entry : 0;
}

static int find_slot(const struct image_file *file, struct inject_file *result, struct err *err)
{
	const struct image *image = image_file_image(file);
	struct file_runtime in;
	int code = file_runtime_find(&in, file, err);

	bool has_class = !code && can_inject(in.runtime, &in.rtti);
	uint64_t entry = !code && in.runtime && !has_class ? entry_of(&in.found) : 0;

	if (has_class || entry) {
		snprintf(result->version, sizeof result->version, "%s", in.found.version);
		result->slot = entry ? entry : slot_of(&in.found, &in.rtti);
		result->original = result->slot ? image_word(image, result->slot) : 0;
		if (!image_has(image, result->original, IMAGE_X))
			code = refuse(image, in.found.version, err);
	} else if (!code && in.runtime && in.runtime->inject_import && !in.found.is_part) {
		find_import(image, in.runtime->inject_import, result);
		if (!result->slot)
			code = refuse(image, in.found.version, err);
	} else if (!code && !in.runtime && other_runtimes_in(&in.rtti)) {
		snprintf(result->other, sizeof result->other, "%s", other_runtimes_in(&in.rtti));
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
	result->unbound += result->unbound ? bias : 0;
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
	if (file->n_gaps > INJECT_GAPS || !memchr(file->version, 0, sizeof file->version) ||
	    !memchr(file->other, 0, sizeof file->other))
		return false;
	for (uint32_t i = 0; i < file->n_gaps; i++)
		if (file->gap[i].size >= page_size())
			return false;
	return true;
}
