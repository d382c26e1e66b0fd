/* SPDX-License-Identifier: Apache-2.0 */
/* What a model's runs come to, in words that the text page, the HTML page and JSON share. Texts are harmless. */
#ifndef SHOW_WORDS_MODEL_WORDS_H
#define SHOW_WORDS_MODEL_WORDS_H

#include "analyze/result/model_analysis.h"
#include "base/printable.h"
#include "base/units.h"

/* What was found, the figures that say so, and what there is to do about it; each a phrase without a full stop. */
struct model_words {
	struct printable finding, evidence, next;
};

struct model_words model_words_of(const struct model_analysis *analysis, const struct model_insight *insight,
				  bool is_ascii);

/*
 * The words of all insights, and for each the next insight that finds the same (UINT32_MAX: none) and whether one
 * before does. NULL: out of memory. free() gives it back.
 */
struct model_finding {
	struct model_words words;
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

/* The report in one sentence, model_verdict.c. */
struct printable model_verdict(const struct model_analysis *analysis, bool is_ascii);

/* A text of a stranger, "-" for NULL; a provider without "ExecutionProvider". */
struct printable model_text(const char *text, int columns, bool is_ascii);
struct printable model_provider(const char *name, int columns, bool is_ascii);
/* What outputs are held against: "those of cpu", "those expected". */
struct printable model_against(const char *label, int columns, bool is_ascii);

/* 139 GFLOP/s, 43.2 GB/s, 1.24 M; "-" when not a number. Steps of 1000. */
struct units_text model_metric(double value, const char *unit);
/* 912 mJ, 1.25 J; "-" when not a number. */
struct units_text model_joules(double joules);
/* "1.90 x (1.81 to 2.00)", "cannot tell (0.94 to 1.03 x)", "1.90 x" without intervals, "-" */
struct units_text model_ratio_words(const struct model_ratio *ratio);
/* "session created" for the step "session"; another name stays as it is. */
const char *model_step_words(const char *step);
/* "create the session", to follow "failed to"; NULL for another name. */
const char *model_step_task(const char *step);
const char *model_bound_words(enum model_bound_by by); /* "memory" */
const char *model_drift_words(enum model_drift drift);

/* Between the two, numbers of this thread look the same whatever its locale. */
struct model_locale {
	void *own, *old; /* locale_t */
};

struct model_locale model_locale_enter(void);
void model_locale_leave(const struct model_locale *locale);

#endif
