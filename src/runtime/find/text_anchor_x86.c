// SPDX-License-Identifier: Apache-2.0
/*
 * Searches for the opcode of lea without decoding instructions: a false match does not lead to the start of a text.
 */
#include <string.h>

#include "runtime/find/text_anchor_in.h"

void text_anchor_scan(const struct image_segment *segment, text_anchor_look *look, void *context)
{
	const uint8_t *begin = segment->data, *end = begin + (segment->end - segment->start), *at = begin;

	/* REX.W, 8d, ModRM with rip, four bytes of distance */
	while (end - at > 6 && (at = memchr(at, 0x8d, (size_t)(end - at - 5)))) {
		uint64_t address = segment->start + (uint64_t)(at - begin);
		int32_t distance;
		if (at > begin && (at[-1] & 0xfb) == 0x48 && (at[1] & 0xc7) == 5) {
			memcpy(&distance, at + 2, 4);
			look(context, address, address + 6 + (uint64_t)(int64_t)distance);
		}
		at++;
	}
}
