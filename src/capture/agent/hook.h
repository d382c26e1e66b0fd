/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replacing function pointers in a loaded module: slots of virtual tables, imports, tables of functions.
 * What stood there is kept, by address, and never lost: a slot is replaced once.
 */
#ifndef CAPTURE_AGENT_HOOK_H
#define CAPTURE_AGENT_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/image.h"

/* Makes the module's relocated data writable, or read-only again as the loader left it. False: refused. The image must
 * stay where it is: hooks_out looks at it again. */
bool hook_open(const struct image *image);
void hook_close(const struct image *image);

/*
 * Puts back what stood in all words that were replaced in this image, in reverse order, and forgets that they were;
 * hook_original knows them still. Nothing is written when the module is gone; it must not go meanwhile. Under the
 * agent's lock.
 */
void hooks_out(const struct image *image);

/* Between open and close, under the agent's lock. True if the word now holds `with`. */
bool hook_word(uint64_t at, void *with);
/* What stood in a replaced word; NULL if it was not replaced. */
static inline void *hook_original(uint64_t at);

/*
 * Replaces the module's import of `name` (its slots in the global offset table). What stood there may be a
 * stub that has not been bound yet: the caller knows the real function by other means. Returns the number
 * of slots. Opens and closes the module by itself, and takes the agent's lock.
 */
int hook_import(const struct image *image, const char *name, void *with);

#include "capture/agent/map.h"
extern struct map hook_words;

static inline void *hook_original(uint64_t at)
{
	return map_get(&hook_words, at);
}

#endif
