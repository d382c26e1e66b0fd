// SPDX-License-Identifier: Apache-2.0
/*
 * Modules of PyTorch by their place in the model that contains them: "layers.0.conv", as named_modules() calls it, and
 * the devices of their parameters. Reads the dictionaries in which Python keeps them, with the GIL, and runs nothing of
 * the program. One of the parameters stands for all: as long as it is where it was, the model was not moved.
 *
 * A module that is gone leaves its address to another one. A weak reference tells them apart: it is empty then.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/torch/torch_in.h"

enum { MOST_NAME = 120, MOST_DEPTH = 24, MOST_MODULES = 20000, REFERENT = 2 };

static struct map modules; /* by address of the object */
static uint32_t n_walks;
static struct python_object *training; /* the key */

static bool is_alive(const struct torch_module *module, const struct python_object *self)
{
	return module->type == self->type &&
	       (!module->reference || ((struct python_object **)module->reference)[REFERENT] == self);
}

/* NULL: it cannot be had, or does not look like one. */
static struct python_object *reference_to(struct python_object *self)
{
	struct python_object *reference = python.PyWeakref_NewRef(self, NULL);

	if (!reference)
		python.PyErr_Clear();
	else if (((struct python_object **)reference)[REFERENT] != self) {
		python.Py_DecRef(reference);
		reference = NULL;
	}
	return reference;
}

/* A dictionary of an object's own; NULL: it has none. A borrowed reference, which its object holds. */
static struct python_object *part_of(struct python_object *self, const char *name)
{
	struct python_object *own = python.PyObject_GenericGetDict(self, NULL), *part = NULL;

	if (!own)
		python.PyErr_Clear();
	else {
		part = python.PyDict_GetItemString(own, name);
		python.Py_DecRef(own);
	}
	return part && python.PyType_IsSubtype(part->type, python.PyDict_Type) ? part : NULL;
}

static __attribute__((noinline)) struct torch_module *learn(struct python_object *self)
{
	struct python_object *reference = reference_to(self), *before;
	const char *class = torch_class_of(self);
	struct torch_module *module;

	agent_lock();
	module = map_get(&modules, (uintptr_t)self);
	if (!module && (module = arena_alloc(&agent.arena, sizeof *module)) &&
	    !map_put(&modules, (uintptr_t)self, module))
		module = NULL;
	agent_unlock();
	before = module ? module->reference : reference;
	if (module && module->first)
		python.Py_DecRef(module->first);
	if (module)
		*module =
		    (struct torch_module){ .self = self, .reference = reference, .type = self->type, .class = class };
	if (before)
		python.Py_DecRef(before);
	return module;
}

struct torch_module *torch_module_of(struct python_object *self)
{
	struct torch_module *module = map_get(&modules, (uintptr_t)self);

	return module && is_alive(module, self) ? module : learn(self);
}

struct walk {
	char name[MOST_NAME];
	unsigned depth, n;
	uint32_t number;
	struct torch_module *root;
};

static void add_device(struct torch_module *root, torch_device device)
{
	for (int i = 0; i < root->n_devices; i++)
		if (root->devices[i] == device)
			return;
	if (device && root->n_devices < TORCH_OF_MODULE)
		root->devices[root->n_devices++] = device;
}

/* The first parameter, or else buffer: the others are with it. */
static void look_at_parameters(const struct walk *walk, struct torch_module *module)
{
	static const char *const parts[] = { "_parameters", "_buffers" };
	struct torch_module *root = walk->root;
	struct torch_tensor tensor = { .device = 0 };
	struct python_object *key, *value = NULL;

	for (int i = 0; i < 2 && !tensor.device; i++) {
		struct python_object *part = part_of(module->self, parts[i]);
		intptr_t at = 0;
		while (part && !tensor.device && python.PyDict_Next(part, &at, &key, &value))
			if (!torch_tensor_read(value, &tensor))
				tensor.device = 0;
	}
	if (module->device != tensor.device)
		module->generation = 0;
	module->device = tensor.device;
	add_device(root, tensor.device);
	if (!tensor.device || root->first)
		return;
	root->first = reference_to(value);
	root->first_device = tensor.device;
}

