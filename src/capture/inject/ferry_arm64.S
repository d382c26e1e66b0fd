/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For aarch64: what ferry_x86.S is for x86-64; what it does and why is written there. The trigger keeps x0 to x8 (x8: where
 * the original puts a class that it returns), x30 and what calls keep; callers expect no more. It begins with bti c and
 * goes on by x16, so that it can stand in for any function of a guarded page; nothing in it is signed. Uses no
 * instruction that came after ARMv8.0.
 *
 * x19: the state, in all but the trigger's callers.
 */
#define STATE 8
#define PTHREAD_CREATE 16
#define DLOPEN 24
#define DLSYM 32
#define DLERROR 40
#define ERRNO_LOCATION 48
#define REGISTER_ATFORK 56
#define ENTRY 120
#define AGENT 208
#define SLOT 400
#define HEAD 528
#define STATE_THREAD 4
#define STATE_ENTRY 8
#define STATE_FORKS 16
#define STATE_LOADING 20
#define STATE_KNOWN 24
#define STATE_CODE 28
#define STATE_ERROR 32
#define ERROR_SIZE 120
#define PAUSE_NS 100000
#define PAUSES 5000		/* half a second */
#define UNDER_WAY_NS 5000000	/* for a fork that began before it knew of us */
#define SYS_nanosleep 101
#define SYS_rt_sigprocmask 135
#define SYS_gettid 178

	/* A word of the head, which is within a megabyte. */
	.macro from_head reg, offset
	ldr \reg, .Lbegin + \offset
	.endm
	.macro call offset
	from_head x16, \offset
	blr x16
	.endm
	.macro system number
	mov x8, #\number
	svc #0
	.endm

	.section .rodata
	.globl ferry_begin, ferry_trigger, ferry_claim, ferry_end
	.hidden ferry_begin, ferry_trigger, ferry_claim, ferry_end
	.balign 16
ferry_begin:
.Lbegin:	/* local: nothing is left for the linker */
	.skip HEAD

	.balign 32
