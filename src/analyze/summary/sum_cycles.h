/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes on a device whose profiler counts cycles instead of time: by name and type. */
#ifndef ANALYZE_SUMMARY_SUM_CYCLES_H
#define ANALYZE_SUMMARY_SUM_CYCLES_H

#include "analyze/summary/sum_in.h"

/* Takes an instant of kind KIND_KERNEL, if it has cycles. 0, or -ENOMEM. */
int sum_cycles_put(struct summary_maker *maker, const struct event *event);
int sum_cycles_make(struct summary_maker *maker, struct end *end);
void sum_cycles_done(struct summary_maker *maker);

#endif
