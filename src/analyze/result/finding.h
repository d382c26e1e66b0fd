/* SPDX-License-Identifier: Apache-2.0 */
/* A finding: a rule of analyze/insight that held for a run, with its figures. The rule also has its words. */
#ifndef ANALYZE_RESULT_FINDING_H
#define ANALYZE_RESULT_FINDING_H

#include <stdint.h>

struct insight;

struct finding {
	const struct insight *insight;
	uint32_t result; /* index in the report */
	int64_t a, b;	 /* the insight's `figures` name these five; -1, NAN, NULL: not known */
	double value, low, high;
	double gain_ns; /* of an inference at most, if it can be known; NAN: cannot */
	const char *text;
};

#endif
