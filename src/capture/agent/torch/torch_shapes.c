// SPDX-License-Identifier: Apache-2.0
/*
 * Shapes of an operator's tensors, those in its lists included. The runtime shows an observer that asks for inputs an
 * array of IValues { payload, tag }, by an address and a number in its RecordFunction. Where that is, which tag is a
 * list's, and where a list has its elements is found by what they contain, and read by plain loads only after it has
 * been the same a number of times. Tensors are read as those of Python are (torch_tensor.c).
 */
#include <string.h>

#include "capture/agent/torch/torch_in.h"
#include "runtime/find/peek.h"

enum {
	WORDS = 56, /* of a RecordFunction that are looked at */
	MOST_VALUES = 64,
	MOST_TAG = 64,
	TENSOR = 1,
	TRUST = 8, /* finds in one place */
	MOST_TRIES = 512,
	MOST_ELEMENTS = 256,
};

struct value {
	uint64_t payload;
	uint32_t tag, unused;
};

/* Where two words are an address and a number, or two addresses. Any thread. */
static struct place {
	uint32_t at; /* of the first, in bytes; 0: not known yet */
	uint32_t tag;
	uint32_t n_tries;
	uint8_t n_found[WORDS]; /* at each word, as long as it is not known */
} inputs, lists;

static uint32_t at_of(const struct place *place)
{
	return __atomic_load_n(&place->at, __ATOMIC_ACQUIRE);
}

/*
 * They were found at this word. What a stack still holds of other calls looks alike, at any word: the one at which they
 * are found first that often is the place.
 */
static void found_at(struct place *place, uint32_t word, uint32_t tag)
{
	agent_lock();
	if (!place->at && ++place->n_found[word] >= TRUST) {
		place->tag = tag;
		__atomic_store_n(&place->at, word * 8, __ATOMIC_RELEASE);
	}
	agent_unlock();
}

static bool may_try(struct place *place)
{
	return __atomic_fetch_add(&place->n_tries, 1, __ATOMIC_RELAXED) < MOST_TRIES;
}

/* Whether these are values, a tensor that can be read among them. */
static bool are_values(const struct value *value, uint64_t n)
{
	struct torch_tensor tensor;
	bool has_tensor = false;

	for (uint64_t i = 0; i < n; i++) {
		if (value[i].tag >= MOST_TAG)
			return false;
		has_tensor |= value[i].tag == TENSOR && torch_tensor_at(value[i].payload, &tensor);
	}
	return has_tensor;
}

static void search_inputs(const void *function)
{
	struct value value[MOST_VALUES];
	uint64_t word[WORDS];

	if (!may_try(&inputs) || !peek_read((uint64_t)(uintptr_t)function, word, sizeof word))
		return;
	for (uint32_t i = 1; i + 1 < WORDS; i++) {
		uint64_t n = word[i + 1];
		if (!word[i] || word[i] % 8 || !n || n > MOST_VALUES || !peek_read(word[i], value, n * sizeof *value) ||
		    !are_values(value, n))
			continue;
		found_at(&inputs, i, 0);
	}
}

/* The number of inputs, whose array is *at; 0: none, or not known yet. */
static uint64_t find_inputs(const uint64_t *function, const struct value **at)
{
	uint32_t word = at_of(&inputs) / 8;

	if (__builtin_expect(!word, 0)) {
		search_inputs(function);
		return 0;
	}
	*at = (const struct value *)function[word];
	return *at && function[word + 1] <= MOST_VALUES ? function[word + 1] : 0;
}

/* std::vector of values in an object behind its counts */
static void search_list(const struct value *list)
{
	enum { FIRST = 2, LAST = 3 };
	uint64_t word[LAST + 3];
	struct value value[MOST_VALUES];

	if (list->payload < 4096 || list->payload % 8 || !may_try(&lists) ||
	    !peek_read(list->payload, word, sizeof word))
		return;
	for (uint32_t i = FIRST; i <= LAST; i++) {
		uint64_t size = word[i + 1] - word[i];
		if (word[i] < 4096 || word[i] % 8 || !size || size % sizeof *value || size > sizeof value ||
		    word[i + 2] < word[i + 1] || !peek_read(word[i], value, size) ||
		    !are_values(value, size / sizeof *value))
			continue;
		found_at(&lists, i, list->tag);
		return;
	}
}

static void take_tensor(struct shapes *to, uint64_t part)
{
	struct torch_tensor tensor;
	struct shape shape;

	if (!torch_tensor_at(part, &tensor))
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
		take_tensor(to, value[i].payload);
}

uint32_t torch_shapes_of(const void *function)
{
	const struct value *value = NULL;
	uint64_t n = find_inputs(function, &value);
	uint32_t lists_at = at_of(&lists);
	struct shapes shapes;

	shapes_init(&shapes);
	for (uint64_t i = 0; i < n; i++) {
		if (value[i].tag == TENSOR)
			take_tensor(&shapes, value[i].payload);
		else if (!lists_at && value[i].tag < MOST_TAG)
			search_list(&value[i]);
		else if (value[i].tag == lists.tag && value[i].payload)
			take_list(&shapes, &value[i]);
	}
	return shapes_text(&shapes);
}
