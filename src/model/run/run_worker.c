// SPDX-License-Identifier: Apache-2.0
/*
 * Runs one inference. Only the call of Run is timed. Its latency entry is made before it starts, so that an inference
 * that never returns is in the result, too.
 */
#include "model/run/run_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

void run_worker_stop_load(struct run_load_state *load, enum run_stop why)
{
	uint32_t none = RUN_STOP_NOT_YET;

	__atomic_compare_exchange_n(&load->stop, &none, why, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

bool run_worker_is_stopped(struct run_load_state *load)
{
	if (__builtin_expect(run_guard_stop, 0))
		run_worker_stop_load(load, RUN_STOP_SIGNAL);
	return __atomic_load_n(&load->stop, __ATOMIC_RELAXED) != RUN_STOP_NOT_YET;
}

/* Few models accept every size: names the assumed sizes, at the cost of the end of the runtime's message. */
static void tell_guesses(const struct run *run, struct err *err)
{
	char advice[sizeof run->guessed + 120];
	size_t len;

	if (!*run->guessed)
		return;
	len = (size_t)snprintf(advice, sizeof advice,
			       " (free dimensions default to size 1, here of %s; set them with --dim or --shape)",
			       run->guessed);
	if (strlen(err->msg) + len >= sizeof err->msg)
		strcpy(err->msg + sizeof err->msg - len - 4, "...");
	strcat(err->msg, advice);
}

void run_worker_fail(struct run_worker *worker, const struct err *err)
{
	struct run_load_state *load = worker->load;

	worker->n_failed++;
	pthread_mutex_lock(&load->lock);
	if (!load->err.code)
		load->err = *err;
	pthread_mutex_unlock(&load->lock);
	run_worker_stop_load(load, RUN_STOP_FAILED);
}

static void fail(struct run_worker *worker, struct ort_status *status)
{
	struct run *run = worker->load->run;
	struct err err = { 0 };

	ort_api_check(&run->api, status, &err, "run the model on %s", run->result->groups[worker->group].text);
	tell_guesses(run, &err);
	run_worker_fail(worker, &err);
}

struct run_latency *run_worker_place(struct run_load_state *load)
{
	struct run_result *result = load->run->result;
	uint64_t place = __atomic_fetch_add(&result->n_latencies, 1, __ATOMIC_RELAXED);

	if (place < result->latency_capacity)
		return &load->latency[place];
	run_worker_stop_load(load, RUN_STOP_FULL);
	return NULL;
}

static struct ort_status *call_run(struct run_worker *worker, const struct run_set *set, size_t number)
{
	struct run *run = worker->load->run;

	if (worker->binding)
		return run->api.run_with_binding(run->session, run->run_options,
						 worker->binding[worker->group][number]);
	return run->api.run(run->session, run->run_options, run->input_name,
			    (const struct ort_value *const *)set->value, run->n_inputs, run->output_name,
			    run->n_outputs, worker->output);
}

void run_worker_release(struct run_worker *worker)
{
	struct run *run = worker->load->run;

	for (size_t i = 0; i < run->n_outputs && !worker->binding && !run->generator; i++) {
		run->api.release_value(worker->output[i]);
		worker->output[i] = NULL;
	}
}

uint64_t run_worker_infer(struct run_worker *worker, uint64_t queued_ns, uint64_t *duration_ns)
{
	struct run_load_state *load = worker->load;
	size_t number = worker->set[worker->group];
	struct run_latency *latency = run_worker_place(load);
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

void run_worker_next(struct run_worker *worker)
{
	struct run *run = worker->load->run;

	if (++worker->set[worker->group] == run->shapes[worker->group].n_sets)
		worker->set[worker->group] = 0;
	if (++worker->group == run->n_shapes)
		worker->group = 0;
}

int run_worker_init(struct run_worker *worker, struct run_load_state *load, uint16_t number, struct err *err)
{
	struct run *run = load->run;

	worker->load = load;
	worker->number = number;
	worker->group = number % run->n_shapes;
	worker->output = calloc(run->n_outputs + 1, sizeof *worker->output);
	worker->set = calloc(run->n_shapes, sizeof *worker->set);
	if (!worker->output || !worker->set)
		return err_no_memory(err, "cannot start the load");
	return 0;
}

void run_worker_done(struct run_worker *worker)
{
	run_bind_done(worker->load->run, worker->binding);
	free(worker->output);
	free(worker->set);
}
