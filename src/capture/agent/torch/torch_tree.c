// SPDX-License-Identifier: Apache-2.0
/*
 * Modules of PyTorch by their place in the model that contains them: "layers.0.conv", as named_modules() calls it.
 * Reads the dictionaries in which Python keeps them, with the GIL, and runs nothing of the program.
 *
 * A module that is gone leaves its address to another one. A weak reference tells them apart: it is empty then.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/torch/torch_in.h"

enum { MOST_NAME = 120, MOST_DEPTH = 24, MOST_MODULES = 20000, REFERENT = 2 };

static struct map modules; /* by address of the object */

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

static __attribute__((noinline)) struct torch_module *learn(struct python_object *self)
{
	struct python_object *reference = reference_to(self), *before;
	struct torch_module *module;

	agent_lock();
	module = map_get(&modules, (uintptr_t)self);
	if (!module && (module = arena_alloc(&agent.arena, sizeof *module)) &&
	    !map_put(&modules, (uintptr_t)self, module))
		module = NULL;
	agent_unlock();
	before = module ? module->reference : reference;
	if (module)
		*module = (struct torch_module){ .self = self, .reference = reference, .type = self->type };
	if (before)
		python.Py_DecRef(before);
	return module;
}

struct torch_module *torch_module_of(struct python_object *self)
{
	struct torch_module *module = map_get(&modules, (uintptr_t)self);

	return module && is_alive(module, self) ? module : learn(self);
}

/* The dictionary of its children; NULL: it has none. A borrowed reference, which its object holds. */
static struct python_object *children_of(struct python_object *self)
{
	struct python_object *own = python.PyObject_GenericGetDict(self, NULL), *children = NULL;

	if (!own)
		python.PyErr_Clear();
	else {
		children = python.PyDict_GetItemString(own, "_modules");
		python.Py_DecRef(own);
	}
	return children;
}

struct walk {
	char name[MOST_NAME];
	unsigned depth, n;
};

static void name_children(struct walk *walk, size_t len, struct python_object *self);

static void name_child(struct walk *walk, size_t len, const char *name, struct python_object *self)
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
		name_children(walk, len + more, self);
	}
	walk->name[len] = 0;
}

/* One may contain itself: those with a name are not looked into. */
static void name_children(struct walk *walk, size_t len, struct python_object *self)
{
	struct python_object *children = children_of(self), *key, *child;
	intptr_t at = 0;

	if (!children || walk->depth >= MOST_DEPTH)
		return;
	walk->depth++;
	while (python.PyDict_Next(children, &at, &key, &child)) {
		const char *name = key->type == python.PyUnicode_Type ? python.PyUnicode_AsUTF8(key) : NULL;
		/* a place for a module may be empty */
		if (name && child->type != python.PyUnicode_Type && strcmp(child->type->name, "NoneType"))
			name_child(walk, len, name, child);
	}
	walk->depth--;
}

void torch_tree_name(struct python_object *root)
{
	struct python_object *type = NULL, *value = NULL, *trace = NULL;
	struct walk walk = { .depth = 0 };
	int saved = errno;

	python.PyErr_Fetch(&type, &value, &trace);
	name_children(&walk, 0, root);
	python.PyErr_Restore(type, value, trace);
	errno = saved;
}

void torch_tree_forget_all(void)
{
	agent_lock();
	for (uint64_t i = 0; modules.table && i <= modules.table->mask; i++) {
		struct torch_module *module = modules.table->entry[i].value;
		if (module)
			module->generation = module->session = 0;
	}
	agent_unlock();
}
