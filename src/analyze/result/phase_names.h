/* SPDX-License-Identifier: Apache-2.0 */
/* What the phases of session creation are called, on every page and in every file. */
#ifndef ANALYZE_RESULT_PHASE_NAMES_H
#define ANALYZE_RESULT_PHASE_NAMES_H

#include "analyze/summary/summary.h"

struct phase_name {
	const char *key;   /* in JSON: "graph_transformers" */
	const char *words; /* for people: "graph transformers" */
};

extern const struct phase_name phase_names[N_PHASES];

#endif
