// SPDX-License-Identifier: Apache-2.0
/*
 * Turns what hooks see of inferences on a thread into records.
 *
 * A run's begin (RECORD_RUN_BEGIN) is written as soon as its session is known, with the time at which it began. Runs
 * nest when an operator runs another session. A lane is a line on the screen that two runs of the process never share
 * at a time; it is taken before the begin is timed and given back after the end is.
 */
#include "capture/agent/run/inference.h"

#include <string.h>

#include "capture/agent/device.h"
#include "capture/agent/dict.h"
#include "capture/agent/heap.h"
#include "capture/agent/run/caller.h"
#include "capture/agent/shape.h"
#include "capture/agent/subnormal.h"
#include "capture/agent/usage.h"
#include "event/begin_value.h"
#include "event/generator_call.h"
#include "event/run_trait.h"

struct active_run inference_active[MAX_LANES];

/* When each lane was given back: a run that began before then must take another one. */
static uint64_t given_at[MAX_LANES];

uint8_t inference_take_lane(uint64_t since)
{
	uint64_t lanes = __atomic_load_n(&hot->lanes, __ATOMIC_RELAXED), taken;
	unsigned lane;

	do {
		taken = lanes;
		for (;;) {
			if (taken == UINT64_MAX)
				return NO_LANE;
			lane = (unsigned)__builtin_ctzll(~taken);
			if (!since || __atomic_load_n(&given_at[lane], __ATOMIC_RELAXED) < since)
				break;
			taken |= 1ull << lane;
		}
	} while (!__atomic_compare_exchange_n(&hot->lanes, &lanes, lanes | 1ull << lane, true, __ATOMIC_ACQUIRE,
					      __ATOMIC_RELAXED));
	return (uint8_t)lane;
}

void inference_give_lane(uint8_t lane, uint64_t end)
{
	if (lane >= MAX_LANES)
		return;
	__atomic_store_n(&given_at[lane], end, __ATOMIC_RELAXED);
	__atomic_fetch_and(&hot->lanes, ~(1ull << lane), __ATOMIC_RELEASE);
}

void inference_forget_all(void)
{
	for (unsigned lane = 0; lane < MAX_LANES; lane++)
		__atomic_store_n(&inference_active[lane].run, 0, __ATOMIC_RELEASE);
}

/* Sets what the hot path reads about the innermost run: the short path is for operators of a run that was told. */
static void run_is_top(struct thread *thread)
{
	const struct open_run *run = inference_top(thread);

	thread->current_run = run ? run->run : 0;
	thread->looks = run && run->has_inputs ? 0 : 255;
	thread->plain = run && run->told && hot->is_plain ? thread->generation : 0;
}

/*
 * Unique among the last 2^31 of the process; a thread takes a block at a time, because an atomic addition costs as much
 * as half a clock read. The recorder tells numbers of 2^32 inferences and more by their distance from the last one: a
 * thread that has rested takes no number of long ago.
 */
uint32_t inference_number(struct thread *thread)
{
	enum { BLOCK = 64, LONG_AGO = 1 << 30 };

	if (thread->next_run == thread->numbers_end || hot->next_run - thread->next_run > LONG_AGO) {
		thread->next_run = __atomic_fetch_add(&hot->next_run, BLOCK, __ATOMIC_RELAXED);
		thread->numbers_end = thread->next_run + BLOCK;
		thread->next_run += !thread->next_run; /* 0 is no number */
	}
	return thread->next_run++;
}

/* The line that asked for the inference that begins now: on another thread, or on this one. */
static uint32_t asked_by(struct thread *thread)
{
	uint64_t by = thread->asked_by;

	thread->asked_by = 0;
	return by >> 32 == thread->generation ? (uint32_t)by : caller_of(thread);
}

struct open_run *inference_begin(struct thread *thread, enum run_owner owner, uint64_t start, struct session *session)
{
	struct open_run *run;

