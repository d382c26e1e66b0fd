/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python interpreter of this process: its C functions, found by their names in the process's modules, and the word
 * by which a function of Python is called. All calls need the GIL; none runs code of the program.
 */
#ifndef CAPTURE_AGENT_PYTHON_H
#define CAPTURE_AGENT_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/find/image.h"

struct python_type {
	intptr_t n_references;
	struct python_type *type;
	intptr_t size;
	const char *name;
};

struct python_object {
	intptr_t n_references;
	struct python_type *type;
};

typedef struct python_object *python_call(struct python_object *function, struct python_object *const *args, size_t n,
					  struct python_object *names);

#define PYTHON_OBJECT struct python_object *
#define PYTHON_FUNCTIONS(F) \
	F(PYTHON_OBJECT, PyImport_GetModuleDict, (void)) \
	F(PYTHON_OBJECT, PyDict_GetItemString, (PYTHON_OBJECT, const char *)) \
	F(PYTHON_OBJECT, PyDict_GetItem, (PYTHON_OBJECT, PYTHON_OBJECT)) \
	F(int, PyDict_Next, (PYTHON_OBJECT, intptr_t *, PYTHON_OBJECT *, PYTHON_OBJECT *)) \
	F(PYTHON_OBJECT, PyDict_New, (void)) \
	F(int, PyDict_Update, (PYTHON_OBJECT, PYTHON_OBJECT)) \
	F(PYTHON_OBJECT, PyObject_GetAttrString, (PYTHON_OBJECT, const char *)) \
	F(PYTHON_OBJECT, PyObject_CallObject, (PYTHON_OBJECT, PYTHON_OBJECT)) \
	F(PYTHON_OBJECT, PyObject_GenericGetDict, (PYTHON_OBJECT, void *)) \
	F(PYTHON_OBJECT, PyTuple_GetItem, (PYTHON_OBJECT, intptr_t)) \
	F(PYTHON_OBJECT, PyList_GetItem, (PYTHON_OBJECT, intptr_t)) \
	F(int, PyType_IsSubtype, (struct python_type *, struct python_type *)) \
	F(PYTHON_OBJECT, PyUnicode_InternFromString, (const char *)) \
	F(PYTHON_OBJECT, PyWeakref_NewRef, (PYTHON_OBJECT, PYTHON_OBJECT)) \
	F(const char *, PyUnicode_AsUTF8, (PYTHON_OBJECT)) \
	F(void, PyErr_Fetch, (PYTHON_OBJECT *, PYTHON_OBJECT *, PYTHON_OBJECT *)) \
	F(void, PyErr_Restore, (PYTHON_OBJECT, PYTHON_OBJECT, PYTHON_OBJECT)) \
	F(void, PyErr_Clear, (void)) \
	F(void, PyErr_GetExcInfo, (PYTHON_OBJECT *, PYTHON_OBJECT *, PYTHON_OBJECT *)) \
	F(PYTHON_OBJECT, PyEval_GetFrame, (void)) \
	F(void *, PyEval_SaveThread, (void)) \
	F(void, PyEval_RestoreThread, (void *)) \
	F(void, Py_IncRef, (PYTHON_OBJECT)) \
	F(void, Py_DecRef, (PYTHON_OBJECT))
#define PYTHON_POINTER(result, name, params) result(*name) params;
struct python {
	PYTHON_FUNCTIONS(PYTHON_POINTER)
	void (*PyFunction_SetVectorcall)(struct python_object *, python_call *); /* since 3.12 */
	python_call *_PyFunction_Vectorcall;					 /* until 3.11 */
	struct python_type *PyFunction_Type, *PyUnicode_Type, *PyTuple_Type, *PyList_Type, *PyDict_Type;
	struct python_object *_Py_TrueStruct;
};
extern struct python python __attribute__((visibility("hidden")));

/* Fills in `python`; again: does nothing. NULL, or why it cannot be used. Not under the agent's lock. */
const char *python_find(void);

/* Called in place of a function; `next` is what it did before. Stays valid. */
struct python_function {
	struct python_object *object; /* a reference to it is kept */
	python_call **word, *next;
};

/* Whether a function of Python, and no method of another kind. */
bool python_is_function(const struct python_object *object);
/* False: this Python keeps the word where it was not expected; nothing is changed. */
bool python_replace(struct python_function *function, struct python_object *object, python_call *with);
void python_put_back(struct python_function *function);

/* The same for a method that is a C function with positional and named arguments. */
typedef struct python_object *python_c_call(struct python_object *self, struct python_object *args,
					    struct python_object *names);
struct python_method {
	python_c_call *next;
};
/*
 * method: as its class has it. image: the module that defines it; its word is restored with all others of the module
 * (hook.h). False: it looks different, and is left alone.
 */
bool python_replace_method(struct python_method *method, const struct python_object *object, const char *name,
			   const struct image *image, python_c_call *with);

/*
 * The same for one that an extension has made while Python ran: its definition is memory of its own. `next` is what it
 * did before: a python_c_call, or a python_fast_call. Stays valid. One that takes no named arguments is called with a
 * third argument, of which it does not know.
 */
typedef struct python_object *python_fast_call(struct python_object *self, struct python_object *const *args,
					       intptr_t n, struct python_object *names);
struct python_builtin {
	void **word, *next;
};
/* method: it, or an instancemethod around it. False: it looks different, and is left alone. */
bool python_replace_builtin(struct python_builtin *builtin, struct python_object *method, const char *name,
			    python_c_call *with, python_fast_call *fast);
void python_put_back_builtin(struct python_builtin *builtin);

/* The text of an error that is set, "RuntimeError: ...", which stays set. 0: none is. In `to`. */
size_t python_error(char *to, size_t size);

#endif
