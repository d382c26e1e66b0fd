// SPDX-License-Identifier: Apache-2.0
/*
 * Ends of the last pages of segments (inject_file.c), of the C library and, where that has no room, of the program; for
 * code also of the loader, which uses what is behind its data itself. Unused is what is in memory as in the file, or
 * zero where the file has nothing. What an earlier injector left is used again: it may be that a thread is in it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capture/inject/inject_in.h"

bool inject_place_has_head(const struct inject *inject, uint64_t at, struct ferry_head *head)
{
	return inject_memory_get(inject, at, head, sizeof *head) && head->magic == FERRY_MAGIC;
}

/* A head with code of another make cannot be used. */
static bool has_our_code(const struct inject *inject, uint64_t at)
{
	char ours[FERRY_MAX], its[FERRY_MAX];
	size_t size = inject_code_size();

	inject_code_make(ours, &inject->head);
	return inject_memory_get(inject, at, its, size) &&
	       !memcmp(ours + sizeof(struct ferry_head), its + sizeof(struct ferry_head),
		       size - sizeof(struct ferry_head));
}

/* In memory as in the file: nobody has put anything there. */
static bool is_untouched(const struct inject *inject, int fd, const struct inject_gap *gap, uint64_t at)
{
	char file[FERRY_MAX], memory[FERRY_MAX];
	size_t size = inject_code_size();
	ssize_t n = pread(fd, file, size, (off_t)(gap->offset + (at - gap->address)));

	if (n < 0 || !inject_memory_get(inject, at, memory, size))
		return false;
	memset(file + n, 0, size - (size_t)n); /* beyond the file's end */
	return !memcmp(file, memory, size);
}

/*
 * Takes the place for the code: that of an earlier time for the same slot, else a free one. *state: that of an earlier
 * time.
 */
static bool find_code(struct inject *inject, const struct inject_part *part, uint64_t *state)
{
	size_t size = inject_code_size();
	struct ferry_head head;

	inject->at = 0;
	inject->is_new = true;
	for (uint32_t i = 0; i < part->file.n_gaps; i++) {
		const struct inject_gap *gap = &part->file.gap[i];
		uint64_t end = gap->address + gap->size;
		if (!gap->is_code)
			continue;
		for (uint64_t at = gap->address + (-gap->address & 63); at <= end && end - at >= size; at += size) {
			if (!inject_place_has_head(inject, at, &head)) {
				if (!inject->at && is_untouched(inject, part->fd, gap, at))
					inject->at = at;
				continue;
			}
			*state = head.state;
			if (head.slot[0].at != inject->head.slot[0].at || !has_our_code(inject, at))
				continue;
			inject->at = at;
			inject->is_new = false;
			return true;
		}
	}
	return inject->at != 0;
}

static bool find_state(struct inject *inject, const struct inject_part *part)
{
	static const struct ferry_state none;
	struct ferry_state now;

	for (uint32_t i = 0; i < part->file.n_gaps; i++) {
		const struct inject_gap *gap = &part->file.gap[i];
		uint64_t skip = -gap->address & 15;
		if (gap->is_code || gap->size < skip + sizeof now)
			continue;
		inject->head.state = gap->address + skip;
		if (inject_memory_get(inject, inject->head.state, &now, sizeof now) && !memcmp(&now, &none, sizeof now))
			return true;
	}
	inject->head.state = 0;
	return false;
}

int inject_place_find(struct inject *inject, struct inject_target *target, struct err *err)
{
	struct inject_part *libc = &target->libc, *program = &target->program, *loader = &target->loader;
	uint64_t state = 0;

	if (!find_code(inject, libc, &state) && !find_code(inject, inject_target_part(target, program), &state) &&
	    !find_code(inject, inject_target_part(target, loader), &state))
		return err_set(
		    err, ENOSPC,
		    "cannot inject: process %d has no unused bytes for %zu bytes of code; leave out --inject",
		    (int)inject->pid, inject_code_size());
	inject->head.state = state;
	if (state || find_state(inject, libc) || find_state(inject, inject_target_part(target, program)))
		return 0;
	return err_set(err, ENOSPC,
		       "cannot inject: process %d has no unused bytes for %zu bytes of data; leave out --inject",
		       (int)inject->pid, sizeof(struct ferry_state));
}
