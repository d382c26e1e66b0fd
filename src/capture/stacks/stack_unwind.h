/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the innermost function of a thread outwards: by what compilers left of each function (.eh_frame), where that is
 * missing by frame pointers. Of a thread that is blocked, the kernel gives the stack pointer and the address alone.
 */
#ifndef CAPTURE_STACKS_STACK_UNWIND_H
#define CAPTURE_STACKS_STACK_UNWIND_H

#include "capture/stacks/stack_map.h"
#include "capture/stacks/stack_memory.h"
#include "capture/stacks/stack_moment.h"

struct stack_address {
	uint32_t image; /* 0: in no file */
	uint64_t offset;
};

struct stack_unwind {
	struct stack_maps *maps;
	struct stack_images *images;
	struct names *names;
	struct stack_memory *memory;	   /* begun with the process */
	const struct stack_moment *moment; /* NULL: all is in the process's memory */
	uint32_t stop;			   /* an image at which it ends; 0: none */
	bool is_cut;			   /* set: there are more frames */
	uint64_t end;			   /* set: the stack pointer where it ended */
};

/* Innermost first; how many. */
size_t stack_unwind(struct stack_unwind *unwind, const struct stack_registers *from, struct stack_address *to,
		    size_t max);

#endif
