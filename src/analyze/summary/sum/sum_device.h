/* SPDX-License-Identifier: Apache-2.0 */
/* What a device did for inferences, while their parts pass. Work of an inference that has left is not counted. */
#ifndef ANALYZE_SUMMARY_SUM_DEVICE_H
#define ANALYZE_SUMMARY_SUM_DEVICE_H

#include "analyze/summary/sum_in.h"

/* A kernel or copy of the inference that has ended. 0, or -ENOMEM. */
int sum_device_work(struct summary_maker *maker, struct run *run, const struct slice *slice, uint64_t end_ns);
/* A call to the device's driver or runtime. */
void sum_device_call(const struct summary_maker *maker, struct run *run, const struct slice *slice, uint64_t end_ns);
/* Its time goes to the operators, in that place, that asked for it; to no others. 0, or -ENOMEM. */
int sum_device_settle(struct summary_maker *maker, const struct run *run, const struct place *place);
/* What it did for an inference that has left. */
void sum_device_of_run(const struct run *run, struct summary_device *to);
void sum_device_add(struct summary_device *to, const struct summary_device *from);

#endif
