// SPDX-License-Identifier: Apache-2.0
/*
 * Moves the instructions with which compilers begin functions: pushes, moves between registers, room on the stack,
 * addresses relative to the instruction. Nothing jumps between these: each changes the stack or a register once.
 */
#include <stdbool.h>
#include <string.h>

#include "capture/agent/replace/detour.h"

enum { JUMP = 5, ENDBR64 = 0xfa1e0ff3 };

const uint64_t detour_reach = 1ull << 31;

/* One instruction's length; *relative: where it has a distance from its end, 0: nowhere. 0: not one of those. */
static size_t length_of(const uint8_t *code, size_t *relative)
{
	uint32_t first;
	bool has_rex = (*code & 0xf0) == 0x40;
	const uint8_t *op = code + has_rex;
	size_t before = has_rex;
	bool is_register = (op[1] & 0xc0) == 0xc0;

	*relative = 0;
	memcpy(&first, code, sizeof first);
	if (first == ENDBR64)
		return 4;
	if ((*op & 0xf8) == 0x50) /* push */
		return before + 1;
	if ((*op == 0x89 || *op == 0x8b || *op == 0x31 || *op == 0x33) && is_register) /* mov, xor */
		return before + 2;
	if (*op == 0x83 && op[1] == 0xec) /* sub $8 bits, %rsp */
		return before + 3;
	if (*op == 0x81 && op[1] == 0xec)
		return before + 6;
	if ((*op & 0xf8) == 0xb8 && !(has_rex && (*code & 8))) /* mov $32 bits */
		return before + 5;
	if (*op == 0x8d && (op[1] & 0xc7) == 5) { /* lea distance(%rip) */
		*relative = before + 2;
		return before + 6;
	}
	return 0;
}

/* Of a function, and not of a part that its compiler has moved elsewhere. */
static bool is_begin(const uint8_t *code)
{
	static const uint8_t endbr64[4] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *op = code + ((*code & 0xf0) == 0x40);

	return !memcmp(code, endbr64, sizeof endbr64) || (*op & 0xf8) == 0x50 ||
	       ((*op == 0x83 || *op == 0x81) && op[1] == 0xec);
}

size_t detour_move(uint8_t moved[DETOUR_MOST_MOVED], const uint8_t *code, uint64_t from, uint64_t to)
{
	enum { LONGEST = 7 };
	size_t n = 0, size, relative;

	if (!is_begin(code))
		return 0;

	while (n < JUMP) {
		size = length_of(code + n, &relative);
		if (!size || n + LONGEST > DETOUR_MOST_MOVED)
			return 0;
		memcpy(moved + n, code + n, size);
		if (relative) {
			int32_t distance;
			int64_t moved_by = (int64_t)(from - to);
			memcpy(&distance, moved + n + relative, sizeof distance);
			if (moved_by + distance != (int32_t)(moved_by + distance))
				return 0;
			distance = (int32_t)(moved_by + distance);
			memcpy(moved + n + relative, &distance, sizeof distance);
		}
		n += size;
	}
	return n;
}

size_t detour_near_jump(uint8_t jump[DETOUR_MOST_JUMP], uint64_t from, uint64_t to)
{
	int32_t distance = (int32_t)(int64_t)(to - from - JUMP);

	jump[0] = 0xe9;
	memcpy(jump + 1, &distance, sizeof distance);
	return JUMP;
}

size_t detour_far_jump(uint8_t jump[DETOUR_MOST_JUMP], uint64_t to)
{
	static const uint8_t through_next[6] = { 0xff, 0x25, 0, 0, 0, 0 }; /* jmp *(%rip) */

	memcpy(jump, through_next, sizeof through_next);
	memcpy(jump + sizeof through_next, &to, sizeof to);
	return sizeof through_next + sizeof to;
}
