/* SPDX-License-Identifier: Apache-2.0 */
/* What a runtime compiled while inferences ran, by session. */
#ifndef ANALYZE_SUMMARY_SUM_COMPILING_H
#define ANALYZE_SUMMARY_SUM_COMPILING_H

#include "analyze/summary/sum_in.h"

/* A slice of such a compilation, on the track of its inference. 0, or -ENOMEM. */
int sum_compiling_add(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns);
void sum_compiling_join(struct summary_compiling *to, const struct summary_compiling *from);

#endif
