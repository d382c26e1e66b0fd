// SPDX-License-Identifier: Apache-2.0
/* Moves one instruction: one that stores registers or makes room on the stack, or a landing pad. */
#include <string.h>

#include "capture/agent/replace/detour.h"

enum { WORD = 4 };

const uint64_t detour_reach = 1ull << 27;

static int can_move(uint32_t code)
{
	return (code & 0xfe400000) == 0xa8000000 ||	 /* stp of registers, behind or before its address changes */
	       (code & 0xff8003ff) == 0xd10003ff ||	 /* sub sp, sp, #n */
	       code == 0xd503233f || code == 0xd503245f; /* paciasp, bti c */
}

size_t detour_move(uint8_t moved[DETOUR_MOST_MOVED], const uint8_t *code, uint64_t from, uint64_t to)
{
	uint32_t first;

	memcpy(&first, code, sizeof first);
	memcpy(moved, code, sizeof first);
	return can_move(first) ? WORD : 0;
}

size_t detour_near_jump(uint8_t jump[DETOUR_MOST_JUMP], uint64_t from, uint64_t to)
{
	uint32_t b = 0x14000000 | ((uint32_t)((int64_t)(to - from) / WORD) & 0x3ffffff);

	memcpy(jump, &b, sizeof b);
	return WORD;
}

size_t detour_far_jump(uint8_t jump[DETOUR_MOST_JUMP], uint64_t to)
{
	static const uint32_t through_next[2] = { 0x58000050, 0xd61f0200 }; /* ldr x16, #8; br x16 */

	memcpy(jump, through_next, sizeof through_next);
	memcpy(jump + sizeof through_next, &to, sizeof to);
	return sizeof through_next + sizeof to;
}
