/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that a module imports: which module defines one, and what its slot leads to. A slot that is not bound yet
 * holds the address of the module's own stub, which would bind it and so remove a hook. The real function is then
 * found by its name: in the module itself, or in the only other one that has it.
 */
#ifndef CAPTURE_AGENT_IMPORT_H
#define CAPTURE_AGENT_IMPORT_H

#include "runtime/find/dynamic.h"

/* The module that defines a function, for a module that calls it: the only one, or the one beside it. NULL: none. */
const struct image *import_definer(const struct image *image, const struct image_set *set, const char *name,
				   uint64_t *function);
/* The module that has this code; NULL: none. */
const struct image *import_image(const struct image_set *set, uint64_t address);
/* What the slot of an import leads to; 0: not certain. */
uint64_t import_real(const struct dynamic *dynamic, const char *name, uint64_t slot, const struct image_set *set);

#endif
