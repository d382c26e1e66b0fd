// SPDX-License-Identifier: Apache-2.0
/*
 * What the class of a module is called. A script that PyTorch compiled is an object of one class of Python's, whatever
 * it was made of: TorchScript has the name. A module that torch.compile wraps has the name of the one inside. Both say
 * so behind the name, so that a report tells them from the module that they were made of.
 *
 * Calls functions of PyTorch in C++; runs nothing of the program.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/agent/torch/torch_in.h"

enum { MOST_CLASS = 120 };

static const char *keep(const char *name, const char *how)
{
	char text[MOST_CLASS];
	const char *kept;

	snprintf(text, sizeof text, "%s (%s)", name, how);
	agent_lock();
	kept = arena_keep(&agent.arena, text);
	agent_unlock();
	return kept;
}

/* object.name(), a new reference; NULL: it failed. */
static struct python_object *call(struct python_object *object, const char *name)
{
	struct python_object *method = python.PyObject_GetAttrString(object, name), *r;

	if (!method)
		return NULL;
	r = python.PyObject_CallObject(method, NULL);
	python.Py_DecRef(method);
	return r;
}

/* An entry of an object's own dictionary, a borrowed reference; NULL: it has none. */
static struct python_object *entry_of(struct python_object *self, const char *name)
{
	struct python_object *own = python.PyObject_GenericGetDict(self, NULL), *entry = NULL;

	if (own) {
		entry = python.PyDict_GetItemString(own, name);
		python.Py_DecRef(own);
	}
	return entry;
}

/* A traced module has the script inside. */
static const char *script_class(struct python_object *self)
{
	struct python_object *inside = entry_of(self, "_actual_script_module");
	struct python_object *script = entry_of(inside ? inside : self, "_c");
	struct python_object *type = script ? call(script, "_type") : NULL, *name = type ? call(type, "name") : NULL;
	const char *text = name && name->type == python.PyUnicode_Type ? python.PyUnicode_AsUTF8(name) : NULL;
	const char *kept = text && *text ? keep(text, "TorchScript") : NULL;

	if (name)
		python.Py_DecRef(name);
	if (type)
		python.Py_DecRef(type);
	return kept;
}

static const char *compiled_class(struct python_object *self)
{
	struct python_object *parts = entry_of(self, "_modules");
	bool is_dict = parts && python.PyType_IsSubtype(parts->type, python.PyDict_Type);
	struct python_object *inside = is_dict ? python.PyDict_GetItemString(parts, "_orig_mod") : NULL;

	return inside ? keep(torch_type_name(inside->type), "torch.compile") : NULL;
}

/* "Runner.step": without the functions that it was made in. Those around a function have its name. */
static const char *function_name(struct python_object *self)
{
	static const char inside[] = "<locals>.";
	struct python_object *name = python.PyObject_GetAttrString(self, "__qualname__");
	const char *text = name && name->type == python.PyUnicode_Type ? python.PyUnicode_AsUTF8(name) : NULL;
	const char *kept = NULL, *next;

	while (text && (next = strstr(text, inside)))
		text = next + sizeof inside - 1;
	if (text && *text)
		kept = keep(text, "torch.compile");
	if (name)
		python.Py_DecRef(name);
	return kept;
}

static const char *method_name(struct python_object *self)
{
	struct python_object *function = python.PyObject_GetAttrString(self, "__func__");
	const char *kept = function && python_is_function(function) ? function_name(function) : NULL;

	if (function)
		python.Py_DecRef(function);
	return kept;
}

static const struct {
	const char *class;
	const char *(*name)(struct python_object *self);
} known[] = { { "RecursiveScriptModule", script_class },
	      { "TopLevelTracedModule", script_class },
	      { "OptimizedModule", compiled_class },
	      { "function", function_name },
	      { "method", method_name } };

const char *torch_type_name(const struct python_type *type)
{
	const char *dot = strrchr(type->name, '.');

	return dot ? dot + 1 : type->name;
}

const char *torch_class_of(struct python_object *self)
{
	struct python_object *type = NULL, *value = NULL, *trace = NULL;
	const char *own = torch_type_name(self->type), *name = NULL;
	int saved = errno;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strcmp(known[i].class, own))
			continue;
		python.PyErr_Fetch(&type, &value, &trace);
		name = known[i].name(self);
		python.PyErr_Restore(type, value, trace);
	}
	errno = saved;
	return name;
}
