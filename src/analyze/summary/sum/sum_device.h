/* SPDX-License-Identifier: Apache-2.0 */
/* What a device did for inferences, while their parts pass. Work of an inference that has left is not counted. */
#ifndef ANALYZE_SUMMARY_SUM_DEVICE_H
#define ANALYZE_SUMMARY_SUM_DEVICE_H

#include "analyze/summary/sum_in.h"

/* A kernel or copy, or a call, that has ended; it has the number of its inference. 0, or -ENOMEM. */
int sum_device_work(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns);
int sum_device_call(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns);
/* Its time goes to the operators, in that place, that asked for it; to no others. 0, or -ENOMEM. */
int sum_device_settle(struct summary_maker *maker, const struct run *run, const struct place *place);
/* What it did for an inference that has left. */
void sum_device_of_run(const struct run *run, struct summary_device *to);
void sum_device_add(struct summary_device *to, const struct summary_device *from);

#endif
