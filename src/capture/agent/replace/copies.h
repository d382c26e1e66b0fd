/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of runtimes in this process. arm.c finds and changes them, one thread at a time; all files read them. An entry
 * is reused after its module was unloaded.
 */
#ifndef CAPTURE_AGENT_COPIES_H
#define CAPTURE_AGENT_COPIES_H

#include "capture/agent/replace/hook.h"
#include "runtime/runtimes.h"

enum { MAX_COPIES = 16 };

struct copy {
	struct runtime_found found;
	struct image image; /* a copy of the image that stays; found.image points to it */
	uint64_t check_at;  /* a replaced word: another value means that the module was unloaded */
	void *check_value;
	uint32_t number;		  /* its index in copies[] */
	bool is_gone;			  /* its module seems to be unloaded, */
	bool is_unloaded;		  /* or is unloaded beyond doubt */
	bool is_linked_in;		  /* the program contains it, and only its code says so */
	bool is_armed;			  /* its functions are replaced now */
	bool is_half_armed;		  /* those that its code replaces are still to come */
	uint64_t since;			  /* ticks: from then on all is seen; 0: from the first call on */
	const char *armed;		  /* what was replaced, for people */
	void *original[RUNTIME_FAMILIES]; /* of each family, of the first table that was replaced; NULL: none was */
};

extern struct copy copies[MAX_COPIES];
extern uint32_t n_copies;

/* The copy whose tables contain this class; NULL: none. */
struct copy *copies_of_class(uintptr_t vptr);
/* The same for an object. */
static inline struct copy *copies_of(uintptr_t object)
{
	return copies_of_class(*(uintptr_t *)object);
}

/* The original function behind a family's hook, for an object of this class. NULL: not replaced. */
static inline void *copies_original(const struct copy *copy, uintptr_t vptr, unsigned family)
{
	int slot = copy->found.slot[family];

	return slot < 0 ? NULL : hook_original(vptr + 8 * (uint64_t)slot);
}

/*
 * The original function behind a family's hook when its object is not the argument that it should be: searches the
 * tables of all copies for the class of either argument, which need not be objects. If that fails, too, any function of
 * the family: a hook always has something to call.
 */
void *copies_any_original(const struct runtime *runtime, unsigned family, uintptr_t first, uintptr_t second);

#endif
