/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a machine's CPUs did in a span of a recording, from its counter "cpu" (capture/source/source_cpu.c): the
 * latencies of a model that shares them with other programs are longer for it. Computes nothing else.
 */
#ifndef ANALYZE_RESULT_MODEL_BUSY_H
#define ANALYZE_RESULT_MODEL_BUSY_H

#include "analyze/store/store.h"

/*
 * The share of all CPUs together, 0 to 1, that were not idle from start_ns to end_ns (CLOCK_MONOTONIC). A sample is of
 * the time since the one before. NAN: samples cover less than half of the span.
 */
double model_busy_find(const struct store *store, uint64_t start_ns, uint64_t end_ns);

#endif
