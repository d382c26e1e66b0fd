/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of a thread by DWARF's numbers, and which of the kernel's samples they are. */
#ifndef CAPTURE_STACKS_STACK_REGISTERS_H
#define CAPTURE_STACKS_STACK_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/code/code_reader.h"

#if defined(__x86_64__)
enum { STACK_SP = 7, STACK_FP = 6, STACK_PERF_PC = 8, STACK_PERF_N = 17, STACK_HAS_LINK = 0, STACK_LINK = 16 };
#define STACK_PERF_MASK UINT64_C(0xff01ff)
/* by the order in which the kernel writes them: AX BX CX DX SI DI BP SP IP R8 ... */
static const uint8_t stack_perf_register[STACK_PERF_N] = { 0, 3, 2,  1,	 4,  5,	 6,  7, UINT8_MAX,
							   8, 9, 10, 11, 12, 13, 14, 15 };
#else
enum { STACK_SP = 31, STACK_FP = 29, STACK_PERF_PC = 32, STACK_PERF_N = 33, STACK_HAS_LINK = 1, STACK_LINK = 30 };
#define STACK_PERF_MASK UINT64_C(0x1ffffffff)
static const uint8_t stack_perf_register[STACK_PERF_N] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
							   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
							   22, 23, 24, 25, 26, 27, 28, 29, 30, 31, UINT8_MAX };
#endif

struct stack_registers {
	uint64_t value[CODE_REGISTERS], pc;
	uint64_t known; /* a bit each */
};

static inline bool stack_register(const struct stack_registers *registers, unsigned number, uint64_t *value)
{
	*value = registers->value[number];
	return registers->known >> number & 1;
}

static inline void stack_register_set(struct stack_registers *registers, unsigned number, uint64_t value)
{
	registers->value[number] = value;
	registers->known |= UINT64_C(1) << number;
}

#endif
