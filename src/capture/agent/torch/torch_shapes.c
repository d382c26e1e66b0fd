// SPDX-License-Identifier: Apache-2.0
/*
 * Shapes of an operator's tensors, those in its lists included. The runtime shows an observer that asks for inputs an
 * array of IValues { payload, tag }, by an address and a number in its RecordFunction. Where that is, which tag is a
 * list's, and where a list has its elements is found by what they contain. What a stack still holds of other calls may
 * look alike: a place is used once it has been right in LIKELY operators in a row, of which as many had a tensor. Until
 * it has been right in TRUSTED ones, all is read as memory that may not be there, after that by plain loads. Tensors
 * are read as those of Python are (torch_tensor.c).
 */
#include <string.h>

#include "capture/agent/torch/torch_in.h"
#include "runtime/find/peek.h"

enum {
	WORDS = 56, /* of a RecordFunction that are looked at */
	MOST_VALUES = 64,
	MOST_TAG = 64,
	TENSOR = 1,
	LIKELY = 8,
	TRUSTED = 128,
	MOST_TRIES = 1 << 14,
	MOST_ELEMENTS = 256,
};

struct value {
	uint64_t payload;
	uint32_t tag, unused;
};

/* Where two words are an address and a number, or two addresses. Any thread; under the agent's lock until it is known.
 */
static struct place {
	uint32_t at; /* of the first, in bytes; 0: not known yet */
	uint32_t n_tries;
	uint16_t n_right[WORDS], n_seen[WORDS]; /* in a row, at each word; of these, with a tensor */
	uint32_t tag[WORDS], known_tag;
	uint16_t trusted;
} inputs = { .trusted = TRUSTED }, lists = { .trusted = LIKELY }; /* a list is known by its tag */

/* Of an operator. */
struct values {
	const struct value *value;
	uint64_t n;
	struct value copy[MOST_VALUES]; /* where the place is not trusted yet, nor what is in it */
};

static uint32_t at_of(const struct place *place)
{
	return __atomic_load_n(&place->at, __ATOMIC_ACQUIRE);
}

static bool may_try(struct place *place)
{
	return torch_tensors_are_known() && __atomic_fetch_add(&place->n_tries, 1, __ATOMIC_RELAXED) < MOST_TRIES;
}

enum sight { WRONG, RIGHT, SEEN_TENSOR };

/* What was at a word this time. A list's place goes with its tag. */
static void judge(struct place *place, uint32_t word, enum sight sight, uint32_t tag)
{
	if (sight == WRONG || place->tag[word] != tag) {
		place->n_right[word] = place->n_seen[word] = 0;
		place->tag[word] = tag;
	}
	if (sight == WRONG || place->at)
		return;
	place->n_right[word]++;
	place->n_seen[word] += sight == SEEN_TENSOR;
	if (place->n_seen[word] < LIKELY || place->n_right[word] < place->trusted)
		return;
	place->known_tag = tag;
	__atomic_store_n(&place->at, word * 8, __ATOMIC_RELEASE);
}

/* Values that were copied: whatever they say is a tensor has to have the memory of one. */
static enum sight look_at_values(const struct value *value, uint64_t n)
{
	enum sight sight = RIGHT;
	struct torch_tensor tensor;
	bool is_there;

	for (uint64_t i = 0; i < n; i++) {
		if (value[i].tag >= MOST_TAG)
			return WRONG;
		if (value[i].tag != TENSOR)
			continue;
		if (torch_tensor_peek(value[i].payload, &tensor, &is_there))
			sight = SEEN_TENSOR;
		else if (!is_there)
			return WRONG;
	}
	return sight;
}

static enum sight look_at_inputs(uint64_t address, uint64_t n, struct value *value)
{
	if (!n)
		return RIGHT;
	if (address % 8 || n > MOST_VALUES || !peek_read(address, value, n * sizeof *value))
		return WRONG;
	return look_at_values(value, n);
}