	if (thread->n_runs == MAX_RUNS)
		return NULL;
	if (!thread->n_runs)
		devices_look();
	run = &thread->run[thread->n_runs];
	*run = (struct open_run){ .session = session,
				  .owner = (uint8_t)owner,
				  .lane = inference_take_lane(start),
				  .depth = thread->depth,
				  .caller = asked_by(thread) };
	run->start = start ? start : agent_now();
	run->queued_since = thread->queued_since;
	thread->queued_since = 0;
	usage_begin(thread, run);
	run->is_partial = hot->is_changing != CHANGE_NONE;
	run->was_subnormal = thread->is_subnormal && subnormal_begin();
	run->run = inference_number(thread);
	thread->n_runs++;
	run_is_top(thread);
	return run;
}

static void tell_shapes(struct thread *thread, struct open_run *run, uint32_t shapes, uint64_t batch)
{
	struct record *record;

	if (!shapes)
		return;
	run->has_inputs = true;
	run_is_top(thread);
	record = agent_claim(thread);
	if (!record)
		return;
	*record = (struct record){ .value = batch,
				   .run = run->run,
				   .text = shapes,
				   .type = RECORD_RUN_INPUTS,
				   .id = run->session ? run->session->number : 0 };
	agent_publish(thread);
}

/* A generator's call whose frame is gone was left by longjmp. */
static void tell_generator(struct thread *thread, const struct open_run *run)
{
	struct record *record;

	if ((uintptr_t)__builtin_frame_address(0) >= thread->generator.frame) {
		thread->generator.number = 0;
		return;
	}
	thread->generator.n_runs++;
	record = agent_claim(thread);
	if (!record)
		return;
	*record = (struct record){ .run = run->run, .id = thread->generator.number, .type = RECORD_RUN_GENERATOR };
	agent_publish(thread);
}

void inference_tell(struct thread *thread, struct open_run *run, const char *tag)
{
	struct record *record;
	uint32_t text = tag && *tag ? dict_text_of_run(tag, strnlen(tag, 256)) : 0, number = 0;
	uint64_t batch = 0;
	uint8_t flags = 0;

	run->told = true;
	if (!run->session)
		run->session = session_only();
	usage_begin(thread, run);
	if (run->session) {
		if (run->session->generation != hot->generation)
			session_tell(run->session);
		number = run->session->number;
		/* a plain read first: only the first few runs need the atomic change */
		if (!__atomic_load_n(&run->session->has_run, __ATOMIC_RELAXED) &&
		    !__atomic_exchange_n(&run->session->has_run, true, __ATOMIC_RELAXED))
			flags |= FLAG_FIRST;
	}
	if (run->is_partial)
		flags |= FLAG_PARTIAL;
	if (run->lane < MAX_LANES) {
		inference_active[run->lane].session = run->session;
		inference_active[run->lane].run_options = run->run_options;
		inference_active[run->lane].stack = (uint64_t)__builtin_frame_address(0);
		__atomic_store_n(&inference_active[run->lane].run, run->run, __ATOMIC_RELEASE);
	}
	if (run->shapes && !text) {
		text = run->shapes;
		batch = run->batch;
		flags |= FLAG_SHAPES;
		run->has_inputs = true; /* also when the record is lost: it is counted, not retried */
	}
	run_is_top(thread);
	record = agent_claim(thread);
	if (!record)
		return;
	*record = (struct record){ .time = run->start,
				   .value = BEGIN_VALUE(run->lane, batch, run->caller),
				   .id = number,
				   .run = run->run,
				   .text = text,
				   .type = RECORD_RUN_BEGIN,
				   .flags = flags };
	agent_publish(thread);
	if (run->shapes && !run->has_inputs)
		tell_shapes(thread, run, run->shapes, run->batch);
	if (__builtin_expect(thread->generator.number != 0, 0) && thread->n_runs == 1)
		tell_generator(thread, run);
}

void inference_executing(struct thread *thread, struct session *session, uint64_t run_options, const char *tag)
{
	struct open_run *run = inference_top(thread);
	struct record *record;

	if (!run || run->is_executing) {
		run = inference_begin(thread, OWNER_PROVIDER, 0, session);
		if (!run)
			return;
		/* events before OnRunStart were not seen */
		run->is_partial |= agent.late_since && !thread->is_settled;
	}
	thread->is_settled = true;
	run->is_executing = true;
	run->depth = thread->depth;
	if (!run->session)
		run->session = session;
	if (run_options)
		run->run_options = run_options;
	if (run->told && run->lane < MAX_LANES)
		inference_active[run->lane].run_options = run->run_options;
	if (!run->told)
		inference_tell(thread, run, tag);
	if (run->owner == OWNER_PROVIDER || !(record = agent_claim(thread)))
		return;
	*record = (struct record){ .time = run->start,
				   .value = agent_now(),
				   .run = run->run,
				   .text = run->lane,
				   .id = run->session ? run->session->number : 0,
				   .type = RECORD_SETUP };
	agent_publish(thread);
}

