/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's code for each runtime of the table (runtime/runtimes.h). A runtime whose families are described by data
 * alone needs none: plain.c serves it. One that has code of its own has a line in AGENT_CODES; the constant
 * agent_<name> is in <name>_code.c.
 */
#ifndef CAPTURE_AGENT_CODE_H
#define CAPTURE_AGENT_CODE_H

#include "capture/agent/copies.h"

#define AGENT_CODES(F) F(ort)

struct agent_code {
	const struct runtime *runtime; /* NULL: every one that has no code of its own */
	/* What stands in for a family's function; NULL: it is left alone. */
	void *(*hook)(const struct runtime *runtime, unsigned family);
	/* A new copy, before anything of it is replaced. NULL: nothing to do. */
	void (*found)(struct copy *copy, struct rtti *rtti);
	/* Replaces what is no virtual function, after the families. NULL: nothing. */
	void (*arm)(struct copy *copy);
	/* Modules were unloaded (copy.is_gone), others may come to lie there. NULL: nothing to do. */
	void (*forget_gone)(void);
	/* Recording begins anew: what was learned of objects may be another one's meanwhile. */
	void (*forget_all)(void);
	/* A function that the agent itself defines under a runtime's name, so that programs that are linked to the
	 * runtime find it; NULL: none. */
	const char *defined;
	void *definition;
};

extern const struct agent_code *const agent_codes[]; /* NULL-terminated; the one for all others is last */

/* The code that serves a runtime. */
static inline const struct agent_code *agent_code_of(const struct runtime *runtime)
{
	const struct agent_code *const *code = agent_codes;

	while ((*code)->runtime && (*code)->runtime != runtime)
		code++;
	return *code;
}

#endif
