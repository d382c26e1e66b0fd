// SPDX-License-Identifier: Apache-2.0
/* Edit distance that counts a swap of neighbours as one edit (restricted Damerau-Levenshtein); for short words only. */
#include "base/near.h"

#include <string.h>

enum { MAX_WORD = 40 };

static size_t min_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t row[MAX_WORD + 1][MAX_WORD + 1];

	for (size_t i = 0; i <= a_len; i++)
		row[i][0] = i;
	for (size_t j = 0; j <= b_len; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		for (size_t j = 1; j <= b_len; j++) {
			size_t best = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			best = min_of(best, min_of(row[i - 1][j], row[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = min_of(best, row[i - 2][j - 2] + 1);
			row[i][j] = best;
		}
	}
	return row[a_len][b_len];
}

void near_init(struct near *near, const char *word, size_t len)
{
	*near = (struct near){ .word = word, .len = len, .distance = SIZE_MAX };
}

void near_offer(struct near *near, const char *candidate)
{
	size_t len = strlen(candidate), found;

	if (!near->len || near->len > MAX_WORD || len > MAX_WORD)
		return;
	if (near->len >= 2 && len > near->len && !memcmp(near->word, candidate, near->len))
		found = 1; /* a beginning of the candidate counts as one edit */
	else
		found = distance(near->word, near->len, candidate, len);
	if (found < near->distance) {
		near->distance = found;
		near->best = candidate;
	}
}

const char *near_best(const struct near *near)
{
	return near->best && near->distance <= 1 + near->len / 4 ? near->best : NULL;
}
