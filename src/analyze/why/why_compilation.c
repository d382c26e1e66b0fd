// SPDX-License-Identifier: Apache-2.0
/* The runtime compiled in it: for how long was recorded, and it counts whatever the thread did then. */
#include "analyze/why/why_in.h"

extern const struct why_cause why_compilation;

static void find(struct why_case *why)
{
	double compile_ns = (double)why->slow->compile_ns;
	struct printable *words = compile_ns > 0 ? why_take_computed(why, &why_compilation, compile_ns) : NULL;

	if (words)
		printable_add(words, "compiling (for %s of it)", units_duration(compile_ns).s);
}

const struct why_cause why_compilation = { "compilation", "compilations",
					   "run each kind of input once before the first request, or compile with "
					   "dynamic=True",
					   find };
