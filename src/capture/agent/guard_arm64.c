// SPDX-License-Identifier: Apache-2.0
/* One system call, by an instruction whose address is known: filters see it. */
#include "capture/agent/guard.h"

__asm__(".hidden guard_call\n"
	".hidden guard_called\n"
	".globl guard_call\n"
	".globl guard_called\n"
	".type guard_call,%function\n"
	".p2align 4\n"
	"guard_call:\n"
	"	mov x8, x0\n"
	"	mov x7, x1\n"
	"	ldp x0, x1, [x7]\n"
	"	ldp x2, x3, [x7, #16]\n"
	"	ldp x4, x5, [x7, #32]\n"
	"	svc #0\n"
	"guard_called:\n"
	"	ret\n"
	".size guard_call,.-guard_call\n");
