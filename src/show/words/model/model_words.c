// SPDX-License-Identifier: Apache-2.0
/* Words for findings. Every figure in them is one of the report. */
#include "show/words/model/model_words.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/provider.h"

struct model_locale model_locale_enter(void)
{
	locale_t own = newlocale(LC_ALL_MASK, "C", NULL);

	return (struct model_locale){ own, own ? uselocale(own) : NULL };
}

void model_locale_leave(const struct model_locale *locale)
{
	if (!locale->own)
		return;
	uselocale(locale->old);
	freelocale(locale->own);
}

enum { NAME = 60, ERROR = 200 };

struct units_text model_ratio_words(const struct stats_ratio *ratio)
{
	struct units_text to = { "-" };
	int digits;

	if (!isfinite(ratio->value))
		return to;
	digits = ratio->value < 0.095 ? 4 : 2;
	if (!ratio->is_known)
		snprintf(to.s, sizeof to.s, "%.*f x", digits, ratio->value);
	else if (!ratio->is_different && isfinite(ratio->low))
		snprintf(to.s, sizeof to.s, "cannot tell (%.*f to %.*f x)", digits, ratio->low, digits, ratio->high);
	else if (!ratio->is_different)
		snprintf(to.s, sizeof to.s, "cannot tell (%.*f x)", digits, ratio->value);
	else if (ratio->low > 1 || ratio->high < 1)
		snprintf(to.s, sizeof to.s, "%.*f x (%.*f to %.*f)", digits, ratio->value, digits, ratio->low, digits,
			 ratio->high);
	else
		snprintf(to.s, sizeof to.s, "%.*f x", digits, ratio->value);
	return to;
}

const char *model_bound_words(enum model_bound_by by)
{
	static const char *const words[N_MODEL_BOUNDS] = { "not known", "compute", "memory", "overhead" };

	return words[by];
}

const char *model_drift_words(enum stats_drift drift)
{
	static const char *const words[] = { "too few to detect a drift", "steady", "slowing down", "quickening" };

	return words[drift];
}

struct printable model_not_found(const struct model_analysis *analysis, uint32_t run)
{
	const struct model_reach *reach = &analysis->comparison.reach[run];
	uint32_t n = reach->n_not_run - reach->n_constant;
	struct printable to = { "" };

	if (!analysis->report->results[run].n_operators || !reach->n_not_run)
		return to;
	printable_add(&to, "of the model's %s nodes, ", units_count(model_facts_of(analysis->report, run)->n_listed).s);
	if (reach->n_constant)
		printable_add(&to, "%s depend on no input and did not run%s", units_count(reach->n_constant).s,
			      n ? ", " : "");
	if (n)
		printable_add(&to, "%s %s not found: removed, or part of an operator whose name does not identify them",
			      units_count(n).s, n == 1 ? "was" : "were");
	return to;
}

/* The last one before i that finds the same; UINT32_MAX: none. */
static uint32_t same_before(const struct model_analysis *analysis, const struct model_finding *finding, uint32_t i)
{
	for (uint32_t k = i; k-- > 0;)
		if (analysis->findings[k].insight == analysis->findings[i].insight &&
		    !strcmp(finding[k].words.finding.s, finding[i].words.finding.s))
			return k;
	return UINT32_MAX;
}

struct model_finding *model_findings(const struct model_analysis *analysis, bool is_ascii)
{
	uint32_t n = analysis->n_findings;
	struct model_finding *finding = calloc((size_t)n + 1, sizeof *finding);

	for (uint32_t i = 0; finding && i < n; i++) {
		uint32_t same;

		finding[i].words = insight_words_of(analysis, &analysis->findings[i], is_ascii);
		finding[i].next_same = UINT32_MAX;
		same = same_before(analysis, finding, i);
		finding[i].is_repeated = same != UINT32_MAX;
		if (finding[i].is_repeated)
			finding[same].next_same = i;
	}
	for (uint32_t i = 0; finding && i < n; i++) {
		uint32_t next = finding[i].next_same;

		finding[i].is_next_below =
		    next != UINT32_MAX && !strcmp(finding[i].words.next.s, finding[next].words.next.s);
	}
	return finding;
}

bool model_was_busy(const struct model_analysis *analysis)
{
	return insights_has(analysis, &insight_busy_machine, MODEL_NONE);
}

struct printable model_deferred_words(const struct model_analysis *analysis, uint32_t run, bool is_ascii)
{
	const struct model_result *result = &analysis->report->results[run];
	struct printable to = { "" };

	for (uint32_t i = 0; i < result->n_operators; i++) {
		struct printable words = provider_deferred_words(result->operators[i].provider, is_ascii);

		if (!*words.s)
			continue;
		printable_add(&to, "%s: %s", model_text(result->label, NAME, is_ascii).s, words.s);
		if (!result->recorded && !result->n_kernels)
			printable_add(&to, " (--ep-profile shows what runs there, where the provider reports it)");
		break;
	}
	return to;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

struct printable model_energy_words(const struct model_analysis *analysis, uint32_t run, bool is_ascii)
{
	const struct model_result *results = analysis->report->results, *result = &results[run];
	struct printable to = { "" };
	bool is_of_all = true;

	for (uint32_t r = 1; r < analysis->report->n_results; r++)
		is_of_all &= is_same(results[r].energy_missing, results->energy_missing) &&
			     is_same(results[r].energy_scope, results->energy_scope);
	if ((is_of_all && run) || (!result->energy_scope && !result->energy_missing))
		return to;
	if (!is_of_all)
		printable_add(&to, "%s: ", model_text(result->label, NAME, is_ascii).s);
	if (result->energy_scope && (isfinite(result->energy_joules) || !result->energy_missing))
		printable_add(&to, "energy is that of %s", model_text(result->energy_scope, ERROR, is_ascii).s);
	else
		printable_add(&to, "energy is not known: %s", model_text(result->energy_missing, 400, is_ascii).s);
	return to;
}

struct printable model_graph(const struct model_facts *model)
{
	struct printable to = { "" };

