// SPDX-License-Identifier: Apache-2.0
/*
 * Measures generations: the time of the first token is that of the prompt, the time of each further one lies between
 * the end of the token before and its own end. Chooses no token: ids are random.
 */
#include "model/run/run_generate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/run/run_worker.h"

/* A thread's requests. */
struct run_request {
	void *state;	 /* the generator's */
	int64_t *ids;	 /* of the longest prompt, all sequences; then those of each token */
	uint64_t random; /* state; not 0 */
};

static size_t n_sequences_of(const struct run *run)
{
	int64_t batch = 1;

	if (run->opts->batch_size)
		run_opts_numbers(run->opts->batch_size, &batch, 1, NULL);
	return (size_t)batch;
}

/* xorshift64* */
static int64_t next_id(struct run_request *request, int64_t n_ids)
{
	request->random ^= request->random >> 12;
	request->random ^= request->random << 25;
	request->random ^= request->random >> 27;
	return (int64_t)((request->random * 0x2545f4914f6cdd1dull >> 11) % (uint64_t)n_ids);
}

static void fill_ids(const struct run *run, struct run_request *request, size_t n_prompt, size_t n_sequences)
{
	for (size_t i = 0; i < (n_prompt + (size_t)run->opts->tokens) * n_sequences; i++)
		request->ids[i] = next_id(request, run->vocabulary.n_ids);
}

static int note_prompts(struct run *run, const int64_t *prompt, int n, struct err *err)
{
	struct run_result *result = run->result;

	run->shapes = calloc((size_t)n, sizeof *run->shapes);
	for (int i = 0; run->shapes && i < n; i++) {
		struct run_shapes *shapes = &run->shapes[run->n_shapes];

		shapes->set = calloc(1, sizeof *shapes->set);
		if (!shapes->set || !(shapes->set->value = calloc(run->n_inputs + 1, sizeof *shapes->set->value)))
			return err_no_memory(err, "cannot create prompts");
		shapes->n_sets = 1;
		snprintf(result->groups[i].text, RUN_TEXT, "prompt of %lld token%s", (long long)prompt[i],
			 prompt[i] == 1 ? "" : "s");
		result->groups[i].prompt = prompt[i];
		result->groups[i].batch = run->opts->batch_size ? (int64_t)n_sequences_of(run) : -1;
		result->groups[i].n_sets = 1;
		run->n_shapes++;
	}
	result->n_groups = (uint32_t)run->n_shapes;
	return run->shapes ? 0 : err_no_memory(err, "cannot create prompts");
}

int run_generate_open(struct run *run, struct err *err)
{
	int64_t prompt[RUN_MAX_GROUPS];
	int n = run_opts_numbers(run->opts->prompt, prompt, RUN_MAX_GROUPS, err), rc;

	if (n < 0)
		return err_wrap(err, "cannot use '%s' as --prompt", run->opts->prompt);
	/* each prompt once, then a warm-up and a measured one on each thread */
	if ((uint64_t)run->opts->tokens * (uint64_t)(n + 2 * run->opts->concurrency) >
	    run->result->latency_capacity / 2)
		return err_set(
		    err, EINVAL,
		    "cannot make %d tokens with %d prompts and %d threads: only %llu latencies are kept; use a "
		    "smaller --tokens",
		    run->opts->tokens, n, run->opts->concurrency, (unsigned long long)run->result->latency_capacity);
	rc = run->generator->open(run, &run->vocabulary, err);
	if (rc)
		return rc;
	if (run->vocabulary.n_sequences && (size_t)run->vocabulary.n_sequences != n_sequences_of(run))
		return err_set(err, EINVAL,
			       "cannot run %zu sequences at once: the model takes %lld; use --batch-size %lld",
			       n_sequences_of(run), (long long)run->vocabulary.n_sequences,
			       (long long)run->vocabulary.n_sequences);
	if (run->vocabulary.n_ids < 1)
		return err_set(err, ENOTSUP, "cannot run %s as a decoder: the size of its vocabulary is not known",
			       run->opts->model);
	for (int i = 0; i < n; i++) {
		int64_t length = prompt[i] + run->opts->tokens;

		if (run->vocabulary.max_length && length > run->vocabulary.max_length)
			return err_set(
			    err, EINVAL,
			    "cannot make %d tokens after a prompt of %lld: the model takes %lld tokens in all",
			    run->opts->tokens, (long long)prompt[i], (long long)run->vocabulary.max_length);
		run->longest_prompt = prompt[i] > run->longest_prompt ? prompt[i] : run->longest_prompt;
	}
	return note_prompts(run, prompt, n, err);
}

