// SPDX-License-Identifier: Apache-2.0
/*
 * Makes two passes over the words of the module's relocated data: the first finds type_infos by their vptr, the second
 * finds virtual tables by the type_info they name. Both compare words before they follow any, so scanning a 30 MB
 * module takes about a millisecond.
 */
#include "runtime/find/rtti.h"

#include <errno.h>
#include <string.h>

enum { MAX_NAME = 4096, MAX_BASES = 16, LEAST_ADDRESS = 4096 };

/* vptr values of type_infos seen so far, and their kinds. */
struct vptr_cache {
	struct {
		uint64_t vptr;
		uint8_t kind;
	} entry[64];
	unsigned n;
};

/* Most addresses in a module are its own; a process has hundreds of others. */
static const void *near_at(const struct image *own, const struct image_set *set, uint64_t address, size_t size)
{
	if (address < LEAST_ADDRESS)
		return NULL;
	if (image_has(own, address, 0))
		return image_at(own, address, size, IMAGE_R);
	return image_set_at(set, address, size, IMAGE_R);
}

/* Before what may be a table of functions. It is in writable data: most candidates are functions, in cold pages. */
static const uint64_t *table_at(const struct image *own, const struct image_set *set, uint64_t address)
{
	const int flags = IMAGE_R | IMAGE_W;

	return image_has(own, address, 0) ? image_at(own, address, 8, flags) : image_set_at(set, address, 8, flags);
}

static uint8_t kind_by_name(const struct image *own, const struct image_set *set, uint64_t vptr)
{
	static const char *const kinds[] = { "N10__cxxabiv117__class_type_infoE",
					     "N10__cxxabiv120__si_class_type_infoE",
					     "N10__cxxabiv121__vmi_class_type_infoE" };
	const uint64_t *before, *info;

	if ((vptr & 7) || !(before = table_at(own, set, vptr - 8)))
		return 0;
	if ((*before & 7) || !(info = near_at(own, set, *before, 16)))
		return 0;
	for (int i = 0; i < 3; i++) {
		size_t size = strlen(kinds[i]) + 1;
		const char *name = near_at(own, set, info[1], size);
		if (!name)
			return 0;
		if (!memcmp(name, kinds[i], size))
			return (uint8_t)(RTTI_CLASS + i);
	}
	return 0;
}

static uint8_t kind_of(struct vptr_cache *cache, const struct image *own, const struct image_set *set, uint64_t vptr)
{
	uint8_t kind;

	for (unsigned i = 0; i < cache->n; i++)
		if (cache->entry[i].vptr == vptr)
			return cache->entry[i].kind;
	kind = kind_by_name(own, set, vptr);
	if (kind && cache->n < 64) {
		cache->entry[cache->n].vptr = vptr;
		cache->entry[cache->n++].kind = kind;
	}
	return kind;
}

static int add_type(struct rtti *rtti, uint64_t address, const char *name, uint8_t kind)
{
	if (rtti->n_types == rtti->capacity) {
		size_t capacity = rtti->capacity ? rtti->capacity * 2 : 4096, size = sizeof *rtti->type;
		struct rtti_type *type = arena_grow(rtti->arena, rtti->type, rtti->n_types * size, capacity * size);
		if (!type)
			return -ENOMEM;
		rtti->type = type;
		rtti->capacity = capacity;
	}
	rtti->type[rtti->n_types++] =
	    (struct rtti_type){ .address = address, .name = name + (*name == '*'), .kind = kind };
	return 0;
}

/* The read-only part of the module that holds most texts: tried first, so that most words cost two compares. */
struct rodata {
	uint64_t start, end;
};

static struct rodata find_rodata(const struct image *image)
{
	struct rodata all = { UINT64_MAX, 0 };

	for (int i = 0; i < image->n_segments; i++) {
		if (image->segment[i].flags & IMAGE_W)
			continue;
		if (image->segment[i].start < all.start)
			all.start = image->segment[i].start;
		if (image->segment[i].end > all.end)
			all.end = image->segment[i].end;
	}
	return all;
}

static int scan_segment(struct rtti *rtti, const struct image_segment *segment, const struct image_set *set,
			struct vptr_cache *cache)
{
	struct rodata rodata = find_rodata(rtti->image);
	uint64_t from = (segment->start + 7) & ~7ull;

	for (uint64_t at = from; at + 16 <= segment->end; at += 8) {
		const uint64_t *word = (const uint64_t *)(segment->data + (at - segment->start));
		const char *name;
		uint8_t kind;
		if (word[1] - rodata.start >= rodata.end - rodata.start || (word[0] & 7) || word[0] < 4096 ||
		    word[0] - rodata.start < rodata.end - rodata.start)
			continue; /* a vptr points into writable data, of this module or another */
		kind = kind_of(cache, rtti->image, set, word[0]);
		if (!kind || !(name = image_text(rtti->image, word[1], MAX_NAME)))
			continue;
		if (add_type(rtti, at, name, kind))
			return -ENOMEM;
	}
	return 0;
}