	if (model->graph_missing)
		printable_add(&to, "not known: %s", model->graph_missing);
	if (model->n_nodes >= 0)
		printable_add(&to, "%s", printable_count((uint64_t)model->n_nodes, "node").s);
	if (model->n_inside > 0)
		printable_add(&to, " and %s inside of them", units_count((uint64_t)model->n_inside).s);
	if (model->n_parameters >= 0)
		printable_add(&to, ", %s parameters", units_metric((double)model->n_parameters, "").s);
	if (model->flops >= 0)
		printable_add(&to, ", %s%s per inference", model->n_unknown > 0 ? "at least " : "",
			      units_metric((double)model->flops, "FLOP").s);
	if (model->flops >= 0 && model->n_unknown > 0)
		printable_add(&to, " (not known of %s)", printable_count((uint64_t)model->n_unknown, "node").s);
	return to;
}

struct printable model_values(const struct model_value *value, uint32_t n, uint32_t n_max, bool is_ascii)
{
	struct printable to = { "" };

	for (uint32_t i = 0; i < n && i < n_max; i++) {
		bool has_shape = value[i].shape && *value[i].shape;

		printable_add(&to, "%s%s ", i ? ", " : "", model_text(value[i].name, 40, is_ascii).s);
		printable_add(&to, "%s[", model_text(value[i].type, 20, is_ascii).s);
		printable_add(&to, "%s]", has_shape ? model_text(value[i].shape, 40, is_ascii).s : "");
	}
	if (n > n_max)
		printable_add(&to, " and %u more", n - n_max);
	return to;
}

struct printable model_runtime(const struct model_result *result, int columns, bool is_ascii)
{
	struct printable to = { "" };

	if (result->runtime) {
		printable_add(&to, "%s", model_text(result->runtime, NAME, is_ascii).s);
		if (result->version)
			printable_add(&to, " %s", model_text(result->version, NAME, is_ascii).s);
		if (result->runtime_path)
			printable_add(&to, ", %s", model_text(result->runtime_path, columns, is_ascii).s);
	}
	if (result->differs[MODEL_AXIS_THREADS])
		return to;
	if (result->n_threads > 0)
		printable_add(&to, "%s%s", *to.s ? ", " : "", printable_count((uint64_t)result->n_threads, "thread").s);
	else if (result->runtime && !result->runs)
		printable_add(&to, ", default number of threads");
	return to;
}

struct printable model_runtime_once(const struct model_report *report, uint32_t run, int columns, bool is_ascii)
{
	struct printable to = model_runtime(&report->results[run], columns, is_ascii);

	for (uint32_t r = 0; r < run; r++)
		if (!strcmp(model_runtime(&report->results[r], columns, is_ascii).s, to.s))
			return (struct printable){ "" };
	return to;
}

bool model_is_first_of_file(const struct model_report *report, uint32_t run)
{
	for (uint32_t r = 0; r < run; r++)
		if (is_same(model_facts_of(report, r)->path, model_facts_of(report, run)->path))
			return false;
	return true;
}

struct printable model_title(const struct model_report *report, int columns, bool is_ascii)
{
	struct printable to = model_text(report->model.name, columns, is_ascii);
	uint32_t n = 0, last = 0;

	for (uint32_t r = 0; r < report->n_results; r++) {
		if (!model_is_first_of_file(report, r))
			continue;
		n++;
		last = r;
	}
	/* model.onnx and model.ort have one name, and their runs have labels */
	if (n == 2 && !is_same(report->model.name, model_facts_of(report, last)->name))
		printable_add(&to, " and %s", model_text(model_facts_of(report, last)->name, columns, is_ascii).s);
	if (n > 2) {
		to = (struct printable){ "" };
		printable_add(&to, "%u models", n);
	}
	return to;
}

static bool has_tokens(const struct model_report *report)
{
	return report->n_results && report->results[0].n_tokens;
}

const char *model_each(const struct model_analysis *analysis)
{
	return has_tokens(analysis->report) ? "step" : "inference";
}

const char *model_per(const struct model_analysis *analysis)
{
	return has_tokens(analysis->report) ? "token" : analysis->is_per_item ? "item" : "inference";
}

static bool is_same_tolerance(const struct model_output *a, const struct model_output *b)
{
	return is_same(a->type, b->type) && a->tolerance_abs == b->tolerance_abs &&
	       a->tolerance_rel == b->tolerance_rel;
}

struct printable model_tolerance(const struct model_report *report, uint32_t run, uint32_t i, bool is_ascii)
{
	const struct model_output *own = &report->results[run].outputs[i];
	struct printable to = { "" };

	for (uint32_t r = 0; r <= run; r++)
		for (uint32_t k = 0; k < (r == run ? i : report->results[r].n_outputs); k++)
			if (is_same_tolerance(&report->results[r].outputs[k], own))
				return to;
	if (!(own->tolerance_abs > 0 || own->tolerance_rel > 0))
		return to;
	printable_add(&to, "%s outputs agree within %.3g plus %.3g of the value", model_text(own->type, 20, is_ascii).s,
		      own->tolerance_abs, own->tolerance_rel);
	return to;
}

struct printable model_outputs_missing(const struct model_report *report, uint32_t run, bool is_ascii)
{
	const struct model_result *result = &report->results[run];
	struct printable to = { "" };

	if (result->outputs_missing)
		printable_add(&to, "%s: outputs are not compared: %s", model_text(result->label, NAME, is_ascii).s,
			      result->outputs_missing);
	return to;
}
