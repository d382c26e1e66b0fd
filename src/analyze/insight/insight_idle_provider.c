// SPDX-License-Identifier: Apache-2.0
/* A provider of a recording was asked for and ran nothing. text: its name, or several. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_idle_provider;

static void find(struct finder *finder)
{
	if (finder->run->result->idle_providers)
		finder_add(finder, &insight_idle_provider, NAN)->text = finder->run->result->idle_providers;
}

static void say(const struct speaker *to)
{
	FINDING("%s ran nothing, although the session asked for it", to->text.s);
	EVIDENCE("every node ran on another provider: %s", speaker_elsewhere(to, NULL).s);
	NEXT("inftrace doctor shows which providers this machine can use");
}

const struct insight insight_idle_provider = {
	.name = "idle_provider",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .text = "provider" },
};
