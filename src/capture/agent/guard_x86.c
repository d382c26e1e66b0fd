// SPDX-License-Identifier: Apache-2.0
/* One system call, by an instruction whose address is known: filters see it. */
#include "capture/agent/guard.h"

__asm__(".hidden guard_call\n"
	".hidden guard_called\n"
	".globl guard_call\n"
	".globl guard_called\n"
	".type guard_call,@function\n"
	"guard_call:\n"
	"	mov %rdi, %rax\n"
	"	mov 40(%rsi), %r9\n"
	"	mov 32(%rsi), %r8\n"
	"	mov 24(%rsi), %r10\n"
	"	mov 16(%rsi), %rdx\n"
	"	mov (%rsi), %rdi\n"
	"	mov 8(%rsi), %rsi\n"
	"	syscall\n"
	"guard_called:\n"
	"	ret\n"
	".size guard_call,.-guard_call\n");
