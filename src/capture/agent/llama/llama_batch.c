// SPDX-License-Identifier: Apache-2.0
/*
 * What goes into a batch, as a text: "0:12+1/1,3:0+64/0" (sequence:position+tokens/results asked for). A program gives
 * each token its sequences, position and whether its result is asked for, or leaves these arrays out: then all tokens
 * are of sequence 0, behind those that it has, and the last one's result is asked for. A token of several sequences
 * counts for the first of them. "0:0+64/1~48": an earlier prompt of the context began with 48 of these tokens.
 */
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/llama/llama_in.h"
#include "capture/agent/prefix.h"

enum { TEXT = 2048, ENTRY = 64, MOST_TOKENS = 1 << 20 };

static word object_at(const struct llama_batch_words *batch, uint32_t i)
{
	return batch->tokens + (word)i * batch->objects->apart;
}

static int32_t sequence_of_object(const struct llama_batch_words *batch, uint32_t i)
{
	const struct llama_token_layout *layout = batch->objects;
	word node = layout->sequences ? *(const word *)(object_at(batch, i) + layout->sequences) : 0;

	return node ? *(const int32_t *)(node + layout->in_node) : 0;
}

static int32_t sequence_of(const struct llama_batch_words *batch, uint32_t i)
{
	const int32_t *n = (const int32_t *)batch->n_sequences;
	const int32_t *const *sequences = (const int32_t *const *)batch->sequences;

	if (batch->objects)
		return sequence_of_object(batch, i);
	return n && sequences && n[i] > 0 && sequences[i] ? sequences[i][0] : 0;
}

/* -1: not known. */
static int64_t position_of(const struct llama_batch_words *batch, uint32_t i)
{
	const int32_t *positions = (const int32_t *)batch->positions;

	if (batch->objects)
		return *(const int32_t *)(object_at(batch, i) + batch->objects->position);
	return positions ? positions[i] : -1;
}

static bool is_asked(const struct llama_batch_words *batch, uint32_t i)
{
	const int8_t *asked = (const int8_t *)batch->asked;

	if (batch->objects)
		return *(const int8_t *)(object_at(batch, i) + batch->objects->is_asked);
	return asked ? asked[i] : i + 1 == batch->n_tokens;
}

static char *put_number(char *to, char before, uint64_t number)
{
	char digits[20];
	int n = 0;

	if (before)
		*to++ = before;
	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}

/* n tokens; n_asked: whose results are asked for. */
static char *put_entry(char *to, int32_t sequence, int64_t position, uint32_t n, uint32_t n_asked)
{
	to = put_number(to, 0, (uint64_t)sequence);
	if (position < 0)
		to = stpcpy(to, ":?");
	else
		to = put_number(to, ':', (uint64_t)position);
	to = put_number(to, '+', n);
	return put_number(to, '/', n_asked);
}

/* Of a prompt whose n tokens begin with the i-th. */
static char *put_seen(char *to, const struct llama_batch_words *batch, uint32_t i, uint32_t n, uint64_t owner)
{
	size_t apart = batch->objects ? batch->objects->apart : sizeof(int32_t);
	const int32_t *tokens = (const int32_t *)(batch->tokens + i * apart);
	uint32_t n_seen = batch->tokens ? prefix_seen_apart(owner, tokens, apart, n) : 0;

	return n_seen ? put_number(to, '~', n_seen) : to;
}

uint32_t llama_batch_text(const struct llama_batch_words *batch, uint64_t owner)
{
	char text[TEXT], *to = text;
	uint32_t at = 0;

	if (!batch->n_tokens || batch->n_tokens > MOST_TOKENS)
		return 0;
	while (at < batch->n_tokens && to + ENTRY + 1 < text + TEXT) {
		int32_t sequence = sequence_of(batch, at);
		uint32_t first = at, n_asked = 0;

		for (; at < batch->n_tokens && sequence_of(batch, at) == sequence; at++)
			n_asked += is_asked(batch, at);
		if (sequence < 0)
			continue;
		if (to > text)
			*to++ = ',';
		to = put_entry(to, sequence, position_of(batch, first), at - first, n_asked);
		if (!position_of(batch, first))
			to = put_seen(to, batch, first, at - first, owner);
	}
	return to > text ? dict_text_of_run(text, (size_t)(to - text)) : 0;
}
