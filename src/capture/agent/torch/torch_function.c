// SPDX-License-Identifier: Apache-2.0
/*
 * Functions that torch.compile has compiled and that are called outside of any module: inferences. What a program calls
 * is a function of PyTorch's around its own, made anew for each, which switches compiled code on and off again. The C
 * function that it switches it with is replaced: from the first call by such a frame to the next one by the same frame.
 *
 * The program's function is among the variables of that frame, and so are the arguments. A compiled method of a module
 * is an inference of the module.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/torch/torch_in.h"

enum { MOST_TEXT = 240, MOST_STEPS = 1000 };

static struct python_builtin switch_on;

static void drop(struct python_object *object)
{
	if (object)
		python.Py_DecRef(object);
}

static bool is_code_of(struct python_object *frame, const char *const *names)
{
	struct python_object *code = python.PyObject_GetAttrString(frame, "f_code");
	struct python_object *name = code ? python.PyObject_GetAttrString(code, "co_name") : NULL;
	const char *text = name && name->type == python.PyUnicode_Type ? python.PyUnicode_AsUTF8(name) : NULL;

	while (text && *names && strcmp(*names, text))
		names++;
	drop(name);
	drop(code);
	return text && *names;
}

/* The frame that switches, a new reference; some versions have a function in between. NULL: Python runs nothing. */
static struct python_object *frame_that_switches(void)
{
	static const char *const between[] = { "_maybe_set_eval_frame", NULL };
	struct python_object *frame = python.PyEval_GetFrame();

	if (!frame)
		return NULL;
	python.Py_IncRef(frame);
	return is_code_of(frame, between) ? torch_frame_before(frame) : frame;
}

/* Whether it is still under way on this thread. */
static bool is_on_stack(const struct python_object *wanted)
{
	struct python_object *frame = python.PyEval_GetFrame();
	bool is_found;

	if (frame)
		python.Py_IncRef(frame);
	for (int i = 0; frame && frame != wanted && i < MOST_STEPS; i++)
		frame = torch_frame_before(frame);
	is_found = frame != NULL;
	drop(frame);
	return is_found;
}

/* The exception that is being handled; only to be compared. NULL: none. */
static struct python_object *handled(void)
{
	struct python_object *type = NULL, *value = NULL, *trace = NULL;

	python.PyErr_GetExcInfo(&type, &value, &trace);
	drop(type);
	drop(value);
	drop(trace);
	return value;
}

/* The text of the exception that left the function; 0: none did. */
static uint32_t failure(const struct torch_thread *state)
{
	struct python_object *type = NULL, *value = NULL, *trace = NULL;
	char text[MOST_TEXT];
	size_t len;

	python.PyErr_GetExcInfo(&type, &value, &trace);
	if (!value || value == state->handled || !strcmp(value->type->name, "NoneType")) {
		drop(type);
		drop(value);
		drop(trace);
		return 0;
	}
	python.PyErr_Restore(type, value, trace);
	len = python_error(text, sizeof text);
	python.PyErr_Clear();
	return dict_text(text, len);
}

static void end(struct thread *thread, struct torch_thread *state, uint32_t message)
{
	const uint32_t n_runs = state->switched_at;

	state->switcher = NULL;
	if (thread->generation != hot->generation || thread->n_runs < n_runs ||
	    thread->run[n_runs - 1].run != state->switched)
		return;
	state->device = 0;
	inference_end_inner(thread, n_runs);
	inference_end(thread, OWNER_API, message);
}

/* The module that a method is bound to; NULL: none. A borrowed reference, which the method holds. */
static struct python_object *module_of(struct python_object *method)
{
	struct python_object *self = python.PyObject_GetAttrString(method, "__self__");
	struct python_object *own = self ? python.PyObject_GenericGetDict(self, NULL) : NULL;
	bool is_module = own && python.PyDict_GetItemString(own, "_modules");

	drop(own);
	drop(self);
	return is_module ? self : NULL;
}

/* What the frame calls, a borrowed reference; NULL: it is not such a frame. */
static struct python_object *function_of(struct python_object *variables)
{
	struct python_object *function = python.PyDict_GetItemString(variables, "fn"), *module;

