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

#include "capture/agent/bracket.h"
#include "capture/agent/creation.h"
#include "capture/agent/dict.h"
#include "capture/agent/litert/litert_in.h"

enum { STAND_INS = 1024 };

typedef word operator_function(word context, word node, word c, word d, word e, word f);

/* Their functions, by number. */
static word originals[STAND_INS];
static unsigned n_originals;

struct litert_thread *litert_thread(struct thread *thread)
{
	if (!thread->litert) {
		agent_lock();
		thread->litert = arena_alloc(&agent.arena, sizeof *thread->litert);
		agent_unlock();
		if (thread->litert)
			memset(thread->litert, 0, sizeof *thread->litert);
	}
	return thread->litert;
}

static const struct litert_graph **running(struct thread *thread)
{
	return &thread->litert->running[thread->n_runs - 1];
}

static void end_run(struct thread *thread, uint32_t message)
{
	struct litert_thread *state = thread->litert;

	*running(thread) = NULL;
	if (message && state->message)
		message = state->message;
	state->message = 0;
	inference_end(thread, OWNER_API, message);
}

void litert_cancelled(struct thread *thread, struct litert_thread *state)
{
	const struct open_run *run = inference_top(thread);

	if (run && *running(thread) && thread->depth <= run->depth)
		end_run(thread, dict_text("cancelled", 9));
}

/* An exception leaves an operator, and with it the inference. */
static void left(struct thread *thread, const struct bracket *bracket, uint32_t message)
{
	message = message ? message : dict_text("failed", 6);
	if (thread->depth > bracket->level && thread->open[bracket->level].frame == bracket->frame) {
		thread->depth = bracket->level;
		inference_end_operator(thread, &thread->open[bracket->level], agent_now(), message);
	}
	if (thread->n_runs && *running(thread) && thread->depth <= inference_top(thread)->depth)
		end_run(thread, message);
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
		return next(a, b, 0, 0, 0, 0);
	}
	op = &thread->open[thread->depth++];
	*op = (struct open_operator){ .frame = frame,
				      .node = node->node,
				      .run = thread->n_runs ? thread->run[thread->n_runs - 1].run : 0 };
	if (hot->level == LEVEL_DETAIL && at->inputs)
		op->shapes = litert_shapes(context, at->inputs->at, (uint64_t)at->inputs->n, NULL);
	bracket_begin(thread, RUNTIME_OPERATOR, frame, (uint32_t)(op - thread->open), left);
	op->start = agent_now();
	r = bracket_call_short(next, a, b, 0, 0, 0, 0);
	end = agent_now();
	bracket_end(thread, frame);
	if (thread->generation != hot->generation || !op->start || op->frame != frame)
		return r;
	thread->depth = (uint32_t)(op - thread->open);
	inference_end_operator(thread, op, end, (int32_t)r ? dict_text("failed", 6) : 0);
	return r;
}

static word serve(unsigned number, word context, word at)
{
	operator_function *next = (operator_function *)originals[number];
	struct thread *thread = agent_thread();
	struct litert_node_at *node = thread ? litert_node_at(at) : NULL;
	struct litert_thread *state = node ? thread->litert : NULL;
	word r;

	if (!state || node->at != at || node->graph->generation != hot->generation ||
	    !enter_run(thread, state, node->graph))
		return next(context, at, 0, 0, 0, 0);
	if (hot->level >= LEVEL_OPERATOR)
		r = operate(thread, node, next, context, at);
	else
		r = next(context, at, 0, 0, 0, 0);
	if (thread->generation == hot->generation)
		leave_run(thread, node, (int32_t)r);
	return r;
}

/* clang-format off */
#define STAND_IN(n) \
	static word stand_in_##n(word a, word b) { return serve(0x##n, a, b); }
#define NAME(n) stand_in_##n,
#define EACH_OF_16(F, n) \
	F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) \
	F(n##8) F(n##9) F(n##a) F(n##b) F(n##c) F(n##d) F(n##e) F(n##f)
#define EACH_OF_256(F, n) \
	EACH_OF_16(F, n##0) EACH_OF_16(F, n##1) EACH_OF_16(F, n##2) EACH_OF_16(F, n##3) \
	EACH_OF_16(F, n##4) EACH_OF_16(F, n##5) EACH_OF_16(F, n##6) EACH_OF_16(F, n##7) \
	EACH_OF_16(F, n##8) EACH_OF_16(F, n##9) EACH_OF_16(F, n##a) EACH_OF_16(F, n##b) \
	EACH_OF_16(F, n##c) EACH_OF_16(F, n##d) EACH_OF_16(F, n##e) EACH_OF_16(F, n##f)
#define EACH(F) EACH_OF_256(F, 0) EACH_OF_256(F, 1) EACH_OF_256(F, 2) EACH_OF_256(F, 3)
/* clang-format on */
EACH(STAND_IN)
static word (*const stand_ins[STAND_INS])(word, word) = { EACH(NAME) };

word litert_stand_in(word invoke)
{
	unsigned i = 0;

	agent_lock();
	while (i < n_originals && originals[i] != invoke)
		i++;
	if (i == n_originals && i < STAND_INS) {
		originals[i] = invoke;
		n_originals++;
	}
	agent_unlock();
	return i < STAND_INS ? (word)stand_ins[i] : 0;
}

word litert_original(word stand_in)
{
	for (unsigned i = 0; i < n_originals; i++)
		if ((word)stand_ins[i] == stand_in)
			return originals[i];
	return 0;
}
