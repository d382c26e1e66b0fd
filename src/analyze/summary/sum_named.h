/* SPDX-License-Identifier: Apache-2.0 */
/* Slices that nothing else sums up, by name: those of other programs' traces. */
#ifndef ANALYZE_SUMMARY_SUM_NAMED_H
#define ANALYZE_SUMMARY_SUM_NAMED_H

#include "analyze/summary/sum_in.h"

bool sum_named_has(enum event_kind kind); /* nothing else sums slices of it up */
/* 0, or -ENOMEM. */
int sum_named_add(struct summary_maker *maker, uint32_t name, uint64_t ns);
int sum_named_make(struct summary_maker *maker, struct end *end);
void sum_named_done(struct summary_maker *maker);

#endif
