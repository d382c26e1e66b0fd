// SPDX-License-Identifier: Apache-2.0
/*
 * The inputs of a model with paged attention (ov::pass::SDPAToPagedAttention) are the tokens of all sequences, one
 * after the other, and these tables of 32-bit integers, which are recognised by what they contain:
 *
 *	past_lens		[sequences]	tokens in the cache, of each
 *	subsequence_begins	[sequences + 1]	where its tokens begin: from 0, never less, up to the number of tokens
 *	max_context_len		[]		the most tokens of one, those that go in included
 *
 *	sampled_tokens_indices	[results]	the last one: which tokens' results are asked for, of all to check
 * drafts
 *
 * As a table of block numbers may begin like one of these, the three must agree.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/find/peek.h"
#include "runtime/openvino/openvino_in.h"

enum {
	INT32 = 6,
	INT64 = 7,
	FLOAT32 = 1,
	MOST_SEQUENCES = 256,
	ENTRY = 64,
	MOST_FAILED = 64,
	LEAST_INPUTS = 5 /* tokens, their positions, these tables */
};

struct table {
	uint32_t n;
	int32_t value[MOST_SEQUENCES + 1];
};

/* Such tables were read, so tensors have their elements where they are looked for. */
static bool is_checked;
static uint32_t n_failed;

static bool read_data(const struct shape *shape, void *to, size_t size)
{
	if (!__atomic_load_n(&is_checked, __ATOMIC_RELAXED))
		return peek_read((uint64_t)(uintptr_t)shape->data, to, size);
	memcpy(to, shape->data, size);
	return true;
}

static bool is_int32(const struct shape *shape, uint32_t n_dims)
{
	return shape->type == INT32 && shape->n_dims == n_dims && shape->data;
}

static bool read_table(const struct shape *shape, struct table *to)
{
	if (!is_int32(shape, 1) || shape->dim[0] < 1 || shape->dim[0] > MOST_SEQUENCES + 1)
		return false;
	to->n = (uint32_t)shape->dim[0];
	return read_data(shape, to->value, to->n * sizeof *to->value);
}

/* Tokens, or embeddings in their place; 0: neither. */
static int64_t tokens_of(const struct shape *first)
{
	bool is_tokens = first->type == INT64 && first->n_dims == 1,
	     is_real = first->type == FLOAT32 && first->n_dims == 2;

	return (is_tokens || is_real) && first->dim[0] <= INT32_MAX ? first->dim[0] : 0;
}

static bool are_begins(const struct table *begins, int64_t n_tokens)
{
	if (begins->n < 2 || begins->value[0] || begins->value[begins->n - 1] != n_tokens)
		return false;
	for (uint32_t i = 1; i < begins->n; i++)
		if (begins->value[i] < begins->value[i - 1])
			return false;
	return true;
}

static bool agree(const struct table *past, const struct table *begins, int32_t longest)
{
	int64_t most = 0;

	if (past->n + 1 != begins->n)
		return false;
	for (uint32_t i = 0; i < past->n; i++) {
		int64_t length = (int64_t)past->value[i] + begins->value[i + 1] - begins->value[i];

		if (past->value[i] < 0)
			return false;
		most = length > most ? length : most;
	}
	return most == longest;
}

static bool find_past(const struct shape *inputs, size_t n, const struct table *begins, int32_t longest,
		      struct table *past)
{
	for (size_t i = 1; i < n; i++)
		if (read_table(&inputs[i], past) && agree(past, begins, longest))
			return true;
	return false;
}

static char *put_number(char *to, char before, int32_t number)
{
	char digits[12];
	int n = 0;

	*to++ = before;
	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}

/* Whether the result of each token is asked for: the last table lists those for which it is. Its numbers may lie behind
 * the inputs that are kept in order, and their count is enough. */
static bool are_all_asked(const struct shapes *inputs, int64_t n_tokens)
{
	const struct shape *last = inputs->n ? &inputs->input[inputs->n - 1] : NULL;

	for (uint32_t i = 0; i < inputs->n_groups; i++)
		if (inputs->times[i] == 1 && inputs->group[i].type == INT64 && inputs->group[i].n_dims == 1)
			return inputs->group[i].dim[0] == n_tokens;
	return !inputs->n_groups && inputs->n > LEAST_INPUTS && last->type == INT64 && last->n_dims == 1 &&
	       last->dim[0] == n_tokens;
}

static size_t put(const struct table *past, const struct table *begins, bool are_asked, char *text, size_t size)
{
	char *to = text;

	for (uint32_t i = 0; i < past->n && to + ENTRY < text + size; i++) {
		int32_t n = begins->value[i + 1] - begins->value[i];

		if (!n)
			continue;
		if (to > text)
			*to++ = ',';
		*to++ = '?';
		to = put_number(to, ':', past->value[i]);
		to = put_number(to, '+', n);
		to = put_number(to, '/', are_asked ? n : 1);
	}
	return (size_t)(to - text);
}

size_t openvino_sequences(const struct shapes *shapes, char *to, size_t size)
{
	const struct shape *inputs = shapes->input;
	const size_t n = shapes->n;
	int64_t n_tokens = n ? tokens_of(&inputs[0]) : 0;
	bool is_candidate = false;
	struct table begins, past;
	int32_t longest;

	if (!__atomic_load_n(&is_checked, __ATOMIC_RELAXED) &&
	    __atomic_load_n(&n_failed, __ATOMIC_RELAXED) >= MOST_FAILED)
		return 0; /* each try takes system calls */
	for (size_t i = 1; n_tokens && i < n; i++) {
		if (!is_int32(&inputs[i], 0) || !read_data(&inputs[i], &longest, sizeof longest))
			continue;
		is_candidate = true;
		for (size_t k = 1; k < n; k++) {
			if (!read_table(&inputs[k], &begins) || !are_begins(&begins, n_tokens) ||
			    !find_past(inputs, n, &begins, longest, &past))
				continue;
			__atomic_store_n(&is_checked, true, __ATOMIC_RELAXED);
			return put(&past, &begins, are_all_asked(shapes, n_tokens), to, size);
		}
	}
	if (is_candidate && !__atomic_load_n(&is_checked, __ATOMIC_RELAXED))
		__atomic_fetch_add(&n_failed, 1, __ATOMIC_RELAXED);
	return 0;
}
