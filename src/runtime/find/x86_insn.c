// SPDX-License-Identifier: Apache-2.0
/*
 * Finds an instruction's length by the opcode maps of the Intel manual, volume 2, appendix A: one letter per opcode.
 *
 *   .  nothing follows           m  ModRM                 p  a prefix
 *   b  one byte                  B  ModRM, one byte       e  leads to another map, or VEX, EVEX
 *   w  two bytes                 Z  ModRM, operand size   x  none in 64-bit mode
 *   z  operand size: 4, 2 (66)   f  F6, F7: an immediate in two of the eight
 *   d  4, whatever the prefixes  v  8 with REX.W          a  8, 4 with prefix 67
 *   3  three bytes (enter)
 *
 * AMD's XOP and 3DNow! and Intel's APX are not supported: such code is rejected, never measured wrongly.
 */
#include "runtime/find/x86_insn.h"

#include <string.h>

static const char one_byte[] = "mmmmbzxxmmmmbzxe" /* 00 */ "mmmmbzxxmmmmbzxx" /* 10 */ "mmmmbzpxmmmmbzpx" /* 20 */
			       "mmmmbzpxmmmmbzpx" /* 30 */ "................" /* 40 */ "................" /* 50 */
			       "xxemppppzZbB...." /* 60 */ "bbbbbbbbbbbbbbbb" /* 70 */ "BZxBmmmmmmmmmmmm" /* 80 */
			       "..........x....." /* 90 */ "aaaa....bz......" /* a0 */ "bbbbbbbbvvvvvvvv" /* b0 */
			       "BBw.eeBZ3.w..bx." /* c0 */ "mmmmxxx.mmmmmmmm" /* d0 */ "bbbbbbbbddxb...." /* e0 */
			       "p.pp..ff......mm" /* f0 */;

static const char two_byte[] = "mmmmx.....x.xmxx" /* 00 */ "mmmmmmmmmmmmmmmm" /* 10 */ "mmmmxxxxmmmmmmmm" /* 20 */
			       "........exexxxxx" /* 30 */ "mmmmmmmmmmmmmmmm" /* 40 */ "mmmmmmmmmmmmmmmm" /* 50 */
			       "mmmmmmmmmmmmmmmm" /* 60 */ "BBBBmmm.mmxxmmmm" /* 70 */ "dddddddddddddddd" /* 80 */
			       "mmmmmmmmmmmmmmmm" /* 90 */ "...mBmxx...mBmmm" /* a0 */ "mmmmmmmmmmBmmmmm" /* b0 */
			       "mmBmBBBm........" /* c0 */ "mmmmmmmmmmmmmmmm" /* d0 */ "mmmmmmmmmmmmmmmm" /* e0 */
			       "mmmmmmmmmmmmmmmm" /* f0 */;

_Static_assert(sizeof one_byte == 257 && sizeof two_byte == 257, "a letter per opcode");

enum { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A };

struct decoder {
	const uint8_t *at, *end;
	bool has_66, has_67, has_f3, has_prefix; /* has_prefix: any but REX */
	uint8_t rex;
	uint8_t map, opcode, modrm;
	bool is_vex;
};

/* Steps over n bytes if they are there. */
static bool skip(struct decoder *in, size_t n)
{
	if ((size_t)(in->end - in->at) < n)
		return false;
	in->at += n;
	return true;
}

static bool take(struct decoder *in, uint8_t *byte)
{
	if (in->at == in->end)
		return false;
	*byte = *in->at++;
	return true;
}

static bool read_prefixes(struct decoder *in, uint8_t *opcode)
{
	while (take(in, opcode)) {
		if (one_byte[*opcode] != 'p')
			break;
		in->has_66 |= *opcode == 0x66;
		in->has_67 |= *opcode == 0x67;
		in->has_f3 |= *opcode == 0xf3;
		in->has_prefix = true;
	}
	if (one_byte[*opcode] == 'p')
		return false; /* the end came first */
	if ((*opcode & 0xf0) == 0x40) {
		in->rex = *opcode;
		if (!take(in, opcode))
			return false;
		return one_byte[*opcode] != 'p' && (*opcode & 0xf0) != 0x40; /* REX stands right before the opcode */
	}
	return true;
}

/* Reads VEX (c5, c4) and EVEX (62): the map, and the opcode behind them. */
static bool read_vex(struct decoder *in, uint8_t lead)
{
	uint8_t first;

	in->is_vex = true;
	if (in->rex || in->has_66 || in->has_f3 || !take(in, &first))
		return false;
	in->map = lead == 0xc5 ? MAP_0F : lead == 0xc4 ? first & 31 : first & 7;
	if (!skip(in, lead == 0xc5 ? 0 : lead == 0xc4 ? 1 : 2) || !take(in, &in->opcode))
		return false;
	if (lead == 0x62 && (in->map == 5 || in->map == 6))
		in->map = MAP_0F38; /* half precision: no immediates, as in that map */
	return in->map >= MAP_0F && in->map <= MAP_0F3A;
}

static bool read_opcode(struct decoder *in)
{
	uint8_t opcode = 0;

	if (!read_prefixes(in, &opcode))
		return false;
	in->opcode = opcode;
	if (one_byte[opcode] != 'e')
		return true;
	if (opcode != 0x0f)
		return read_vex(in, opcode);
	in->map = MAP_0F;
	if (!take(in, &in->opcode))
		return false;
	if (two_byte[in->opcode] != 'e')
		return true;
	in->map = in->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
	return take(in, &in->opcode);
}

