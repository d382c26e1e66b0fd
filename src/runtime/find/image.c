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

int image_set_self(struct image_set *set)
{
	image_set_done(set);
	return dl_iterate_phdr(add, set) ? -ENOMEM : 0;
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

const void *image_set_at(const struct image_set *set, uint64_t address, size_t size, int flags)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct image *image = &set->image[i];
		const void *at;
		/* segments are in the order of their addresses */
		if (!image->n_segments || address < image->segment[0].start ||
		    address >= image->segment[image->n_segments - 1].end)
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
