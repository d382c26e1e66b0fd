// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/stats_ratio.h"

#include <math.h>

#define SINGLE_RATIO 0.03

struct stats_ratio stats_ratio_of_single(struct stats_ratio ratio, double medians)
{
	ratio.is_different &= ratio.value > 1 ? medians > 1 + SINGLE_RATIO : medians < 1 - SINGLE_RATIO;
	return ratio;
}

/* Fieller's theorem with independent means, each of them known with its interval. */
struct stats_ratio stats_ratio(double a, double interval_a, double b, double interval_b)
{
	struct stats_ratio ratio = { b > 0 ? a / b : NAN, NAN, NAN, false, false };
	double free = b * b - interval_b * interval_b, root;

	if (!(a > 0) || !(b > 0) || !isfinite(interval_a) || !isfinite(interval_b))
		return ratio;
	ratio.is_known = true;
	ratio.is_different = fabs(a - b) > interval_a + interval_b;
	root = a * b * a * b - free * (a * a - interval_a * interval_a);
	/* a mean that might as well be 0 says nothing of a ratio */
	if (free <= 0 || root < 0)
		return ratio;
	ratio.low = fmax((a * b - sqrt(root)) / free, 0);
	ratio.high = (a * b + sqrt(root)) / free;
	return ratio;
}
