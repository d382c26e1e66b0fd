/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module's dynamic section: functions that it defines, by name, and the words through which it calls functions that
 * it imports (slots of its global offset table). Of a loaded module, or of a file, whose base is 0.
 */
#ifndef RUNTIME_DYNAMIC_H
#define RUNTIME_DYNAMIC_H

#include "runtime/find/image.h"

struct dynamic {
	const struct image *image;
	uint64_t symbols, strings, strings_size, gnu_hash, hash;
	const char *texts;		/* the strings, if the last one ends; else NULL */
	uint64_t rela[2], rela_size[2]; /* data, calls */
};

/* A position in the two tables of relocations. Begins as zero. */
struct dynamic_place {
	int table;
	size_t entry;
};

/* False: it has no symbols. */
bool dynamic_read(struct dynamic *dynamic, const struct image *image);
/* The address of a function that the module defines; 0: none. Uses .gnu.hash, or .hash. */
uint64_t dynamic_function(const struct dynamic *dynamic, const char *name);
/* The same for a variable. */
uint64_t dynamic_variable(const struct dynamic *dynamic, const char *name);
/* Where a variable lies, also one without bytes in the file, and its size. Not compared with the module's segments. */
uint64_t dynamic_lies_at(const struct dynamic *dynamic, const char *name, uint64_t *size);
/* Whether .gnu.hash has a symbol of this name, which may be an import. */
bool dynamic_has(const struct dynamic *dynamic, const char *name);
/*
 * Whether the module imports a symbol that is wanted, of those that .gnu.hash does not have: it reads the names of
 * imports alone, which are few beside relocations.
 */
bool dynamic_imports_any(const struct dynamic *dynamic, bool (*is_wanted)(const char *name));
/*
 * The next import from a place on, which moves past it: the address of its slot, and its name, which lies in the
 * module. 0: no more.
 */
uint64_t dynamic_next(const struct dynamic *dynamic, struct dynamic_place *place, const char **name);
/* The same for one name. */
uint64_t dynamic_next_of(const struct dynamic *dynamic, struct dynamic_place *place, const char *name);

#endif
