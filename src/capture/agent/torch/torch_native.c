// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/torch/torch_native.h"

#include <errno.h>

#include "capture/agent/dict.h"

bool torch_native_is_outermost(struct thread *thread)
{
	const struct torch_thread *state = torch_thread(thread);

	return state && !thread->n_runs && !state->is_backward;
}

void torch_native_start(struct torch_native *call)
{
	shapes_init(&call->shapes);
	call->device = 0;
	call->is_mixed = call->is_unknown = false;
	call->failure_of = NULL;
}

void torch_native_take(struct torch_native *call, word part)
{
	struct torch_tensor tensor;
	struct shape shape;
	int saved = errno;

	if (call->is_unknown || (!torch_tensors_are_known() && !torch_tensor_learn(part)) ||
	    !torch_tensor_at(part, &tensor)) {
		call->is_unknown = true;
		errno = saved;
		return;
	}
	call->is_mixed |= call->shapes.n && tensor.device != call->device;
	call->device = tensor.device;
	torch_shape_of(&tensor, &shape);
	shapes_add(&call->shapes, &shape);
}

/* An exception leaves what a hook began; message: its text. */
static void left(struct thread *thread, const struct bracket *bracket, uint32_t message)
{
	struct torch_thread *state = torch_thread(thread);

	message = message ? message : dict_text("failed", 6);
	if (bracket->event == RUNTIME_PART) {
		torch_compile_put(thread, RECORD_COMPILE_END, message, true);
		if (state)
			state->is_compiling = false;
		return;
	}
	if (state)
		state->device = 0;
	inference_end_inner(thread, bracket->level);
	inference_end(thread, OWNER_API, message);
}

/* It has not forked, recording goes on, and the thread has the same inference. */
static bool is_still(const struct thread *thread, uint32_t generation, uint32_t n_runs, uint32_t run)
{
	return self_thread == thread && thread->generation == generation && hot->generation == generation &&
	       thread->n_runs >= n_runs && thread->run[n_runs - 1].run == run;
}

word torch_native_run(const struct torch_native *call, struct thread *thread, struct session *session,
		      bracket_function *next, TORCH_ARGS)
{
	const word frame = (word)__builtin_frame_address(0);
	const uint32_t generation = thread->generation;
	struct torch_thread *state = torch_thread(thread);
	struct open_run *open = inference_begin(thread, OWNER_API, 0, session);
	uint32_t n_runs, run;
	int saved = errno;
	word r;

	if (!open || !state)
		return next(TORCH_PASS);
	open->is_executing = true;
	n_runs = thread->n_runs;
	run = open->run;
	if (!call->is_unknown) {
		open->shapes = shapes_text(&call->shapes);
		open->batch = shapes_batch(&call->shapes);
		state->device = call->is_mixed ? 0 : call->device;
	}
	inference_tell(thread, open, NULL);
	bracket_begin(thread, RUNTIME_RUN, frame, n_runs, left);
	errno = saved;
	r = bracket_call(next, TORCH_PASS);
	saved = errno;
	if (is_still(thread, generation, n_runs, run)) {
		bracket_end(thread, frame);
		state->device = 0;
		inference_end_inner(thread, n_runs);
		inference_end(thread, OWNER_API, call->failure_of ? call->failure_of(r) : 0);
	}
	errno = saved;
	return r;
}

word torch_native_compile(struct thread *thread, uint32_t name, bracket_function *next, TORCH_ARGS)
{
	const word frame = (word)__builtin_frame_address(0);
	const uint32_t generation = thread->generation;
	struct torch_thread *state = torch_thread(thread);
	const struct open_run *open = inference_top(thread);
	uint32_t run, n_runs = thread->n_runs;
	int saved = errno;
	word r;

	if (!state || !open || !open->told || state->is_compiling)
		return next(TORCH_PASS);
	run = open->run;
	torch_compile_put(thread, RECORD_COMPILE_BEGIN, name, false);
	state->is_compiling = true;
	bracket_begin(thread, RUNTIME_PART, frame, 0, left);
	errno = saved;
	r = bracket_call(next, TORCH_PASS);
	saved = errno;
	if (is_still(thread, generation, n_runs, run)) {
		bracket_end(thread, frame);
		state->is_compiling = false;
		torch_compile_put(thread, RECORD_COMPILE_END, 0, false);
	}
	errno = saved;
	return r;
}
