// SPDX-License-Identifier: Apache-2.0
/*
 * Runs the inferences: the first one of each set alone, then a warm-up until times are steady, then the measured part.
 * Closed loop: every thread starts its next inference when the last is done. Open loop: inferences have a start time,
 * and queue when all threads are busy.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "model/run/run_worker.h"

/* The other half is for the measured part. */
static bool is_half_full(const struct run_result *result)
{
	return __atomic_load_n(&result->n_latencies, __ATOMIC_RELAXED) >= result->latency_capacity / 2;
}

/* An inference, or a generation. */
static uint64_t serve(struct run_worker *worker, uint64_t queued_ns, uint64_t *duration_ns)
{
	return worker->load->run->generator ? run_generate(worker, queued_ns, duration_ns)
					    : run_worker_infer(worker, queued_ns, duration_ns);
}

/* A sample of the warm-up is a complete round through the groups, because their times differ. */
static void warm_up(struct run_worker *worker)
{
	struct run_load_state *load = worker->load;
	uint64_t start_ns = clock_ns(), round_ns = 0, duration_ns, end_ns;

	worker->phase = RUN_WARM_UP;
	do {
		end_ns = serve(worker, 0, &duration_ns);
		run_worker_release(worker);
		if (!end_ns)
			return;
		run_worker_next(worker);
		round_ns += duration_ns;
		if (worker->number || worker->group)
			continue;
		if (run_steady_add(&load->steady, end_ns, round_ns)) {
			load->run->result->is_steady = 1;
			__atomic_store_n(&load->is_warm, true, __ATOMIC_RELAXED);
		} else if (end_ns - start_ns >= load->run->opts->warm_up_max_ns || is_half_full(load->run->result)) {
			__atomic_store_n(&load->is_warm, true, __ATOMIC_RELAXED);
		}
		round_ns = 0;
	} while (!__atomic_load_n(&load->is_warm, __ATOMIC_RELAXED) && !run_worker_is_stopped(load));
}

static void run_closed(struct run_worker *worker)
{
	struct run_load_state *load = worker->load;
	uint64_t end_ns, duration_ns;

	while (!run_worker_is_stopped(load)) {
		if (load->n_wanted && __atomic_fetch_add(&load->n_started, 1, __ATOMIC_RELAXED) >= load->n_wanted) {
			run_worker_stop_load(load, RUN_STOP_ITERATIONS);
			return;
		}
		end_ns = serve(worker, 0, &duration_ns);
		run_worker_release(worker);
		run_worker_next(worker);
		if (end_ns >= load->end_ns)
			run_worker_stop_load(load, RUN_STOP_DURATION);
	}
}

/* The next arrival; false: none is left. */
static bool take_arrival(struct run_load_state *load, uint64_t *at_ns)
{
	bool is_over;

	pthread_mutex_lock(&load->lock);
	*at_ns = load->start_ns + run_arrivals_next(&load->arrivals);
	is_over = load->n_wanted ? load->n_started++ >= load->n_wanted : *at_ns >= load->end_ns;
	pthread_mutex_unlock(&load->lock);
	if (is_over)
		run_worker_stop_load(load, load->n_wanted ? RUN_STOP_ITERATIONS : RUN_STOP_DURATION);
	return !is_over;
}

/* Sleeps in pieces, so that a stop is noticed. */
static void wait_until(struct run_load_state *load, uint64_t at_ns)
{
	uint64_t now_ns;

	while ((now_ns = clock_ns()) < at_ns && !run_guard_stop) {
		uint64_t to_ns = at_ns - now_ns > 100000000u ? now_ns + 100000000u : at_ns;
		struct timespec to = { (time_t)(to_ns / 1000000000u), (long)(to_ns % 1000000000u) };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &to, NULL);
		if (__atomic_load_n(&load->stop, __ATOMIC_RELAXED) == RUN_STOP_FAILED)
			return;
	}
}

/* Starts nothing after the end time: with more arrivals than can be served the run would never end. */
static bool may_start(struct run_load_state *load)
{
	uint32_t stop;

	if (clock_ns() >= load->end_ns) {
		run_worker_stop_load(load, RUN_STOP_DURATION);
		return false;
	}
	run_worker_is_stopped(load);
	stop = __atomic_load_n(&load->stop, __ATOMIC_RELAXED);
	/* another thread may have seen the last arrival already; this one precedes it */
	return stop == RUN_STOP_NOT_YET || stop == RUN_STOP_ITERATIONS || stop == RUN_STOP_DURATION;
}

static void run_open(struct run_worker *worker)
{
	struct run_load_state *load = worker->load;
	uint64_t at_ns, duration_ns;

	while (!run_worker_is_stopped(load) && take_arrival(load, &at_ns)) {
		wait_until(load, at_ns);
		if (!may_start(load)) {
			__atomic_fetch_add(&load->n_unserved, clock_ns() >= at_ns, __ATOMIC_RELAXED);
			return;
		}
		serve(worker, at_ns, &duration_ns);
		run_worker_release(worker);
		run_worker_next(worker);
	}
}

