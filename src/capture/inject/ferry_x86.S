/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For x86-64: what is written into the target behind a struct ferry_head (event/ferry.h), and the head's place before it. Position
 * independent. Runs in the target only; here it is data.
 *
 * At ferry_trigger there is a piece of code for each slot. It stands in for a virtual function of at most six integer
 * arguments: the first call takes the phase from idle to claimed, starts a thread, and goes on to the original as every
 * other call does, with all registers, the
 * stack, the signal mask and errno as they were. ferry_thread is that thread: an ordinary one that takes no signals of
 * the program's and holds no lock; so dlopen is an ordinary call.
 *
 * A child forked inside that dlopen would have half of it done in its loader, for ever. So fork waits until it has
 * returned, and it waits until no fork is under way; for at most half a second, because a program that hangs would be
 * worse. Children of _fork and clone are not kept out of it.
 *
 * Offsets of the head and of struct ferry_state: inject_code.c asserts them.
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

	.section .rodata
	.globl ferry_begin, ferry_trigger, ferry_claim, ferry_end
	.hidden ferry_begin, ferry_trigger, ferry_claim, ferry_end
	.balign 16
ferry_begin:
	.skip HEAD

	.balign 16
ferry_trigger:
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7
	.balign 16
	endbr64
	call ferry_claim
	jmp *(ferry_begin + SLOT + 16 * \n + 8)(%rip)
	.endr

	.balign 16
ferry_claim:
	push %rbp
	mov %rsp, %rbp
	push %rdi
	push %rsi
	push %rdx
	push %rcx
	push %r8
	push %r9
	push %rax
	push %rbx
	mov (ferry_begin + STATE)(%rip), %rbx
	cmpl $0, (%rbx)
	jne 1f
	and $-16, %rsp
	call spawn
1:	lea -64(%rbp), %rsp
	pop %rbx
	pop %rax
	pop %r9
	pop %r8
	pop %rcx
	pop %rdx
	pop %rsi
	pop %rdi
	pop %rbp
	ret

/* rbx: the state. Keeps what calls keep. */
spawn:
	mov $186, %eax			/* gettid */
	syscall
	mov %rax, %rcx
	shl $32, %rcx
	or $1, %rcx
	xor %eax, %eax
	lock cmpxchg %rcx, (%rbx)	/* phase and thread */
	jne 3f
	push %r12
	push %r13
	sub $40, %rsp
	call *(ferry_begin + ERRNO_LOCATION)(%rip)
	mov %rax, %r12
	mov (%rax), %r13d
	movabs $0xfffffffe7fffffff, %rax	/* not 32 and 33: setuid() waits until every thread has taken them */
	mov %rax, (%rsp)
	mov $14, %eax			/* rt_sigprocmask(SIG_SETMASK, most, old, 8) */
	mov $2, %edi
	mov %rsp, %rsi
	lea 8(%rsp), %rdx
	mov $8, %r10d
	syscall
	lea 16(%rsp), %rdi
	xor %esi, %esi
	lea ferry_thread(%rip), %rdx
	xor %ecx, %ecx
	call *(ferry_begin + PTHREAD_CREATE)(%rip)
	test %eax, %eax
	je 2f
	mov %eax, STATE_CODE(%rbx)
	movl $2, (%rbx)
2:	mov $14, %eax
	mov $2, %edi
	lea 8(%rsp), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov %r13d, (%r12)
	add $40, %rsp
	pop %r13
	pop %r12
3:	ret

ferry_thread:
	endbr64
	push %rbx
	mov (ferry_begin + STATE)(%rip), %rbx
	mov $186, %eax
	syscall
	mov %eax, STATE_THREAD(%rbx)
	mov STATE_ENTRY(%rbx), %rax	/* loaded by an earlier one? */
	test %rax, %rax
	jne 4f
	call keep_forks_out
	lea (ferry_begin + AGENT)(%rip), %rdi
	mov $2, %esi			/* RTLD_NOW | RTLD_LOCAL */
	call *(ferry_begin + DLOPEN)(%rip)
	test %rax, %rax
	je 5f
	mov %rax, %rdi
	lea (ferry_begin + ENTRY)(%rip), %rsi
	call *(ferry_begin + DLSYM)(%rip)
	test %rax, %rax
	je 5f
	mov %rax, STATE_ENTRY(%rbx)
	movl $0, STATE_LOADING(%rbx)
4:	lea ferry_begin(%rip), %rdi
	call *%rax
	movl $3, (%rbx)
	jmp 9f
/* the loader's own words are gone with this thread: copied */
5:	movl $0, STATE_LOADING(%rbx)
	call *(ferry_begin + DLERROR)(%rip)
	test %rax, %rax
	je 8f
	lea STATE_ERROR(%rbx), %rdi
	mov $(ERROR_SIZE - 1), %ecx
6:	mov (%rax), %dl
	test %dl, %dl
	je 7f
	mov %dl, (%rdi)
	inc %rax
	inc %rdi
	dec %ecx
	jne 6b
7:	movb $0, (%rdi)
8:	movl $2, (%rbx)
9:	xor %eax, %eax
	pop %rbx
	ret

/* rbx: the state. */
keep_forks_out:
	sub $8, %rsp
	cmpl $0, STATE_KNOWN(%rbx)
	jne 1f
	lea before_fork(%rip), %rdi
	lea after_fork(%rip), %rsi
	lea in_child(%rip), %rdx
	xor %ecx, %ecx
	call *(ferry_begin + REGISTER_ATFORK)(%rip)
	movl $1, STATE_KNOWN(%rbx)
	mov $UNDER_WAY_NS, %eax
	call pause
1:	mov $1, %eax
	xchg %eax, STATE_LOADING(%rbx)
	mov $PAUSES, %r8d
2:	cmpl $0, STATE_FORKS(%rbx)
	je 3f
	mov $PAUSE_NS, %eax
	call pause
	dec %r8d
	jne 2b
3:	add $8, %rsp
	ret

before_fork:
	endbr64
	push %rbx
	mov (ferry_begin + STATE)(%rip), %rbx
	mov $PAUSES, %r8d
1:	lock incl STATE_FORKS(%rbx)
	cmpl $1, STATE_LOADING(%rbx)
	jne 2f
	dec %r8d
	je 2f
	lock decl STATE_FORKS(%rbx)
	mov $PAUSE_NS, %eax
	call pause
	jmp 1b
2:	pop %rbx
	ret

after_fork:
	endbr64
	mov (ferry_begin + STATE)(%rip), %rax
	lock decl STATE_FORKS(%rax)
	ret

in_child:
	endbr64
	mov (ferry_begin + STATE)(%rip), %rax
	movl $0, STATE_FORKS(%rax)
	cmpl $1, STATE_LOADING(%rax)	/* under way: half done for ever */
	jne 1f
	movl $2, STATE_LOADING(%rax)
1:	ret

/* eax: nanoseconds. Keeps r8. */
pause:
	push %rax
	push $0
	mov %rsp, %rdi
	xor %esi, %esi
	mov $35, %eax			/* nanosleep */
	syscall
	add $16, %rsp
	ret
ferry_end:
	.section .note.GNU-stack,"",@progbits
