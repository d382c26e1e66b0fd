// SPDX-License-Identifier: Apache-2.0
/*
 * Training: the backward pass, which follows one or several inferences of its thread whose results can be
 * differentiated. It is one call of a C function, by whatever way a program comes to it, and lasts until the pass is
 * complete. Modules that are called inside it compute again what was not kept: these are no inferences.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/torch/torch_in.h"

enum { INPUTS = 4 };

static struct python_method run_backward;
static bool is_seen;

void torch_forward_ended(struct torch_thread *state, const struct torch_module *module, const struct session *session)
{
	uint32_t i = 0;

	while (i < state->n_forwards && state->forward[i].session != session->number)
		i++;
	if (i == TORCH_FORWARDS)
		return;
	if (i == state->n_forwards)
		state->forward[state->n_forwards++] = (struct torch_forward){ module, session->number, 0 };
	state->forward[i].n++;
}

/*
 * Those whose parameters have no gradient were not part of it, unless it was asked for gradients of other tensors. The
 * pass is that of the first one; the others end with it.
 */
static void tell(struct thread *thread, struct torch_thread *state, uint64_t start, uint64_t end)
{
	const uint32_t name = dict_text("backward", 8);
	bool is_first = true;

	for (uint32_t i = 0; i < state->n_forwards; i++) {
		struct record *record;
		if (!state->is_for_others && torch_tree_lacks_gradient(state->forward[i].module))
			continue;
		record = agent_claim(thread);
		if (!record)
			return;
		*record = (struct record){ .time = is_first ? start : end,
					   .value = end,
					   .id = state->forward[i].session,
					   .run = state->forward[i].n,
					   .text = name,
					   .type = RECORD_STAGE };
		agent_publish(thread);
		is_first = false;
	}
}

/*
 * The arguments: tensors, their gradients, two flags, the tensors whose gradients are wanted, and more. Named ones come
 * only behind these.
 */
static bool is_for_others(struct python_object *args)
{
	const struct python_object *inputs;

	if (args->type != python.PyTuple_Type || ((const intptr_t *)args)[2] <= INPUTS)
		return true;
	inputs = python.PyTuple_GetItem(args, INPUTS);
	return inputs->type != python.PyTuple_Type || ((const intptr_t *)inputs)[2];
}

static struct python_object *on_backward(struct python_object *self, struct python_object *args,
					 struct python_object *names)
{
	struct thread *thread = agent_thread();
	struct torch_thread *state = thread ? torch_thread(thread) : NULL;
	struct python_object *result;
	uint32_t generation;
	uint64_t start;
	int saved;

	if (!state || state->is_backward)
		return run_backward.next(self, args, names);
	generation = thread->generation;
	state->is_backward = true;
	state->is_for_others = is_for_others(args);
	start = agent_now();
	result = run_backward.next(self, args, names);
	saved = errno;
	if (self_thread == thread && thread->generation == generation && hot->generation == generation) {
		tell(thread, state, start, agent_now());
		state->n_forwards = 0;
	}
	state->is_backward = false;
	errno = saved;
	return result;
}

bool torch_backward_is_seen(void)
{
	return is_seen;
}

void torch_backward_arm(struct python_object *torch_c, const struct image *image)
{
	struct python_object *engine = python.PyObject_GetAttrString(torch_c, "_ImperativeEngine");
	struct python_object *method = engine ? python.PyObject_GetAttrString(engine, "run_backward") : NULL;

	if (engine)
		python.Py_DecRef(engine);
	if (method) {
		is_seen = python_replace_method(&run_backward, method, "run_backward", image, on_backward);
		python.Py_DecRef(method);
	}
	python.PyErr_Clear();
}
