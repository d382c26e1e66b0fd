// SPDX-License-Identifier: Apache-2.0
/* A call, and the jump with which a function ends that calls another last: a byte and a distance of 32 bits. */
#include <string.h>

#include "capture/agent/replace/call_sites.h"
#include "runtime/find/x86_insn.h"

enum { CALL = 0xe8, JUMP = 0xe9, SIZE = 5, LONGEST = 15 };

const size_t call_site_size = SIZE, call_site_step = 1;

size_t call_site_next(const uint8_t *code, size_t size, size_t from)
{
	while (from + SIZE <= size && code[from] != CALL && code[from] != JUMP)
		from++;
	return from;
}

bool call_site_at(const uint8_t *code, uint64_t at, uint64_t *target)
{
	int32_t distance;

	memcpy(&distance, code + 1, sizeof distance);
	*target = at + SIZE + (uint64_t)(int64_t)distance;
	return *code == CALL || *code == JUMP;
}

bool call_site_is_instruction(const uint8_t *code, size_t size, size_t offset)
{
	size_t at = 0;

	while (at < offset) {
		struct x86_insn insn;
		if (!x86_insn_decode(&insn, code + at, size - at < LONGEST ? size - at : LONGEST))
			return false;
		at += insn.size;
	}
	return at == offset;
}

bool call_site_for(uint8_t to[CALL_SITE_MOST], const uint8_t *code, uint64_t at, uint64_t target)
{
	int64_t distance = (int64_t)(target - at - SIZE);
	int32_t near = (int32_t)distance;

	to[0] = *code;
	memcpy(to + 1, &near, sizeof near);
	return near == distance;
}
