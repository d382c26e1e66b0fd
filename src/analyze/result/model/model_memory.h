/* SPDX-License-Identifier: Apache-2.0 */
/* What sessions of a model in a recording did not give back. */
#ifndef ANALYZE_RESULT_MODEL_MEMORY_H
#define ANALYZE_RESULT_MODEL_MEMORY_H

#include "analyze/summary/summary.h"

/* -1: not known. */
struct model_memory {
	int64_t n_kept; /* sessions that were not released, and not used since a later one was created in the process */
	int64_t kept_bytes; /* that these hold */
	/*
	 * Taken in inferences, but not in the last four of their session, and still in use when the last of these
	 * ended: blocks, bytes; how many inferences. A session's last outputs are in use then, and so may those be that
	 * it was given as inputs. Only of sessions in which the blocks are half as many as the inferences, or more.
	 */
	int64_t n_blocks, blocks_bytes, n_runs;
};

void model_memory_find(struct model_memory *memory, const struct summary *summary, uint32_t model);

#endif
