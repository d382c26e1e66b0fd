/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of all inferences, where only some of them were recorded. */
#ifndef ANALYZE_SUMMARY_SUM_SAMPLED_H
#define ANALYZE_SUMMARY_SUM_SAMPLED_H

#include "analyze/summary/summary.h"

struct summary_maker;

/*
 * Fills in how many inferences were left out, scales counts and rates, and takes back what would tell of moments
 * without an inference. Once processes, models and resources are there.
 */
void sum_sampled_make(const struct summary_maker *maker, struct summary *to);

#endif
