// SPDX-License-Identifier: Apache-2.0
/*
 * Goes by the groups of the Arm Architecture Reference Manual, chapter C4. What it does not know in a group writes all
 * registers, so that no place behind it is chosen: SVE, memory tags, most of what only the system uses.
 */
#include "runtime/find/arm64_decode.h"

#include "runtime/find/arm64_insn.h"

#define ALL_REGISTERS 0xffffffffu

/* A field of the instruction, sign-extended. */
static int64_t signed_field(uint32_t insn, int low, int size)
{
	return (int64_t)((uint64_t)insn << (64 - low - size)) >> (64 - size);
}

static uint32_t bit_of(int reg)
{
	return reg == ARM64_ZERO ? 0 : 1u << reg;
}

/* The same where 31 is sp. */
static uint32_t bit_or_sp(int reg)
{
	return 1u << reg;
}

/* Branches, exceptions, system. */
static bool decode_branch(struct arm64_decoded *to, uint32_t insn)
{
	static const uint8_t by_register[] = { ARM64_JUMP_INDIRECT, ARM64_CALL_INDIRECT, ARM64_RETURN };

	if ((insn & 0x7c000000) == 0x14000000) { /* b, bl */
		to->kind = insn >> 31 ? ARM64_CALL : ARM64_JUMP;
		to->relative = 4 * signed_field(insn, 0, 26);
	} else if ((insn & 0xff000000) == 0x54000000 || (insn & 0x7e000000) == 0x34000000) { /* b.cond, cbz, cbnz */
		to->kind = ARM64_JUMP_IF;
		to->relative = 4 * signed_field(insn, 5, 19);
	} else if ((insn & 0x7e000000) == 0x36000000) { /* tbz, tbnz */
		to->kind = ARM64_JUMP_IF;
		to->relative = 4 * signed_field(insn, 5, 14);
	} else if ((insn & 0xfe000000) == 0xd6000000) { /* br, blr, ret; with authentication: not emulated */
		uint32_t operation = insn >> 21 & 7;
		if (operation > 2)
			return false;
		to->kind = by_register[operation];
		to->address = (uint8_t)arm64_first(insn);
		to->is_rejected = (insn & 0x011ffc1f) != 0x001f0000;
	} else {
		return false;
	}
	to->is_emulated = !to->is_rejected;
	to->writes = to->kind == ARM64_CALL || to->kind == ARM64_CALL_INDIRECT ? ALL_REGISTERS : 0;
	return true;
}

static bool decode_system(struct arm64_decoded *to, uint32_t insn)
{
	if (arm64_is_hint(insn)) {
		/* nop; bti; paciasp, pacibsp */
		to->is_rejected =
		    insn != 0xd503201f && (insn & 0xffffff3f) != 0xd503241f && (insn & 0xffffffbf) != 0xd503233f;
	} else if ((insn & 0xff000000) == 0xd4000000) { /* svc, brk, hlt ... */
		to->is_rejected = true;
		to->kind =
		    (insn & 0xffe0001f) == 0xd4200000 || (insn & 0xffe0001f) == 0xd4400000 ? ARM64_TRAP : ARM64_OTHER;
		to->writes = ALL_REGISTERS;
	} else if ((insn & 0xfff00000) == 0xd5300000) { /* mrs */
		to->writes = bit_of(arm64_target(insn));
	} else if ((insn & 0xfffff000) != 0xd5033000) { /* barriers write nothing */
		to->is_rejected = true;
		to->writes = ALL_REGISTERS;
	}
	return (insn & 0xfe000000) == 0xd4000000;
}

/* Data processing with a constant. */
static bool decode_constant(struct arm64_decoded *to, uint32_t insn)
{
	int target = arm64_target(insn), first = arm64_first(insn);
	bool sets_flags = insn >> 29 & 1;
	uint32_t group = insn >> 23 & 7;

	if (group <= 1) { /* adr, adrp */
		to->is_emulated = true;
		to->writes = bit_of(target);
	} else if (group == 2) { /* add, sub */
		int32_t number = (int32_t)(insn >> 10 & 0xfff) << (insn >> 22 & 1 ? 12 : 0);
		to->writes = sets_flags ? bit_of(target) : bit_or_sp(target);
		if (!sets_flags && target == ARM64_SP && first == ARM64_SP)
			to->stack = insn >> 30 & 1 ? -number : number;
	} else if (group == 3) { /* with tags */
		to->writes = ALL_REGISTERS;
	} else if (group == 4) { /* and, orr, eor, ands */
		to->writes = (insn >> 29 & 3) == 3 ? bit_of(target) : bit_or_sp(target);
	} else { /* moves, bit fields, extracts */
		to->writes = bit_of(target);
	}
	return true;
}

