/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that run inferences, and their shared state. A worker belongs to one thread. In the shared state, the
 * lock guards the fields named at it; all other fields with several writers are atomic.
 */
#ifndef MODEL_RUN_RUN_WORKER_H
#define MODEL_RUN_RUN_WORKER_H

#include <pthread.h>

#include "model/run/run.h"
#include "model/run/run_arrivals.h"
#include "model/run/run_steady.h"

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

/* Stops the load; the first reason counts. */
void run_worker_stop_load(struct run_load_state *load, enum run_stop why);
bool run_worker_is_stopped(struct run_load_state *load);

#endif
