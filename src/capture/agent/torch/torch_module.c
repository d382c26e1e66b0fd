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

enum { MOST_OF_CLASS = 32, MOST_TEXT = 240 };

/* A module's class. */
struct class {
	uint32_t n; /* of its modules that have a session of their own */
};

static struct map classes; /* by address of the type */
static struct python_function call;
static struct python_object *call_code;
static const struct image *door; /* the module whose import is replaced; NULL: none is */
static int is_looking;

static const char *name_of_class(const struct torch_module *module)
{
	return module->class ? module->class : torch_type_name(module->type);
}

static bool has_room(const struct python_type *type)
{
	struct class *class;

	agent_lock();
	class = map_get(&classes, (uintptr_t)type);
	if (!class && (class = arena_alloc(&agent.arena, sizeof *class)) && !map_put(&classes, (uintptr_t)type, class))
		class = NULL;
	agent_unlock();
	return class && class->n++ < MOST_OF_CLASS;
}

/* A program may make a module for each call: from some number on those of a class share a session. */
static __attribute__((noinline)) struct session *new_session(struct python_object *self, struct torch_module *module)
{
	uintptr_t object = (uintptr_t)(has_room(self->type) ? (void *)self : (void *)self->type);
	struct session *session = object == (uintptr_t)self ? NULL : session_of_object(object);

	if (!session && (session = session_new(&runtime_torch))) {
		session_bind(session, object);
		session_name_graph(session, name_of_class(module));
	}
	module->session = session ? session->number : 0;
	module->is_shared = object != (uintptr_t)self;
	torch_tree_walk(module);
	return session;
}

static inline struct session *session_of(struct python_object *self, struct torch_module *module)
{
	struct session *session = session_of_object(module->is_shared ? (uintptr_t)self->type : (uintptr_t)self);

	if (!session || session->number != module->session)
		return new_session(self, module);
	if (__builtin_expect(!torch_tree_is_current(module), 0))
		torch_tree_walk(module);
	return session;
}

/* around: the device of what it is called by, which it takes over if it has no parameters. */
static inline uint32_t node_of(struct torch_module *module, torch_device around)
{
	const char *class, *name;
	torch_device device = module->device ? module->device : around;
	uint32_t type;

	if (__builtin_expect(module->generation == hot->generation && module->node_device == device, 1))
		return module->node;
	class = name_of_class(module);
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
	struct session *session = session_of(args[0], module);
	struct open_run *open = inference_begin(thread, OWNER_API, 0, session);
	const uint32_t generation = thread->generation, n_runs = thread->n_runs;
	struct python_object *r;
	uint32_t run;

	if (!open)
		return call.next(PASS);
	run = open->run;
	open->is_executing = true;
	state->device = torch_inputs_of(open, module, args + 1, n_args(n, names) - 1);
	inference_tell(thread, open, NULL);
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

/* Whether a call of this function that began before its word was replaced is under way on this thread. */
static __attribute__((noinline)) bool is_inside_unseen(struct thread *thread)
{
	struct python_object *frame = python.PyEval_GetFrame(), *code, *before;
	bool is_inside = false;
	int saved = errno;

	if (frame)
		python.Py_IncRef(frame);
	while (frame && !is_inside) {
		code = python.PyObject_GetAttrString(frame, "f_code");
		is_inside = code == call_code;
		if (code)
			python.Py_DecRef(code);
		before = python.PyObject_GetAttrString(frame, "f_back");
		python.Py_DecRef(frame);
		frame = before && strcmp(before->type->name, "frame") ? NULL : before;
		if (before && !frame)
			python.Py_DecRef(before);
	}
	if (frame)
		python.Py_DecRef(frame);
	thread->is_settled = !is_inside;
	errno = saved;
	return is_inside;
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
	if (!is_inside && __builtin_expect(!thread->is_settled, 0) && is_inside_unseen(thread))
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
	torch_compile_arm();
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
			call_code = python.PyObject_GetAttrString(function, "__code__");
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
	torch_compile_disarm();
}
