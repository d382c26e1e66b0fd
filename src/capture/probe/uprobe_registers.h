/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a probe finds what it reads, for the BPF program alone: registers by their role, which differ by processor.
 *
 *   this, argument    of a method that returns a class: the object, and the first argument behind it
 *   this_plain        the same object in a destructor, which returns nothing
 *   behind_call       what the stack pointer is above its value at the entry once the function has returned; records
 *                     say 8 for every processor (uprobe_pair.c)
 */
#ifndef CAPTURE_PROBE_UPROBE_REGISTERS_H
#define CAPTURE_PROBE_UPROBE_REGISTERS_H

#include <asm/ptrace.h>
#include <linux/types.h>

#if defined(UPROBE_X86)
/* System V: a class is returned where rdi says, and so does rax behind the call, which pops the return address. */
#define REGISTER_THIS(hit) ((hit)->rsi)
#define REGISTER_THIS_PLAIN(hit) ((hit)->rdi)
#define REGISTER_ARGUMENT(hit) ((hit)->rdx)
#define REGISTER_STACK(hit) ((hit)->rsp)
#define REGISTER_RETURNED(hit) ((hit)->rax)
#define RETURNS_ADDRESS 1
#define BEHIND_CALL 8
#define CODE_ADDRESS(word) (word)
typedef struct pt_regs uprobe_registers;
#elif defined(UPROBE_ARM64)
/*
 * AAPCS64: a class is returned where x8 says, a register that calls do not keep. The return address is in x30; where
 * pointers are signed (PAC), that of a caller has other bits from bit 48 on in its frame.
 */
#define REGISTER_THIS(hit) ((hit)->regs[0])
#define REGISTER_THIS_PLAIN(hit) ((hit)->regs[0])
#define REGISTER_ARGUMENT(hit) ((hit)->regs[1])
#define REGISTER_STACK(hit) ((hit)->sp)
#define REGISTER_RESULT(hit) ((hit)->regs[8])
#define RETURNS_ADDRESS 0
#define BEHIND_CALL 0
#define CODE_ADDRESS(word) ((word) & 0xffffffffffffull)
typedef struct user_pt_regs uprobe_registers;
#else
#error "no registers of this processor"
#endif

#endif
