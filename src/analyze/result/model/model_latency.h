/* SPDX-License-Identifier: Apache-2.0 */
/* How long one inference took that was measured. */
#ifndef ANALYZE_RESULT_MODEL_MODEL_LATENCY_H
#define ANALYZE_RESULT_MODEL_MODEL_LATENCY_H

#include <stdint.h>

/*
 * Or, of generations, one token: the first since the begin of its prompt, each further one since the end of the one
 * before. Their shapes are lengths of prompts.
 */
struct model_latency {
	uint64_t start_ns, duration_ns;
	int64_t queued_ns; /* open loop: when it should have started; -1: closed loop */
	uint32_t shape;	   /* index of model_result.shapes */
	uint32_t thread;
	uint32_t round; /* which of several processes that ran the same, from 0 on; in order */
	int32_t status; /* 0: ok */
};

#endif
