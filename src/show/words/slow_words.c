// SPDX-License-Identifier: Apache-2.0
/* The reasons are the summary's figures; nothing here is a guess. */
#include "show/words/slow_words.h"

#include <string.h>

#include "analyze/result/result_words.h"
#include "base/units.h"

enum { NODE = 40 };

static double excess_of(const struct summary_model *model, const struct summary_slow *slow)
{
	return (double)slow->duration_ns - (double)model->runs.latency.p50_ns;
}

bool slow_is_slow(const struct summary_model *model, const struct summary_slow *slow)
{
	return excess_of(model, slow) >= 0.1 * (double)model->runs.latency.p50_ns;
}

/* What there is to say when no single thing explains much. */
static void add_general_reason(struct printable *text, const struct summary_model *model,
			       const struct summary_slow *slow)
{
	double operators = (double)slow->operators_ns - (double)model->coverage.operators_p50_ns;
	double excess = excess_of(model, slow);

	if (slow->operators_ns >= 0 && operators > 0.5 * excess)
		printable_add(text, ", operators took %s more; none stands out", units_duration(operators).s);
	else if (slow->operators_ns >= 0)
		printable_add(text, ", %s more outside of operators",
			      units_duration(operators > 0 ? excess - operators : excess).s);
	if (slow->n_concurrent)
		printable_add(text, ", %s overlapped", printable_count(slow->n_concurrent, "other inference").s);
}

struct printable slow_words(const struct summary *summary, const struct summary_model *model,
			    const struct summary_slow *slow, bool is_ascii)
{
	const struct summary_runs *runs = &model->runs;
	double excess = excess_of(model, slow);
	double faults = runs->n_usage ? (double)runs->faults / (double)runs->n_usage : 0;
	const char *node = names_text(summary->names, slow->node);
	struct printable text = { "" };

	if (slow->run_queue_ns > 0 && (double)slow->run_queue_ns > 0.2 * excess)
		printable_add(&text, ", waited %s for a CPU", units_duration((double)slow->run_queue_ns).s);
	if (slow->faults > 10 && (double)slow->faults > 4 * faults)
		printable_add(&text, ", %s page faults (mean %s)", units_count((uint64_t)slow->faults).s,
			      units_decimal(faults).s);
	if (slow->is_in_creation)
		printable_add(&text, ", while a session was created");
	if (slow->node && (double)(slow->node_ns - slow->node_p50_ns) > 0.3 * excess)
		printable_add(&text, ", %s took %s (median %s)", model_text(node, NODE, is_ascii).s,
			      units_duration((double)slow->node_ns).s, units_duration((double)slow->node_p50_ns).s);
	if (!*text.s)
		add_general_reason(&text, model, slow);
	if (!*text.s)
		return (struct printable){ "nothing recorded explains it" };
	memmove(text.s, text.s + 2, strlen(text.s) - 1);
	return text;
}
