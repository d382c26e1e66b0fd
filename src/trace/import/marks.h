/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds quotes, and brackets and braces, 64 bytes at a time. Knows no JSON: the caller knows which of them lie inside
 * of texts. Never reads outside of the bytes that it was given.
 */
#ifndef TRACE_IMPORT_MARKS_H
#define TRACE_IMPORT_MARKS_H

#include <stdint.h>
#include <string.h>

enum { MARKS_BLOCK = 64 };

/* The block around the last place that was asked for. Bit n: block[n] is one. */
struct marks {
	const char *block, *end;
	uint64_t quotes, brackets;
};

struct marks_found {
	uint64_t quotes, brackets;
};

#ifdef __SSE2__
#include <emmintrin.h>

/* Brackets differ from braces in one bit. */
static inline struct marks_found marks_of_16(const char *at)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
	__m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
	__m128i opened = _mm_cmpeq_epi8(folded, _mm_set1_epi8('{')),
		closed = _mm_cmpeq_epi8(folded, _mm_set1_epi8('}'));

	return (struct marks_found){ (uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'))),
				     (uint16_t)_mm_movemask_epi8(_mm_or_si128(opened, closed)) };
}
#else
/* Bit n: byte n of the word is zero. */
static inline uint64_t marks_zeros(uint64_t word)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);

	word = ~(((word & low) + low) | word | low);
	return (word >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline struct marks_found marks_of_8(const char *at)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word = 0, folded;

	for (int i = 0; i < 8; i++) /* in the order of the bytes on every machine */
		word |= (uint64_t)(uint8_t)at[i] << 8 * i;
	folded = word | ones * 0x20;
	return (struct marks_found){ marks_zeros(word ^ ones * '"'),
				     marks_zeros(folded ^ ones * '{') | marks_zeros(folded ^ ones * '}') };
}

static inline struct marks_found marks_of_16(const char *at)
{
	struct marks_found a = marks_of_8(at), b = marks_of_8(at + 8);

	return (struct marks_found){ a.quotes | b.quotes << 8, a.brackets | b.brackets << 8 };
}
#endif

static inline void marks_of_64(struct marks *marks, const char *at)
{
	marks->quotes = marks->brackets = 0;
	for (int i = 0; i < MARKS_BLOCK; i += 16) {
		struct marks_found found = marks_of_16(at + i);

		marks->quotes |= found.quotes << i;
		marks->brackets |= found.brackets << i;
	}
}

/* Moves to the block that begins at `at`, which is not behind the end. */
static inline void marks_load(struct marks *marks, const char *at)
{
	size_t left = (size_t)(marks->end - at);
	char last[MARKS_BLOCK] = { 0 };

	marks->block = at;
	if (left >= MARKS_BLOCK) {
		marks_of_64(marks, at);
		return;
	}
	memcpy(last, at, left);
	marks_of_64(marks, last);
}

/* The bits from `at` on. Places are asked for from left to right. */
static inline uint64_t marks_from(struct marks *marks, const char *at)
{
	if (at - marks->block < MARKS_BLOCK)
		return ~UINT64_C(0) << (at - marks->block);
	marks_load(marks, at);
	return ~UINT64_C(0);
}

/* The first quote from `at` on, which is not behind the end; NULL: none is left. */
static inline const char *marks_quote(struct marks *marks, const char *at)
{
	uint64_t bits = marks_from(marks, at) & marks->quotes;

	while (!bits) {
		if (marks->end - marks->block <= MARKS_BLOCK)
			return NULL;
		marks_load(marks, marks->block + MARKS_BLOCK);
		bits = marks->quotes;
	}
	return marks->block + __builtin_ctzll(bits);
}

/* `at` is an opening bracket. Behind the bracket that closes it, whatever stands between them; NULL: none does. */
static inline const char *marks_behind(struct marks *marks, const char *at)
{
	uint64_t bits = marks_from(marks, at) & marks->brackets;
	int depth = 0;

	for (;;) {
		for (; bits; bits &= bits - 1) {
			const char *found = marks->block + __builtin_ctzll(bits);

			depth += *found & 2 ? 1 : -1; /* "[{" end in 011, "]}" in 101 */
			if (!depth)
				return found + 1;
		}
		if (marks->end - marks->block <= MARKS_BLOCK)
			return NULL;
		marks_load(marks, marks->block + MARKS_BLOCK);
		bits = marks->brackets;
	}
}

#endif
