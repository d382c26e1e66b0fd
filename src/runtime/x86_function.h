/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function's code, decoded from its first byte to its last: where it can be probed at its entry, where behind a
 * virtual call, and which function a split-off cold part belongs to. A function that cannot be decoded to its very end
 * is not understood. No state, any thread.
 */
#ifndef RUNTIME_X86_FUNCTION_H
#define RUNTIME_X86_FUNCTION_H

#include "runtime/eh_frame.h"

struct x86_site {
	uint64_t address;
	bool is_cheap; /* the kernel emulates the instruction */
};

/*
 * Where to probe the entry of the function that begins at `address`: its first instruction that does something, nothing
 * on the stack or in a register is changed by then. False: not the start of a function of `frames`, or no code.
 */
bool x86_function_entry(const struct eh_frame *frames, uint64_t address, struct x86_site *site);

/*
 * The sites behind the function's calls through [register + displacement], at most max: for each the first instruction
 * that the kernel emulates on the straight way from its return, or, where no call has one, the instruction that it
 * returns to. What calls nothing may come by there as well: builds for training have such a way. Returns how many,
 * -1: the code is not understood.
 */
int x86_function_after_calls(const struct eh_frame *frames, const struct eh_function *function, int32_t displacement,
			     struct x86_site *site, int max);

/* The function that a part belongs to: itself, or that into whose middle it jumps, if it is a cold part. False:
 * unclear. */
bool x86_function_whole(const struct eh_frame *frames, const struct eh_function *part, struct eh_function *whole);

/* Whether the function calls the one that begins at `target`. */
bool x86_function_calls(const struct eh_frame *frames, const struct eh_function *function, uint64_t target);

#endif