static bool is_moody(const char *class)
{
	return strstr(class, "Dropout") || strstr(class, "BatchNorm");
}

static void look_into(struct walk *walk, size_t len, struct torch_module *module);

static void look_at_child(struct walk *walk, size_t len, const char *name, struct python_object *self)
{
	size_t more = strlen(name) + (len != 0);
	struct torch_module *module;

	if (len + more >= sizeof walk->name || walk->n++ > MOST_MODULES)
		return;
	if (len)
		walk->name[len] = '.';
	strcpy(walk->name + len + (len != 0), name);
	module = torch_module_of(self);
	if (module && !module->name) {
		agent_lock();
		module->name = arena_keep(&agent.arena, walk->name);
		agent_unlock();
		module->generation = 0;
	}
	if (module && module->walk != walk->number)
		look_into(walk, len + more, module);
	walk->name[len] = 0;
}

/* One may contain itself: each is looked into once. */
static void look_into(struct walk *walk, size_t len, struct torch_module *module)
{
	struct python_object *children = part_of(module->self, "_modules"), *key, *child;
	intptr_t at = 0;

	module->walk = walk->number;
	look_at_parameters(walk, module);
	if (!walk->root->is_moody && is_moody(torch_type_name(module->type)))
		walk->root->is_moody = module;
	if (!children || walk->depth >= MOST_DEPTH)
		return;
	walk->depth++;
	while (python.PyDict_Next(children, &at, &key, &child)) {
		const char *name = key->type == python.PyUnicode_Type ? python.PyUnicode_AsUTF8(key) : NULL;
		/* a place for a module may be empty */
		if (name && child->type != python.PyUnicode_Type && strcmp(child->type->name, "NoneType"))
			look_at_child(walk, len, name, child);
	}
	walk->depth--;
}

void torch_tree_walk(struct torch_module *root)
{
	struct python_object *type = NULL, *value = NULL, *trace = NULL;
	struct walk walk = { .number = ++n_walks, .root = root };
	int saved = errno;

	python.PyErr_Fetch(&type, &value, &trace);
	if (root->first)
		python.Py_DecRef(root->first);
	root->first = NULL;
	root->is_moody = NULL;
	root->n_devices = 0;
	look_into(&walk, 0, root);
	python.PyErr_Restore(type, value, trace);
	errno = saved;
}

bool torch_tree_is_current(const struct torch_module *root)
{
	struct torch_tensor tensor;

	return !root->first || (torch_tensor_read(((struct python_object **)root->first)[REFERENT], &tensor) &&
				tensor.device == root->first_device);
}

bool torch_tree_lacks_gradient(const struct torch_module *root)
{
	return root->first && torch_tensor_lacks_gradient(((struct python_object **)root->first)[REFERENT]);
}

bool torch_tree_trains(const struct torch_module *root)
{
	const struct torch_module *module = root->is_moody;
	struct python_object *own;
	bool trains;

	if (!module || !training || !module->reference || !is_alive(module, module->self))
		return false;
	own = python.PyObject_GenericGetDict(module->self, NULL);
	if (!own) {
		python.PyErr_Clear();
		return false;
	}
	trains = python.PyDict_GetItem(own, training) == python._Py_TrueStruct;
	python.Py_DecRef(own);
	return trains;
}

void torch_tree_arm(void)
{
	if (!training)
		training = python.PyUnicode_InternFromString("training");
}

void torch_tree_forget_all(void)
{
	agent_lock();
	for (uint64_t i = 0; modules.table && i <= modules.table->mask; i++) {
		struct torch_module *module = modules.table->entry[i].value;
		if (module)
			module->generation = module->session = 0; /* devices are asked again with the session */
	}
	agent_unlock();
}
