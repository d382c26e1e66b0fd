/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of the measured part of a load. One thread calls these while all others stand still. */
#ifndef MODEL_RUN_RUN_MEASURE_H
#define MODEL_RUN_RUN_MEASURE_H

#include "model/run/run_worker.h"

/* Ends the warm-up. Does nothing when the load has failed. */
void run_measure_begin(struct run_load_state *load);
void run_measure_end(struct run_load_state *load, const struct run_worker *worker, int n);

#endif
