// SPDX-License-Identifier: Apache-2.0
/*
 * Below the stack pointer nothing is kept on aarch64. What must be is in registers, which the kernel saves and gives
 * back at each probe: one is stepped out of line, as at most entries, the others are emulated.
 */
#include "capture/probe/uprobe_trial_in.h"

extern const char uprobe_trial_page[], uprobe_trial_jump[], uprobe_trial_branch[];

const void *const uprobe_trial_sites[] = { uprobe_trial_function, uprobe_trial_page, uprobe_trial_jump,
					   uprobe_trial_branch };

__asm__(".text\n"
	".globl uprobe_trial_function, uprobe_trial_page, uprobe_trial_jump, uprobe_trial_branch\n"
	".hidden uprobe_trial_function, uprobe_trial_page, uprobe_trial_jump, uprobe_trial_branch\n"
	".type uprobe_trial_function, %function\n"
	"uprobe_trial_function:\n"
	"	stp x29, x30, [sp, #-32]!\n"
	"	mov x29, sp\n"
	"	stp x19, x20, [sp, #16]\n"
	"	mov x19, #0x5a17\n"
	"	movk x19, #0xc0de, lsl #16\n"
	"	.irp reg, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20\n"
	"	mov x\\reg, x19\n"
	"	.endr\n"
	"	mov w0, #0\n"
	"	mov x17, sp\n"
	"uprobe_trial_page:\n"
	"	adrp x16, uprobe_trial_function\n"
	"uprobe_trial_jump:\n"
	"	b 1f\n"
	"	brk #0\n"
	"1:	cmp w0, #0\n"
	"uprobe_trial_branch:\n"
	"	b.eq 2f\n"
	"	brk #0\n"
	"2:	.irp reg, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20\n"
	"	cmp x\\reg, x19\n"
	"	cinc w0, w0, ne\n"
	"	.endr\n"
	"	mov x1, sp\n"
	"	cmp x1, x17\n"
	"	cinc w0, w0, ne\n"
	"	add x16, x16, :lo12:uprobe_trial_function\n"
	"	adr x1, uprobe_trial_function\n"
	"	cmp x1, x16\n"
	"	cinc w0, w0, ne\n"
	"	ldp x19, x20, [sp, #16]\n"
	"	ldp x29, x30, [sp], #32\n"
	"	ret\n"
	".size uprobe_trial_function, .-uprobe_trial_function\n");
