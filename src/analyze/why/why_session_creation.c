// SPDX-License-Identifier: Apache-2.0
/* A session of the process was being created at the time. */
#include "analyze/why/why_in.h"

extern const struct why_cause why_session_creation;

static void find(struct why_case *why)
{
	double creation_ns = (double)why->slow->creation_ns;
	struct printable *words =
	    creation_ns > 0 ? why_take(why, &why_session_creation, POOLS_BLOCKED | POOLS_CPU | POOLS_ANY, creation_ns)
			    : NULL;

	if (words)
		printable_add(words, "while a session was being created (for %s of it)", units_duration(creation_ns).s);
}

const struct why_cause why_session_creation = { "session_creation", "session creations at the same time",
						"create sessions before the first request, or in another process",
						find };
