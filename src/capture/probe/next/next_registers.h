/* SPDX-License-Identifier: Apache-2.0 */
/* Where a stopped thread is, by its registers. */
#ifndef CAPTURE_PROBE_NEXT_REGISTERS_H
#define CAPTURE_PROBE_NEXT_REGISTERS_H

#include <stdint.h>
#include <sys/user.h>

#if defined(__x86_64__)
static inline uint64_t next_registers_address(const struct user_regs_struct *regs)
{
	return regs->rip;
}

/* The number of the system call that it is in. */
static inline uint64_t next_registers_call(const struct user_regs_struct *regs)
{
	return regs->orig_rax;
}
#elif defined(__aarch64__)
static inline uint64_t next_registers_address(const struct user_regs_struct *regs)
{
	return regs->pc;
}

static inline uint64_t next_registers_call(const struct user_regs_struct *regs)
{
	return regs->regs[8];
}
#endif

#endif
