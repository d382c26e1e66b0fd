// SPDX-License-Identifier: Apache-2.0
/*
 * Finds an interpreter by what its module defines, also in a stripped one, because extensions need those names; and
 * walks through its threads.
 */
#include "runtime/python/cpython.h"

enum { MAX_THREADS = 1 << 17 };

static uint64_t add(uint64_t address, uint64_t bias)
{
	return address ? address + bias : 0;
}

/* Functions that came with a version. Later ones have Py_Version. */
static unsigned minor_of(const struct dynamic *module)
{
	if (dynamic_function(module, "Py_NewRef"))
		return 10;
	if (dynamic_function(module, "PyFrame_GetBack"))
		return 9;
	return dynamic_function(module, "PyCode_NewWithPosOnlyArgs") ? 8 : 0;
}

bool cpython_find(struct cpython_place *place, const struct dynamic *module, uint64_t bias)
{
	uint64_t code_type = dynamic_variable(module, "PyCode_Type"), runtime, size;

	if (!code_type || !dynamic_function(module, "PyEval_SaveThread"))
		return false;
	runtime = dynamic_lies_at(module, "_PyRuntime", &size);
	*place = (struct cpython_place){
		.runtime = add(runtime, bias),
		.runtime_size = size,
		.version = add(dynamic_variable(module, "Py_Version"), bias),
		.code_type = add(code_type, bias),
		.text_type = add(dynamic_variable(module, "PyUnicode_Type"), bias),
		.this_thread = add(dynamic_function(module, "PyGILState_GetThisThreadState"), bias),
		.minor = minor_of(module),
	};
	return true;
}

const char *cpython_open(struct cpython *python, const struct cpython_place *place, const struct cpython_memory *memory)
{
	uint64_t version;

	*python = (struct cpython){ .memory = *memory, .place = *place, .minor = place->minor };
	if (place->version) {
		if (!cpython_word(python, place->version, &version))
			return "its memory cannot be read";
		if (version >> 24 != 3)
			return "this Python is newer than 3";
		python->minor = version >> 16 & 0xff;
	}
	if (!place->runtime || !place->text_type || python->minor < 8)
		return "this Python is older than 3.8";
	return cpython_read_layout(python);
}

bool cpython_next_thread(const struct cpython *python, struct cpython_thread *thread)
{
	const struct cpython_layout *layout = &python->layout;
	uint64_t next = 0, interpreter, tid = 0;

	if (!thread->interpreter &&
	    !cpython_word(python, python->place.runtime + layout->interpreters, &thread->interpreter))
		return false;
	while (thread->interpreter && thread->n < MAX_THREADS) {
		uint64_t from =
		    thread->at ? thread->at + layout->thread_next : thread->interpreter + layout->interpreter_threads;
		if (!cpython_word(python, from, &next))
			return false;
		if (next)
			break;
		thread->at = 0;
		if (!cpython_word(python, thread->interpreter + layout->interpreter_next, &thread->interpreter))
			return false;
		thread->n++;
	}
	/* one that has just ended belongs to no interpreter, or is no memory */
	if (!next || !cpython_word(python, next + layout->thread_interpreter, &interpreter) ||
	    interpreter != thread->interpreter ||
	    !cpython_word(python, next + layout->thread_pthread, &thread->pthread) ||
	    (layout->thread_tid != CPYTHON_NONE && !cpython_word(python, next + layout->thread_tid, &tid)))
		return false;
	thread->at = next;
	thread->tid = (int32_t)tid;
	thread->n++;
	return true;
}

uint64_t cpython_gil_holder(const struct cpython *python, const struct cpython_thread *thread)
{
	const struct cpython_layout *layout = &python->layout;
	uint64_t gil = python->place.runtime + layout->runtime_gil, holder, locked;

	if (python->is_free_threaded ||
	    (layout->runtime_gil == CPYTHON_NONE &&
	     !cpython_word(python, thread->interpreter + layout->interpreter_gil, &gil)) ||
	    !cpython_word(python, gil + layout->gil_locked, &locked) ||
	    !cpython_word(python, gil + layout->gil_holder, &holder))
		return 0;
	return (int32_t)locked == 1 ? holder : 0;
}

bool cpython_is_collecting(const struct cpython *python, const struct cpython_thread *thread)
{
	const struct cpython_layout *layout = &python->layout;
	uint64_t at = layout->runtime_collecting != CPYTHON_NONE ? python->place.runtime + layout->runtime_collecting
								 : thread->interpreter + layout->interpreter_collecting;
	uint64_t collecting;

	if (layout->runtime_collecting == CPYTHON_NONE && layout->interpreter_collecting == CPYTHON_NONE)
		return false;
	return cpython_word(python, at, &collecting) && (int32_t)collecting == 1 &&
	       cpython_gil_holder(python, thread) == thread->at;
}

bool cpython_is_traced(const struct cpython *python, uint64_t thread)
{
	uint64_t function[2]; /* of the profile, and of the trace */

	return python->layout.thread_profile != CPYTHON_NONE &&
	       python->memory.read(python->memory.of, thread + python->layout.thread_profile, function,
				   sizeof function) &&
	       (function[0] || function[1]);
}
