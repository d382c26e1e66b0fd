// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/run/prompt.h"

#include <errno.h>
#include <stdio.h>

#include "capture/agent/dict.h"
#include "capture/agent/prefix.h"
#include "runtime/find/peek.h"

enum { INT32 = 6, INT64 = 7, CHUNK = 32 * PREFIX_BLOCK, MOST_TOKENS = 1 << 16 };

struct prompt_row prompt_row_of(uintptr_t data, const struct shape *shape)
{
	struct prompt_row row = { .data = data, .size = shape->type == INT64 ? 8 : 4 };

	if (data && (shape->type == INT64 || shape->type == INT32) && shape->n_dims == 2 && shape->dim[0] == 1 &&
	    shape->dim[1] >= PREFIX_BLOCK && shape->dim[1] <= MOST_TOKENS)
		row.n = (size_t)shape->dim[1];
	return row;
}

static uint32_t seen(uint64_t owner, struct prompt_row row)
{
	int64_t chunk[CHUNK];
	struct prefix prefix;

	prefix_begin(&prefix, owner);
	for (size_t at = 0; at + PREFIX_BLOCK <= row.n; at += CHUNK) {
		size_t left = row.n - at < CHUNK ? row.n - at : CHUNK;

		if (!peek_read(row.data + at * row.size, chunk, left * row.size))
			return 0;
		prefix_add(&prefix, (const int32_t *)chunk, row.size, left);
	}
	return prefix.n_seen;
}

void prompt_tell(struct thread *thread, const struct open_run *run, struct prompt_row tokens)
{
	int saved = errno;
	char text[16];
	uint32_t n_seen;

	/* of a generator, the calls say more */
	if (!tokens.n || !run->session || thread->generator.number)
		return;
	n_seen = seen(run->session->number, tokens);
	if (n_seen)
		inference_tell_sequences(thread, run,
					 dict_text_of_run(text, (size_t)snprintf(text, sizeof text, "~%u", n_seen)));
	errno = saved;
}

/* A mask is made of zeros and ones; positions follow each other, perhaps behind ones that do not count. */
static bool holds_tokens(struct prompt_row row)
{
	int64_t block[PREFIX_BLOCK];
	bool is_mask = true, is_positions = true, is_one = true;
	int64_t before = -1;

	if (!row.n || !peek_read(row.data, block, sizeof block / sizeof *block * row.size))
		return false;
	for (int i = 0; i < PREFIX_BLOCK && is_one; i++) {
		int64_t number = row.size == sizeof *block ? block[i] : ((const int32_t *)block)[i];

		is_one = number >= 0 && number <= INT32_MAX;
		is_mask = is_mask && number <= 1;
		is_positions = is_positions && (number == before + 1 || (before <= 1 && number <= 1));
		before = number;
	}
	return is_one && !is_mask && !is_positions;
}

size_t prompt_first_of(const struct prompt_row *rows, size_t n)
{
	int saved = errno;
	size_t i = 0;

	while (i < n && !holds_tokens(rows[i]))
		i++;
	errno = saved;
	return i;
}

void prompt_tell_first(struct thread *thread, const struct open_run *run, const struct prompt_row *rows, size_t n)
{
	size_t i = prompt_first_of(rows, n);

	if (i < n)
		prompt_tell(thread, run, rows[i]);
}