int run_generate_init(struct run_worker *worker, struct err *err)
{
	struct run *run = worker->load->run;
	size_t n_sequences = n_sequences_of(run), length = (size_t)run->longest_prompt + (size_t)run->opts->tokens,
	       n_ids;
	struct run_request *request = calloc(1, sizeof *request);

	worker->request = request;
	if (!request || __builtin_mul_overflow(length, n_sequences, &n_ids) ||
	    !(request->ids = calloc(n_ids, sizeof *request->ids)))
		return err_no_memory(err, "cannot start the load");
	request->random = run->result->seed * 1024 + worker->number + 1;
	request->state = run->generator->make(run, n_sequences, length, err);
	return request->state ? 0 : -err->code;
}

void run_generate_done(struct run_worker *worker)
{
	struct run_request *request = worker->request;

	if (!request)
		return;
	worker->load->run->generator->free(request->state);
	free(request->ids);
	free(request);
	worker->request = NULL;
}

/* One token, or the prompt; the end of it. 0: it failed, or no entry is free. */
static uint64_t take(struct run_worker *worker, struct run_latency begun, const int64_t *ids, size_t n_prompt)
{
	struct run_load_state *load = worker->load;
	const struct run_generator *generator = load->run->generator;
	struct run_latency *latency = run_worker_place(load);
	struct err err = { 0 };
	uint64_t end_ns;
	int rc;

	if (!latency)
		return 0;
	*latency = begun;
	__atomic_store_n(&latency->status, RUN_LATENCY_IN_FLIGHT, __ATOMIC_RELEASE);
	rc = n_prompt ? generator->take_prompt(worker->request->state, ids, n_prompt, &err)
		      : generator->take_token(worker->request->state, ids, &err);
	end_ns = clock_ns();
	latency->duration_ns = end_ns - begun.start_ns;
	if (!rc && worker->phase == RUN_FIRST)
		rc = generator->check(worker->request->state, &err);
	__atomic_store_n(&latency->status, rc ? RUN_LATENCY_FAILED : RUN_LATENCY_OK, __ATOMIC_RELEASE);
	if (!rc)
		return end_ns;
	run_worker_fail(worker, &err);
	return 0;
}

uint64_t run_generate(struct run_worker *worker, uint64_t queued_ns, uint64_t *duration_ns)
{
	struct run *run = worker->load->run;
	struct run_group *group = &run->result->groups[worker->group];
	size_t n_sequences = n_sequences_of(run), n_prompt = (size_t)group->prompt;
	const int64_t *ids = worker->request->ids;
	struct run_latency latency = { .queued_ns = queued_ns,
				       .group = (uint16_t)worker->group,
				       .thread = worker->number,
				       .phase = worker->phase };
	uint64_t begin_ns, end_ns;

	fill_ids(run, worker->request, n_prompt, n_sequences);
	begin_ns = latency.start_ns = clock_ns();
	end_ns = take(worker, latency, ids, n_prompt);
	if (!end_ns)
		return 0;
	worker->first_ns = worker->first_ns ? worker->first_ns : begin_ns;
	worker->last_ns = end_ns;
	if (worker->phase == RUN_FIRST && !group->first_ns)
		group->first_ns = end_ns - begin_ns;
	ids += n_prompt * n_sequences;
	for (int i = 1; i < run->opts->tokens; i++, ids += n_sequences) {
		latency.set = (uint16_t)(i < UINT16_MAX ? i : UINT16_MAX);
		/* what was checked in the first phase is no time of the next token */
		latency.start_ns = worker->phase == RUN_FIRST ? clock_ns() : end_ns;
		latency.queued_ns = 0;
		if (run_guard_stop)
			break;
		end_ns = take(worker, latency, ids, 0);
		if (!end_ns)
			return 0;
		/* also if a later token finds no place */
		worker->last_ns = end_ns;
	}
	*duration_ns = end_ns - begin_ns;
	worker->n_run++;
	return end_ns;
}
