/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects the end of the warm-up. Inferences are divided into windows of a least time and a least number; times are
 * steady when the medians of the last windows agree. Reads no clock and no runtime.
 */
#ifndef MODEL_RUN_RUN_STEADY_H
#define MODEL_RUN_RUN_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STEADY_WINDOWS = 3, STEADY_SAMPLES = 4096, STEADY_MIN_COUNT = 5 };

#define STEADY_WINDOW_NS 50000000u /* least time of a window */
#define STEADY_LIMIT 0.03	   /* (largest - smallest) / smallest of the medians */

struct run_steady {
	uint64_t window_start_ns;
	uint64_t sample[STEADY_SAMPLES];
	size_t n_samples, step, skipped; /* of a window with very many, every step-th is kept */
	uint64_t n_in_window;
	uint64_t median[STEADY_WINDOWS]; /* of the last windows, the newest at (n_windows - 1) % STEADY_WINDOWS */
	uint64_t n_windows;
};

void run_steady_start(struct run_steady *steady, uint64_t now_ns);
/* Adds a duration that ended at now_ns. true: steady from now on. */
bool run_steady_add(struct run_steady *steady, uint64_t now_ns, uint64_t duration_ns);
/* The spread of the last windows' medians, relative to the smallest; -1: too few windows so far. */
double run_steady_spread(const struct run_steady *steady);

#endif
