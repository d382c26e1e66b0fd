// SPDX-License-Identifier: Apache-2.0
/*
 * An address is made by adrp, its page, and an add of the same register within a few instructions; several adds may use
 * one page. Goes by whole instructions: where data lies among them, what looks like both does not lead to the start of
 * a text.
 */
#include "runtime/find/arm64_insn.h"
#include "runtime/find/text_anchor_in.h"

enum { MAX_DISTANCE = 8 };

void text_anchor_scan(const struct image_segment *segment, text_anchor_look *look, void *context)
{
	size_t n = (size_t)(segment->end - segment->start) / 4;

	for (size_t i = 0; i < n && !(segment->start & 3); i++) {
		uint64_t at = segment->start + 4 * (uint64_t)i, page;
		uint32_t insn = arm64_insn(segment->data, (int)i);
		int reg = arm64_target(insn);
		if (!arm64_is_page(insn))
			continue;
		page = arm64_page(insn, at);
		for (size_t k = i + 1; k < n && k <= i + MAX_DISTANCE; k++) {
			uint32_t add = arm64_insn(segment->data, (int)k);
			if (!arm64_is_add(add) || arm64_first(add) != reg)
				continue;
			look(context, at, page + arm64_number(add));
			if (arm64_target(add) == reg)
				break;
		}
	}
}
