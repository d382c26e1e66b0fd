/* SPDX-License-Identifier: Apache-2.0 */
/* Inferences that were part of training, by session. */
#ifndef ANALYZE_SUMMARY_SUM_TRAINING_H
#define ANALYZE_SUMMARY_SUM_TRAINING_H

#include "analyze/summary/sum_in.h"

/* A stage that completes inferences of a session. 0, or -ENOMEM. */
int sum_training_add(struct summary_maker *maker, uint32_t process, const struct slice *slice, uint64_t end_ns);
void sum_training_join(struct summary_training *to, const struct summary_training *from);

#endif