/* Copies those of the likely place: the one that has been right for longest. */
static void search_inputs(const void *function, struct values *to)
{
	struct value value[MOST_VALUES];
	uint64_t word[WORDS];
	uint32_t most = 0;

	if (!may_try(&inputs) || !peek_read((uint64_t)(uintptr_t)function, word, sizeof word))
		return;
	agent_lock();
	for (uint32_t i = 1; i + 1 < WORDS; i++) {
		judge(&inputs, i, look_at_inputs(word[i], word[i + 1], value), 0);
		if (inputs.n_seen[i] < LIKELY || inputs.n_right[i] <= most)
			continue;
		most = inputs.n_right[i];
		to->n = word[i + 1];
		memcpy(to->copy, value, to->n * sizeof *value);
	}
	agent_unlock();
}

static void find_inputs(const uint64_t *function, struct values *to)
{
	uint32_t word = at_of(&inputs) / 8;

	to->n = 0;
	to->value = to->copy;
	if (__builtin_expect(!word, 0)) {
		search_inputs(function, to);
		return;
	}
	to->value = (const struct value *)function[word];
	if (to->value && function[word + 1] <= MOST_VALUES)
		to->n = function[word + 1];
}

static enum sight look_at_list(uint64_t begin, uint64_t end, uint64_t room)
{
	struct value value[MOST_VALUES];
	uint64_t size = end - begin;

	if (begin % 8 || end < begin || room < end || size % sizeof *value || size > sizeof value)
		return WRONG;
	if (!size)
		return RIGHT;
	return peek_read(begin, value, size) ? look_at_values(value, size / sizeof *value) : WRONG;
}

/* std::vector of values in an object behind its counts */
static void search_list(const struct value *list)
{
	enum { FIRST = 2, LAST = 3, USER_BITS = 47 };
	uint64_t word[LAST + 3];

	/* numbers are values, too */
	if (list->payload < 1 << 16 || list->payload % 8 || list->payload >> USER_BITS ||
	    !peek_read(list->payload, word, sizeof word) || !may_try(&lists))
		return;
	agent_lock();
	for (uint32_t i = FIRST; i <= LAST && !lists.at; i++)
		if (!lists.n_seen[i] || lists.tag[i] == list->tag)
			judge(&lists, i, look_at_list(word[i], word[i + 1], word[i + 2]), list->tag);
	agent_unlock();
}

static void take_tensor(struct shapes *to, uint64_t part, bool is_trusted)
{
	struct torch_tensor tensor;
	struct shape shape;
	bool is_there;

	if (!(is_trusted ? torch_tensor_at(part, &tensor) : torch_tensor_peek(part, &tensor, &is_there)))
		return;
	torch_shape_of(&tensor, &shape);
	shapes_add(to, &shape);
}

static void take_list(struct shapes *to, const struct value *list)
{
	const uint64_t *word = (const uint64_t *)(list->payload + lists.at);
	const struct value *value = (const struct value *)word[0];
	uint64_t n = (word[1] - word[0]) / sizeof *value;

	for (uint64_t i = 0; i < n && n <= MOST_ELEMENTS && value[i].tag == TENSOR; i++)
		take_tensor(to, value[i].payload, true);
}

uint32_t torch_shapes_of(const void *function)
{
	uint32_t lists_at = at_of(&lists);
	struct values inputs_now;
	struct shapes shapes;
	bool is_trusted;

	find_inputs(function, &inputs_now);
	is_trusted = inputs_now.value != inputs_now.copy;
	shapes_init(&shapes);
	for (uint64_t i = 0; i < inputs_now.n; i++) {
		const struct value *value = &inputs_now.value[i];

		if (value->tag == TENSOR)
			take_tensor(&shapes, value->payload, is_trusted);
		else if (!lists_at && value->tag < MOST_TAG)
			search_list(value);
		else if (is_trusted && value->tag == lists.known_tag && value->payload)
			take_list(&shapes, value);
	}
	return shapes_text(&shapes);
}
