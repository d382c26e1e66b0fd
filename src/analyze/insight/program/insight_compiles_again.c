// SPDX-License-Identifier: Apache-2.0
/*
 * A model is compiled again while it serves, because what was compiled does not fit what it is called with. value: the
 * share of its inferences' time; a: such compilations; b: all of them; low: nanoseconds of a; text: the reason of the
 * longest.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"

extern const struct insight insight_compiles_again;

static const double least_share = 0.05, least_ns = 20e6;

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_compiling *compiling = facts ? &facts->model->compiling : NULL;
	double all_ns = facts ? (double)summary_runs_ns(&facts->model->runs) : 0;
	struct finding *to;

	if (!facts || !compiling->n_again || !(all_ns > 0) || (double)compiling->again_ns < least_ns ||
	    (double)compiling->again_ns < least_share * all_ns)
		return;
	to = finder_add_counts(finder, &insight_compiles_again, (double)compiling->again_ns / all_ns,
			       (int64_t)compiling->n_again, (int64_t)compiling->n);
	to->low = (double)compiling->again_ns;
	to->text = names_text(facts->summary->names, compiling->reason);
	to->gain_ns = finder_of_each(finder, to->low);
}

static void say(const struct speaker *to)
{
	FINDING("it is compiled again while it serves");
	EVIDENCE("%s of %s, for %s, %s of the time of its inferences; ", units_count((uint64_t)to->finding->a).s,
		 printable_count((uint64_t)to->finding->b, "compilation").s, units_duration(to->finding->low).s,
		 units_percent(to->finding->value).s);
	EVIDENCE("reason of the longest: %s", to->text.s);
	if (strstr(to->finding->text, "size mismatch"))
		NEXT("torch.compile(..., dynamic=True), torch._dynamo.mark_dynamic, or inputs padded to a few sizes");
	else
		NEXT("keep what the reason names the same in each call; TORCH_LOGS=recompiles lists all of them");
}

const struct insight insight_compiles_again = {
	.name = "compiles_again",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "share",
		     .a = "compilations_again",
		     .b = "compilations",
		     .low = "again_ns",
		     .text = "reason" },
};
