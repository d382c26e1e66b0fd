/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what CPython 3.8 and later keep in memory: threads, their frames, and which line of which file runs in each.
 *
 * Every byte comes through a function that the caller gives, so one reader serves a thread beside the one that it looks
 * at, another process, and the thread itself. It allocates nothing, takes no lock and calls nothing of the interpreter.
 * What it looks at may change meanwhile: each step checks what it found, and says that it is torn where it makes no
 * sense. It does not decide what a caller keeps of it, and it knows nothing of PyPy.
 */
#ifndef RUNTIME_PYTHON_CPYTHON_H
#define RUNTIME_PYTHON_CPYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/find/dynamic.h"

/* Copies memory of the program. False: there is none at this address. */
struct cpython_memory {
	bool (*read)(void *of, uint64_t from, void *to, size_t size);
	void *of;
};

/* Where an interpreter lies: addresses in the program, 0: its module does not name it. */
struct cpython_place {
	uint64_t runtime, runtime_size; /* _PyRuntime */
	uint64_t version;		/* Py_Version, since 3.11 */
	uint64_t code_type, text_type;	/* PyCode_Type, PyUnicode_Type */
	uint64_t this_thread;		/* PyGILState_GetThisThreadState, a function */
	unsigned minor;			/* of a version before 3.11, by what the module defines; 0: older than 3.8 */
};

/* Offsets in the interpreter's structures. CPYTHON_NONE: this version has no such field. */
#define CPYTHON_NONE UINT32_MAX
struct cpython_layout {
	uint32_t interpreters, interpreter_next, interpreter_threads;
	uint32_t runtime_gil, interpreter_gil, gil_holder, gil_locked; /* until 3.11 the runtime contains the GIL */
	uint32_t runtime_collecting, interpreter_collecting;	       /* in 3.8 the runtime collects garbage */
	uint32_t thread_next, thread_interpreter, thread_pthread, thread_tid, thread_frame, cframe_frame;
	uint32_t thread_profile; /* what sys.setprofile set; what sys.settrace set lies behind it */
	uint32_t frame_code, frame_back, frame_instruction, frame_owner, frame_copy;
	uint32_t code_first_line, code_file, code_name, code_lines, code_bytes, code_copies;
	uint32_t object_type, object_size;
	uint32_t text_ascii, text_other; /* where the characters of a str begin */
	uint32_t frame_span;		 /* bytes of a frame that contain all of these */
};

/* An interpreter that can be read. */
struct cpython {
	struct cpython_memory memory;
	struct cpython_place place;
	struct cpython_layout layout;
	unsigned minor; /* of version 3 */
	bool is_free_threaded;
};

/*
 * Whether the module is an interpreter, and where. bias: what is added to the module's addresses to get those of the
 * program: 0 for a module of this process.
 */
bool cpython_find(struct cpython_place *place, const struct dynamic *module, uint64_t bias);
/* NULL, or why this interpreter cannot be read: one line, for people. */
const char *cpython_open(struct cpython *python, const struct cpython_place *place,
			 const struct cpython_memory *memory);

/* A thread that Python knows. Begins as zero. */
struct cpython_thread {
	uint64_t at, interpreter; /* its PyThreadState and PyInterpreterState */
	uint64_t pthread;	  /* pthread_self() */
	int32_t tid;		  /* the kernel's number in the program's namespace; 0: not known, before 3.11 */
	uint32_t n;		  /* threads so far */
};
/* Moves on to the next thread, of all interpreters of the process, the newest first. False: there is none. */
bool cpython_next_thread(const struct cpython *python, struct cpython_thread *thread);
/* The PyThreadState that holds the GIL of this one's interpreter; 0: none, there is no GIL, or not known. */
uint64_t cpython_gil_holder(const struct cpython *python, const struct cpython_thread *thread);

/*
 * Whether the thread collects garbage: its interpreter does so, and it holds the GIL. False also where that is not
 * known: without a GIL, and of 3.15.
 */
bool cpython_is_collecting(const struct cpython *python, const struct cpython_thread *thread);

/*
 * Whether a function of sys.setprofile or sys.settrace is called in the thread, or what C set in their place. False
 * also where that is not known: since 3.14; of what uses sys.monitoring, as cProfile since 3.12.
 */
bool cpython_is_traced(const struct cpython *python, uint64_t thread);

enum cpython_step { CPYTHON_END, CPYTHON_FRAME, CPYTHON_TORN };
struct cpython_frame {
	uint64_t at, back; /* itself, and the one that called it */
	uint64_t code;	   /* its code object */
	int32_t offset;	   /* of the instruction that runs, in bytes; below 0: it has not begun */
};
/* The innermost frame of a thread, by its PyThreadState; CPYTHON_END: it runs no Python. */
enum cpython_step cpython_first_frame(const struct cpython *python, uint64_t thread, struct cpython_frame *frame);
/* The frame that called it. A caller limits how far it goes. */
enum cpython_step cpython_next_frame(const struct cpython *python, struct cpython_frame *frame);

/* Addresses of what a code object has. It is the same object as before if all of them are. */
struct cpython_code {
	uint64_t at, file, name, lines; /* name: the qualified one since 3.11 */
	int32_t first_line;
};
/* False: it is no code object. */
bool cpython_read_code(const struct cpython *python, uint64_t at, struct cpython_code *code);
/* The line of the instruction at this offset; 0: it has none; below 0: torn. */
int cpython_line(const struct cpython *python, const struct cpython_code *code, int32_t offset);
/*
 * Copies a str as UTF-8, ended by NUL, cut behind a whole character: its length; below 0: it is none. size: not 0.
 */
int cpython_text(const struct cpython *python, uint64_t object, char *to, size_t size);

/* For files of this family. */
enum { CPYTHON_FRAME_SPAN = 128 };
const char *cpython_read_layout(struct cpython *python);
static inline bool cpython_word(const struct cpython *python, uint64_t at, uint64_t *word)
{
	return python->memory.read(python->memory.of, at, word, sizeof *word);
}

#endif
