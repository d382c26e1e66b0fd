// SPDX-License-Identifier: Apache-2.0
/* A change with its interval, and what it says. Knows no model and no operator. */
#include <math.h>

#include "analyze/diff/diff_in.h"
#include "analyze/stats/stats_interval.h"

void diff_value_set(struct diff_value *value, const struct diff_estimate *estimate)
{
	double half = isfinite(estimate->error) ? stats_t_95(estimate->df) * estimate->error : NAN;

	/* of 0 nothing is a share */
	value->change = value->low = value->high = value->p = NAN;
	if (!isfinite(estimate->change))
		return;

	value->change = exp(estimate->change) - 1;
	value->low = exp(estimate->change - half) - 1;
	value->high = exp(estimate->change + half) - 1;
	value->p = estimate->p;
}

void diff_value_judge(const struct diff *diff, struct diff_value *value, double minimum, bool is_better_higher)
{
	double matters = fmax(DIFF_MATTERS, diff->opts.threshold);

	if (!isfinite(value->base) || !isfinite(value->fresh))
		value->says = DIFF_MISSING;
	else if (isnan(value->p))
		value->says = DIFF_UNTESTED;
	else if (value->p <= DIFF_ALPHA && fabs(log1p(value->change)) >= log1p(minimum))
		value->says = (value->change > 0) != is_better_higher ? DIFF_WORSE : DIFF_BETTER;
	else if (value->low >= -matters && value->high <= matters)
		value->says = DIFF_SAME;
	else
		value->says = DIFF_OPEN;
}
