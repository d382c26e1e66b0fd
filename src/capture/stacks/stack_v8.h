/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of JavaScript in stacks of another process that contains V8: in frames that stack_unwind.c finds, among
 * those of machine code. What is known of a function, of code that V8 has made and of the lines of a script is kept by
 * address, and taken again only if the object there still has the same parts.
 */
#ifndef CAPTURE_STACKS_STACK_V8_H
#define CAPTURE_STACKS_STACK_V8_H

#include "event/names.h"
#include "runtime/v8/v8.h"

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

#endif
