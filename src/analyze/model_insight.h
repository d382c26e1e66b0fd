/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to try next: findings that numbers of this very report support. An insight is its kind and its figures;
 * export/model_words.h puts it into words.
 */
#ifndef ANALYZE_MODEL_INSIGHT_H
#define ANALYZE_MODEL_INSIGHT_H

#include <stdint.h>

enum model_insight_kind {
	MODEL_RUN_FAILED,	/* text: why */
	MODEL_OUTPUTS_DIFFER,	/* a of b outputs; value: the largest absolute difference */
	MODEL_NOTHING_TAKEN,	/* the provider ran none of b nodes; text: who ran them */
	MODEL_PARTLY_TAKEN,	/* the provider ran a of b nodes; value: share of the time that others took */
	MODEL_FASTER,		/* value: how much faster than the first run; low, high: its interval */
	MODEL_NO_FASTER,	/* the intervals overlap; value: the ratio */
	MODEL_UNEVEN,		/* outliers: a of b inferences; value: their share of the time */
	MODEL_DRIFTS,		/* value: last quarter by first */
	MODEL_FEW_VALUES,	/* b inferences are worth a independent ones; value: interval by mean */
	MODEL_SLOW_FIRST,	/* value: first inference by the median */
	MODEL_SLOW_CREATION,	/* value: creation in steady inferences */
	MODEL_SLOW_PHASE,	/* text: phase or transformer; value: its share of the creation */
	MODEL_MEMORY_BOUND,	/* value: share of the operators' time; a of b operators */
	MODEL_COMPUTE_BOUND,
	MODEL_OVERHEAD_BOUND,
	MODEL_SLOW_OPERATOR,	/* text: the operator that could win most; value: share of the possible; gain_ns */
	MODEL_TINY_OPERATORS,	/* a of b operators take less than 5 us; value: share of the inferences' time outside operators */
	MODEL_MOVES_LAYOUT,	/* a operators that only reorder or convert; value: their share */
	MODEL_MANY_THREADS,	/* a threads on b cores */
	MODEL_IDLE_CORES,	/* value: cores used, of b */
	MODEL_NO_SCALING,	/* concurrency a; value: throughput by that of one at a time */
	MODEL_QUEUES,		/* value: waiting by response time */
	MODEL_LOST_EVENTS,	/* a events are missing */
	N_MODEL_INSIGHTS
};

struct model_insight {
	enum model_insight_kind kind;
	uint32_t result; /* index in the report */
	int64_t a, b;
	double value, low, high;
	double gain_ns; /* of an inference at most, if it can be known; NAN: cannot */
	const char *text;
};

struct model_analysis;

/* Fills analysis->insights. 0, or -ENOMEM. */
int model_insights_find(struct model_analysis *analysis);

#endif
