/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to try next: findings that numbers of this very report support. An insight is its kind and its figures;
 * show/words/model_words.h puts it into words.
 */
#ifndef ANALYZE_RESULT_MODEL_INSIGHT_H
#define ANALYZE_RESULT_MODEL_INSIGHT_H

#include <stdint.h>

enum model_insight_kind {
	MODEL_RUN_FAILED,      /* text: why */
	MODEL_OUTPUTS_DIFFER,  /* a of b outputs; value: the largest absolute difference */
	MODEL_OUTPUTS_UNKNOWN, /* a of b outputs could not be compared; text: why the first could not */
	MODEL_BUSY_MACHINE,  /* value: CPUs that other programs used, of b; low: share of its time that this run waited
				for one */
	MODEL_NOTHING_TAKEN, /* the provider ran none of b nodes; text: who ran most of them */
	MODEL_PARTLY_TAKEN,  /* the provider ran a of b nodes; value: share of the inferences' time that others took */
	MODEL_FASTER,	  /* this run is the fastest; value: how much faster than the first; low, high: its interval */
	MODEL_UNEVEN,	  /* a of b inferences are outliers; value: their share of the time */
	MODEL_DRIFTS,	  /* value: median of the last quarter by that of the first */
	MODEL_FEW_VALUES, /* b inferences are worth a independent ones; value: interval by mean */
	MODEL_SLOW_FIRST, /* value: first inference by the median; low: its nanoseconds */
	MODEL_SLOW_PHASE, /* text: phase or transformer; value: its share of the creation; low: its nanoseconds */
	MODEL_MEMORY_BOUND, /* a of b operators; value: share of the operators' time; low: what they reach of the
			       possible */
	MODEL_COMPUTE_BOUND,
	MODEL_OVERHEAD_BOUND,
	MODEL_SLOW_OPERATOR,  /* text: the operator that could win most; value: share of the possible */
	MODEL_TINY_OPERATORS, /* a of b operators take less than 5 us; value: share of the time outside of operators */
	MODEL_MOVES_LAYOUT,   /* a of b operators only reorder or convert; value: their share of the operators' time */
	MODEL_MANY_THREADS,   /* a threads on b CPUs */
	MODEL_IDLE_CORES,     /* value: CPUs used, of b */
	MODEL_NO_SCALING,     /* a at a time have value times the throughput of b at a time */
	MODEL_QUEUES,	      /* value: share of the response time that is waiting; a: requests per second, wanted */
	MODEL_LOST_EVENTS,    /* a events are missing */
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
