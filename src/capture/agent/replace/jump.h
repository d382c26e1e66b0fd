/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that end in a jump to the real one, which must find its caller's return address: C cannot promise that.
 * Each macro defines a function `name` of two arguments; the caller of the macro declares it.
 *
 *   JUMP_UNLESS_FOUND   calls first(a, b) and returns its result, if that is not NULL; else jumps to *real
 *   JUMP_UNLESS_DONE    the same, if the second word of its result is not 0
 *   JUMP_AFTER          calls first(a, b), then jumps to *real
 *   JUMP_BY_NUMBER      jumps to `special` if its first argument is one of two numbers, else to *real; `alias` is
 *                       another name of it
 *
 * first, special and *real have hidden names.
 */
#ifndef CAPTURE_AGENT_JUMP_H
#define CAPTURE_AGENT_JUMP_H

/* Numbers may be macros. */
#define JUMP_BY_NUMBER(name, alias, number, other, special, real) \
	JUMP_BY_NUMBER_(name, alias, number, other, special, real)

#if defined(__x86_64__)
#define JUMP_FUNCTION(name) ".globl " #name "\n.type " #name ",@function\n" #name ":\n	endbr64\n"
#define JUMP_CALL(first) \
	"	push %rdi\n" \
	"	push %rsi\n" \
	"	sub $8, %rsp\n" \
	"	call " #first "\n" \
	"	add $8, %rsp\n" \
	"	pop %rsi\n" \
	"	pop %rdi\n"
#define JUMP_UNLESS_FOUND(name, first, real) \
	__asm__(JUMP_FUNCTION(name) JUMP_CALL(first) "	test %rax, %rax\n" \
						     "	jnz 1f\n" \
						     "	jmp *" #real "(%rip)\n" \
						     "1:	ret\n" \
						     ".size " #name ",.-" #name "\n")
#define JUMP_UNLESS_DONE(name, first, real) \
	__asm__(JUMP_FUNCTION(name) JUMP_CALL(first) "	test %rdx, %rdx\n" \
						     "	jz 1f\n" \
						     "	ret\n" \
						     "1:	jmp *" #real "(%rip)\n" \
						     ".size " #name ",.-" #name "\n")
#define JUMP_AFTER(name, first, real) \
	__asm__(JUMP_FUNCTION(name) JUMP_CALL(first) "	jmp *" #real "(%rip)\n" \
						     ".size " #name ",.-" #name "\n")
#define JUMP_BY_NUMBER_(name, alias, number, other, special, real) \
	__asm__(".globl " #alias "\n.set " #alias ", " #name "\n" JUMP_FUNCTION(name) "	cmp $" #number ", %edi\n" \
										      "	je 1f\n" \
										      "	cmp $" #other ", %edi\n" \
										      "	je 1f\n" \
										      "	jmp *" #real "(%rip)\n" \
										      "1:	jmp " #special "\n" \
										      ".size " #name ",.-" #name "\n")
#elif defined(__aarch64__)
/* "hint #34" is a landing pad (bti c), which does nothing on older processors; a jump by x16 may land on one. */
#define JUMP_FUNCTION(name) ".globl " #name "\n.type " #name ",%function\n.p2align 4\n" #name ":\n	hint #34\n"
#define JUMP_CALL(first) \
	"	stp x29, x30, [sp, #-32]!\n" \
	"	mov x29, sp\n" \
	"	stp x0, x1, [sp, #16]\n" \
	"	bl " #first "\n"
#define JUMP_TO(real) \
	"	adrp x16, " #real "\n" \
	"	ldr x16, [x16, #:lo12:" #real "]\n" \
	"	br x16\n"
#define JUMP_BACK(real) \
	"	ldp x0, x1, [sp, #16]\n" \
	"	ldp x29, x30, [sp], #32\n" JUMP_TO(real)
#define JUMP_UNLESS_FOUND(name, first, real) \
	__asm__(JUMP_FUNCTION(name) \
		    JUMP_CALL(first) "	cbnz x0, 1f\n" JUMP_BACK(real) "1:	ldp x29, x30, [sp], #32\n" \
								       "	ret\n" \
								       ".size " #name ",.-" #name "\n")
#define JUMP_UNLESS_DONE(name, first, real) \
	__asm__(JUMP_FUNCTION(name) \
		    JUMP_CALL(first) "	cbnz x1, 1f\n" JUMP_BACK(real) "1:	ldp x29, x30, [sp], #32\n" \
								       "	ret\n" \
								       ".size " #name ",.-" #name "\n")
#define JUMP_AFTER(name, first, real) \
	__asm__(JUMP_FUNCTION(name) JUMP_CALL(first) JUMP_BACK(real) ".size " #name ",.-" #name "\n")
#define JUMP_BY_NUMBER_(name, alias, number, other, special, real) \
	__asm__(".globl " #alias "\n.set " #alias ", " #name \
		"\n" JUMP_FUNCTION(name) "	cmp w0, #" #number "\n" \
					 "	b.eq 1f\n" \
					 "	cmp w0, #" #other "\n" \
					 "	b.eq 1f\n" JUMP_TO(real) "1:	b " #special "\n" \
									 ".size " #name ",.-" #name "\n")
#endif

#endif
