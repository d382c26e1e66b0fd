// SPDX-License-Identifier: Apache-2.0
/* Quotes and brackets, 64 bytes at a time, beside a search byte by byte. marks_plain_test.c runs it without SSE2. */
#include "trace/import/marks.h"

#include <stdlib.h>

#include "cases.h"

enum { ROUNDS = 20000, SIZE = 300 };

static const char *find_quote(const char *at, const char *end)
{
	return at < end ? memchr(at, '"', (size_t)(end - at)) : NULL;
}

static const char *find_behind(const char *at, const char *end)
{
	int depth = 0;

	for (; at < end; at++) {
		depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
		if (!depth)
			return at + 1;
	}
	return NULL;
}

/* Characters of every kind, those that differ from a mark in one bit among them. */
static void fill(char *text, size_t size, unsigned *seed)
{
	static const char often[] = "\"\"[]{}[]{}ab;=2Z|~\x02\x1b";

	for (size_t i = 0; i < size; i++)
		text[i] = rand_r(seed) % 3 ? often[(size_t)rand_r(seed) % (sizeof often - 1)] : (char)rand_r(seed);
}

TEST(marks_are_those_of_a_search_byte_by_byte)
{
	unsigned seed = 1;

	for (int round = 0; round < ROUNDS; round++) {
		size_t size = 1 + (size_t)rand_r(&seed) % SIZE;
		char *text = malloc(size); /* a sanitizer sees what is read behind it */
		struct marks marks = { .end = text + size };

		assert_non_null(text);
		fill(text, size, &seed);
		marks_load(&marks, text);
		for (const char *at = text; at < marks.end; at += 1 + (size_t)rand_r(&seed) % 40) {
			struct marks before = marks;

			assert_ptr_equal(marks_quote(&marks, at), find_quote(at, marks.end));
			marks = before;
			if (*at == '[' || *at == '{')
				assert_ptr_equal(marks_behind(&marks, at), find_behind(at, marks.end));
			marks = before;
			marks_from(&marks, at);
		}
		free(text);
	}
}
