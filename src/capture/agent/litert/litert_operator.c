// SPDX-License-Identifier: Apache-2.0
/*
 * Operators and inferences. An operator is a C function with two arguments; which one a hook stands for follows from
 * the hook's own address alone, so it calls the right one whatever it is called with.
 *
 * An inference begins when its subgraph asks its planner whether the memory is there, and ends with the last operator
 * of that subgraph or the first that fails. Subgraphs that an operator runs (WHILE, IF) are part of that operator.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/litert/litert_in.h"
#include "capture/agent/run/creation.h"

typedef word operator_function(word context, word node);

static operator_function *const stand_ins[LITERT_STAND_INS];

uint32_t litert_place;

struct litert_thread *litert_thread(struct thread *thread)
{
	struct litert_thread *kept = litert_kept(thread);

	return kept ? kept : agent_keep(thread, &litert_place, sizeof *kept);
}

static const struct litert_graph **running(struct thread *thread)
{
	return &litert_kept(thread)->running[thread->n_runs - 1];
}

static void end_run(struct thread *thread, uint32_t message)
{
	struct litert_thread *state = litert_kept(thread);

	*running(thread) = NULL;
	if (message && state->message)
		message = state->message;
	state->message = 0;
	inference_end(thread, OWNER_API, message);
}

void litert_left(struct thread *thread, word frame)
{
	const struct open_run *run = inference_top(thread);

	inference_close_operators(thread, 0, frame);
	if (run && litert_kept(thread) && *running(thread) && thread->depth <= run->depth &&
	    litert_kept(thread)->frame <= frame)
		end_run(thread, dict_text("cancelled", 9));
}

/* The inference of this node, begun now if it is the first; false: it belongs to none. */
static bool enter_run(struct thread *thread, struct litert_thread *state, const struct litert_graph *graph)
{
	struct session *session;
	struct open_run *run = inference_top(thread);

	if (state->ready != graph)
		return run != NULL;
	state->ready = NULL;
	session = litert_session_of(graph);
	if (run && *running(thread) && run->session == session)
		return true; /* a subgraph of it */
	run = inference_begin(thread, OWNER_API, state->ready_since, session);
	if (!run)
		return false;
	*running(thread) = graph;
	run->is_executing = true;
	state->message = 0;
	run->shapes = litert_inputs(graph, &run->batch);
	inference_tell(thread, run, NULL);
	return true;
}

static void leave_run(struct thread *thread, const struct litert_node_at *node, int32_t status)
{
	if (thread->n_runs && *running(thread) == node->graph && (node->is_last || status))
		end_run(thread, status ? dict_text("failed", 6) : 0);
}

static void put(struct thread *thread, struct open_operator *op, uint64_t end, int32_t status)
{
	if (op->told || status)
		inference_end_operator(thread, op, end, status ? dict_text("failed", 6) : 0);
	else
		inference_put_operator(thread, op, end);
}

static bool is_stale(const struct thread *thread, const struct open_operator *op, word frame)
{
	return thread->generation != hot->generation || !op->start || op->frame != frame;
}

static word operate(struct thread *thread, const struct litert_node_at *node, operator_function *next, word a, word b)
{
	const word frame = (word)__builtin_frame_address(0);
	const struct litert_context *context = (const struct litert_context *)a;
	const struct litert_node *at = (const struct litert_node *)b;
	struct open_operator *op;
	uint64_t end;
	word r;

	if (thread->depth)
		inference_tell_operators(thread, frame);
	if (thread->depth >= MAX_DEPTH) {
		ring_lose(&thread->ring);
		return next(a, b);
	}
	op = &thread->open[thread->depth++];
	*op = (struct open_operator){ .frame = frame, .node = node->node, .run = thread->current_run };
	if (hot->level == LEVEL_DETAIL && at->inputs)
		op->shapes = litert_shapes(context, at->inputs->at, (uint64_t)at->inputs->n, NULL);
	op->start = agent_now();
	r = next(a, b);
	end = agent_now();
	if (is_stale(thread, op, frame))
		return r;
	thread->depth = (uint32_t)(op - thread->open);
	put(thread, op, end, (int32_t)r);
	return r;
}

/* At level inference. */
static word pass_on(struct litert_thread *state, operator_function *next, word context, word node)
{
	const word outer = state->frame;
	word r;

	state->frame = (word)__builtin_frame_address(0);
	r = next(context, node);
	state->frame = outer;
	return r;
}

