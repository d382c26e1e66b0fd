/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that run inferences, and their shared state. A worker belongs to one thread. In the shared state, the
 * lock guards the fields named at it; all other fields with several writers are atomic.
 */
#ifndef MODEL_RUN_RUN_WORKER_H
#define MODEL_RUN_RUN_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run/run.h"

/*
 * Arrival times of independent requests: a Poisson process. The same seed gives the same times on every machine. Not
 * thread-safe.
 */
struct run_arrivals {
	uint64_t state;
	double mean_ns, at_ns;
};

/* rate_hz above 0. */
void run_arrivals_start(struct run_arrivals *arrivals, double rate_hz, uint64_t seed);
/* The next arrival in nanoseconds after the start; never before the previous one. */
uint64_t run_arrivals_next(struct run_arrivals *arrivals);

/*
 * Detects the end of the warm-up. Inferences are divided into windows of a least time and a least number; times are
 * steady when the medians of the last windows agree. Reads no clock and no runtime.
 */
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

/* Shared by all workers. */
struct run_load_state {
	struct run *run;
	struct run_latency *latency;
	pthread_barrier_t together;
	pthread_mutex_t lock; /* guards arrivals and err */
	struct run_arrivals arrivals;
	struct err err;
	uint64_t start_ns, end_ns;    /* of the measured part; end_ns: no inference starts later */
	uint64_t n_started, n_wanted; /* inferences of the measured part; wanted 0: any number */
	uint64_t n_unserved;	      /* arrivals taken too late to start */
	uint32_t stop;		      /* enum run_stop; the first writer wins */
	bool is_warm;
	struct run_steady steady;
};

/* One of the threads that run inferences. The first is the main thread. */
struct run_worker {
	struct run_load_state *load;
	pthread_t id;
	uint16_t number;
	uint8_t phase;
	size_t group, *set; /* next to run */
	struct ort_value **output;
	struct run_request *request;   /* generations: run_generate.c */
	struct ort_binding ***binding; /* by group and set; NULL: outputs go to CPU memory */
	uint64_t first_ns, last_ns;    /* of its measured part */
	uint64_t n_run, n_failed;
};

/* 0, or -errno and err. Call run_worker_done only when all threads have ended. */
int run_worker_init(struct run_worker *worker, struct run_load_state *load, uint16_t number, struct err *err);
void run_worker_done(struct run_worker *worker);

/*
 * Runs one inference of the worker's group and set. Returns its end time; 0: it failed, or no entry is free, and the
 * load has been stopped.
 */
uint64_t run_worker_infer(struct run_worker *worker, uint64_t queued_ns, uint64_t *duration_ns);
/* Call after each inference, once its outputs are no longer needed. */
void run_worker_release(struct run_worker *worker);
/* Groups take turns, and in each group its sets. */
void run_worker_next(struct run_worker *worker);

/* The next free entry for a latency; NULL: all are used, and the load has been stopped. */
struct run_latency *run_worker_place(struct run_load_state *load);
/* Keeps the first error of all threads, and stops the load. */
void run_worker_fail(struct run_worker *worker, const struct err *err);

/* Stops the load; the first reason counts. */
void run_worker_stop_load(struct run_load_state *load, enum run_stop why);
bool run_worker_is_stopped(struct run_load_state *load);

/* The figures of the measured part of a load. One thread calls these while all others stand still. */
/* Ends the warm-up. Does nothing when the load has failed. */
void run_measure_begin(struct run_load_state *load);
void run_measure_end(struct run_load_state *load, const struct run_worker *worker, int n);

#endif
