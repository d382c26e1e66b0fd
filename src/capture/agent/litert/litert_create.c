// SPDX-License-Identifier: Apache-2.0
/*
 * Session creation: a model is mapped or given, an interpreter is built from it (the load), and later its tensors are
 * allocated, which applies delegates first. The program may do other things between build and allocation; that time is
 * part of the creation if it is short. If it is not, the creation is the allocation alone.
 *
 * Build, delegates and allocation are functions that no table has; they are led to hooks in programs that were started
 * by the recorder alone.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/litert/litert_in.h"
#include "capture/agent/replace/detour.h"
#include "capture/agent/run/bracket.h"
#include "capture/agent/run/creation.h"

typedef word function(word, word, word, word, word, word);
#define ARGS word a, word b, word c, word d, word e, word f
#define PASS a, b, c, d, e, f

static function *originals[MAX_COPIES][N_LITERT_FUNCTIONS];

/* Such a time may lie between what belongs to one creation. */
static bool is_close(uint64_t before, uint64_t after)
{
	enum { CLOSE = 1 << 27 }; /* ticks: some 50 ms */

	return before && after >= before && after - before < CLOSE;
}

static struct litert_thread *state_here(void)
{
	struct thread *thread = agent_thread();

	return thread ? litert_thread(thread) : NULL;
}

/* Calls a function; when it began and ended. */
static word timed(uint64_t *began, uint64_t *ended, function *next, ARGS)
{
	uint64_t start = agent_now();
	word r = next(PASS);

	*began = start;
	*ended = agent_now();
	return r;
}

static word on_build(unsigned copy, ARGS)
{
	struct litert_thread *state = state_here();
	function *next = originals[copy][LITERT_BUILD];
	word r;

	if (!state)
		return next(PASS);
	state->n_built++;
	r = timed(&state->build, &state->built, next, PASS);
	if (is_close(state->model_since, state->build))
		state->build = state->model_since;
	if ((int32_t)r)
		state->built = 0;
	state->delegated = 0;
	return r;
}

static word on_delegate(unsigned copy, ARGS)
{
	struct litert_thread *state = state_here();
	function *next = originals[copy][LITERT_DELEGATE];

	return state ? timed(&state->delegate, &state->delegated, next, PASS) : next(PASS);
}

static void left(struct thread *thread, const struct bracket *bracket, uint32_t message)
{
	creation_end(thread, OWNER_API, message ? message : dict_text("failed", 6));
}

static void begin(struct thread *thread, struct litert_thread *state, word subgraph)
{
	uint64_t now = agent_now(), start = now;
	bool is_delegated = is_close(state->delegated, now), is_built;
	const struct litert_context *context = litert_context_of(subgraph);

	start = is_delegated ? state->delegate : now;
	is_built = state->n_built == 1 && is_close(state->built, start);
	creation_begin(thread, &runtime_litert, OWNER_API, is_built ? state->build : start);
	if (!creation_is_open(thread))
		return;
	if (context)
		litert_name(thread->creation.session, context);
	if (is_built)
		creation_load_was(thread, state->build, state->built);
	if (is_delegated)
		creation_part_was(thread, "compile by delegates", state->delegate, state->delegated);
	state->built = state->delegated = state->model_since = state->n_built = 0;
}

static word on_allocate(unsigned copy, ARGS)
{
	const word frame = (word)__builtin_frame_address(0);
	struct thread *thread = agent_thread();
	struct litert_thread *state = thread ? litert_thread(thread) : NULL;
	function *next = originals[copy][LITERT_ALLOCATE];
	word interpreter = state ? litert_interpreter_of(a) : 0, r;

	/* again, for other shapes, or for a body of control flow */
	if (!state || creation_is_open(thread) || thread->n_runs || session_of_object(interpreter))
		return next(PASS);
	state->message = 0;
	begin(thread, state, a);
	if (!creation_is_open(thread))
		return next(PASS);
	creation_part_begin(thread, NULL, "allocate tensors");
	bracket_begin(thread, RUNTIME_CREATION, frame, 0, left);
	r = bracket_call_short(next, PASS);
	bracket_end(thread, frame);
	if (thread->generation != hot->generation || !creation_is_open(thread))
		return r;
	creation_part_end(thread, (int32_t)r ? FLAG_FAILED : 0, 0);
	if (!(int32_t)r)
		session_bind(thread->creation.session, interpreter);
	creation_end(thread, OWNER_API, !(int32_t)r ? 0 : state->message ? state->message : dict_text("failed", 6));
	return r;
}

/* clang-format off */
#define HOOKS(n) \
	static word build_##n(ARGS) { return on_build(n, PASS); } \
	static word delegate_##n(ARGS) { return on_delegate(n, PASS); } \
	static word allocate_##n(ARGS) { return on_allocate(n, PASS); }
#define ENTRY(n) { [LITERT_BUILD] = build_##n, [LITERT_DELEGATE] = delegate_##n, [LITERT_ALLOCATE] = allocate_##n },
#define EACH_COPY(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
/* clang-format on */
EACH_COPY(HOOKS)
static function *const hooks[MAX_COPIES][N_LITERT_FUNCTIONS] = { EACH_COPY(ENTRY) };

void litert_create_arm(struct copy *copy)
{
	uint64_t functions[N_LITERT_FUNCTIONS];
	struct eh_frame frames;
	struct err err;

	if (eh_frame_open(&frames, &copy->image, copy->image.frames, copy->image.frames_end, &err))
		return;
	litert_find_functions(functions, &frames);
	for (int i = 0; i < N_LITERT_FUNCTIONS; i++)
		if (functions[i] && hooks[copy->number][i])
			originals[copy->number][i] = detour_put(functions[i], (void *)hooks[copy->number][i]);
}
