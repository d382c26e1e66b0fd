// SPDX-License-Identifier: Apache-2.0
/*
 * Walks through the frames of a thread. A frame is read at once, as one span of memory. Until 3.10 frames are objects;
 * later ones lie in chunks of a thread, and some belong to the interpreter itself: those are passed over.
 */
#include <string.h>

#include "runtime/python/cpython.h"

/* INTERPRETER: and all above it are no frames of Python. INSIDE: how many of them follow each other at most. */
enum { SPAN = CPYTHON_FRAME_SPAN, INTERPRETER = 3, INSIDE = 64, MOST_CODE = 1 << 28, TAGS = 3 };

struct span {
	unsigned char byte[SPAN];
};

static uint64_t word_of(const struct span *span, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, span->byte + offset, 8); /* within frame_span */
	return word;
}

/* Where the byte code begins that the frame runs: free-threaded builds since 3.14 have a copy for each thread. */
static bool begin_of(const struct cpython *python, const struct span *span, uint64_t code, uint64_t *begin)
{
	const struct cpython_layout *layout = &python->layout;
	uint64_t copies;
	int32_t copy;

	*begin = code + layout->code_bytes;
	if (layout->code_copies == CPYTHON_NONE)
		return true;
	memcpy(&copy, span->byte + layout->frame_copy, sizeof copy);
	return copy <= 0 || (cpython_word(python, code + layout->code_copies, &copies) &&
			     cpython_word(python, copies + 8 + 8 * (uint64_t)copy, begin));
}

static bool find_offset(const struct cpython *python, const struct span *span, struct cpython_frame *frame)
{
	enum { INDEX_OF_WORDS = 10 };
	uint64_t instruction = word_of(span, python->layout.frame_instruction), begin;
	int64_t offset;

	if (python->layout.code_bytes == CPYTHON_NONE) {
		offset = (int32_t)instruction;
		if (python->minor == INDEX_OF_WORDS && offset >= 0)
			offset *= 2;
	} else {
		if (!begin_of(python, span, frame->code, &begin))
			return false;
		offset = (int64_t)(instruction - begin);
	}
	frame->offset = (int32_t)offset;
	return offset >= -2 && offset < MOST_CODE;
}

static enum cpython_step read_frame(const struct cpython *python, uint64_t at, struct cpython_frame *frame)
{
	const struct cpython_layout *layout = &python->layout;
	struct span span;

	for (int inside = 0; at && inside < INSIDE; inside++, at = frame->back) {
		if (!python->memory.read(python->memory.of, at, span.byte, layout->frame_span))
			return CPYTHON_TORN;
		frame->at = at;
		frame->back = word_of(&span, layout->frame_back);
		if (layout->frame_owner < SPAN && span.byte[layout->frame_owner] >= INTERPRETER)
			continue;
		frame->code = word_of(&span, layout->frame_code) & ~(uint64_t)TAGS;
		return frame->code >= 4096 && find_offset(python, &span, frame) ? CPYTHON_FRAME : CPYTHON_TORN;
	}
	return at ? CPYTHON_TORN : CPYTHON_END;
}

enum cpython_step cpython_first_frame(const struct cpython *python, uint64_t thread, struct cpython_frame *frame)
{
	const struct cpython_layout *layout = &python->layout;
	uint64_t at;

	if (!cpython_word(python, thread + layout->thread_frame, &at))
		return CPYTHON_TORN;
	if (layout->cframe_frame != CPYTHON_NONE && at && !cpython_word(python, at + layout->cframe_frame, &at))
		return CPYTHON_TORN;
	return read_frame(python, at, frame);
}

enum cpython_step cpython_next_frame(const struct cpython *python, struct cpython_frame *frame)
{
	return read_frame(python, frame->back, frame);
}
