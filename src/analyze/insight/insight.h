/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to try next: findings that the figures of this very report support. An insight is one rule with its words, in a
 * file of its own, insight_<name>.c. insights.c lists them all. A rule states nothing that the report's figures do not.
 */
#ifndef ANALYZE_INSIGHT_INSIGHT_H
#define ANALYZE_INSIGHT_INSIGHT_H

#include "analyze/result/finding.h"
#include "analyze/result/model/model_analysis.h"
#include "base/err.h"
#include "base/text/printable.h"

enum insight_severity {
	INSIGHT_WRONG,	/* the run failed, its speed is worth nothing, or it does not give back what it takes */
	INSIGHT_DOUBT,	/* the figures are in doubt */
	INSIGHT_ADVICE, /* what could be better */
};

struct finder;
struct speaker;

/* Names in JSON of the finding's fields that the insight fills; NULL: it does not use the field. */
struct insight_figures {
	const char *value, *a, *b, *low, *high, *text;
};

struct insight {
	const char *name; /* in JSON */
	enum insight_severity severity;
	void (*find)(struct finder *finder); /* looks at one run: adds one finding, or none */
	void (*say)(const struct speaker *to);
	struct insight_figures figures;
};

/* In the order of importance among findings of one severity and gain; NULL ends it. */
extern const struct insight *const insights[];

/* Those that a verdict depends on. */
extern const struct insight insight_busy_machine, insight_nothing_taken, insight_outputs_differ;

/* Fills analysis->findings. 0, or -ENOMEM. */
int insights_find(struct model_analysis *analysis);
/* The analysis of a report, with its findings. NULL and err: out of memory. */
struct model_analysis *insights_analyse(const struct model_report *report, struct err *err);
/* Is there such a finding for that run? result == MODEL_NONE: for any run. */
bool insights_has(const struct model_analysis *analysis, const struct insight *insight, uint32_t result);

/* The finding, the figures that support it, and what to do about it. Each is a phrase without a full stop, or "". */
struct insight_words {
	struct printable finding, evidence, next;
};

struct insight_words insight_words_of(const struct model_analysis *analysis, const struct finding *finding,
				      bool is_ascii);

#endif
