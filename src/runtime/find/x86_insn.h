/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes one instruction of x86-64: its length, its effect on the flow of control, and whether the kernel can emulate
 * it under a uprobe. Nothing else about it. No state, any thread.
 */
#ifndef RUNTIME_X86_INSN_H
#define RUNTIME_X86_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum x86_kind {
	X86_OTHER,
	X86_PUSH, /* of a register */
	X86_NOP,  /* one byte, 90 */
	X86_NOP_LONG,
	X86_JUMP,    /* relative */
	X86_JUMP_IF, /* relative; loop and jrcxz too */
	X86_CALL,    /* relative */
	X86_RETURN,
	X86_JUMP_INDIRECT, /* by register or memory */
	X86_CALL_INDIRECT,
	X86_ENDBR64,
	X86_TRAP, /* ud2, int3, hlt: execution does not pass them */
};

struct x86_insn {
	uint8_t size;	  /* 1 to 15 */
	uint8_t kind;	  /* enum x86_kind */
	bool is_emulated; /* by the kernel's uprobes, since 4.16: push, nop, jump, call */
	bool is_memory;	  /* *_INDIRECT: through [register + displacement], without index or rip */
	int32_t displacement;
	int64_t relative; /* JUMP, JUMP_IF, CALL: the target, from the end of the instruction */
};

/* False: not an instruction of 64-bit mode, or it does not end within the `size` bytes. */
bool x86_insn_decode(struct x86_insn *insn, const uint8_t *code, size_t size);

#endif