ferry_trigger:
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7
	.balign 32
	bti c
	stp x29, x30, [sp, #-96]!
	mov x29, sp
	bl ferry_claim
	ldp x29, x30, [sp], #96
	from_head x16, SLOT + 16 * \n + 8
	br x16
	.endr

	.balign 32
ferry_claim:	/* in the frame of its caller */
	sub sp, sp, #16
	str x30, [sp]
	stp x8, x19, [sp, #32]
	from_head x19, STATE
	ldr w16, [x19]
	cbnz w16, 1f
	stp x0, x1, [sp, #48]
	stp x2, x3, [sp, #64]
	stp x4, x5, [sp, #80]
	stp x6, x7, [sp, #96]
	bl spawn
	ldp x0, x1, [sp, #48]
	ldp x2, x3, [sp, #64]
	ldp x4, x5, [sp, #80]
	ldp x6, x7, [sp, #96]
1:	ldp x8, x19, [sp, #32]
	ldr x30, [sp], #16
	ret

spawn:
	stp x29, x30, [sp, #-64]!
	mov x29, sp
	stp x20, x21, [sp, #16]
	system SYS_gettid
	lsl x9, x0, #32
	orr x9, x9, #1
1:	ldaxr x10, [x19]		/* phase and thread */
	cbnz x10, 3f
	stlxr w11, x9, [x19]
	cbnz w11, 1b
	call ERRNO_LOCATION
	mov x20, x0
	ldr w21, [x0]
	mov x9, #0xfffffffe7fffffff	/* not 32 and 33: setuid() waits until every thread has taken them */
	str x9, [sp, #32]
	add x1, sp, #32
	add x2, sp, #40
	bl set_mask
	add x0, sp, #48
	mov x1, #0
	adr x2, ferry_thread
	mov x3, #0
	call PTHREAD_CREATE
	cbz w0, 2f
	str w0, [x19, #STATE_CODE]
	mov w9, #2
	stlr w9, [x19]
2:	add x1, sp, #40
	mov x2, #0
	bl set_mask
	str w21, [x20]
3:	clrex
	ldp x20, x21, [sp, #16]
	ldp x29, x30, [sp], #64
	ret

/* x1: the mask; x2: where the old one goes, or 0. */
set_mask:
	mov x0, #2			/* SIG_SETMASK */
	mov x3, #8
	system SYS_rt_sigprocmask
	ret

ferry_thread:
	bti c
	stp x29, x30, [sp, #-32]!
	mov x29, sp
	str x19, [sp, #16]
	from_head x19, STATE
	system SYS_gettid
	str w0, [x19, #STATE_THREAD]
	ldr x16, [x19, #STATE_ENTRY]	/* loaded by an earlier one? */
	cbnz x16, 4f
	bl keep_forks_out
	adr x0, .Lbegin + AGENT
	mov w1, #2			/* RTLD_NOW | RTLD_LOCAL */
	call DLOPEN
	cbz x0, 5f
	adr x1, .Lbegin + ENTRY
	call DLSYM
	cbz x0, 5f
	mov x16, x0
	str x0, [x19, #STATE_ENTRY]
	add x9, x19, #STATE_LOADING
	stlr wzr, [x9]
4:	adr x0, .Lbegin
	blr x16
	mov w9, #3
	b 9f
/* the loader's own words are gone with this thread: copied */
5:	add x9, x19, #STATE_LOADING
	stlr wzr, [x9]
	call DLERROR
	cbz x0, 8f
	add x9, x19, #STATE_ERROR
	mov w10, #(ERROR_SIZE - 1)
6:	ldrb w11, [x0], #1
	cbz w11, 7f
	strb w11, [x9], #1
	subs w10, w10, #1
	b.ne 6b
7:	strb wzr, [x9]
8:	mov w9, #2
9:	stlr w9, [x19]
	mov x0, #0
	ldr x19, [sp, #16]
	ldp x29, x30, [sp], #32
	ret

keep_forks_out:
	stp x29, x30, [sp, #-32]!
	mov x29, sp
	str x20, [sp, #16]
	ldr w9, [x19, #STATE_KNOWN]
	cbnz w9, 1f
	adr x0, before_fork
	adr x1, after_fork
	adr x2, in_child
	mov x3, #0
	call REGISTER_ATFORK
	mov w9, #1
	str w9, [x19, #STATE_KNOWN]
	mov w0, #(UNDER_WAY_NS & 0xffff)
	movk w0, #(UNDER_WAY_NS >> 16), lsl #16
	bl pause
1:	mov w9, #1
	add x10, x19, #STATE_LOADING
	stlr w9, [x10]
	dmb ish				/* whoever does not see it is seen */
	mov w20, #PAUSES
	add x10, x19, #STATE_FORKS
2:	ldar w9, [x10]
	cbz w9, 3f
	bl pause_briefly
	subs w20, w20, #1
	b.ne 2b
3:	ldr x20, [sp, #16]
	ldp x29, x30, [sp], #32
	ret

before_fork:
	bti c
	stp x29, x30, [sp, #-32]!
	mov x29, sp
	stp x19, x20, [sp, #16]
	from_head x19, STATE
	mov w20, #PAUSES
	add x10, x19, #STATE_FORKS
1:	mov w9, #1
	bl add_forks
	ldr w9, [x19, #STATE_LOADING]
	cmp w9, #1
	b.ne 2f
	subs w20, w20, #1
	b.eq 2f
	mov w9, #-1
	bl add_forks
	bl pause_briefly
	b 1b
2:	ldp x19, x20, [sp, #16]
	ldp x29, x30, [sp], #32
	ret

after_fork:
	bti c
	from_head x10, STATE
	add x10, x10, #STATE_FORKS
	mov w9, #-1
/* x10: the forks under way, w9: how many more. Orders all before it before all behind it. */
add_forks:
	ldaxr w11, [x10]
	add w11, w11, w9
	stlxr w12, w11, [x10]
	cbnz w12, add_forks
	dmb ish
	ret

in_child:
	bti c
	from_head x10, STATE
	str wzr, [x10, #STATE_FORKS]
	ldr w9, [x10, #STATE_LOADING]
	cmp w9, #1			/* under way: half done for ever */
	b.ne 1f
	mov w9, #2
	str w9, [x10, #STATE_LOADING]
1:	ret

/* Keeps x10, as system calls do. w0: nanoseconds. */
pause_briefly:
	mov w0, #(PAUSE_NS & 0xffff)
	movk w0, #(PAUSE_NS >> 16), lsl #16
pause:
	stp xzr, x0, [sp, #-16]!
	mov x0, sp
	mov x1, #0
	system SYS_nanosleep
	add sp, sp, #16
	ret
ferry_end:
	.section .note.GNU-stack,"",@progbits