static void tell_operator(struct thread *thread, struct open_operator *op)
{
	struct record *record = agent_claim(thread);

	if (!record)
		return;
	op->told = true;
	*record = (struct record){ .time = op->start,
				   .id = op->node,
				   .run = op->run,
				   .text = op->shapes,
				   .type = RECORD_OPERATOR_BEGIN,
				   .flags = op->shapes ? FLAG_SHAPES : 0 };
	agent_publish(thread);
}

/* One that failed, or whose begin was told. A record has room for one text: the begin has the shapes. */
static void tell_operator_end(struct thread *thread, struct open_operator *op, uint64_t end, uint32_t message,
			      uint8_t flags)
{
	struct record *record;

	if (op->shapes && !op->told)
		tell_operator(thread, op);
	record = agent_claim(thread);
	if (!record)
		return;
	*record = (struct record){ .time = op->told ? end : op->start,
				   .value = end,
				   .id = op->node,
				   .run = op->run,
				   .text = message,
				   .type = op->told ? RECORD_OPERATOR_END : RECORD_OPERATOR,
				   .flags = flags };
	agent_publish(thread);
}

void inference_close_operators(struct thread *thread, unsigned depth, uintptr_t frame)
{
	while (thread->depth > depth) {
		struct open_operator *op = &thread->open[thread->depth - 1];
		bool has_thrown = thread->last_throw > op->start;
		uint64_t end = has_thrown ? thread->last_throw : agent_now();
		if (frame && op->frame > frame)
			return;
		thread->depth--;
		tell_operator_end(thread, op, end, has_thrown ? thread->last_message : 0, FLAG_FAILED);
		if (thread->n_runs && !inference_top(thread)->message)
			inference_top(thread)->message = thread->last_message;
	}
}

/* Writes the inputs that the runtime's code gathered on this thread during the inference. */
static void tell_inputs(struct thread *thread, struct open_run *run)
{
	struct learning *learning = run->session ? run->session->learning : NULL;
	unsigned n;

	if (learning && learning->run == run->run)
		learning->run_ends(thread, run);
	if (thread->inputs_run != run->run || !thread->inputs_seen)
		return;
	n = 32 - (unsigned)__builtin_clz(thread->inputs_seen);
	if (thread->inputs_seen != (n == 32 ? UINT32_MAX : (1u << n) - 1) || thread->rest_seen != thread->rest_end ||
	    (thread->rest_end && n < SHAPE_INPUTS))
		return; /* a conditional part of the graph did not run: some were not seen */
	thread->inputs.n = n;
	if (run->session && run->session->has_more_inputs)
		shapes_add_rest(&thread->inputs, &(struct shape){ .type = 0 }, 1);
	tell_shapes(thread, run, shapes_text(&thread->inputs), shapes_batch(&thread->inputs));
}

static void tell_queue(struct thread *thread, const struct open_run *run)
{
	struct record *record = agent_claim(thread);

	if (!record)
		return;
	*record = (struct record){ .value = run->queued_since, .run = run->run, .type = RECORD_RUN_QUEUED };
	agent_publish(thread);
}

void inference_tell_sequences(struct thread *thread, const struct open_run *run, uint32_t text)
{
	struct record *record = text ? agent_claim(thread) : NULL;

	if (!record)
		return;
	*record = (struct record){ .run = run->run, .text = text, .type = RECORD_RUN_SEQUENCES };
	agent_publish(thread);
}

void inference_tell_open(struct thread *thread)
{
	for (unsigned at = 0; at < thread->depth && at < MAX_DEPTH; at++)
		if (!thread->open[at].told)
			tell_operator(thread, &thread->open[at]);
}

