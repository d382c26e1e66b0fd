// SPDX-License-Identifier: Apache-2.0
/*
 * Stubs for functions that return a class in x8. None has a frame: exceptions and unwinders see only the C hook between
 * the caller and the original. "hint #34" is a landing pad (bti c), which does nothing on older processors; a jump by
 * x16 may land on one, or on paciasp, with which the original may begin.
 */
#include "capture/agent/ort/ort_call.h"

#define FUNCTION(name, code) \
	__asm__(".hidden " #name "\n.globl " #name "\n.type " #name ",%function\n.p2align 4\n" #name \
		":\n	hint #34\n" code ".size " #name ",.-" #name "\n")

/* x8, x0 ... x6 become x0 ... x7; the stack stays as it is. */
#define ENTRY(family, hook) \
	void ort_enter_##hook(void) __attribute__((visibility("hidden"))); \
	FUNCTION(ort_enter_##hook, "	mov x7, x6\n" \
				   "	mov x6, x5\n" \
				   "	mov x5, x4\n" \
				   "	mov x4, x3\n" \
				   "	mov x3, x2\n" \
				   "	mov x2, x1\n" \
				   "	mov x1, x0\n" \
				   "	mov x0, x8\n" \
				   "	b ort_on_" #hook "\n");
ORT_CLASS_HOOKS(ENTRY)

/* The hot path: two words. */
void ort_enter_compute(void) __attribute__((visibility("hidden")));
FUNCTION(ort_enter_compute, "	mov x2, x1\n"
			    "	mov x1, x0\n"
			    "	mov x0, x8\n"
			    "	b ort_on_compute\n");

#define ENTRY_OF(family, hook) [ORT_##family] = ort_enter_##hook,
void *ort_call_entry(unsigned family, void *hook)
{
	static void (*const entries[N_ORT_FAMILIES])(void) = { [ORT_COMPUTE] = ort_enter_compute,
							       ORT_CLASS_HOOKS(ENTRY_OF) };

	return entries[family] ? (void *)entries[family] : hook;
}

/* ORT_ARGS are eight words in registers and four on the stack, which the original finds where they are; then next. */
FUNCTION(ort_call, "	ldr x16, [sp, #32]\n"
		   "	mov x8, x0\n"
		   "	mov x0, x1\n"
		   "	mov x1, x2\n"
		   "	mov x2, x3\n"
		   "	mov x3, x4\n"
		   "	mov x4, x5\n"
		   "	mov x5, x6\n"
		   "	mov x6, x7\n"
		   "	br x16\n");

FUNCTION(ort_call_registers, "	mov x16, x6\n"
			     "	mov x8, x0\n"
			     "	mov x0, x1\n"
			     "	mov x1, x2\n"
			     "	mov x2, x3\n"
			     "	mov x3, x4\n"
			     "	mov x4, x5\n"
			     "	br x16\n");

FUNCTION(ort_call_compute, "	mov x16, x3\n"
			   "	mov x8, x0\n"
			   "	mov x0, x1\n"
			   "	mov x1, x2\n"
			   "	br x16\n");
