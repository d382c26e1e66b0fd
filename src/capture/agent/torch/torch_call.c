// SPDX-License-Identifier: Apache-2.0
/*
 * The outermost call of a module, or of a compiled function: its session, its begin, and whether it is outermost where
 * a call may be under way that began before any was seen. With the GIL.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/torch/torch_in.h"
#include "runtime/torch/torch.h"

enum { MOST_OF_CLASS = 32 };

/* A module's class, or others of one name. */
struct class {
	uint32_t n; /* of its modules that have a session of their own */
};

static struct map classes; /* by address of the type, or of the name by its hash */
static struct python_object *call_code;

const char *torch_name_of(const struct torch_module *module)
{
	return module->class ? module->class : torch_type_name(module->type);
}

/* Scripts and functions share a type, and have a name of their own. */
static uintptr_t key_of(const struct torch_module *module)
{
	uint64_t key = 14695981039346656037u;

	if (!module->class)
		return (uintptr_t)module->type;
	for (const char *at = module->class; *at; at++)
		key = (key ^ (unsigned char)*at) * 1099511628211u;
	return key | 1; /* no type is there */
}

/* NULL: out of memory. */
static struct class *class_of(const struct torch_module *module)
{
	const uintptr_t key = key_of(module);
	struct class *class;

	agent_lock();
	class = map_get(&classes, key);
	if (!class && (class = arena_alloc(&agent.arena, sizeof *class)) && !map_put(&classes, key, class))
		class = NULL;
	agent_unlock();
	return class;
}

/* A program may make a module for each call: from some number on those of a class share a session. */
static __attribute__((noinline)) struct session *new_session(struct python_object *self, struct torch_module *module)
{
	struct class *class = class_of(module);
	uintptr_t object = class && class->n++ >= MOST_OF_CLASS ? (uintptr_t)class : (uintptr_t)self;
	struct session *session = object == (uintptr_t)self ? NULL : session_of_object(object);

	if (!session && (session = session_new(&runtime_torch))) {
		session_bind(session, object);
		session_name_graph(session, torch_name_of(module));
	}
	module->session = session ? session->number : 0;
	module->object = object;
	torch_tree_walk(module);
	return session;
}

static inline struct session *session_of(struct python_object *self, struct torch_module *module)
{
	struct session *session = module->session ? session_of_object(module->object) : NULL;

	if (!session || session->number != module->session)
		return new_session(self, module);
	if (__builtin_expect(!torch_tree_is_current(module), 0))
		torch_tree_walk(module);
	return session;
}

struct open_run *torch_begin(struct thread *thread, struct torch_thread *state, struct torch_module *module,
			     struct python_object *const *args, size_t n)
{
	struct open_run *open = inference_begin(thread, OWNER_API, 0, session_of(module->self, module));
	struct torch_inputs inputs;

	if (!open)
		return NULL;
	open->is_executing = true;
	torch_inputs_of(open, module, args, n, &inputs);
	state->device = inputs.device;
	inference_tell(thread, open, NULL);
	prompt_tell_first(thread, open, inputs.row, inputs.n_rows);
	return open;
}

struct python_object *torch_frame_before(struct python_object *frame)
{
	struct python_object *before = python.PyObject_GetAttrString(frame, "f_back");

	python.Py_DecRef(frame);
	if (before && !strcmp(before->type->name, "frame"))
		return before;
	if (before)
		python.Py_DecRef(before);
	return NULL;
}

bool torch_is_inside_unseen(struct thread *thread, struct python_object *frame)
{
	struct python_object *code;
	bool is_inside = false;
	int saved = errno;

	if (frame)
		python.Py_IncRef(frame);
	while (frame && !is_inside) {
		code = python.PyObject_GetAttrString(frame, "f_code");
		is_inside = code == call_code;
		if (code)
			python.Py_DecRef(code);
		frame = torch_frame_before(frame);
	}
	if (frame)
		python.Py_DecRef(frame);
	thread->is_settled = !is_inside;
	errno = saved;
	return is_inside;
}

void torch_call_arm(struct python_object *function)
{
	call_code = python.PyObject_GetAttrString(function, "__code__");
}