	if (!function || python_is_function(function))
		return function;
	if (strcmp(function->type->name, "method"))
		return NULL;
	module = module_of(function);
	return module ? module : function;
}

/* Its variables as a dictionary, a new reference; from 3.13 on something else stands for them. */
static struct python_object *variables_of(struct python_object *frame)
{
	struct python_object *variables = python.PyObject_GetAttrString(frame, "f_locals"), *copy;

	if (!variables || variables->type == python.PyDict_Type)
		return variables;
	copy = python.PyDict_New();
	if (copy && python.PyDict_Update(copy, variables)) {
		drop(copy);
		copy = NULL;
	}
	drop(variables);
	return copy;
}

/* What was on before it: it lies in a call that began before any was seen, which it switches on again at its end. */
static bool is_inside_another(struct python_object *variables)
{
	struct python_object *prior = python.PyDict_GetItemString(variables, "prior");

	return prior && strcmp(prior->type->name, "NoneType");
}

static void begin(struct thread *thread, struct torch_thread *state, struct python_object *frame,
		  struct python_object *variables)
{
	struct python_object *function = function_of(variables);
	struct python_object *given[] = { python.PyDict_GetItemString(variables, "args"),
					  python.PyDict_GetItemString(variables, "kwargs") };
	struct torch_module *module = function && given[0] && given[1] ? torch_module_of(function) : NULL;
	const struct open_run *open = module ? torch_begin(thread, state, module, given, 2) : NULL;

	if (!open)
		return;
	state->switcher = frame;
	state->switched = open->run;
	state->switched_at = thread->n_runs;
	state->handled = handled();
}

static bool is_switcher(struct python_object *frame)
{
	static const char *const names[] = { "compile_wrapper", "_fn", NULL };

	return is_code_of(frame, names);
}

/* frame: a reference that ends here. */
static void look_at(struct thread *thread, struct torch_thread *state, struct python_object *frame, bool is_on)
{
	struct python_object *variables;

	if (state->switcher && state->switcher != frame && !is_on_stack(state->switcher))
		end(thread, state, dict_text("failed", 6));
	if (state->switcher) {
		if (state->switcher == frame)
			end(thread, state, failure(state));
	} else if (is_on && !thread->n_runs && !state->is_backward && is_switcher(frame) &&
		   (thread->is_settled || !torch_is_inside_unseen(thread, frame))) {
		variables = variables_of(frame);
		if (variables && !is_inside_another(variables))
			begin(thread, state, frame, variables);
		drop(variables);
	}
	drop(frame);
}

/* The new state alone, or (in 2.0) in a tuple. */
static bool is_none(struct python_object *arg)
{
	if (arg->type == python.PyTuple_Type && ((const intptr_t *)arg)[2])
		arg = python.PyTuple_GetItem(arg, 0);
	return !strcmp(arg->type->name, "NoneType");
}

/* Compiled code is switched on (for a function that compiles, or for code that was compiled: False) or off (None). */
static struct python_object *on_switch(struct python_object *self, struct python_object *arg,
				       struct python_object *names)
{
	struct thread *thread = agent_thread();
	struct torch_thread *state = thread ? torch_thread(thread) : NULL;
	int saved = errno;
	bool is_on = !is_none(arg);
	struct python_object *frame;

	torch_compile_look();
	if (state && (state->switcher || (is_on && !thread->n_runs && !state->is_backward))) {
		frame = frame_that_switches();
		if (frame)
			look_at(thread, state, frame, is_on);
		python.PyErr_Clear();
	}
	errno = saved;
	return ((python_c_call *)switch_on.next)(self, arg, names);
}

void torch_function_arm(void)
{
	/* a module, which is among those that were imported only once PyTorch has imported it */
	struct python_object *around = python.PyDict_GetItemString(python.PyImport_GetModuleDict(), "torch._C._dynamo");
	struct python_object *in = around ? python.PyObject_GetAttrString(around, "eval_frame") : NULL;
	struct python_object *method = in ? python.PyObject_GetAttrString(in, "set_eval_frame") : NULL;

	if (method)
		python_replace_builtin(&switch_on, method, "set_eval_frame", on_switch, NULL);
	drop(method);
	drop(in);
	python.PyErr_Clear();
}

void torch_function_disarm(void)
{
	python_put_back_builtin(&switch_on);
}
