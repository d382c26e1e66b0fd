/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes a function's code from its first byte to its last: where it can be probed at its entry, where behind a
 * virtual call, and which function a split-off cold part belongs to: function_x86.c or function_arm64.c. Rejects a
 * function that it cannot decode completely. No state, any thread.
 */
#ifndef RUNTIME_FUNCTION_H
#define RUNTIME_FUNCTION_H

#include "runtime/find/eh_frame.h"

struct function_site {
	uint64_t address;
	uint32_t depth; /* by how many bytes the stack pointer is below its value at the call */
	bool is_cheap;	/* the kernel emulates the instruction */
};

/*
 * Where to probe the entry of the function that begins at `address`: stack, registers and the return address are those
 * of the call. False: not the start of a function of `frames`, or no code.
 */
bool function_entry(const struct eh_frame *frames, uint64_t address, struct function_site *site);

/*
 * A place that is passed once whenever the function is called, a cheap one where there is one: `this` and the first
 * argument are still in their registers, and the stack pointer is site->depth below its value at the call. False as
 * function_entry.
 */
bool function_arguments(const struct eh_frame *frames, uint64_t address, struct function_site *site);

/*
 * A cheap place that is passed whenever the function is called: its entry, or the first instruction on the straight
 * path from there that the kernel emulates, to which nothing jumps. Registers and stack are not those of the call.
 * False: there is none, or the code cannot be decoded.
 */
bool function_early(const struct eh_frame *frames, uint64_t address, struct function_site *site);

/*
 * The sites behind the function's calls of the virtual function at `displacement` of a table, which returns a class; at
 * most max. For each call: the first instruction on the straight path from its return that the kernel emulates. If no
 * call has one: the instruction that it returns to. Other paths may reach a site without a call; training builds have
 * such a path. Returns the number; -1: the code cannot be decoded.
 */
int function_after_calls(const struct eh_frame *frames, const struct eh_function *function, int32_t displacement,
			 struct function_site *site, int max);

/*
 * The function that a part belongs to: itself or, for a cold part, the function into whose middle it jumps. False:
 * unclear.
 */
bool function_whole(const struct eh_frame *frames, const struct eh_function *part, struct eh_function *whole);

/* Whether the function calls the one that begins at `target`. */
bool function_calls(const struct eh_frame *frames, const struct eh_function *function, uint64_t target);

#endif
