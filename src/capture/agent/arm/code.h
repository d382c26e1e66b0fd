/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's code for each runtime of the table (runtime/runtimes.h). A runtime whose families are described by data
 * alone needs none: plain.c serves it. A runtime with code of its own has a line in AGENT_CODES and a constant
 * agent_<name> in <name>_code.c.
 */
#ifndef CAPTURE_AGENT_CODE_H
#define CAPTURE_AGENT_CODE_H

#include "capture/agent/replace/copies.h"

#define AGENT_CODES(F) F(ort) F(llama) F(litert) F(torch) F(genai)

struct agent_code {
	const struct runtime *runtime; /* NULL: all runtimes without code of their own */
	/*
	 * Whether a program contains the runtime in a way that the table of runtimes does not know, and this code can
	 * record it. Such a copy is no part of another. NULL: never.
	 */
	bool (*is_linked_in)(const struct rtti *rtti);
	/* The hook that replaces a family's function; NULL: leave it. NULL: it leaves all. */
	void *(*hook)(const struct runtime *runtime, unsigned family);
	/* Called for a new copy, before any of it is replaced. NULL: nothing to do. */
	void (*found)(struct copy *copy, struct rtti *rtti);
	/* Looks up by name what arming needs, because `arm` must not do that after injection. NULL: nothing. */
	void (*prepare)(void);
	/*
	 * Replaces functions that are not virtual, after the families. The module stays loaded meanwhile; after
	 * injection because the loader's lock is held. NULL: none.
	 */
	void (*arm)(struct copy *copy);
	/*
	 * Replaces functions that are in no virtual table, while the copy's data can be written and all modules stay
	 * loaded. Returns how many of them are `counted` in reports. NULL: none.
	 */
	uint32_t (*replace)(struct copy *copy, const struct image_set *set);
	const char *counted;
	/*
	 * What a program gets that looks up an entry of the runtime (runtimes.h) by its name; NULL: the real function.
	 * Call without the loader's lock. NULL: always the real one.
	 */
	void *(*instead_of)(const char *name, void *real);
	/* Restores what `arm` has replaced other than by hook.h. NULL: nothing. */
	void (*disarm)(struct copy *copy);
	/* Called when modules were unloaded (copy.is_gone): their addresses may be reused. NULL: nothing to do. */
	void (*forget_gone)(void);
	/* Called when recording restarts: addresses may belong to other objects by now. */
	void (*forget_all)(void);
};

extern const struct agent_code *const agent_codes[]; /* NULL-terminated; the last one serves all other runtimes */

/* The code that serves a runtime. */
static inline const struct agent_code *agent_code_of(const struct runtime *runtime)
{
	const struct agent_code *const *code = agent_codes;

	while ((*code)->runtime && (*code)->runtime != runtime)
		code++;
	return *code;
}

#endif
