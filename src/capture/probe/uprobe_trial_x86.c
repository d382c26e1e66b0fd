// SPDX-License-Identifier: Apache-2.0
/*
 * Fills the red zone, the 16 words below its stack pointer. The instructions are those that the kernel emulates and
 * that do not touch the stack themselves; the first one is a push, as at entries.
 */
#include "capture/probe/uprobe_trial_in.h"

extern const char uprobe_trial_nop[], uprobe_trial_jump[], uprobe_trial_branch[];

const void *const uprobe_trial_sites[] = { uprobe_trial_function, uprobe_trial_nop, uprobe_trial_jump,
					   uprobe_trial_branch };

__asm__(".text\n"
	".globl uprobe_trial_function, uprobe_trial_nop, uprobe_trial_jump, uprobe_trial_branch\n"
	".hidden uprobe_trial_function, uprobe_trial_nop, uprobe_trial_jump, uprobe_trial_branch\n"
	".type uprobe_trial_function, @function\n"
	"uprobe_trial_function:\n"
	"	push %rbx\n"
	"	movabs $0x5a17c0de5a17c0de, %rdx\n"
	"	.set at, -128\n"
	"	.rept 16\n"
	"	mov %rdx, at(%rsp)\n"
	"	.set at, at + 8\n"
	"	.endr\n"
	"	xor %eax, %eax\n"
	"uprobe_trial_nop:\n"
	"	nop\n"
	"uprobe_trial_jump:\n"
	"	jmp 1f\n"
	"1:	cmp %eax, %eax\n"
	"uprobe_trial_branch:\n"
	"	je 2f\n"
	"2:	.set at, -128\n"
	"	.rept 16\n"
	"	xor %ecx, %ecx\n"
	"	cmp %rdx, at(%rsp)\n"
	"	setne %cl\n"
	"	add %ecx, %eax\n"
	"	.set at, at + 8\n"
	"	.endr\n"
	"	pop %rbx\n"
	"	ret\n"
	".size uprobe_trial_function, .-uprobe_trial_function\n");
