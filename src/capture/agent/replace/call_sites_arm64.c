// SPDX-License-Identifier: Apache-2.0
/* b and bl: a distance of 26 bits, in instructions. */
#include <string.h>

#include "capture/agent/replace/call_sites.h"

enum { SIZE = 4 };

const size_t call_site_size = SIZE, call_site_step = SIZE;

size_t call_site_next(const uint8_t *code, size_t size, size_t from)
{
	return from;
}

bool call_site_at(const uint8_t *code, uint64_t at, uint64_t *target)
{
	uint32_t word;

	memcpy(&word, code, sizeof word);
	*target = at + (uint64_t)((int64_t)((uint64_t)word << 38) >> 36);
	return (word & 0x7c000000) == 0x14000000;
}

bool call_site_is_instruction(const uint8_t *code, size_t size, size_t offset)
{
	return offset % SIZE == 0;
}

bool call_site_for(uint8_t to[CALL_SITE_MOST], const uint8_t *code, uint64_t at, uint64_t target)
{
	int64_t distance = (int64_t)(target - at);
	uint32_t word;

	memcpy(&word, code, sizeof word);
	word = (word & 0xfc000000) | ((uint32_t)((uint64_t)distance >> 2) & 0x03ffffff);
	memcpy(to, &word, sizeof word);
	return distance >= -(1 << 27) && distance < 1 << 27;
}
