/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces function pointers in a loaded module: slots of virtual tables, imports, tables of functions. The original
 * value is kept by address until the module is unloaded: a slot is replaced once.
 */
#ifndef CAPTURE_AGENT_HOOK_H
#define CAPTURE_AGENT_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/find/image.h"

/*
 * Makes the module's relocated data writable, or read-only again as the loader left it. False: refused. The image must
 * stay in place: hooks_out reads it again.
 */
bool hook_open(const struct image *image);
void hook_close(const struct image *image);

/*
 * Restores all replaced words of this image in reverse order and forgets them; hook_original still knows the originals.
 * Writes nothing if the module is gone; the module must not be unloaded meanwhile. Call under the agent's lock.
 */
void hooks_out(const struct image *image);

/* The module is unloaded: forgets its words and their originals. Call under the agent's lock. */
void hooks_forget(const struct image *image);

/* Call between open and close, under the agent's lock. True if the word now holds `with`. */
bool hook_word(uint64_t at, void *with);
/* The original value of a replaced word; NULL if it was not replaced. */
static inline void *hook_original(uint64_t at);

/*
 * Replaces the module's import of `name` (its slots in the global offset table). The old value may be an unbound stub:
 * the caller finds the real function by other means. Returns the number of slots. Opens and closes the module, and
 * takes the agent's lock.
 */
int hook_import(const struct image *image, const char *name, void *with);

/* Whether the module imports `name`. */
bool hook_has_import(const struct image *image, const char *name);

/*
 * The function that the module's import of `name` is bound to; NULL: it has none, or it is not bound yet (it leads to
 * the module's own stub).
 */
void *hook_bound(const struct image *image, const char *name);

#include "capture/agent/map.h"
extern struct map hook_words;

static inline void *hook_original(uint64_t at)
{
	return map_get(&hook_words, at);
}

#endif
