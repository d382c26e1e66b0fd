/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and copies of devices: by name, by type of the operator that launched them, and by stream. */
#ifndef ANALYZE_SUMMARY_SUM_KERNELS_H
#define ANALYZE_SUMMARY_SUM_KERNELS_H

#include "analyze/summary/sum_in.h"

/* One that has ended. is_inside: it lies in another one of its track. 0, or -ENOMEM. */
int sum_kernels_add(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns,
		    bool is_inside);
int sum_kernels_make(struct summary_maker *maker, struct end *end);
void sum_kernels_done(struct summary_maker *maker);

#endif
