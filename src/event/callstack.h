/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dictionary of frames and of stacks. Equal ones get equal ids, small, dense, from 1; id 0 is "none". A stack is the
 * stack of its caller and one frame more, so all stacks of a recording together are a tree: stacks that begin with the
 * same calls share them.
 *
 *	stack 1   caller 0   frame 1   <module>   prog.py:20
 *	stack 2   caller 1   frame 2   load       prog.py:4
 *	stack 3   caller 2   frame 3   read       libc.so.6 + 0x10fe10
 *	stack 4   caller 1   frame 4   run        prog.py:9
 *
 * A stream has one, beside its names (names_callstacks): its texts are ids of these names. One thread. Nothing is ever
 * dropped; a caller always has a lower id than what it calls. It takes CALLSTACK_MAX stacks: what is deeper or comes
 * later than that is left out, so that its caller stands for it.
 */
#ifndef EVENT_CALLSTACK_H
#define EVENT_CALLSTACK_H

#include <stdint.h>

struct names;
struct callstacks;

enum { CALLSTACK_MAX = 1 << 20 };

/* Add at the end: the numbers are in files. */
enum frame_kind {
	FRAME_NATIVE,	  /* machine code: module, offset; function, file and line as far as symbols tell */
	FRAME_PYTHON,	  /* function: its qualified name; file; line */
	FRAME_CUT,	  /* outermost: there were more; nothing else is set */
	FRAME_JAVASCRIPT, /* function; file, unless it is the engine's own; line */
	FRAME_JAVA,	  /* function: class and method; file, without its folder; line */
};

/* The function of a frame of Python without a file: its collector of garbage, which runs in the frame around it. */
#define FRAME_COLLECTION "garbage collection"

struct frame {
	uint32_t kind; /* enum frame_kind */
	uint32_t function, file;
	uint32_t line;	 /* 0: not known */
	uint32_t module; /* path of the file that is mapped there, "[vdso]" */
	uint32_t build;	 /* text: build id of the module in hexadecimal digits */
	uint64_t offset; /* of the address in the module's file, as its headers count addresses */
};

struct callstack {
	uint32_t caller; /* the stack without this frame; 0: this is the outermost one */
	uint32_t frame;
	uint32_t depth; /* frames, from 1 */
};

struct callstacks *callstacks_new(void); /* NULL: out of memory */
void callstacks_free(struct callstacks *stacks);

/* The ids; 0: out of memory. */
uint32_t callstacks_frame(struct callstacks *stacks, const struct frame *frame);
/* frame 0, or the dictionary is full: caller itself. */
uint32_t callstacks_push(struct callstacks *stacks, uint32_t caller, uint32_t frame);

/* Borrowed, valid until the next one is added; NULL for 0 and an unknown id. Ids go up to the counts. */
const struct frame *callstacks_frame_of(const struct callstacks *stacks, uint32_t frame);
const struct callstack *callstacks_get(const struct callstacks *stacks, uint32_t stack);
uint32_t callstacks_n(const struct callstacks *stacks);

#endif
