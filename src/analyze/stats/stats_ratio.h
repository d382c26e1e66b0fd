/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios of means that are known with their intervals. */
#ifndef ANALYZE_STATS_STATS_RATIO_H
#define ANALYZE_STATS_STATS_RATIO_H

#include <stdbool.h>

/* A ratio of two means, a / b, with its 95 % interval. */
struct stats_ratio {
	double value, low, high; /* NAN: not known */
	bool is_known;		 /* both intervals are */
	bool is_different;	 /* the two means' intervals do not overlap; or the rounds say so */
};

struct stats_ratio stats_ratio(double mean_a, double interval_a, double mean_b, double interval_b);

/*
 * Processes that run the same differ by more than the interval of each says (1.5 % of the mean on an idle machine, a
 * third on a busy one; their medians by 1.6 % at most). Where there is one of each, the ratio of the medians must tell
 * the difference, too: the ratio with is_different set right.
 */
struct stats_ratio stats_ratio_of_single(struct stats_ratio ratio, double medians);

/*
 * From that many rounds of each on it is no accident (95 %, by ranks, whatever their distribution) that all of the one
 * are beyond all of the other: one round far away can make intervals of means as wide as it likes.
 */
enum { STATS_RANKED_ROUNDS = 4 };

#endif
