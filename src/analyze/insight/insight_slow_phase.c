// SPDX-License-Identifier: Apache-2.0
/*
 * A part of session creation dominates it, without what its thread waited for a CPU. text: phase or transformer; value:
 * its share of that; low: its nanoseconds.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"
#include "analyze/result/phase_names.h"

/* The largest transformer if it makes up most of its phase's share; otherwise the largest phase. */
extern const struct insight insight_slow_phase, insight_slow_planner, insight_weights_copied, insight_specialized_again;

enum { N_ONCE = 2 };

static const enum summary_phase once[N_ONCE] = { PHASE_PROVIDERS, PHASE_REGISTER };

static bool is_one_of(const char *text, const enum summary_phase *phases, size_t n)
{
	for (size_t i = 0; text && i < n; i++)
		if (!strcmp(text, phase_names[phases[i]].words))
			return true;
	return false;
}

/* Insights of their own, listed before this one, say what to do about these phases. */
static bool is_said(const struct finder *finder, const char *text)
{
	static const enum summary_phase planning[] = { PHASE_PLAN },
					of_weights[] = { PHASE_READ, PHASE_PARSE, PHASE_WEIGHTS, PHASE_PREPACK,
							 PHASE_HASH };

	return finder_has(finder, &insight_specialized_again) ||
	       (finder_has(finder, &insight_slow_planner) && is_one_of(text, planning, 1)) ||
	       (finder_has(finder, &insight_weights_copied) &&
		is_one_of(text, of_weights, sizeof of_weights / sizeof *of_weights));
}

/* What a recording is of may run for days after it. */
static bool is_worth_it(const struct model_result *result, double creation_ns)
{
	const struct summary_recording *recording = result->recorded ? &result->recorded->summary->recording : NULL;

	return !recording ||
	       creation_ns * (double)result->n_creations >= 0.05 * (double)(recording->end_ns - recording->begin_ns);
}

/* What is not known cannot be advised on; nor is a wait for a CPU, or a stop of the process, the model's. */
static bool is_phase_of_model(const char *name)
{
	static const enum summary_phase others[] = { PHASE_OTHER, PHASE_WAITING, PHASE_HALTED };

	return !is_one_of(name, others, sizeof others / sizeof *others);
}

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double whole_ns = finder_creation_ns(result), most_ns = -1;
	const char *text = NULL;
	struct finding *to;

	if (!is_worth_it(result, whole_ns) || finder_may_have_waited(finder))
		return;
	for (uint32_t i = 0; i < result->n_phases; i++) {
		if ((double)result->phases[i].ns > most_ns && is_phase_of_model(result->phases[i].name)) {
			most_ns = (double)result->phases[i].ns;
			text = result->phases[i].name;
		}
	}
	for (uint32_t i = 0; i < result->n_transformers; i++) {
		double ns = (double)result->transformers[i].ns;

		if (ns > 0.3 * whole_ns && ns > 0.67 * most_ns) {
			most_ns = ns;
			text = result->transformers[i].name;
		}
	}
	if (whole_ns < 10e6 || most_ns < 0.3 * whole_ns || is_said(finder, text))
		return;
	to = finder_add(finder, &insight_slow_phase, most_ns / whole_ns);
	to->text = text;
	to->low = most_ns;
	/* what is done once in a process cannot be saved in it */
	to->gain_ns = is_one_of(text, once, N_ONCE) ? NAN : finder_of_creations(finder, most_ns);
}

static bool is_phase(const struct speaker *to, enum summary_phase phase)
{
	return is_one_of(to->finding->text, &phase, 1);
}

static void say(const struct speaker *to)
{
	const struct model_result *result = to->run->result;
	bool is_transformer = false;

	for (uint32_t i = 0; i < result->n_transformers; i++)
		is_transformer |= result->transformers[i].name == to->finding->text;
	FINDING("%s: largest part of session creation", to->text.s);
	EVIDENCE("%s of %s, %s", units_duration(to->finding->low).s, speaker_creation(to).s,
		 units_percent(to->finding->value).s);
	if (speaker_is_of_runtime(to, "openvino"))
		NEXT("a cache of compiled models (property CACHE_DIR) keeps the result for the next start");
	else if (speaker_is_of_runtime(to, "litert"))
		NEXT("an interpreter that stays does this once; XNNPACK of LiteRT can keep packed weights in a file "
		     "(weight_cache_file_path)");
	else if (speaker_is_of_another(to, "onnxruntime"))
		NEXT("a session that stays does this once");
	else if (!strcmp(to->finding->text, "ConstantFolding"))
		NEXT("a model that was optimized once (inftrace model --optimized-model FILE) loads without it and has "
		     "its results in the file; where these are large, disabled_optimizers = [\"ConstantFolding\"]");
	else if (is_transformer || is_phase(to, PHASE_TRANSFORM))
		NEXT("a model that was optimized once (inftrace model --optimized-model FILE) loads without it");
	else if (is_phase(to, PHASE_COMPILE))
		NEXT("a model that was compiled once (inftrace model --compile FILE) loads without it, if the provider "
		     "can");
	else if (is_phase(to, PHASE_READ))
		NEXT("where the file is not in memory, its disk or network sets this time: a copy on a local disk, "
		     "or one that was read before the start (cat FILE > /dev/null)");
	else if (is_one_of(to->finding->text, once, N_ONCE))
		NEXT("a process needs most of it once: one that stays creates its next sessions faster");
}

const struct insight insight_slow_phase = {
	.name = "slow_phase",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "creation_share", .low = "phase_ns", .text = "phase" },
};
