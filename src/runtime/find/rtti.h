/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds C++ classes and virtual tables of a stripped module by its run-time type information.
 *
 * Itanium C++ ABI: a std::type_info object is { vptr, name, bases... }. Its vptr gives its kind: the word before the
 * table that it points at points to the type_info of __class_type_info, __si_class_type_info or __vmi_class_type_info,
 * whose name is a text. So neither symbols nor the C++ library's version matter, and that library may be linked
 * statically. A virtual table is { offset to top, type_info *, functions... }.
 */
#ifndef RUNTIME_RTTI_H
#define RUNTIME_RTTI_H

#include "runtime/find/image.h"

enum rtti_kind { RTTI_CLASS = 1, RTTI_SI, RTTI_VMI };

struct rtti_type {
	uint64_t address;
	const char *name; /* mangled; in the module */
	uint8_t kind;
	uint8_t mark; /* used by rtti_derived */
	uint16_t n_bases;
	uint32_t base[3]; /* indexes of bases that lie at offset 0 */
};

enum { RTTI_ASKED = 24 };

/* What rtti_derived has found before. */
struct rtti_asked {
	const char *base;
	struct rtti_vtable *vtable;
	size_t n;
};

struct rtti {
	const struct image *image;
	struct arena *arena;
	struct rtti_type
	    *type; /* the module's own, by address; behind them those of other modules that they derive from */
	size_t n_own, n_types, capacity;
	struct rtti_vtable *vtable; /* primary ones, by address */
	size_t n_vtables;
	struct rtti_asked asked[RTTI_ASKED];
	unsigned n_asked;
};

struct rtti_vtable {
	uint64_t slots; /* address of the first function pointer */
	const struct rtti_type *type;
};

/*
 * Scans `image` for types and tables; vptrs and bases may lie in any module of `set`. The result lives in the arena. 0
 * or -ENOMEM.
 */
int rtti_scan(struct rtti *rtti, const struct image *image, const struct image_set *set, struct arena *arena);
const struct rtti_type *rtti_named(const struct rtti *rtti, const char *mangled);
/*
 * The primary table of exactly this class: the address of its first function pointer, also where its first functions
 * are another module's or pure virtual; 0: there is none.
 */
uint64_t rtti_table(const struct rtti *rtti, const char *mangled);

/*
 * The primary tables (offset to top 0) of the class `base` and of all classes derived from it with the base at offset
 * 0, written to *vtable (in the arena). Returns their number, 0 also when there is no class `base`. The text must stay.
 */
size_t rtti_derived(struct rtti *rtti, const char *base, struct rtti_vtable **vtable);

#endif
