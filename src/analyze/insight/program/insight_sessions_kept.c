// SPDX-License-Identifier: Apache-2.0
/* Sessions that nothing uses any more are not released, while new ones are created. a: such sessions; b: all that were
 * created; low: bytes that they hold. */
#include <string.h>

#include "analyze/insight/insight_in.h"
#include "analyze/result/model/model_memory.h"

extern const struct insight insight_sessions_kept;

enum { FEWEST = 3 };

/* A runtime whose releases cannot be seen names them among what is left out. */
static bool are_releases_seen(const struct recording_facts *facts)
{
	const struct summary *summary = facts ? facts->summary : NULL;

	for (uint32_t i = 0; summary && i < summary->n_runtimes; i++)
		if (strstr(names_text(summary->names, summary->runtimes[i].left_out), "release of sessions"))
			return false;
	return true;
}

static void find(struct finder *finder)
{
	const struct model_memory *memory = finder->run->result->memory;
	int64_t n_all = finder->run->result->n_creations;
	struct finding *to;

	if (!are_releases_seen(finder->run->result->recorded) || !memory || memory->n_kept < FEWEST ||
	    memory->n_kept * 2 < n_all)
		return;
	to = finder_add_counts(finder, &insight_sessions_kept, (double)memory->n_kept / (double)n_all, memory->n_kept,
			       n_all);
	if (memory->kept_bytes >= 0)
		to->low = (double)memory->kept_bytes;
}

static void say(const struct speaker *to)
{
	FINDING("sessions are not released although nothing uses them any more");
	EVIDENCE("%s of those created, not used since a later one was", speaker_counts(to).s);
	if (isfinite(to->finding->low))
		EVIDENCE("; they hold %s", units_bytes(to->finding->low).s);
	NEXT("release a session before the next one is created, or keep one for all inferences");
}

const struct insight insight_sessions_kept = {
	.name = "sessions_kept",
	.severity = INSIGHT_WRONG,
	.find = find,
	.say = say,
	.figures = { .value = "kept_share", .a = "kept", .b = "created", .low = "kept_bytes" },
};
