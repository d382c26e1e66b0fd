// SPDX-License-Identifier: Apache-2.0
/*
 * The inferences: the first one of each set alone, then a warm-up until times are steady, then the measured part.
 * Closed loop: every thread starts its next inference when the last is done. Open loop: inferences have a time at which
 * they should start, and wait when all threads are busy. What is timed is Run and nothing else; outputs are released
 * after the second clock.
 */
#include "model/run.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "model/run_arrivals.h"
#include "model/run_steady.h"

enum { MOST_COUNTED = 1000000 };

struct load {
	struct run *run;
	struct run_latency *latency;
	pthread_barrier_t together;
	pthread_mutex_t lock; /* of arrivals and err */
	struct run_arrivals arrivals;
	struct err err;
	uint64_t start_ns, end_ns;    /* of the measured part; end_ns: no inference starts later */
	uint64_t n_started, n_wanted; /* inferences of the measured part; wanted 0: any number */
	uint64_t n_unserved;	      /* arrivals that were taken too late to start */
	uint32_t stop;		      /* enum run_stop; written by whoever finds it first */
	bool is_warm;
	struct run_steady steady;
};

/* One of the threads that run inferences. The first one is the main thread. */
struct worker {
	struct load *load;
	pthread_t id;
	uint16_t number;
	uint8_t phase;
	size_t group, *set; /* whose turn it is */
	struct ort_value **output;
	struct ort_binding ***binding; /* by group and set; NULL: outputs come to the CPU */
	uint64_t first_ns, last_ns;    /* of its measured part */
	uint64_t n_run, n_failed;
};

