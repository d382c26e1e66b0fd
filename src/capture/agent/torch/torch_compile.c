// SPDX-License-Identifier: Apache-2.0
/*
 * Compilations by torch.compile: the function torch._dynamo.convert_frame._compile, which every version calls for each
 * piece of a program that it compiles, inside the inference that needs it. Why something is compiled again says the
 * result of another function, which that one calls then (since 2.2).
 *
 * These modules come with the first compilation of a program. So the agent looks for them when PyTorch's function that
 * switches compiled code on is called (torch_function.c), until they are there. While compiled code is on, Python
 * of any version calls functions by the word that is replaced.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/torch/torch_in.h"

enum { MOST_TEXT = 240 };

static struct python_function compile, explain;
static bool are_found;

/* An entry of a module that was imported, a new reference; NULL: it is not there. Leaves an error. */
static struct python_object *entry_of(const char *module, const char *name)
{
	struct python_object *in = python.PyDict_GetItemString(python.PyImport_GetModuleDict(), module);

	return in ? python.PyObject_GetAttrString(in, name) : NULL;
}

static void drop(struct python_object *object)
{
	if (object)
		python.Py_DecRef(object);
}

/* An attribute's text, to be copied before `held` is dropped; NULL: it is none. Leaves an error. */
static const char *text_of(struct python_object *object, const char *name, struct python_object **held)
{
	*held = python.PyObject_GetAttrString(object, name);
	return *held && (*held)->type == python.PyUnicode_Type ? python.PyUnicode_AsUTF8(*held) : NULL;
}

/* Its first line, as far as there is room, in whole characters. */
static size_t first_line(const char *text, char *to)
{
	size_t len = strcspn(text, "\n");

	if (len >= MOST_TEXT)
		for (len = MOST_TEXT - 1; len && ((unsigned char)text[len] & 0xc0) == 0x80;)
			len--;
	memcpy(to, text, len);
	return len;
}

/* "torch.compile forward (model.py:12)" */
static uint32_t name_of(struct python_object *code)
{
	struct python_object *name, *file;
	const char *function = text_of(code, "co_name", &name), *path = text_of(code, "co_filename", &file);
	const char *slash = path ? strrchr(path, '/') : NULL;
	char text[MOST_TEXT];
	int len = snprintf(text, sizeof text, "torch.compile %s", function ? function : "");

	if (path && len > 0 && (size_t)len < sizeof text)
		len += snprintf(text + len, sizeof text - (size_t)len, " (%s)", slash ? slash + 1 : path);
	drop(name);
	drop(file);
	python.PyErr_Clear();
	return dict_text(text, strnlen(text, sizeof text - 1));
}

void torch_compile_put(struct thread *thread, enum record_type type, uint32_t text, bool failed)
{
	const struct open_run *open = inference_top(thread);
	struct record *record = open ? agent_claim(thread) : NULL;

	if (!record)
		return;
	*record = (struct record){ .time = agent_now(),
				   .value = open->lane,
				   .id = open->session ? open->session->number : 0,
				   .run = open->run,
				   .text = text,
				   .type = (uint16_t)type,
				   .more = failed ? FLAG_FAILED : 0 };
	agent_publish(thread);
}

static void put_end(struct thread *thread, const struct torch_thread *state, const struct python_object *result)
{
	char text[MOST_TEXT], line[MOST_TEXT];

	if (result) {
		torch_compile_put(thread, RECORD_COMPILE_END, state->reason, false);
		return;
	}
	text[python_error(text, sizeof text)] = 0;
	torch_compile_put(thread, RECORD_COMPILE_END, dict_text(line, first_line(text, line)), true);
}

static struct python_object *on_compile(struct python_object *function, struct python_object *const *args, size_t n,
					struct python_object *names)
{
	struct thread *thread = agent_thread();
	struct torch_thread *state = thread ? torch_thread(thread) : NULL;
	const struct open_run *open = state ? inference_top(thread) : NULL;
	struct python_object *result;
	uint32_t generation, run;
	int saved = errno;

	if (!open || !open->told || state->is_compiling || !(n & SIZE_MAX >> 1))
		return compile.next(function, args, n, names);
	generation = thread->generation;
	run = open->run;
	torch_compile_put(thread, RECORD_COMPILE_BEGIN, name_of(args[0]), false);
	state->is_compiling = true;
	state->reason = 0;
	errno = saved;
	result = compile.next(function, args, n, names);
	saved = errno;
	if (self_thread == thread && thread->generation == generation && hot->generation == generation) {
		state->is_compiling = false;
		open = inference_top(thread);
		if (open && open->run == run)
			put_end(thread, state, result);
	}
	errno = saved;
	return result;
}

/* Returns a list of texts, the last compilation's first. */
static struct python_object *on_explain(struct python_object *function, struct python_object *const *args, size_t n,
					struct python_object *names)
{
	struct python_object *result = explain.next(function, args, n, names), *first;
	struct thread *thread = self_thread;
	struct torch_thread *state = thread ? thread->kept[torch_place] : NULL;
	const char *text = NULL;
	char line[MOST_TEXT];
	int saved = errno;

	if (!result || !state || !state->is_compiling || result->type != python.PyList_Type ||
	    !((const intptr_t *)result)[2])
		return result;
	first = python.PyList_GetItem(result, 0);
	if (first && first->type == python.PyUnicode_Type)
		text = python.PyUnicode_AsUTF8(first);
	if (text && thread->generation == hot->generation)
		state->reason = dict_text(line, first_line(text, line));
	python.PyErr_Clear();
	errno = saved;
	return result;
}

static bool replace(struct python_function *what, const char *module, const char *name, python_call *with)
{
	struct python_object *function = entry_of(module, name);
	bool is_done = function && python_is_function(function) && python_replace(what, function, with);

	drop(function);
	python.PyErr_Clear();
	return is_done;
}

/* False: the modules are not there yet. */
static bool replace_compile(void)
{
	if (!replace(&compile, "torch._dynamo.convert_frame", "_compile", on_compile))
		return false;
	/* the name changed in between */
	if (!replace(&explain, "torch._dynamo.guards", "get_and_maybe_log_recompilation_reasons", on_explain))
		replace(&explain, "torch._dynamo.guards", "get_and_maybe_log_recompilation_reason", on_explain);
	return true;
}

void torch_compile_look(void)
{
	if (!__atomic_load_n(&are_found, __ATOMIC_RELAXED) && replace_compile())
		__atomic_store_n(&are_found, true, __ATOMIC_RELAXED);
}

void torch_compile_disarm(void)
{
	python_put_back(&compile);
	python_put_back(&explain);
	are_found = false;
}