void inference_tell_operators(struct thread *thread, uintptr_t frame)
{
	inference_close_operators(thread, 0, frame);
	inference_tell_open(thread);
}

void inference_put_slowly(struct thread *thread, const struct open_operator *op, uint64_t end)
{
	struct record *record;

	if (!thread->ring.busy && ring_fill(&thread->ring) > (thread->ring.mask + 1) / 2)
		agent_grow_ring(thread);
	record = ring_claim(&thread->ring);
	if (!record)
		return;
	inference_fill(record, op, end);
	ring_publish(&thread->ring);
}

void inference_end_operator(struct thread *thread, struct open_operator *op, uint64_t end, uint32_t message)
{
	struct open_run *run = inference_top(thread);

	if (message && run && !run->message)
		run->message = message;
	tell_operator_end(thread, op, end, message, message ? FLAG_FAILED : 0);
}

static uint8_t traits_of(const struct open_run *run)
{
	return (uint8_t)(run->traits | (run->session && run->session->is_timed ? TRAIT_TIMED : 0));
}

/* Hooks go in and out one by one: the one that sees the session may be missing. What is left would be no model's. */
static bool is_nobodys(const struct open_run *run)
{
	return !run->told && !run->session && (run->is_partial || hot->is_changing);
}

void inference_end(struct thread *thread, enum run_owner owner, uint32_t message)
{
	struct open_run *run = inference_top(thread);
	struct record *record;
	uint64_t end = agent_now();
	bool is_subnormal;

	if (thread->generation != hot->generation) /* it began in an earlier recording, whose lanes are in use by
						    * others now */
		return;
	/* an inner run without an end of its own (an exception, a rejected input) ends with its outer one */
	while (run && run->owner < owner && thread->n_runs > 1 && thread->run[thread->n_runs - 2].owner == owner) {
		inference_end(thread, run->owner, message);
		run = inference_top(thread);
	}
	if (!run || run->owner != owner)
		return;
	if (is_nobodys(run)) {
		inference_drop(thread);
		return;
	}
	/* the first time, it was not set at the end of the one before */
	is_subnormal = subnormal_end(run->was_subnormal);
	thread->is_subnormal |= is_subnormal;
	if (thread->depth > run->depth)
		inference_close_operators(thread, run->depth, 0);
	if (!run->told)
		inference_tell(thread, run, NULL);
	if (!message)
		message = run->message;
	if (!run->has_inputs)
		tell_inputs(thread, run);
	if (run->queued_since)
		tell_queue(thread, run);
	usage_end(thread, run, end);
	if (run->lane < MAX_LANES)
		__atomic_store_n(&inference_active[run->lane].run, 0, __ATOMIC_RELEASE);
	thread->n_runs--;
	run_is_top(thread);
	thread->last_run = run->run;
	record = agent_claim(thread);
	if (record) {
		*record =
		    (struct record){ .value = run->lane | (uint64_t)run->follows << 32,
				     .run = run->run,
				     .text = message,
				     .id = run->session ? run->session->number : 0,
				     .type = RECORD_RUN_END,
				     .flags =
					 (uint8_t)((message ? FLAG_FAILED : 0) | (is_subnormal ? FLAG_SUBNORMAL : 0) |
						   (hot->is_changing && !run->is_partial ? FLAG_PARTIAL : 0)),
				     .more = traits_of(run) };
		/* last: what is done here, and a page of the ring that is touched first, delays the caller */
		end = run->left ? run->left : agent_now();
		record->time = end;
		agent_publish(thread);
	}
	inference_give_lane(run->lane, end);
	if (thread->n_runs)
		return;
	heap_look(end);
	devices_look();
}

void inference_drop(struct thread *thread)
{
	struct open_run *run = inference_top(thread);

	thread->is_subnormal |= subnormal_end(run->was_subnormal);
	thread->n_runs--;
	run_is_top(thread);
	inference_give_lane(run->lane, agent_now());
}

void inference_end_inner(struct thread *thread, uint32_t n_runs)
{
	while (thread->n_runs > n_runs) {
		uint32_t before = thread->n_runs;
		inference_end(thread, (enum run_owner)inference_top(thread)->owner, 0);
		if (thread->n_runs == before) /* they belong to another process or recording */
			return;
	}
}
