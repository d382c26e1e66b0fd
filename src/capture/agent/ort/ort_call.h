/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How hooks call on, and are called, where a function returns a class.
 *
 * x86-64: the address of the class is a hidden first argument, before `this`. Hooks see it as an argument.
 *
 * aarch64: the address is in x8, which no C function can see, and `this` is the first argument. A stub in the virtual
 * table makes x8 the first argument and shifts the others, so that hooks see the same as on x86-64; another one does
 * the reverse before the original (ort_call_arm64.c). Seven register words are passed on, `this` included, and the
 * stack.
 *
 * Functions that return nothing or a word need none of this.
 */
#ifndef CAPTURE_AGENT_ORT_CALL_H
#define CAPTURE_AGENT_ORT_CALL_H

#include "capture/agent/ort/ort_in.h"

typedef word ort_registers_function(ORT_REGISTERS);
typedef word ort_compute_function(word result, word self, word context);

/* Hooks for functions that return a class: F(family, hook). Compute is another one. */
#define ORT_CLASS_HOOKS(F) \
	F(PREPACK, prepack) \
	F(SHARE_PACKED, share_packed) \
	F(RUN_START, run_start) \
	F(RUN_END, run_end) \
	F(GET_CAPABILITY, capability) \
	F(KERNEL_REGISTRY, kernel_registry) \
	F(COMPILE, compile) \
	F(SESSION_READY, session_ready) \
	F(TRANSFORM, transform) \
	F(PREDEFINED_TRANSFORMERS, predefined_transformers) \
	F(WEIGHTS, weights) \
	F(WEIGHT, weight) \
	F(KERNEL_TYPES, kernel_types)

/*
 * Calls the original from such a hook, with all of the hook's arguments. ORT_CALL: of a hook with ORT_ARGS;
 * ORT_CALL_REGISTERS: with ORT_REGISTERS.
 */
#if defined(__x86_64__)
#define ORT_CALL(next) (next)(ORT_PASS)
#define ORT_CALL_REGISTERS(next) ((ort_registers_function *)(word)(next))(a, b, c, d, e, f)
#define ORT_CALL_COMPUTE(next, result, self, context) ((ort_compute_function *)(word)(next))(result, self, context)

/* What stands in the virtual table for this hook. */
static inline void *ort_call_entry(unsigned family, void *hook)
{
	return hook;
}

/*
 * Where the calling hook keeps the registers of its own caller, followed by the caller's stack: five registers are
 * pushed below the frame's address.
 */
#define ORT_SAVED() (__builtin_unwind_init(), (word)__builtin_frame_address(0) - 5 * sizeof(word))
#else
word ort_call(ORT_ARGS, word next) __attribute__((visibility("hidden")));
word ort_call_registers(ORT_REGISTERS, word next) __attribute__((visibility("hidden")));
word ort_call_compute(word result, word self, word context, word next) __attribute__((visibility("hidden")));
#define ORT_CALL(next) ort_call(ORT_PASS, (word)(next))
#define ORT_CALL_REGISTERS(next) ort_call_registers(a, b, c, d, e, f, (word)(next))
#define ORT_CALL_COMPUTE(next, result, self, context) ort_call_compute(result, self, context, (word)(next))

void *ort_call_entry(unsigned family, void *hook);

/* The same on aarch64: registers are stored above the frame's address, behind x29 and x30. */
#define ORT_SAVED() (__builtin_unwind_init(), (word)__builtin_frame_address(0) + 2 * sizeof(word))
#endif

#endif