/* The relocated data: RELRO, or else the writable segments. */
static int each_data(const struct image *image, int i, struct image_segment *part)
{
	const struct image_segment *segment = &image->segment[i];

	*part = *segment;
	if (!(segment->flags & IMAGE_W))
		return 0;
	if (image->relro_end > segment->start && image->relro_start < segment->end) {
		part->start = image->relro_start > segment->start ? image->relro_start : segment->start;
		part->end = image->relro_end < segment->end ? image->relro_end : segment->end;
		part->data = segment->data + (part->start - segment->start);
	} else if (image->relro_end) {
		return 0;
	}
	return 1;
}

const struct rtti_type *rtti_named(const struct rtti *rtti, const char *mangled)
{
	for (size_t i = 0; i < rtti->n_types; i++)
		if (!strcmp(rtti->type[i].name, mangled))
			return &rtti->type[i];
	return NULL;
}

uint64_t rtti_table(const struct rtti *rtti, const char *mangled)
{
	const struct rtti_type *type = rtti_named(rtti, mangled);
	struct image_segment part;

	for (int i = 0; i < rtti->image->n_segments && type; i++) {
		if (!each_data(rtti->image, i, &part))
			continue;
		for (uint64_t at = (part.start + 7) & ~7ull; at + 24 <= part.end; at += 8) {
			const uint64_t *word = (const uint64_t *)(part.data + (at - part.start));
			if (word[1] == type->address && !word[0])
				return at + 16;
		}
	}
	return 0;
}