static bool decode_registers(struct arm64_decoded *to, uint32_t insn)
{
	int target = arm64_target(insn);

	if ((insn & 0x1fe00000) == 0x1a400000) /* ccmp, ccmn */
		return true;
	if ((insn & 0x1f200000) == 0x0b200000 && !(insn >> 29 & 1)) /* add, sub of an extended register */
		to->writes = bit_or_sp(target);
	else
		to->writes = bit_of(target);
	return true;
}

/* Floating point and SIMD: few write a general register. */
static bool decode_vector(struct arm64_decoded *to, uint32_t insn)
{
	if ((insn & 0x5f20fc00) == 0x1e200000 || (insn & 0xbfe0ec00) == 0x0e002c00)
		to->writes = bit_of(arm64_target(insn));
	return true;
}

/* The base register is changed, too. */
static void write_back(struct arm64_decoded *to, uint32_t insn, int32_t number)
{
	int base = arm64_first(insn);

	to->writes |= bit_or_sp(base);
	if (base == ARM64_SP)
		to->stack = number;
}

static bool decode_pair(struct arm64_decoded *to, uint32_t insn, bool is_vector)
{
	static const int scales[2][4] = { { 2, 2, 3, 0 }, { 2, 3, 4, 0 } };
	int scale = scales[is_vector][insn >> 30];
	bool is_load = insn >> 22 & 1, changes_base = insn >> 23 & 1;

	if (!scale)
		return false;
	if (is_load && !is_vector)
		to->writes = bit_of(arm64_target(insn)) | bit_of((int)(insn >> 10 & 31));
	if (changes_base)
		write_back(to, insn, (int32_t)signed_field(insn, 15, 7) * (1 << scale));
	return true;
}

static bool decode_single(struct arm64_decoded *to, uint32_t insn, bool is_vector)
{
	bool is_load = insn >> 22 & 3, has_short = !(insn >> 24 & 1) && !(insn >> 21 & 1);

	if (is_load && !is_vector)
		to->writes = bit_of(arm64_target(insn));
	if (insn >> 24 & 1) /* a constant that is not negative */
		return true;
	if (has_short && (insn >> 10 & 1)) /* before or behind */
		write_back(to, insn, (int32_t)signed_field(insn, 12, 9));
	else if (!has_short && (insn >> 10 & 3) != 2) /* atomic, or with authentication */
		to->writes = ALL_REGISTERS;
	return true;
}

static bool decode_memory(struct arm64_decoded *to, uint32_t insn)
{
	bool is_vector = insn >> 26 & 1;

	switch (insn >> 28 & 3) {
	case 0:
		if (!is_vector) { /* exclusive, and ordered */
			to->is_exclusive = to->is_rejected = true;
			to->writes = ALL_REGISTERS;
		} else if (insn >> 23 & 1) { /* several vectors */
			write_back(to, insn, 0);
		}
		return true;
	case 1: /* relative to the instruction */
		to->is_rejected = true;
		to->writes = insn >> 24 & 1 ? ALL_REGISTERS : is_vector ? 0 : bit_of(arm64_target(insn));
		return true;
	case 2:
		return decode_pair(to, insn, is_vector);
	default:
		return decode_single(to, insn, is_vector);
	}
}

bool arm64_decode(struct arm64_decoded *decoded, uint32_t insn)
{
	*decoded = (struct arm64_decoded){ .kind = ARM64_OTHER };
	switch (insn >> 25 & 15) {
	case 0: /* what is no instruction has nothing but zeroes here */
		return false;
	case 2: /* SVE */
		decoded->writes = ALL_REGISTERS;
		return true;
	case 8:
	case 9:
		return decode_constant(decoded, insn);
	case 10:
	case 11:
		return decode_branch(decoded, insn) || decode_system(decoded, insn);
	case 5:
	case 13:
		return decode_registers(decoded, insn);
	case 7:
	case 15:
		return decode_vector(decoded, insn);
	case 4:
	case 6:
	case 12:
	case 14:
		return decode_memory(decoded, insn);
	default:
		return false;
	}
}
