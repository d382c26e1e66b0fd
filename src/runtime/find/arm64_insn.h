/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises the few instructions of aarch64 that say something about the runtime. All have 4 bytes. */
#ifndef RUNTIME_ARM64_INSN_H
#define RUNTIME_ARM64_INSN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { ARM64_ZERO = 31 }; /* as the number of a register: its value is 0 */

/* The instruction at this place of some code. */
static inline uint32_t arm64_insn(const uint8_t *code, int number)
{
	uint32_t insn;

	memcpy(&insn, code + 4 * number, sizeof insn);
	return insn;
}

static inline bool arm64_is_return(uint32_t insn)
{
	return insn == 0xd65f03c0;
}

/* bti c, paciasp: landing pads of indirect calls. */
static inline bool arm64_is_pad(uint32_t insn)
{
	return insn == 0xd503245f || insn == 0xd503233f;
}

/* What does nothing, or only signs the return address. */
static inline bool arm64_is_hint(uint32_t insn)
{
	return (insn & 0xfffff01f) == 0xd503201f;
}

/* Fields of an instruction: its result, or what it stores; its first and its second register. */
static inline int arm64_target(uint32_t insn)
{
	return (int)(insn & 31);
}
static inline int arm64_first(uint32_t insn)
{
	return (int)(insn >> 5 & 31);
}
static inline int arm64_second(uint32_t insn)
{
	return (int)(insn >> 16 & 31);
}

/* adrp, and the address of its page; at: where it is. */
static inline bool arm64_is_page(uint32_t insn)
{
	return (insn & 0x9f000000) == 0x90000000;
}
static inline uint64_t arm64_page(uint32_t insn, uint64_t at)
{
	int64_t page = (int64_t)(insn >> 29 & 3) | (int64_t)(insn >> 5 & 0x7ffff) << 2;

	if (page >> 20)
		page -= 1 << 21;
	return (at & ~4095ull) + ((uint64_t)page << 12);
}

/* add of a number below 4096, and the number. */
static inline bool arm64_is_add(uint32_t insn)
{
	return (insn & 0xffc00000) == 0x91000000;
}
static inline uint32_t arm64_number(uint32_t insn)
{
	return insn >> 10 & 0xfff;
}

/* adrp and add of one register: the address that they make; 0: something else. at: address of the first. */
static inline uint64_t arm64_address(const uint8_t *code, int number, uint64_t at)
{
	uint32_t adrp = arm64_insn(code, number), add = arm64_insn(code, number + 1);

	if (!arm64_is_page(adrp) || !arm64_is_add(add) || arm64_first(add) != arm64_target(adrp) ||
	    arm64_target(add) != arm64_target(adrp))
		return 0;
	return arm64_page(adrp, at) + arm64_number(add);
}

#endif