static void stop_load(struct load *load, enum run_stop why)
{
	uint32_t none = RUN_STOP_NOT_YET;

	__atomic_compare_exchange_n(&load->stop, &none, why, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static bool is_stopped(struct load *load)
{
	if (__builtin_expect(run_guard_stop, 0))
		stop_load(load, RUN_STOP_SIGNAL);
	return __atomic_load_n(&load->stop, __ATOMIC_RELAXED) != RUN_STOP_NOT_YET;
}

/* Models seldom take every size: says which ones were made up, at the cost of the end of the runtime's words. */
static void tell_guesses(const struct run *run, struct err *err)
{
	char advice[sizeof run->guessed + 120];
	size_t len;

	if (!*run->guessed)
		return;
	len = (size_t)snprintf(advice, sizeof advice,
			       " (sizes that nobody gave were taken as 1, for %s; give them with --dim or --shape)",
			       run->guessed);
	if (strlen(err->msg) + len >= sizeof err->msg)
		strcpy(err->msg + sizeof err->msg - len - 4, "...");
	strcat(err->msg, advice);
}

static void fail(struct worker *worker, struct ort_status *status)
{
	struct load *load = worker->load;
	bool is_first;

	worker->n_failed++;
	pthread_mutex_lock(&load->lock);
	is_first = !load->err.code;
	ort_api_check(&load->run->api, status, is_first ? &load->err : NULL, "run the model on %s",
		      load->run->result->groups[worker->group].text);
	if (is_first)
		tell_guesses(load->run, &load->err);
	pthread_mutex_unlock(&load->lock);
	stop_load(load, RUN_STOP_FAILED);
}

/* The next place for a latency; NULL: all are taken. */
static struct run_latency *take_place(struct load *load)
{
	struct run_result *result = load->run->result;
	uint64_t place = __atomic_fetch_add(&result->n_latencies, 1, __ATOMIC_RELAXED);

	if (place < result->latency_capacity)
		return &load->latency[place];
	stop_load(load, RUN_STOP_FULL);
	return NULL;
}

static struct ort_status *call_run(struct worker *worker, const struct run_set *set, size_t number)
{
	struct run *run = worker->load->run;

	if (worker->binding)
		return run->api.run_with_binding(run->session, run->run_options,
						 worker->binding[worker->group][number]);
	return run->api.run(run->session, run->run_options, run->input_name,
			    (const struct ort_value *const *)set->value, run->n_inputs, run->output_name,
			    run->n_outputs, worker->output);
}

static void release_outputs(struct worker *worker)
{
	struct run *run = worker->load->run;

	for (size_t i = 0; i < run->n_outputs && !worker->binding; i++) {
		run->api.release_value(worker->output[i]);
		worker->output[i] = NULL;
	}
}

/* One inference of the worker's group and set. Returns when it was over; 0: it failed, or there is no place to note it.
 */
static uint64_t infer(struct worker *worker, uint64_t queued_ns, uint64_t *duration_ns)
{
	struct load *load = worker->load;
	size_t number = worker->set[worker->group];
	struct run_latency *latency = take_place(load);
	struct ort_status *status;
	uint64_t start_ns, end_ns;

	if (!latency)
		return 0;
	*latency = (struct run_latency){ .queued_ns = queued_ns,
					 .group = (uint16_t)worker->group,
					 .thread = worker->number,
					 .phase = worker->phase,
					 .set = (uint16_t)number };
	__atomic_store_n(&latency->status, RUN_LATENCY_IN_FLIGHT, __ATOMIC_RELEASE);
	start_ns = clock_ns();
	latency->start_ns = start_ns;
	status = call_run(worker, &load->run->shapes[worker->group].set[number], number);
	end_ns = clock_ns();
	latency->duration_ns = *duration_ns = end_ns - start_ns;
	__atomic_store_n(&latency->status, status ? RUN_LATENCY_FAILED : RUN_LATENCY_OK, __ATOMIC_RELEASE);
	worker->n_run++;
	if (__builtin_expect(status != NULL, 0)) {
		fail(worker, status);
		return 0;
	}
	if (!worker->first_ns)
		worker->first_ns = start_ns;
	worker->last_ns = end_ns;
	return end_ns;
}

/* Groups take turns, and in each group its sets. */
static void next_turn(struct worker *worker)
{
	struct run *run = worker->load->run;

	if (++worker->set[worker->group] == run->shapes[worker->group].n_sets)
		worker->set[worker->group] = 0;
	if (++worker->group == run->n_shapes)
		worker->group = 0;
}

/* The other half is for the measured part. */
static bool is_half_full(const struct run_result *result)
{
	return __atomic_load_n(&result->n_latencies, __ATOMIC_RELAXED) >= result->latency_capacity / 2;
}

/* A sample of the warm-up is a whole round through the groups: their times differ. */
static void warm_up(struct worker *worker)
{
	struct load *load = worker->load;
	uint64_t start_ns = clock_ns(), round_ns = 0, duration_ns, end_ns;

	worker->phase = RUN_WARM_UP;
	do {
		end_ns = infer(worker, 0, &duration_ns);
		release_outputs(worker);
		if (!end_ns)
			return;
		next_turn(worker);
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
	} while (!__atomic_load_n(&load->is_warm, __ATOMIC_RELAXED) && !is_stopped(load));
}

static void run_closed(struct worker *worker)
{
	struct load *load = worker->load;
	uint64_t end_ns, duration_ns;

	while (!is_stopped(load)) {
		if (load->n_wanted && __atomic_fetch_add(&load->n_started, 1, __ATOMIC_RELAXED) >= load->n_wanted) {
			stop_load(load, RUN_STOP_ITERATIONS);
			return;
		}
		end_ns = infer(worker, 0, &duration_ns);
		release_outputs(worker);
		next_turn(worker);
		if (end_ns >= load->end_ns)
			stop_load(load, RUN_STOP_DURATION);
	}
}

/* The next arrival; false: there is none any more. */
static bool take_arrival(struct load *load, uint64_t *at_ns)
{
	bool is_over;

	pthread_mutex_lock(&load->lock);
	*at_ns = load->start_ns + run_arrivals_next(&load->arrivals);
	is_over = load->n_wanted ? load->n_started++ >= load->n_wanted : *at_ns >= load->end_ns;
	pthread_mutex_unlock(&load->lock);
	if (is_over)
		stop_load(load, load->n_wanted ? RUN_STOP_ITERATIONS : RUN_STOP_DURATION);
	return !is_over;
}

/* In pieces, so that a stop is seen. */
static void wait_until(struct load *load, uint64_t at_ns)
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

/* When the time is over nothing more is started: with more arrivals than can be served it would have no end. */
static bool may_start(struct load *load)
{
	uint32_t stop;

	if (clock_ns() >= load->end_ns) {
		stop_load(load, RUN_STOP_DURATION);
		return false;
	}
	is_stopped(load);
	stop = __atomic_load_n(&load->stop, __ATOMIC_RELAXED);
	/* another thread may have met the last arrival already, this one is before it */
	return stop == RUN_STOP_NOT_YET || stop == RUN_STOP_ITERATIONS || stop == RUN_STOP_DURATION;
}

static void run_open(struct worker *worker)
{
	struct load *load = worker->load;
	uint64_t at_ns, duration_ns;

	while (!is_stopped(load) && take_arrival(load, &at_ns)) {
		wait_until(load, at_ns);
		if (!may_start(load)) {
			__atomic_fetch_add(&load->n_unserved, clock_ns() >= at_ns, __ATOMIC_RELAXED);
			return;
		}
		infer(worker, at_ns, &duration_ns);
		release_outputs(worker);
		next_turn(worker);
	}
}

/* Arrivals until then that nobody took, and those taken that were not started. Very many are estimated. */
static uint64_t count_unserved(struct load *load, uint64_t until_ns)
{
	uint64_t n = load->n_unserved, at_ns = 0;

	for (uint64_t i = 0; i < MOST_COUNTED; i++, n++) {
		at_ns = load->start_ns + run_arrivals_next(&load->arrivals);
		if (at_ns >= until_ns || (load->n_wanted && load->n_started + i >= load->n_wanted))
			return n;
	}
	return n + (uint64_t)((double)(until_ns - at_ns) * load->run->result->rate_hz / 1e9);
}

static void say_warm_up(struct load *load, uint64_t ns)
{
	struct run_result *result = load->run->result;
	double spread = run_steady_spread(&load->steady), seconds = (double)ns / 1e9;

	if (result->is_steady)
		snprintf(result->warm_up_text, RUN_TEXT,
			 "steady after %.3g s and %llu inferences: the medians of the last %d windows of %u ms or more "
			 "lie within "
			 "%.2g %% (limit %g %%)",
			 seconds, (unsigned long long)result->n_warm_up, STEADY_WINDOWS, STEADY_WINDOW_NS / 1000000,
			 spread * 100, STEADY_LIMIT * 100);
	else if (spread >= 0)
		snprintf(result->warm_up_text, RUN_TEXT,
			 "not steady after %.3g s and %llu inferences: the medians of the last %d windows of %u ms or "
			 "more lie "
			 "%.2g %% apart (limit %g %%)",
			 seconds, (unsigned long long)result->n_warm_up, STEADY_WINDOWS, STEADY_WINDOW_NS / 1000000,
			 spread * 100, STEADY_LIMIT * 100);
	else
		snprintf(result->warm_up_text, RUN_TEXT,
			 "not decided after %.3g s: %llu inferences are too few to tell", seconds,
			 (unsigned long long)result->n_warm_up);
}

/* Between the two phases all threads stand still. */
static void begin_measured(struct load *load)
{
	struct run *run = load->run;
	struct run_result *result = run->result;
	uint64_t before;

	if (load->stop == RUN_STOP_FAILED)
		return;
	for (before = 0; before < result->n_latencies && load->latency[before].phase != RUN_WARM_UP; before++)
		;
	result->n_warm_up = result->n_latencies - before;
	run_phase_end(result, RUN_WARM_UP);
	say_warm_up(load, result->phases[RUN_WARM_UP].end_ns - result->phases[RUN_WARM_UP].start_ns);
	run_phase_begin(result, RUN_STEADY);
	run_phase_cpu(&result->cpu_user_ns, &result->cpu_system_ns);
	result->has_run_queue = run_phase_waited(&result->run_queue_ns);
	load->n_wanted = (uint64_t)run->opts->iterations;
	load->start_ns = clock_ns();
	load->end_ns = load->n_wanted ? UINT64_MAX : load->start_ns + run->opts->duration_ns;
	if (result->is_open_loop)
		run_arrivals_start(&load->arrivals, result->rate_hz, result->seed);
}

static void *work(void *ctx)
{
	struct worker *worker = ctx;
	struct load *load = worker->load;

	/* Arrivals are waited for with the kernel's best precision. */
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
	warm_up(worker);
	worker->n_run = worker->first_ns = worker->last_ns = 0;
	worker->phase = RUN_STEADY;
	pthread_barrier_wait(&load->together);
	if (!worker->number)
		begin_measured(load);
	pthread_barrier_wait(&load->together);
	if (load->run->result->is_open_loop)
		run_open(worker);
	else
		run_closed(worker);
	pthread_barrier_wait(&load->together);
	return NULL;
}

static int init_worker(struct worker *worker, struct load *load, uint16_t number, struct err *err)
{
	struct run *run = load->run;

	worker->load = load;
	worker->number = number;
	worker->group = number % run->n_shapes;
	worker->output = calloc(run->n_outputs + 1, sizeof *worker->output);
	worker->set = calloc(run->n_shapes, sizeof *worker->set);
	if (!worker->output || !worker->set)
		return err_set(err, ENOMEM, "cannot start the load: out of memory");
	return 0;
}

static void done_worker(struct worker *worker)
{
	run_bind_done(worker->load->run, worker->binding);
	free(worker->output);
	free(worker->set);
}

/* Every set once, the first one of its group being the group's first inference. */
static int run_first(struct load *load, struct worker *worker, struct err *err)
{
	struct run *run = load->run;
	uint64_t duration_ns;
	int rc = 0;

	worker->phase = RUN_FIRST;
	for (size_t group = 0; group < run->n_shapes && !rc; group++) {
		for (size_t set = 0; set < run->shapes[group].n_sets && !rc; set++) {
			worker->group = group;
			worker->set[group] = set;
			if (!infer(worker, 0, &duration_ns))
				rc = load->err.code
					 ? -load->err.code
					 : err_set(&load->err, ENOSPC, "cannot keep latencies: no room for one");
			else
				rc = run_outputs_take(run, group, set, worker->output, &load->err);
			if (!set && !rc)
				run->result->groups[group].first_ns = duration_ns;
			release_outputs(worker);
		}
		worker->set[group] = 0;
	}
	worker->group = 0;
	worker->n_run = worker->first_ns = worker->last_ns = 0;
	if (rc && err)
		*err = load->err;
	return rc;
}

static void note_measured(struct load *load, const struct worker *worker, int n)
{
	struct run_result *result = load->run->result;
	uint64_t first_ns = UINT64_MAX, last_ns = 0, user_ns, system_ns, waited_ns;

	run_phase_cpu(&user_ns, &system_ns);
	/* a thread that has ended meanwhile has taken its figure along */
	result->has_run_queue &= run_phase_waited(&waited_ns) && waited_ns >= result->run_queue_ns;
	result->run_queue_ns = result->has_run_queue ? waited_ns - result->run_queue_ns : 0;
	result->cpu_user_ns = user_ns - result->cpu_user_ns;
	result->cpu_system_ns = system_ns - result->cpu_system_ns;
	for (int i = 0; i < n; i++) {
		result->n_steady += worker[i].n_run;
		result->n_failed += worker[i].n_failed;
		if (worker[i].first_ns && worker[i].first_ns < first_ns)
			first_ns = worker[i].first_ns;
		if (worker[i].last_ns > last_ns)
			last_ns = worker[i].last_ns;
	}
	result->wall_ns = last_ns > first_ns ? last_ns - first_ns : 0;
	if (result->is_open_loop)
		result->n_unserved = count_unserved(load, last_ns < load->end_ns ? last_ns : load->end_ns);
	result->stop = load->stop;
}

static int start_workers(struct worker *worker, int n, struct err *err)
{
	for (int i = 1; i < n; i++) {
		int code = pthread_create(&worker[i].id, NULL, work, &worker[i]);

		/* Those that run already would wait for this one: the process ends with the error. */
		if (code)
			return err_set(err, code, "cannot start thread %d of %d: %s", i + 1, n, strerror(code));
	}
	return 0;
}

static int run_threads(struct load *load, struct worker *worker, int n, struct err *err)
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
	note_measured(load, worker, n);
	if (load->stop != RUN_STOP_FAILED)
		run_phase_end(result, RUN_STEADY);
	for (int i = 1; i < n; i++)
		pthread_join(worker[i].id, NULL);
	if (load->stop != RUN_STOP_FAILED)
		return 0;
	*err = load->err;
	return -load->err.code;
}

static int run_all(struct load *load, struct worker *worker, int n, struct err *err)
{
	struct run *run = load->run;
	int rc = 0;

	for (int i = 0; i < n && !rc; i++)
		rc = init_worker(&worker[i], load, (uint16_t)i, err);
	run_phase_begin(run->result, RUN_FIRST);
	if (!rc)
		rc = run_first(load, &worker[0], err);
	if (rc)
		return rc;
	run_phase_end(run->result, RUN_FIRST);
	return run_threads(load, worker, n, err);
}

/* After an error threads may still be about, so nothing is freed: the process ends. */
int run_load(struct run *run, struct err *err)
{
	int n = run->opts->concurrency, rc;
	struct load *load = calloc(1, sizeof *load);
	struct worker *worker = calloc((size_t)n, sizeof *worker);

	if (!worker || !load)
		return err_set(err, ENOMEM, "cannot start the load: out of memory");
	load->run = run;
	load->latency = run_result_latencies(run->result);
	pthread_mutex_init(&load->lock, NULL);
	rc = run_all(load, worker, n, err);
	if (rc)
		return rc;
	for (int i = 0; i < n; i++)
		done_worker(&worker[i]);
	free(worker);
	free(load);
	return 0;
}
