// SPDX-License-Identifier: Apache-2.0
#include "analyze/summary/course/curve.h"

/* Two points become one. */
static void join_pairs(struct curve *curve)
{
	for (uint32_t i = 0; i < CURVE_POINTS / 2; i++) {
		const struct curve_point *pair = &curve->point[2 * i];

		curve->point[i] = pair[pair[1].value > pair[0].value];
	}
	curve->n = CURVE_POINTS / 2;
	curve->every *= 2;
	curve->n_in_last = curve->every;
}

void curve_add(struct curve *curve, uint64_t time_ns, double value)
{
	struct curve_point *last;

	curve->every += !curve->every;
	if (curve->n == CURVE_POINTS && curve->n_in_last >= curve->every)
		join_pairs(curve);
	if (!curve->n || curve->n_in_last >= curve->every) {
		curve->point[curve->n++] = (struct curve_point){ time_ns, value };
		curve->n_in_last = 1;
		return;
	}
	last = &curve->point[curve->n - 1];
	curve->n_in_last++;
	if (value > last->value)
		*last = (struct curve_point){ time_ns, value };
}
