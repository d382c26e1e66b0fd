/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The languages whose frames can be read in a process, and those of whose frames nothing is read: then threads have
 * their frames of machine code (stack_jit.c), and a recording says why there are no others.
 */
#ifndef CAPTURE_STACKS_STACK_LANGUAGE_H
#define CAPTURE_STACKS_STACK_LANGUAGE_H

#include "base/array.h"
#include "capture/stacks/stack_call.h"
#include "event/names.h"
#include "runtime/hotspot/hotspot.h"
#include "runtime/python/cpython.h"
#include "runtime/v8/v8.h"

/*
 * The Python stacks of another process: knows which of its interpreters' threads is which of the kernel's, and walks
 * their frames. Stops nothing and takes no lock: a stack that changes meanwhile is torn, and left out.
 *
 * What is known of a code object is kept by its address, and taken again only if the object still has the same parts. A
 * frame of a known code object and instruction costs no system call of its own.
 */
enum { STACK_MAX_FRAMES = 500 };

/* Of one process. Zeroed: not looked for yet. */
struct stack_python {
	bool is_refused; /* the kernel does not let us look */
	bool is_there;
	bool is_lost; /* a thread is not where it was listed: it has ended, or another program runs */
	char why[96]; /* it is there, and cannot be read; "": it can */
	struct cpython python;
	struct array thread;	     /* struct python_thread, of the last listing */
	uint64_t listed_ns, good_ns; /* when, and how long the list is good; a new thread makes it shorter */
	struct stack_code *code;     /* private: tables of a power of two */
	struct stack_line *line;
	struct stack_memory *memory; /* borrowed */
	/* of the last walk: the innermost frame, and what it executes, since 3.11 */
	uint64_t innermost, instruction;
};

struct python_thread {
	int32_t tid; /* in the process's own namespace */
	struct cpython_thread is;
};

/* The Python thread with this number in the process's namespace; NULL: it runs no Python. */
const struct python_thread *stack_python_thread(struct stack_python *python, int32_t tid, uint64_t now_ns);
/* Whether a futex is one of the interpreter's own: a thread that sleeps there waits for the GIL. */
bool stack_python_is_gil(const struct stack_python *python, uint64_t futex);
/* Who has the GIL that this thread wants; NULL: not known. */
const struct python_thread *stack_python_holder(struct stack_python *python, const struct python_thread *thread);
/* The stack of a thread; *flags: SAMPLE_TORN, SAMPLE_CUT, SAMPLE_TRACED. 0: none. */
uint32_t stack_python_walk(struct stack_python *python, const struct python_thread *thread, struct names *names,
			   uint8_t *flags);

void stack_python_done(struct stack_python *python);

/*
 * The functions of JavaScript in stacks of another process that contains V8: in frames that stack_unwind.c finds, among
 * those of machine code. What is known of a function, of code that V8 has made and of the lines of a script is kept by
 * address, and taken again only if the object there still has the same parts.
 */
struct stack_memory;
struct stack_unwind;
struct stack_registers;

enum { STACK_V8_MOST = V8_MOST_INLINED };

/* Of one process. Zeroed: there is none. */
struct stack_v8 {
	bool is_there;
	char why[96];	/* it is there, and cannot be read; "": it can */
	uint64_t begin; /* an address in its module */
	struct v8 v8;
	const struct stack_unwind *unwind; /* of the walk that goes on */
	struct stack_v8_tables *tables;	   /* private */
};

struct stack_v8_found {
	uint32_t frame[STACK_V8_MOST]; /* numbers of frames of names, innermost first */
	size_t n;
};

enum stack_v8_kind {
	STACK_V8_NONE,	 /* machine code like any other */
	STACK_V8_OTHERS, /* the same, made for another language: it has a name */
	STACK_V8_GLUE,	 /* of V8, and nothing to show */
	STACK_V8_FRAMES,
	STACK_V8_TORN,
};

static inline bool stack_v8_is_readable(const struct stack_v8 *v8)
{
	return v8->is_there && !*v8->why;
}

/* Reads the metadata: v8->is_there. */
void stack_v8_open(struct stack_v8 *v8, const struct v8_place *place, struct stack_memory *memory);
/*
 * The frames of these registers, which are in code without unwind tables. is_made: code that V8 makes; is_exact: pc is
 * the instruction that runs next, not behind a call.
 */
enum stack_v8_kind stack_v8_frames(struct stack_v8 *v8, const struct stack_unwind *unwind,
				   const struct stack_registers *registers, bool is_made, bool is_exact,
				   struct stack_v8_found *to);
void stack_v8_done(struct stack_v8 *v8);

/*
 * The methods of Java in stacks of another process that contains HotSpot, and the way from each to its caller: what it
 * compiles has neither unwind tables nor frame pointers. What is known of a method and of code is kept by address, and
 * taken again only if the object there still has the same parts.
 */
enum stack_java_kind {
	STACK_JAVA_NONE, /* not its code */
	STACK_JAVA_GLUE, /* its own, and nothing to show */
	STACK_JAVA_FRAMES,
	STACK_JAVA_TORN,
};

/* Of one process. Zeroed: there is none. */
struct stack_java {
	bool is_there;
	char why[96];	/* it is there, and cannot be read; "": it can */
	uint64_t begin; /* an address in its module */
	struct hotspot hotspot;
	const struct stack_unwind *unwind; /* of the walk that goes on */
	struct stack_java_tables *tables;  /* private */
};

static inline bool stack_java_is_readable(const struct stack_java *java)
{
	return java->is_there && !*java->why;
}

/* Reads the tables of its objects: java->is_there. */
void stack_java_open(struct stack_java *java, const struct hotspot_place *place, struct stack_memory *memory);
/*
 * The frames of these registers, innermost first, and the registers of their caller instead of these; pc 0: it is not
 * known. is_exact: as for stack_v8_frames. frame has room for HOTSPOT_MOST_INLINED.
 */
enum stack_java_kind stack_java_frames(struct stack_java *java, const struct stack_unwind *unwind,
				       struct stack_registers *registers, bool is_exact, uint32_t *frame, size_t *n);
void stack_java_done(struct stack_java *java);

/* A file that may be an interpreter, and what it is, so that each is looked at once in a recording. Zeroed: none. */
struct language_files {
	struct array file; /* private */
};

/* Of one process. Zeroed: not looked for yet. */
struct stack_languages {
	struct stack_python python;
	struct stack_v8 v8;
	struct stack_java java;
	const char *other; /* a language of whose frames nothing is read; NULL: none */
};

/* Looks for interpreters among the modules of the process. */
void stack_languages_find(struct stack_languages *languages, struct language_files *files, struct stack_memory *memory,
			  pid_t pid);
void language_files_done(struct language_files *files);

/* The language that a module with this path runs, for people; NULL: none. */
const char *stack_language_of(const char *path);
/* Whether it is called as an interpreter whose frames can be read. */
bool stack_language_is_read(const char *path);

#endif
