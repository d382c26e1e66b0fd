// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "analyze/generation/generation_in.h"

static bool read_number(int64_t *to, const char **at, char before)
{
	char *end;

	if (before && *(*at)++ != before)
		return false;
	if (**at == '?') {
		*to = -1;
		(*at)++;
		return true;
	}
	*to = strtoll(*at, &end, 10);
	if (end == *at || *to < 0)
		return false;
	*at = end;
	return true;
}

bool sequence_read(struct sequence *to, const char **text)
{
	const char *at = *text;
	int64_t n_tokens, n_asked, n_seen = 0;

	at += *at == ',';
	if (!*at || !read_number(&to->number, &at, 0) || !read_number(&to->position, &at, ':') ||
	    !read_number(&n_tokens, &at, '+') || !read_number(&n_asked, &at, '/') || n_tokens < 1 ||
	    n_tokens > UINT32_MAX || n_asked < 0 || n_asked > n_tokens)
		return false;
	if (*at == '~' && (!read_number(&n_seen, &at, '~') || n_seen < 0 || n_seen > n_tokens))
		return false;
	to->n_seen = (uint32_t)n_seen;
	to->n_tokens = (uint32_t)n_tokens;
	to->n_asked = (uint32_t)n_asked;
	*text = at;
	return true;
}
