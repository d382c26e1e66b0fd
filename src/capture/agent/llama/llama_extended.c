// SPDX-License-Identifier: Apache-2.0
/*
 * Batches of llama_process, which programs fill by functions: an object of C++, with one for each token. Where these
 * keep what they were told differs by version. So a batch of the agent's own is filled with known numbers, once, before
 * the first batch of the program is decoded, and its memory shows where they are. It is read so that a wrong guess
 * cannot fault. Nothing of the program's is changed.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/llama/llama_in.h"
#include "runtime/find/peek.h"

enum { WORDS = 24, MOST = 256, TOKENS = 2, MOST_TOKENS = 1 << 20 };

static const int32_t numbers[TOKENS] = { 7, 3 }, positions[TOKENS] = { 1000003, 2000029 };

static struct llama_extended known; /* of the library that was looked at last */
static struct llama_token_layout found;
static int state; /* 0: not looked yet; 1: somebody does; 2: found; 3: it is another layout */

/* The tokens of the agent's batch. */
struct probe {
	word batch, first;
	struct llama_token_layout layout;
	uint8_t token[TOKENS][MOST];
};

static bool read_tokens(struct probe *probe)
{
	for (unsigned i = 0; i < TOKENS; i++)
		if (!peek_read(probe->first + i * probe->layout.apart, probe->token[i], probe->layout.apart))
			return false;
	return true;
}

static int32_t int_at(const struct probe *probe, unsigned i, unsigned at)
{
	int32_t value;

	memcpy(&value, probe->token[i] + at, sizeof value);
	return value;
}

/* Two words: begin and end of objects, each of which begins with the number of its token. */
static bool find_tokens(struct probe *probe)
{
	word of[WORDS];

	if (!peek_read(probe->batch, of, sizeof of))
		return false;
	for (unsigned i = 0; i + 1 < WORDS; i++) {
		word size = of[i + 1] - of[i];

		if (!of[i] || of[i] % 8 || of[i + 1] < of[i] || !size || size % (TOKENS * 8) || size > TOKENS * MOST)
			continue;
		probe->first = of[i];
		probe->layout.tokens = (uint16_t)(i * sizeof *of);
		probe->layout.apart = (uint16_t)(size / TOKENS);
		if (read_tokens(probe) && int_at(probe, 0, 0) == numbers[0] && int_at(probe, 1, 0) == numbers[1])
			return true;
	}
	return false;
}

static bool find_position(struct probe *probe)
{
	for (unsigned at = 4; at + 4u <= probe->layout.apart; at += 4)
		if (int_at(probe, 0, at) == positions[0] && int_at(probe, 1, at) == positions[1]) {
			probe->layout.position = (uint16_t)at;
			return true;
		}
	return false;
}

/* The only byte that changes with it. */
static bool find_asked(struct probe *probe, const struct llama_extended *by)
{
	uint8_t before[MOST];
	unsigned n = 0;

	memcpy(before, probe->token[1], probe->layout.apart);
	if (!by->set_asked(probe->batch, 1, false) || !read_tokens(probe))
		return false;
	for (unsigned at = 0; at < probe->layout.apart; at++)
		if (before[at] != probe->token[1][at]) {
			probe->layout.is_asked = (uint16_t)at;
			n += before[at] == 1 && !probe->token[1][at] ? 1 : 2;
		}
	return n == 1;
}

/* A pointer to a node, or to the first of several: the token's sequence lies in it, behind up to two words. */
static bool find_sequences(struct probe *probe, const int32_t *sequences)
{
	for (unsigned at = 8; at + 8u <= probe->layout.apart; at += 8)
		for (unsigned in = 0; in <= 16; in += 8) {
			unsigned n = 0;

			for (unsigned i = 0; i < TOKENS; i++) {
				int32_t value;
				word node;

				memcpy(&node, probe->token[i] + at, sizeof node);
				n += node && peek_read(node + in, &value, sizeof value) && value == sequences[i];
			}
			if (n == TOKENS) {
				probe->layout.sequences = (uint16_t)at;
				probe->layout.in_node = (uint16_t)in;
				return true;
			}
		}
	return false;
}

static bool fill(const struct probe *probe, const struct llama_extended *by, const int32_t *sequences)
{
	for (int32_t i = 0; i < TOKENS; i++)
		if (by->add_token(probe->batch, sequences[i], numbers[i]) != i ||
		    !by->set_position(probe->batch, i, &positions[i]) || !by->set_asked(probe->batch, i, i == 1))
			return false;
	return true;
}

bool llama_extended_find(struct llama_token_layout *layout, const struct llama_extended *by, word context)
{
	bool has_sequences = by->n_sequences(context) > 1, is_found;
	const int32_t sequences[TOKENS] = { has_sequences, 0 };
	struct probe probe = { .batch = by->init(context) };

	if (!probe.batch)
		return false;
	is_found = fill(&probe, by, sequences) && find_tokens(&probe) && find_position(&probe) &&
		   find_asked(&probe, by) && (!has_sequences || find_sequences(&probe, sequences));
	by->free(probe.batch);
	*layout = probe.layout;
	return is_found;
}

void llama_extended_know(const struct llama_names *names)
{
	struct llama_extended all;

#define LOOK_UP(name, of) all.name = (__typeof__(all.name))names->look_up(names, of)
	LOOK_UP(init, "llama_batch_ext_init");
	LOOK_UP(add_token, "llama_batch_ext_add_token");
	LOOK_UP(set_position, "llama_batch_ext_set_pos");
	LOOK_UP(set_asked, "llama_batch_ext_set_output_logits");
	LOOK_UP(free, "llama_batch_ext_free");
	LOOK_UP(n_sequences, "llama_n_seq_max");
	if (!all.init || !all.add_token || !all.set_position || !all.set_asked || !all.free || !all.n_sequences)
		return;
	known = all;
	__atomic_store_n(&state, 0, __ATOMIC_RELEASE);
}

static bool is_found(word context)
{
	int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE), none = 0, saved = errno;

	if (!now && known.init &&
	    __atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		now = llama_extended_find(&found, &known, context) ? 2 : 3;
		__atomic_store_n(&state, now, __ATOMIC_RELEASE);
		errno = saved;
	}
	return now == 2;
}

struct llama_batch_words llama_extended_batch(word context, word batch)
{
	struct llama_batch_words words = { .n_tokens = 0 };
	word begin, n;

	if (!batch || !is_found(context))
		return words;
	begin = *(const word *)(batch + found.tokens);
	n = (*(const word *)(batch + found.tokens + sizeof(word)) - begin) / found.apart;
	if (n && n <= MOST_TOKENS)
		words = (struct llama_batch_words){ .n_tokens = (uint32_t)n, .tokens = begin, .objects = &found };
	return words;
}
