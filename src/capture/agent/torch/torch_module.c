// SPDX-License-Identifier: Apache-2.0
/*
 * Calls of PyTorch's modules, of which every model in Python is made: the outermost call on a thread is an inference,
 * those inside it are operators that contain others.
 *
 * All of them pass through one function of Python, torch.nn.Module.__call__, whose word is replaced (python.h). It is
 * found when Python next enters PyTorch: just before the runtime gives the GIL back it holds it, and calls a function
 * of the interpreter through its own table of imports. Until the class is there, and after the agent came into a
 * running program, that call looks; then the table is as before.
 *
 * A call that began before that is not seen, and those inside it are not taken for outermost ones.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/torch/torch_in.h"
#include "runtime/torch/torch.h"

enum { MOST_TEXT = 240 };

static struct python_function call;
static const struct image *door; /* the module whose import is replaced; NULL: none is */
static int is_looking;

/* around: the device of what it is called by, which it takes over if it has no parameters. */
static inline uint32_t node_of(struct torch_module *module, torch_device around)
{
	const char *class, *name;
	torch_device device = module->device ? module->device : around;
	uint32_t type;

	if (__builtin_expect(module->generation == hot->generation && module->node_device == device, 1))
		return module->node;
	class = torch_name_of(module);
	name = module->name ? module->name : class;
	type = dict_text(class, strlen(class));
	module->node = dict_node(dict_text(name, strlen(name)), type, torch_device_text(device));
	module->node_device = device;
	module->generation = hot->generation;
	return module->node;
}

/* The text of the error that a call left; 0: it succeeded. */
static uint32_t failure_of(const struct python_object *result)
{
	char text[MOST_TEXT];
	int saved = errno;
	uint32_t id;

	if (__builtin_expect(result != NULL, 1))
		return 0;
	id = dict_text(text, python_error(text, sizeof text));
	errno = saved;
	return id ? id : dict_text("failed", 6);
}

#define ARGS struct python_object *function, struct python_object *const *args, size_t n, struct python_object *names
#define PASS function, args, n, names

/* The arguments, those with a name, too; the first is the module. */
static inline size_t n_args(size_t n, const struct python_object *names)
{
	return (n & SIZE_MAX >> 1) + (names ? ((const size_t *)names)[2] : 0);
}

static void end_run(struct thread *thread, struct torch_thread *state, const struct torch_module *module,
		    struct python_object *result)
{
	struct open_run *open = inference_top(thread);
	struct session *session = open->session;
	bool has_gradient = result && torch_result_requires_gradient(result);

	if (result)
		torch_results_made(result, open->run);
	if (torch_backward_is_seen())
		open->traits = (uint8_t)(TRAITS_SEEN | (has_gradient ? TRAIT_GRADIENTS : 0) |
					 (torch_tree_trains(module) ? TRAIT_TRAINING_MODE : 0));
	inference_end(thread, OWNER_API, failure_of(result));
	if (has_gradient && session)
		torch_forward_ended(state, module, session);
}

static struct python_object *outermost(struct thread *thread, struct torch_thread *state, struct torch_module *module,
				       ARGS)
{
	const struct open_run *open = torch_begin(thread, state, module, args + 1, n_args(n, names) - 1);
	const uint32_t generation = thread->generation, n_runs = thread->n_runs;
	struct python_object *r;
	uint32_t run;

	if (!open)
		return call.next(PASS);
	run = open->run;
	r = call.next(PASS);
	/* it has forked, recording has restarted, or the thread's stack was exchanged for another */
	if (self_thread != thread || thread->generation != generation || hot->generation != generation ||
	    thread->n_runs < n_runs || thread->run[n_runs - 1].run != run)
		return r;
	state->device = 0;
	inference_end_inner(thread, n_runs);
	end_run(thread, state, module, r);
	return r;
}

static struct python_object *inner(struct thread *thread, struct torch_thread *state, struct torch_module *module, ARGS)
{
	const uint32_t generation = thread->generation, depth = thread->depth;
	const torch_device around = state->device;
	const uint32_t node = node_of(module, around);
	struct python_object *r;
	struct open_operator *op = &thread->open[depth];
	uint64_t start, end;
	uint32_t message;

