/* SPDX-License-Identifier: Apache-2.0 */
/* What a model's runs come to, in words that the text page, the HTML page and JSON share. Texts are harmless. */
#ifndef SHOW_WORDS_MODEL_WORDS_H
#define SHOW_WORDS_MODEL_WORDS_H

#include "analyze/insight/insight.h"
#include "analyze/result/model/model_analysis.h"
#include "analyze/result/result_words.h"
#include "base/text/printable.h"
#include "base/text/units.h"

/*
 * The words of all insights, and for each the next insight that finds the same (UINT32_MAX: none) and whether one
 * before does. NULL: out of memory. free() gives it back.
 */
struct model_finding {
	struct insight_words words;
	uint32_t next_same;
	bool is_repeated;   /* an insight before it finds the same */
	bool is_next_below; /* what there is to do is that of the next one, too: it is said there */
};

struct model_finding *model_findings(const struct model_analysis *analysis, bool is_ascii);

/* What became of the nodes of the model that are not known to have run; "": there are none, or nothing is known. */
struct printable model_not_found(const struct model_analysis *analysis, uint32_t run);

/* Did other programs use the CPUs while one of the runs was measured? Then the machine's peaks may be too low as well.
 */
bool model_was_busy(const struct model_analysis *analysis);

/* What the times of a run's operators are not; "": they are what they seem. */
struct printable model_deferred_words(const struct model_analysis *analysis, uint32_t run, bool is_ascii);

/* What the energy of a run is of, or why it is not known; with the first run for all when it is the same of all. */
struct printable model_energy_words(const struct model_analysis *analysis, uint32_t run, bool is_ascii);

/* "21 nodes, 1.24 M parameters, at least 703 MFLOP per inference (not known of 1 node)"; "": nothing is known. */
struct printable model_graph(const struct model_facts *model);

/* "x float32[1,3,224,224], mask int64[n] and 3 more": the first n_max of a model's inputs or outputs. */
struct printable model_values(const struct model_value *value, uint32_t n, uint32_t n_max, bool is_ascii);

/* "onnxruntime 1.22.1, /usr/lib/libonnxruntime.so; threads: 4"; the path cut to so many columns. "": not known. */
struct printable model_runtime(const struct model_result *result, int columns, bool is_ascii);

/* The same; "" if an earlier run has the same words. */
struct printable model_runtime_once(const struct model_report *report, uint32_t run, int columns, bool is_ascii);

/* "resnet18", "fp32 and int8", "3 models" */
struct printable model_title(const struct model_report *report, int columns, bool is_ascii);
/* Is the run the first with its model's file? */
bool model_is_first_of_file(const struct model_report *report, uint32_t run);

/*
 * Of the i-th output of a run: "float32 outputs agree within 1e-05 plus 0.001 of the value"; "" if it is not known, or
 * of an output before it.
 */
struct printable model_tolerance(const struct model_report *report, uint32_t run, uint32_t i, bool is_ascii);
/* Why the outputs of a run are compared with none, with its label; "": they are. */
struct printable model_outputs_missing(const struct model_report *report, uint32_t run, bool is_ascii);

/* What the time that runs are compared by is of: "inference"; of different batch sizes "item"; of generations "token".
 */
const char *model_per(const struct model_analysis *analysis);
/* One call of the model: "inference"; of generations "step", which is a prompt or one more token. */
const char *model_each(const struct model_analysis *analysis);

/* The report in one sentence, model_verdict.c. */
struct printable model_verdict(const struct model_analysis *analysis, bool is_ascii);

/* "1.90 x (1.81 to 2.00)", "cannot tell (0.94 to 1.03 x)", "1.90 x" without intervals, "-" */
struct units_text model_ratio_words(const struct stats_ratio *ratio);
const char *model_bound_words(enum model_bound_by by); /* "memory" */
const char *model_drift_words(enum stats_drift drift);

/* Between the two, numbers of this thread look the same whatever its locale. */
struct model_locale {
	void *own, *old; /* locale_t */
};

struct model_locale model_locale_enter(void);
void model_locale_leave(const struct model_locale *locale);

#endif