/* After injection has ended: its own function is put back where it was. */
static void leave_node(word at, word stand_in)
{
	struct litert_registration *registration = (struct litert_registration *)(at + sizeof(struct litert_node));

	if (agent.late_since && !hot->is_inside && !hot->is_child && registration->invoke == stand_in)
		__atomic_store_n(&registration->invoke, litert_original(stand_in), __ATOMIC_RELAXED);
}

static __attribute__((noinline)) word serve_any(unsigned number, word context, word at)
{
	operator_function *next = (operator_function *)litert_originals[number];
	struct thread *thread = agent_thread();
	struct litert_node_at *node = thread ? litert_node_at(at) : NULL;
	struct litert_thread *state = node ? litert_kept(thread) : NULL;
	word r;

	if (!thread)
		leave_node(at, (word)stand_ins[number]);
	if (!state || node->at != at || node->generation != hot->generation || !enter_run(thread, state, node->graph))
		return next(context, at);
	if (hot->level >= LEVEL_OPERATOR)
		r = operate(thread, node, next, context, at);
	else
		r = pass_on(state, next, context, at);
	if (thread->generation == hot->generation)
		leave_run(thread, node, (int32_t)r);
	return r;
}

/*
 * The short path, for what nearly all operators are: known, in an inference that has begun, not the first or last of
 * it, not inside another.
 */
static __attribute__((noinline)) word serve(word context, word at, unsigned number)
{
	operator_function *next = (operator_function *)litert_originals[number];
	const word frame = (word)__builtin_frame_address(0);
	struct thread *thread = self_thread;
	const struct litert_node_at *node = litert_node_quick(at);
	struct open_operator *op;
	uint64_t end;
	word r;

	if (__builtin_expect(!thread || !node, 0) || __builtin_expect(node->at != at, 0) ||
	    __builtin_expect(node->generation != hot->generation, 0) ||
	    __builtin_expect(node->generation != thread->generation, 0) || __builtin_expect(thread->depth, 0) ||
	    __builtin_expect(litert_kept(thread)->ready != NULL, 0))
		return serve_any(number, context, at);
	if (hot->level == LEVEL_INFERENCE && !node->is_last) {
		r = pass_on(litert_kept(thread), next, context, at);
		if (__builtin_expect((int32_t)r != 0, 0) && thread->generation == hot->generation)
			leave_run(thread, node, (int32_t)r);
		return r;
	}
	if (__builtin_expect(node->generation != thread->plain, 0))
		return serve_any(number, context, at);
	op = &thread->open[0];
	op->node = node->node;
	op->run = thread->current_run;
	op->frame = frame;
	op->shapes = 0;
	op->told = false;
	thread->depth = 1;
	op->start = clock_ticks();
	r = next(context, at);
	end = clock_ticks();
	if (__builtin_expect(is_stale(thread, op, frame), 0))
		return r;
	thread->depth = 0;
	put(thread, op, end, (int32_t)r);
	if (__builtin_expect(node->is_last | ((int32_t)r != 0), 0))
		leave_run(thread, node, (int32_t)r);
	return r;
}

/* clang-format off */
#define STAND_IN(n) \
	static word stand_in_##n(word a, word b) { return serve(a, b, 0x##n); }
#define NAME(n) stand_in_##n,
#define EACH_OF_16(F, n) \
	F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) \
	F(n##8) F(n##9) F(n##a) F(n##b) F(n##c) F(n##d) F(n##e) F(n##f)
#define EACH_OF_256(F, n) \
	EACH_OF_16(F, n##0) EACH_OF_16(F, n##1) EACH_OF_16(F, n##2) EACH_OF_16(F, n##3) \
	EACH_OF_16(F, n##4) EACH_OF_16(F, n##5) EACH_OF_16(F, n##6) EACH_OF_16(F, n##7) \
	EACH_OF_16(F, n##8) EACH_OF_16(F, n##9) EACH_OF_16(F, n##a) EACH_OF_16(F, n##b) \
	EACH_OF_16(F, n##c) EACH_OF_16(F, n##d) EACH_OF_16(F, n##e) EACH_OF_16(F, n##f)
#define EACH(F) EACH_OF_256(F, 0) EACH_OF_256(F, 1)
/* clang-format on */
EACH(STAND_IN)
static operator_function *const stand_ins[LITERT_STAND_INS] = { EACH(NAME) };

void litert_operator_arm(void)
{
	litert_stand_in_with((const word *)stand_ins);
}