static void *work(void *ctx)
{
	struct run_worker *worker = ctx;
	struct run_load_state *load = worker->load;

	/* Waits for arrivals with the kernel's best precision. */
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
	warm_up(worker);
	worker->n_run = worker->first_ns = worker->last_ns = 0;
	worker->phase = RUN_STEADY;
	pthread_barrier_wait(&load->together);
	if (!worker->number)
		run_measure_begin(load);
	pthread_barrier_wait(&load->together);
	if (load->run->result->is_open_loop)
		run_open(worker);
	else
		run_closed(worker);
	pthread_barrier_wait(&load->together);
	return NULL;
}

/* Runs every set once; the first set of a group makes the group's first inference. */
static int run_first(struct run_load_state *load, struct run_worker *worker, struct err *err)
{
	struct run *run = load->run;
	uint64_t duration_ns;
	int rc = 0;

	worker->phase = RUN_FIRST;
	for (size_t group = 0; group < run->n_shapes && !rc; group++) {
		for (size_t set = 0; set < run->shapes[group].n_sets && !rc; set++) {
			worker->group = group;
			worker->set[group] = set;
			if (!serve(worker, 0, &duration_ns))
				rc = load->err.code ? -load->err.code
						    : err_set(&load->err, ENOSPC,
							      "cannot store latencies: the buffer has no room for one");
			else if (!run->generator)
				rc = run_outputs_take(run, group, set, worker->output, &load->err);
			if (!set && !rc && !run->generator)
				run->result->groups[group].first_ns = duration_ns;
			run_worker_release(worker);
			if (!rc && run_guard_stop && run->generator)
				rc =
				    err_set(&load->err, ECANCELED, "cannot make the first tokens: stopped by a signal");
		}
		worker->set[group] = 0;
	}
	worker->group = 0;
	worker->n_run = worker->first_ns = worker->last_ns = 0;
	if (rc && err)
		*err = load->err;
	return rc;
}

static int start_workers(struct run_worker *worker, int n, struct err *err)
{
	for (int i = 1; i < n; i++) {
		int code = pthread_create(&worker[i].id, NULL, work, &worker[i]);

		/* Running threads would wait for the missing one: the process ends with the error. */
		if (code)
			return err_set(err, code, "cannot start thread %d of %d: %s", i + 1, n, strerror(code));
	}
	return 0;
}

static int run_threads(struct run_load_state *load, struct run_worker *worker, int n, struct err *err)
{
	struct run_result *result = load->run->result;
	int rc = 0;

	for (int i = 0; i < n && !rc; i++)
		rc = run_bind(load->run, &worker[i].binding, err);
	if (rc)
		return rc;
	pthread_barrier_init(&load->together, NULL, (unsigned)n);
	run_phase_begin(result, RUN_WARM_UP);
	run_steady_start(&load->steady, clock_ns());
	rc = start_workers(worker, n, err);
	if (rc)
		return rc;
	work(&worker[0]);
	run_measure_end(load, worker, n);
	if (load->stop != RUN_STOP_FAILED)
		run_phase_end(result, RUN_STEADY);
	for (int i = 1; i < n; i++)
		pthread_join(worker[i].id, NULL);
	if (load->stop != RUN_STOP_FAILED)
		return 0;
	*err = load->err;
	return -load->err.code;
}

static int run_all(struct run_load_state *load, struct run_worker *worker, int n, struct err *err)
{
	struct run *run = load->run;
	int rc = 0;

	for (int i = 0; i < n && !rc; i++) {
		rc = run_worker_init(&worker[i], load, (uint16_t)i, err);
		if (!rc && run->generator)
			rc = run_generate_init(&worker[i], err);
	}
	run_phase_begin(run->result, RUN_FIRST);
	if (!rc)
		rc = run_first(load, &worker[0], err);
	if (rc)
		return rc;
	run_phase_end(run->result, RUN_FIRST);
	return run_threads(load, worker, n, err);
}

/* After an error threads may still be running, so nothing is freed: the process ends. */
int run_load(struct run *run, struct err *err)
{
	int n = run->opts->concurrency, rc;
	struct run_load_state *load = calloc(1, sizeof *load);
	struct run_worker *worker = calloc((size_t)n, sizeof *worker);

	if (!worker || !load)
		return err_no_memory(err, "cannot start the load");
	load->run = run;
	load->latency = run_result_latencies(run->result);
	pthread_mutex_init(&load->lock, NULL);
	rc = run_all(load, worker, n, err);
	if (rc)
		return rc;
	for (int i = 0; i < n; i++) {
		run_generate_done(&worker[i]);
		run_worker_done(&worker[i]);
	}
	free(worker);
	free(load);
	return 0;
}