static struct rtti_type *own_type_at(const struct rtti *rtti, uint64_t address)
{
	size_t low = 0, high = rtti->n_own;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (rtti->type[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < rtti->n_own && rtti->type[low].address == address ? &rtti->type[low] : NULL;
}

static struct rtti_type *type_at(const struct rtti *rtti, uint64_t address)
{
	struct rtti_type *own = own_type_at(rtti, address);

	for (size_t i = rtti->n_own; i < rtti->n_types && !own; i++)
		if (rtti->type[i].address == address)
			return &rtti->type[i];
	return own;
}

/* A word of this module, or of any other. */
static uint64_t word_at(const struct rtti *rtti, const struct image_set *set, uint64_t address)
{
	const uint64_t *word;

	if (address & 7)
		return 0;
	word = near_at(rtti->image, set, address, 8);
	return word ? *word : 0;
}

enum { MOST_BASES = 8 };

/* The addresses of a type's bases that lie at offset 0. */
static unsigned bases_of(const struct rtti *rtti, const struct image_set *set, const struct rtti_type *type,
			 uint64_t base[MOST_BASES])
{
	uint64_t at = type->address, count;
	unsigned n = 0;

	if (type->kind == RTTI_SI)
		base[n++] = word_at(rtti, set, at + 16);
	if (type->kind != RTTI_VMI)
		return n;
	/* { vptr, name, u32 flags, u32 count, { base, long offset << 8 | flags }... } */
	count = word_at(rtti, set, at + 16) >> 32;
	for (uint64_t i = 0; i < count && i < MAX_BASES && n < MOST_BASES; i++) {
		int64_t flags = (int64_t)word_at(rtti, set, at + 32 + 16 * i);
		if (!(flags >> 8) && !(flags & 1))
			base[n++] = word_at(rtti, set, at + 24 + 16 * i);
	}
	return n;
}

static int add_outer(struct rtti *rtti, const struct image_set *set, struct vptr_cache *cache, uint64_t address)
{
	const uint64_t *info = address & 7 ? NULL : image_set_at(set, address, 16, IMAGE_R);
	uint8_t kind = info ? kind_of(cache, rtti->image, set, info[0]) : 0;
	const char *name = NULL;

	for (size_t i = 0; i < set->n && kind && !name; i++)
		name = image_text(&set->image[i], info[1], MAX_NAME);
	return name ? add_type(rtti, address, name, kind) : 0;
}

/* Classes of other modules that this one's derive from, and their bases: they come behind its own. */
static int find_outer(struct rtti *rtti, const struct image_set *set, struct vptr_cache *cache)
{
	enum { MOST_OUTER = 1000 };
	uint64_t base[MOST_BASES];

	rtti->n_own = rtti->n_types;
	for (size_t i = 0; i < rtti->n_types; i++) {
		unsigned n = bases_of(rtti, set, &rtti->type[i], base);
		for (unsigned b = 0; b < n && rtti->n_types - rtti->n_own < MOST_OUTER; b++)
			if (base[b] && !type_at(rtti, base[b]) && add_outer(rtti, set, cache, base[b]))
				return -ENOMEM;
	}
	return 0;
}

static void find_bases(struct rtti *rtti, const struct image_set *set)
{
	uint64_t base[MOST_BASES];

	for (struct rtti_type *type = rtti->type; type < rtti->type + rtti->n_types; type++) {
		unsigned n = bases_of(rtti, set, type, base);
		for (unsigned b = 0; b < n && type->n_bases < 3; b++) {
			const struct rtti_type *at = type_at(rtti, base[b]);
			if (at)
				type->base[type->n_bases++] = (uint32_t)(at - rtti->type);
		}
	}
}

/* Tables: { offset to top 0, type_info, first function }. */
static int find_vtables(struct rtti *rtti, const struct image_segment *part, size_t *capacity)
{
	uint64_t low = rtti->type[0].address, high = rtti->type[rtti->n_own - 1].address;
	const uint64_t *word = (const uint64_t *)(part->data + ((part->start + 7) & ~7ull) - part->start);
	uint64_t at = (part->start + 7) & ~7ull;

	for (; at + 24 <= part->end; at += 8, word++) {
		const struct rtti_type *type;
		if (word[0] || word[1] < low || word[1] > high || !(type = own_type_at(rtti, word[1])) ||
		    !image_has(rtti->image, word[2], 0))
			continue;
		if (rtti->n_vtables == *capacity) {
			size_t grown = *capacity ? *capacity * 2 : 2048, size = sizeof *rtti->vtable;
			rtti->vtable = arena_grow(rtti->arena, rtti->vtable, rtti->n_vtables * size, grown * size);
			if (!rtti->vtable)
				return -ENOMEM;
			*capacity = grown;
		}
		rtti->vtable[rtti->n_vtables++] = (struct rtti_vtable){ at + 16, type };
	}
	return 0;
}

int rtti_scan(struct rtti *rtti, const struct image *image, const struct image_set *set, struct arena *arena)
{
	struct vptr_cache cache = { .n = 0 };
	struct image_segment part;
	size_t capacity = 0;

	*rtti = (struct rtti){ .image = image, .arena = arena };
	for (int i = 0; i < image->n_segments; i++)
		if (each_data(image, i, &part) && scan_segment(rtti, &part, set, &cache))
			return -ENOMEM;
	if (find_outer(rtti, set, &cache))
		return -ENOMEM;
	find_bases(rtti, set);
	for (int i = 0; i < image->n_segments && rtti->n_own; i++)
		if (each_data(image, i, &part) && find_vtables(rtti, &part, &capacity))
			return -ENOMEM;
	return 0;
}

static void mark_derived(struct rtti *rtti, const struct rtti_type *base)
{
	bool again = true;

	for (size_t i = 0; i < rtti->n_types; i++)
		rtti->type[i].mark = &rtti->type[i] == base;
	while (again) {
		again = false;
		for (size_t i = 0; i < rtti->n_types; i++) {
			struct rtti_type *type = &rtti->type[i];
			for (unsigned b = 0; b < type->n_bases && !type->mark; b++)
				if (rtti->type[type->base[b]].mark)
					type->mark = again = true;
		}
	}
}

static size_t find_derived(struct rtti *rtti, const char *base_name, struct rtti_vtable **vtable)
{
	const struct rtti_type *base = rtti_named(rtti, base_name);
	size_t n = 0;

	*vtable = NULL;
	if (!base || !(*vtable = arena_alloc(rtti->arena, rtti->n_vtables * sizeof **vtable)))
		return 0;
	mark_derived(rtti, base);
	for (size_t i = 0; i < rtti->n_vtables; i++)
		if (rtti->vtable[i].type->mark)
			(*vtable)[n++] = rtti->vtable[i];
	return n;
}

/* Several functions of one class are asked for, and a search takes 0.1 ms. */
size_t rtti_derived(struct rtti *rtti, const char *base_name, struct rtti_vtable **vtable)
{
	struct rtti_asked asked = { .base = base_name };

	for (unsigned i = 0; i < rtti->n_asked; i++) {
		if (strcmp(rtti->asked[i].base, base_name))
			continue;
		*vtable = rtti->asked[i].vtable;
		return rtti->asked[i].n;
	}
	asked.n = find_derived(rtti, base_name, &asked.vtable);
	if (rtti->n_asked < RTTI_ASKED)
		rtti->asked[rtti->n_asked++] = asked;
	*vtable = asked.vtable;
	return asked.n;
}