	inference_tell_open(thread);
	if (depth >= MAX_DEPTH) {
		ring_lose(&thread->ring);
		return call.next(PASS);
	}
	thread->depth++;
	state->device = module->device ? module->device : around;
	start = agent_now();
	*op = (struct open_operator){
		.frame = UINTPTR_MAX, .node = node, .run = thread->current_run, .of = args, .start = start
	};
	r = call.next(PASS);
	end = agent_now();
	if (self_thread != thread || thread->generation != generation || hot->generation != generation)
		return r;
	state->device = around;
	if (thread->depth <= depth || op->of != args || op->start != start)
		return r;
	inference_close_operators(thread, depth + 1, 0);
	thread->depth = depth;
	message = failure_of(r);
	inference_end_operator(thread, op, end, message);
	/* the program may handle the error: the inference fails only if that comes out of it */
	if (message && inference_top(thread))
		inference_top(thread)->message = 0;
	return r;
}

static struct python_object *on_call(ARGS)
{
	struct thread *thread = agent_thread();
	struct torch_thread *state = thread ? torch_thread(thread) : NULL;
	struct torch_module *module;
	bool is_inside;

	if (!state || !(n & SIZE_MAX >> 1))
		return call.next(PASS);
	is_inside = thread->n_runs || state->is_backward;
	if (is_inside && hot->level < LEVEL_OPERATOR)
		return call.next(PASS);
	if (!is_inside && __builtin_expect(!thread->is_settled, 0) &&
	    torch_is_inside_unseen(thread, python.PyEval_GetFrame()))
		return call.next(PASS);
	module = torch_module_of(args[0]);
	if (!module)
		return call.next(PASS);
	return is_inside ? inner(thread, state, module, PASS) : outermost(thread, state, module, PASS);
}

/* The class's function, a new reference; NULL: it is not there, or not what it will be. */
static struct python_object *find_call(void)
{
	struct python_object *module =
	    python.PyDict_GetItemString(python.PyImport_GetModuleDict(), "torch.nn.modules.module");
	struct python_object *class = module ? python.PyObject_GetAttrString(module, "Module") : NULL;
	struct python_object *function = class ? python.PyObject_GetAttrString(class, "__call__") : NULL;

	if (class)
		python.Py_DecRef(class);
	/* while the class is made it has a method of another kind */
	if (!function || python_is_function(function))
		return function;
	python.Py_DecRef(function);
	return NULL;
}

static void close_door(void)
{
	const struct image *image = __atomic_exchange_n(&door, NULL, __ATOMIC_ACQ_REL);

	if (!image)
		return;
	agent_lock();
	hooks_out(image);
	agent_unlock();
}

/* What else of PyTorch is looked at. */
static void look_around(const struct image *image)
{
	struct python_object *modules = python.PyImport_GetModuleDict();
	struct python_object *torch = python.PyDict_GetItemString(modules, "torch");
	struct python_object *torch_c = python.PyDict_GetItemString(modules, "torch._C");
	struct python_object *type = torch ? python.PyObject_GetAttrString(torch, "Tensor") : NULL;

	torch_tensor_type(type); /* the reference is kept */
	torch_tree_arm();
	if (torch_c)
		torch_backward_arm(torch_c, image);
	torch_compile_look();
	torch_function_arm();
	python.PyErr_Clear();
}

static void look(const struct image *image)
{
	struct python_object *type = NULL, *value = NULL, *trace = NULL, *function;
	int saved = errno;

	python.PyErr_Fetch(&type, &value, &trace);
	function = find_call();
	if (function) {
		if (python_replace(&call, function, on_call))
			torch_call_arm(function);
		python.Py_DecRef(function);
		close_door();
		look_around(image);
	}
	python.PyErr_Restore(type, value, trace);
	errno = saved;
}

/* Python is about to give the GIL back, in the runtime. */
static void *on_save_thread(void)
{
	const struct image *image = door;

	if (image && !__atomic_exchange_n(&is_looking, 1, __ATOMIC_ACQUIRE)) {
		look(image);
		__atomic_store_n(&is_looking, 0, __ATOMIC_RELEASE);
	}
	return python.PyEval_SaveThread();
}

void torch_module_arm(const struct copy *copy)
{
	if (python_find())
		return;
	__atomic_store_n(&door, &copy->image, __ATOMIC_RELEASE);
	if (!hook_import(&copy->image, "PyEval_SaveThread", on_save_thread))
		__atomic_store_n(&door, NULL, __ATOMIC_RELEASE);
}

void torch_module_disarm(void)
{
	__atomic_store_n(&door, NULL, __ATOMIC_RELEASE); /* its word is put back with all others */
	python_put_back(&call);
	torch_function_disarm();
	torch_compile_disarm();
}
