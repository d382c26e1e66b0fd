/* SPDX-License-Identifier: Apache-2.0 */
/* The first sentence of a report has what matters most, and at most 25 words. */
#ifndef TEST_UNIT_FIRST_SENTENCE_H
#define TEST_UNIT_FIRST_SENTENCE_H

#include <ctype.h>
#include <stdbool.h>

enum { FIRST_SENTENCE_MOST = 25 };

/* Words of the first sentence, which ends in ". ", or where the text ends. */
static inline int first_sentence_words(const char *text)
{
	bool was_space = true;
	int n = 0;

	for (const char *at = text; *at && !(at[0] == '.' && isspace((unsigned char)at[1])); at++) {
		bool is_space = isspace((unsigned char)*at);

		n += was_space && !is_space;
		was_space = is_space;
	}
	return n;
}

#endif
