// SPDX-License-Identifier: Apache-2.0
/* Lists the modules of this process with dl_iterate_phdr. Does not interpret them. */
#include "runtime/find/image.h"

#include <errno.h>
#include <link.h>
#include <string.h>

static int add(struct dl_phdr_info *info, size_t size, void *data)
{
	struct image_set *set = data;
	struct image *image;
	size_t len = strlen(info->dlpi_name);
	char *path = arena_alloc(&set->arena, len + 1);

	if (set->n == set->capacity) {
		size_t capacity = set->capacity ? set->capacity * 2 : 64;
		set->image = arena_grow(&set->arena, set->image, set->n * sizeof *image, capacity * sizeof *image);
		set->capacity = set->image ? capacity : 0;
	}
	if (!path || !set->image)
		return -ENOMEM;
	memcpy(path, info->dlpi_name, len + 1);
	image = &set->image[set->n++];
	image->path = path;
	image->base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr, end = start + ph->p_memsz;
		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_R) && image->n_segments < IMAGE_SEGMENTS)
			image->segment[image->n_segments++] =
			    (struct image_segment){ start, end, (int)ph->p_flags, (const uint8_t *)start };
		else if (ph->p_type == PT_GNU_RELRO)
			image->relro_start = start, image->relro_end = end;
		else if (ph->p_type == PT_DYNAMIC)
			image->dynamic = start, image->dynamic_end = end;
		else if (ph->p_type == PT_GNU_EH_FRAME)
			image->frames = start, image->frames_end = end;
	}
	return 0;
}

static uint64_t start_of(const struct image *image)
{
	return image->n_segments ? image->segment[0].start : 0;
}

static uint64_t end_of(const struct image *image)
{
	return image->n_segments ? image->segment[image->n_segments - 1].end : 0;
}

/* By insertion from the front: most modules are mapped below the one before. */
static void put_in_order(struct image_set *set)
{
	uint32_t *order = arena_alloc(&set->arena, set->n * sizeof *order);

	for (uint32_t i = 0; order && i < set->n; i++) {
		uint32_t at = 0;
		while (at < i && start_of(&set->image[order[at]]) < start_of(&set->image[i]))
			at++;
		memmove(order + at + 1, order + at, (i - at) * sizeof *order);
		order[at] = i;
	}
	for (uint32_t i = 1; order && i < set->n; i++)
		if (end_of(&set->image[order[i - 1]]) > start_of(&set->image[order[i]]))
			order = NULL;
	set->order = order;
}

int image_set_self(struct image_set *set)
{
	image_set_done(set);
	if (dl_iterate_phdr(add, set))
		return -ENOMEM;
	put_in_order(set);
	return 0;
}

void image_set_done(struct image_set *set)
{
	arena_done(&set->arena);
	memset(set, 0, sizeof *set);
}

const void *image_at(const struct image *image, uint64_t address, size_t size, int flags)
{
	for (int i = 0; i < image->n_segments; i++) {
		const struct image_segment *segment = &image->segment[i];
		if (address >= segment->start && address < segment->end && segment->end - address >= size &&
		    (segment->flags & flags) == flags)
			return segment->data + (address - segment->start);
	}
	return NULL;
}

/* The only one that may contain the address; NULL: none. */
static const struct image *image_by_order(const struct image_set *set, uint64_t address)
{
	size_t low = 0, high = set->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (start_of(&set->image[set->order[middle]]) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &set->image[set->order[low - 1]] : NULL;
}

const void *image_set_at(const struct image_set *set, uint64_t address, size_t size, int flags)
{
	const struct image *only = set->order ? image_by_order(set, address) : NULL;

	if (set->order)
		return only ? image_at(only, address, size, flags) : NULL;
	for (size_t i = 0; i < set->n; i++) {
		const struct image *image = &set->image[i];
		const void *at;
		/* segments are in the order of their addresses */
		if (address < start_of(image) || address >= end_of(image))
			continue;
		at = image_at(image, address, size, flags);
		if (at)
			return at;
	}
	return NULL;
}

bool image_has(const struct image *image, uint64_t address, int flags)
{
	return image_at(image, address, 1, flags) != NULL;
}

const char *image_text(const struct image *image, uint64_t address, size_t max)
{
	for (int i = 0; i < image->n_segments; i++) {
		const struct image_segment *segment = &image->segment[i];
		if (address < segment->start || address >= segment->end || (segment->flags & IMAGE_W))
			continue;
		const char *text = (const char *)segment->data + (address - segment->start);
		size_t room = segment->end - address < max ? segment->end - address : max;
		return memchr(text, 0, room) ? text : NULL;
	}
	return NULL;
}

uint64_t image_word(const struct image *image, uint64_t address)
{
	const void *at = image_at(image, address, 8, 0);
	uint64_t word = 0;

	if (at)
		memcpy(&word, at, 8);
	return word;
}