static char letter_of(const struct decoder *in)
{
	char letter;

	if (in->map == MAP_0F38)
		return 'm';
	if (in->map == MAP_0F3A)
		return 'B';
	letter = in->map == MAP_ONE ? one_byte[in->opcode] : two_byte[in->opcode];
	if (in->is_vex) /* all have ModRM but vzeroupper, and immediates where the older ones have them */
		return in->opcode == 0x77 ? '.' : letter == 'B' ? 'B' : 'm';
	return letter;
}

/* Reads ModRM, SIB and displacement. */
static bool read_modrm(struct decoder *in, struct x86_insn *insn)
{
	uint8_t mod, sib = 0;
	size_t size;

	if (!take(in, &in->modrm))
		return false;
	mod = in->modrm >> 6;
	if (mod == 3)
		return true;
	if ((in->modrm & 7) == 4 && !take(in, &sib))
		return false;
	size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	insn->is_memory = (in->modrm & 7) != 4 || ((sib & 0x38) == 0x20 && !(in->rex & 2));
	if (!mod && ((in->modrm & 7) == 5 || ((in->modrm & 7) == 4 && (sib & 7) == 5))) {
		size = 4;
		insn->is_memory = false; /* rip, or no base */
	}
	if ((size_t)(in->end - in->at) < size)
		return false;
	if (size == 1)
		insn->displacement = (int8_t)*in->at;
	else if (size)
		memcpy(&insn->displacement, in->at, 4);
	return skip(in, size);
}

/* The number of bytes behind ModRM. */
static size_t immediate_size(const struct decoder *in, char letter)
{
	size_t z = in->has_66 && !(in->rex & 8) ? 2 : 4;

	switch (letter) {
	case 'b':
	case 'B':
		return 1;
	case 'w':
		return 2;
	case '3':
		return 3;
	case 'd':
		return 4;
	case 'z':
	case 'Z':
		return z;
	case 'v':
		return in->rex & 8 ? 8 : z;
	case 'a':
		return in->has_67 ? 4 : 8;
	case 'f':
		return (in->modrm & 0x38) > 8 ? 0 : in->opcode == 0xf6 ? 1 : z;
	default:
		return 0;
	}
}

static uint8_t kind_of_0f(const struct decoder *in)
{
	if ((in->opcode & 0xf0) == 0x80)
		return X86_JUMP_IF;
	if (in->opcode == 0x1e && in->has_f3 && in->modrm == 0xfa)
		return X86_ENDBR64;
	if (in->opcode == 0x0b || in->opcode == 0xb9 || in->opcode == 0xff)
		return X86_TRAP;
	return in->opcode == 0x1f ? X86_NOP_LONG : X86_OTHER;
}

static uint8_t kind_of(const struct decoder *in)
{
	uint8_t op = in->opcode, reg = in->modrm >> 3 & 7;

	if (in->is_vex || in->map > MAP_0F)
		return X86_OTHER;
	if (in->map == MAP_0F)
		return kind_of_0f(in);
	if ((op & 0xf8) == 0x50)
		return X86_PUSH;
	if ((op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0)
		return X86_JUMP_IF;
	if (op == 0xe9 || op == 0xeb)
		return X86_JUMP;
	if (op == 0xc3 || op == 0xc2 || op == 0xcb || op == 0xca || op == 0xcf)
		return X86_RETURN;
	if (op == 0xff && (reg == 2 || reg == 3))
		return X86_CALL_INDIRECT;
	if (op == 0xff && (reg == 4 || reg == 5))
		return X86_JUMP_INDIRECT;
	if (op == 0xcc || op == 0xf4)
		return X86_TRAP;
	return op == 0xe8 ? X86_CALL : op == 0x90 && !(in->rex & 1) ? X86_NOP : X86_OTHER;
}

/* The rules of arch/x86/kernel/uprobes.c: a push of at most REX.B, flow by a relative address, no prefix 66. */
static bool is_emulated(const struct decoder *in, const struct x86_insn *insn)
{
	switch (insn->kind) {
	case X86_PUSH:
		return !in->has_prefix && (!in->rex || in->rex == 0x41);
	case X86_JUMP:
	case X86_CALL:
	case X86_NOP:
		return !in->has_prefix && !in->rex;
	case X86_JUMP_IF:
		return !in->has_prefix && !in->rex && (in->map == MAP_0F || (in->opcode & 0xf0) == 0x70);
	default:
		return false;
	}
}

bool x86_insn_decode(struct x86_insn *insn, const uint8_t *code, size_t size)
{
	struct decoder in = { .at = code, .end = code + (size < 15 ? size : 15) };
	size_t immediate;
	int32_t far;
	char letter;

	*insn = (struct x86_insn){ .kind = X86_OTHER };
	if (!read_opcode(&in))
		return false;
	letter = letter_of(&in);
	if (letter == 'x' || (strchr("mBZf", letter) && !read_modrm(&in, insn)))
		return false;
	if (in.map == MAP_ONE && in.opcode == 0x8f && (in.modrm & 0x38))
		return false; /* XOP */
	immediate = immediate_size(&in, letter);
	if (!skip(&in, immediate))
		return false;
	insn->size = (uint8_t)(in.at - code);
	insn->kind = kind_of(&in);
	if (insn->kind == X86_JUMP || insn->kind == X86_JUMP_IF || insn->kind == X86_CALL) {
		insn->relative = (int8_t)in.at[-1];
		if (immediate == 4) {
			memcpy(&far, in.at - 4, 4);
			insn->relative = far;
		}
	}
	insn->is_emulated = is_emulated(&in, insn);
	return true;
}
