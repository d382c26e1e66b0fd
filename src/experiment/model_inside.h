/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the provider's own profiler says of the operator pass: its files are read, added to the recording and summed up.
 */
#ifndef EXPERIMENT_MODEL_INSIDE_H
#define EXPERIMENT_MODEL_INSIDE_H

#include "analyze/result/model/model_result.h"
#include "base/arena.h"
#include "experiment/model_pass.h"

/*
 * Fills the result's kernels, or says why there are none. What is wrong with the profiler's files is said there; 0, or
 * -errno and err: out of memory, or the recording could not be written.
 */
int model_inside(struct model_result *result, const struct model_pass *pass, struct arena *arena, struct err *err);

#endif
