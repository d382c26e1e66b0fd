/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes one instruction of aarch64 as far as a place for a probe needs it: its effect on the flow of control, the
 * general registers that it may write, and what the kernel does with a uprobe on it. No state, any thread.
 */
#ifndef RUNTIME_ARM64_DECODE_H
#define RUNTIME_ARM64_DECODE_H

#include <stdbool.h>
#include <stdint.h>

enum arm64_kind {
	ARM64_OTHER,
	ARM64_JUMP,    /* relative */
	ARM64_JUMP_IF, /* relative: b.cond, cbz, tbz */
	ARM64_CALL,    /* relative */
	ARM64_RETURN,
	ARM64_JUMP_INDIRECT,
	ARM64_CALL_INDIRECT,
	ARM64_TRAP, /* brk, hlt: execution does not pass them */
};

enum { ARM64_SP = 31 }; /* its bit in `writes` */

struct arm64_decoded {
	uint8_t kind;	   /* enum arm64_kind */
	uint8_t address;   /* *_INDIRECT: the register with the target */
	bool is_emulated;  /* by the kernel's uprobes, since 4.10: branches, adr and adrp */
	bool is_rejected;  /* the kernel takes no probe on it */
	bool is_exclusive; /* a breakpoint between such a load and its store makes the store fail, again and again */
	uint32_t writes;   /* a bit for each register that it may change; all: not known */
	int32_t stack;	   /* what it adds to sp, if it only adds a constant; 0 with that bit of `writes`: not known */
	int64_t relative;  /* JUMP, JUMP_IF, CALL: the target, from the instruction */
};

/* False: no instruction that compilers write. */
bool arm64_decode(struct arm64_decoded *decoded, uint32_t insn);

#endif
