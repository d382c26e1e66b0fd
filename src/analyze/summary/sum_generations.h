/* SPDX-License-Identifier: Apache-2.0 */
/* Inferences that make the tokens of a request, one after the other. */
#ifndef ANALYZE_SUMMARY_SUM_GENERATIONS_H
#define ANALYZE_SUMMARY_SUM_GENERATIONS_H

#include "analyze/summary/sum_in.h"

/* A finished inference that did not fail. All: 0 or -ENOMEM. */
int sum_generations_add(struct summary_maker *maker, const struct run *run);
/* A call of a runtime that makes tokens itself. It waits in the window until `moment`, its end: then all inferences
 * that it contains have left, in whatever order they are in the recording. */
int sum_generations_call(struct summary_maker *maker, uint32_t process, const struct slice *slice, uint64_t end_ns,
			 struct moment *moment);
int sum_generations_pass(struct summary_maker *maker, const struct moment *moment); /* that has come */
int sum_generations_make(struct summary_maker *maker, struct end *end);

#endif
