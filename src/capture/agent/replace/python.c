// SPDX-License-Identifier: Apache-2.0
/*
 * Uses few functions, which every Python since 3.8 exports, and few fields, which are checked: an object begins with
 * its references and its type, a type has its name behind its size.
 */
#include "capture/agent/replace/python.h"

#include <stdio.h>
#include <string.h>

#include "capture/agent/agent.h"
#include "capture/agent/replace/hook.h"
#include "capture/agent/replace/module_walk.h"
#include "runtime/find/dynamic.h"
#include "runtime/find/peek.h"

struct python python;

enum { WORDS = 20, ARGS = 3 }; /* words of a function that are searched; where an exception has its arguments */

/* The module that is the interpreter; false: there is none. */
static bool find_interpreter(const struct image_set *set, struct dynamic *interpreter)
{
	for (size_t i = 0; i < set->n; i++)
		if (dynamic_read(interpreter, &set->image[i]) && dynamic_function(interpreter, "PyEval_SaveThread"))
			return true;
	return false;
}

static bool take_functions(const struct dynamic *interpreter, struct python *to)
{
	uint64_t at;

#define TAKE(result, name, params) \
	if (!(at = dynamic_function(interpreter, #name))) \
		return false; \
	memcpy(&to->name, &at, sizeof at);
	PYTHON_FUNCTIONS(TAKE)
#define TAKE_TYPE(name) \
	if (!(to->name = (struct python_type *)dynamic_variable(interpreter, #name))) \
		return false;
	TAKE_TYPE(PyFunction_Type)
	TAKE_TYPE(PyUnicode_Type)
	TAKE_TYPE(PyTuple_Type)
	TAKE_TYPE(PyList_Type)
	TAKE_TYPE(PyDict_Type)
	to->_Py_TrueStruct = (struct python_object *)dynamic_variable(interpreter, "_Py_TrueStruct");
	at = dynamic_function(interpreter, "PyFunction_SetVectorcall");
	memcpy(&to->PyFunction_SetVectorcall, &at, sizeof at);
	at = dynamic_function(interpreter, "_PyFunction_Vectorcall");
	memcpy(&to->_PyFunction_Vectorcall, &at, sizeof at);
	return to->PyFunction_SetVectorcall || to->_PyFunction_Vectorcall;
}

static bool is_named(const struct python_type *type, const char *name)
{
	char found[32];

	return peek_read((uint64_t)(uintptr_t)type->name, found, strlen(name) + 1) && !strcmp(found, name);
}

static const char *find_in(const struct image_set *set, struct python *to)
{
	struct dynamic found, *interpreter = &found;

	if (!find_interpreter(set, interpreter))
		return "there is no Python";
	if (dynamic_function(interpreter, "_Py_DecRefShared"))
		return "this Python has no GIL";
	if (!take_functions(interpreter, to))
		return "this Python is older than 3.8";
	if (!is_named(to->PyFunction_Type, "function") || !is_named(to->PyUnicode_Type, "str") ||
	    !is_named(to->PyTuple_Type, "tuple") || !is_named(to->PyDict_Type, "dict"))
		return "this Python has another layout";
	return NULL;
}

const char *python_find(void)
{
	struct image_set set = { 0 };
	struct python found = { 0 };
	const char *why;

	if (python.PyEval_SaveThread)
		return NULL;
	why = module_walk_images(&set) ? "out of memory" : find_in(&set, &found);
	image_set_done(&set);
	if (!why)
		python = found;
	return why;
}

bool python_is_function(const struct python_object *object)
{
	return object->type == python.PyFunction_Type;
}

/* The word that holds this; NULL: not exactly one. */
static python_call **word_with(struct python_object *object, python_call *call)
{
	python_call **words = (python_call **)object, **found = NULL;

	for (int i = 2; i < WORDS; i++) {
		if (words[i] != call)
			continue;
		if (found)
			return NULL;
		found = &words[i];
	}
	return found;
}

bool python_replace(struct python_function *function, struct python_object *object, python_call *with)
{
	python_call *before[WORDS], **word;

	memcpy(before, object, sizeof before);
	/* from 3.12 on the setter tells where the word is, and keeps the interpreter from calling past it */
	if (python.PyFunction_SetVectorcall)
		python.PyFunction_SetVectorcall(object, with);
	word = word_with(object, python.PyFunction_SetVectorcall ? with : python._PyFunction_Vectorcall);
	if (!word)
		return false;
	python.Py_IncRef(object);
	function->object = object;
	function->next = before[word - (python_call **)object];
	__atomic_store_n(&function->word, word, __ATOMIC_RELEASE);
	__atomic_store_n(word, with, __ATOMIC_RELEASE);
	return true;
}

void python_put_back(struct python_function *function)
{
	if (function->word)
		__atomic_store_n(function->word, function->next, __ATOMIC_RELEASE);
}

/* PyMethodDef, and where the object of a method has it: behind its head, its class and two names. */
struct definition {
	const char *name;
	python_c_call *call;
	int flags;
};
enum { DEFINITION = 5, OF_BUILTIN = 2, WITHOUT_NAMES = 1, WITH_NAMES = 3, OF_ONE = 8, FAST = 0x82 };

/* Its name and how it is called are compared; false: something else is there. */
static bool read_definition(const struct definition *definition, const char *name, struct definition *found)
{
	char text[32] = "";

	return strlen(name) < sizeof text && peek_read((uint64_t)(uintptr_t)definition, found, sizeof *found) &&
	       peek_read((uint64_t)(uintptr_t)found->name, text, strlen(name) + 1) && !strcmp(text, name);
}

static bool is_plain(int flags)
{
	return flags == WITH_NAMES || flags == WITHOUT_NAMES || flags == OF_ONE;
}

bool python_replace_method(struct python_method *method, const struct python_object *object, const char *name,
			   const struct image *image, python_c_call *with)
{
	struct definition *definition = ((struct definition *const *)object)[DEFINITION], found;
	bool is_replaced;

	if (!is_named(object->type, "method_descriptor") || !read_definition(definition, name, &found) ||
	    found.flags != WITH_NAMES || (method->next && method->next != found.call) ||
	    !image_has(image, (uint64_t)(uintptr_t)&definition->call, IMAGE_W) || !hook_open(image))
		return false;
	method->next = found.call;
	agent_lock();
	is_replaced = hook_word((uint64_t)(uintptr_t)&definition->call, (void *)with);
	agent_unlock();
	hook_close(image);
	return is_replaced;
}

bool python_replace_builtin(struct python_builtin *builtin, struct python_object *method, const char *name,
			    python_c_call *with, python_fast_call *fast)
{
	struct definition *definition, found;
	void **word;

	if (is_named(method->type, "instancemethod"))
		method = ((struct python_object **)method)[OF_BUILTIN];
	if (!is_named(method->type, "builtin_function_or_method"))
		return false;
	definition = ((struct definition *const *)method)[OF_BUILTIN];
	if (!read_definition(definition, name, &found) || !(found.flags == FAST ? fast != NULL : is_plain(found.flags)))
		return false;
	word = (void **)(void *)&definition->call;
	/* of a module that was imported anew: calls of the first one are under way */
	if (builtin->word && builtin->word != word)
		return false;
	if (!builtin->word) {
		python.Py_IncRef(method); /* with it the definition stays */
		builtin->next = (void *)found.call;
	}
	__atomic_store_n(&builtin->word, word, __ATOMIC_RELEASE);
	__atomic_store_n(word, found.flags == FAST ? (void *)fast : (void *)with, __ATOMIC_RELEASE);
	return true;
}

void python_put_back_builtin(struct python_builtin *builtin)
{
	if (builtin->word)
		__atomic_store_n(builtin->word, builtin->next, __ATOMIC_RELEASE);
}

/* The text of an exception: itself, before it is made an object, or its first argument. NULL: none. */
static const char *text_of(struct python_object *value)
{
	struct python_object *args, *first;

	if (!value)
		return NULL;
	if (value->type == python.PyUnicode_Type)
		return python.PyUnicode_AsUTF8(value);
	args = ((struct python_object **)value)[ARGS];
	if (peek_word((uint64_t)(uintptr_t)args + 8) != (uint64_t)(uintptr_t)python.PyTuple_Type ||
	    !((intptr_t *)args)[2])
		return NULL;
	first = python.PyTuple_GetItem(args, 0);
	return first && first->type == python.PyUnicode_Type ? python.PyUnicode_AsUTF8(first) : NULL;
}

size_t python_error(char *to, size_t size)
{
	struct python_object *type = NULL, *value = NULL, *trace = NULL;
	const char *text;
	size_t len = 0;

	python.PyErr_Fetch(&type, &value, &trace);
	if (type) {
		text = text_of(value);
		python.PyErr_Clear(); /* of a text that is none */
		len = (size_t)snprintf(to, size, "%s%s%s", ((struct python_type *)type)->name, text ? ": " : "",
				       text ? text : "");
		len = len < size ? len : size - 1;
	}
	python.PyErr_Restore(type, value, trace);
	return len;
}
