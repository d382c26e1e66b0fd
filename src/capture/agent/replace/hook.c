// SPDX-License-Identifier: Apache-2.0
/*
 * Replaces words. Words in RELRO are made writable for a moment. An aligned store of a pointer is atomic, so a slot
 * holds either the old or the new function at any time.
 */
#include "capture/agent/replace/hook.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/processor.h"
#include "base/syscalls.h"
#include "capture/agent/agent.h"
#include "runtime/find/dynamic.h"
#include "runtime/find/peek.h"

struct map hook_words;

/* The words replaced now, in order of replacement. */
static struct replaced {
	uint64_t at;
	void *with;
	const struct image *image;
} *replaced;
static size_t n_replaced, replaced_capacity;
static const struct image *opened;

static bool protect(const struct image *image, bool is_open)
{
	const uint64_t page = page_size() - 1;
	uint64_t start = image->relro_start & ~page, end = image->relro_end;
	int saved = errno, failed;

	if (!image->relro_end)
		return true;
	/* the loader protects whole pages only: the last, partial one is still writable */
	end = is_open ? (end + page) & ~page : end & ~page;
	failed =
	    end > start ? call_protect((void *)start, end - start, is_open ? PROT_READ | PROT_WRITE : PROT_READ) : 0;
	errno = saved;
	return !failed;
}

bool hook_open(const struct image *image)
{
	bool is_open;

	opened = image;
	call_begin(); /* what was made writable must become read-only again */
	is_open = protect(image, true);
	if (!is_open)
		call_end();
	return is_open;
}

void hook_close(const struct image *image)
{
	protect(image, false);
	call_end();
}

static bool note_replaced(uint64_t at, void *with)
{
	if (n_replaced == replaced_capacity) {
		size_t capacity = replaced_capacity ? replaced_capacity * 2 : 1024;
		struct replaced *grown =
		    arena_grow(&agent.arena, replaced, n_replaced * sizeof *grown, capacity * sizeof *grown);
		if (!grown)
			return false;
		replaced = grown;
		replaced_capacity = capacity;
	}
	replaced[n_replaced++] = (struct replaced){ at, with, opened };
	return true;
}

bool hook_word(uint64_t at, void *with)
{
	void *old = *(void **)at;

	if (old == with)
		return true;
	if (!old || !map_put(&hook_words, at, old) || !note_replaced(at, with))
		return false;
	__atomic_store_n((void **)at, with, __ATOMIC_RELEASE);
	return true;
}

/* The word still holds our value: the module is loaded, and nothing else has replaced the word. */
static bool is_ours(const struct replaced *word)
{
	void *found;

	return peek_read(word->at, &found, sizeof found) && found == word->with;
}

static bool is_there(const struct image *image)
{
	for (size_t i = 0; i < n_replaced; i++)
		if (replaced[i].image == image && is_ours(&replaced[i]))
			return true;
	return false;
}

static void forget_replaced(const struct image *image)
{
	size_t left = 0;

	for (size_t i = 0; i < n_replaced; i++)
		if (replaced[i].image != image)
			replaced[left++] = replaced[i];
	n_replaced = left;
}

void hooks_out(const struct image *image)
{
	bool can_write = is_there(image) && hook_open(image);

	for (size_t i = n_replaced; can_write && i-- > 0;)
		if (replaced[i].image == image && *(void **)replaced[i].at == replaced[i].with)
			__atomic_store_n((void **)replaced[i].at, hook_original(replaced[i].at), __ATOMIC_RELEASE);
	forget_replaced(image);
	if (can_write)
		hook_close(image);
}

void hooks_forget(const struct image *image)
{
	for (size_t i = 0; i < n_replaced; i++)
		if (replaced[i].image == image)
			map_put(&hook_words, replaced[i].at, NULL);
	forget_replaced(image);
}

bool hook_has_import(const struct image *image, const char *name)
{
	struct dynamic dynamic;
	struct dynamic_place place = { 0, 0 };

	return dynamic_read(&dynamic, image) && dynamic_next_of(&dynamic, &place, name);
}

void *hook_bound(const struct image *image, const char *name)
{
	struct dynamic dynamic;
	struct dynamic_place place = { 0, 0 };
	uint64_t slot, function;

	if (!dynamic_read(&dynamic, image))
		return NULL;
	while ((slot = dynamic_next_of(&dynamic, &place, name))) {
		function = (uint64_t)hook_original(slot);
		if (!function)
			function = image_word(image, slot);
		if (function && !image_has(image, function, IMAGE_X))
			return (void *)function;
	}
	return NULL;
}

int hook_import(const struct image *image, const char *name, void *with)
{
	struct dynamic dynamic;
	struct dynamic_place place = { 0, 0 };
	uint64_t slot;
	int n = 0;

	if (!dynamic_read(&dynamic, image))
		return 0;
	agent_lock();
	if (hook_open(image)) {
		while ((slot = dynamic_next_of(&dynamic, &place, name)))
			n += hook_word(slot, with);
		hook_close(image);
	}
	agent_unlock();
	return n;
}
