/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules as they lie in memory after relocation: segments with bounds. All of runtime/ reads a module through image_at
 * and the functions below it, which check every access; no code there follows a raw pointer.
 */
#ifndef RUNTIME_IMAGE_H
#define RUNTIME_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { IMAGE_R = 4, IMAGE_W = 2, IMAGE_X = 1 }; /* as PF_R, PF_W, PF_X */
enum { IMAGE_SEGMENTS = 16 };

struct image_segment {
	uint64_t start, end; /* addresses in the running process */
	int flags;
	const uint8_t *data; /* where the bytes of `start` can be read */
};

struct image {
	const char *path; /* in the arena; "" for the main program */
	uint64_t base;
	struct image_segment segment[IMAGE_SEGMENTS];
	int n_segments;
	uint64_t relro_start, relro_end; /* 0, 0: none */
	uint64_t dynamic, dynamic_end;	 /* PT_DYNAMIC */
	uint64_t frames, frames_end;	 /* PT_GNU_EH_FRAME; of a module of this process */
};

struct image_set {
	struct image *image;
	size_t n, capacity;
	uint32_t *order; /* by address; NULL: not known, or one lies in a gap of another */
	struct arena arena;
};

/*
 * All modules loaded in this process, readable segments only. 0 or -ENOMEM. Frees the set's former content. Takes the
 * loader's lock (dl_iterate_phdr); not for the hot path.
 */
int image_set_self(struct image_set *set);
void image_set_done(struct image_set *set);

/* The bytes at [address, address + size) if one segment with all of `flags` contains them; else NULL. */
const void *image_at(const struct image *image, uint64_t address, size_t size, int flags);
/* The same in any module of the set. */
const void *image_set_at(const struct image_set *set, uint64_t address, size_t size, int flags);
bool image_has(const struct image *image, uint64_t address, int flags);
/* A NUL-terminated text of at most max - 1 bytes in read-only memory, or NULL. */
const char *image_text(const struct image *image, uint64_t address, size_t max);
/* The word at an address; 0 if it cannot be read. */
uint64_t image_word(const struct image *image, uint64_t address);

#endif
