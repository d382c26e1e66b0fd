// SPDX-License-Identifier: Apache-2.0
/*
 * What is bound to the inputs and outputs of a run. The API copies that into memory of its own; this file reads the
 * object itself, onnxruntime::IOBinding, as libstdc++ lays it out in all builds from 1.15 to 1.32:
 *
 *   word 0           the session's state
 *   words 1 to 3     names of inputs, a vector of strings; then 7 words of a table; words 11 to 13: their values
 *   words 14 to 26   the same of outputs
 *
 * It is one only if there are as many names as values. The first ones are read so that a wrong guess cannot fault.
 */
#include <string.h>

#include "capture/agent/ort/ort_in.h"
#include "runtime/find/peek.h"

enum { TRUST = 32, STRING_SIZE = 32, VALUE_SIZE = 24, MOST_BOUND = 4096 };

struct vector {
	word begin, end, room;
};
struct bound {
	struct vector names;
	word table[7];
	struct vector values;
};
struct binding {
	word state;
	struct bound inputs, outputs;
};

/* How many; SIZE_MAX: it is no vector of them. */
static size_t count_of(const struct vector *vector, size_t size)
{
	word bytes = vector->end - vector->begin;

	return vector->begin > vector->end || vector->end > vector->room || vector->begin % 8 || bytes % size
		   ? SIZE_MAX
		   : bytes / size;
}

static bool is_bound(const struct bound *bound)
{
	size_t n = count_of(&bound->values, VALUE_SIZE);

	return n <= MOST_BOUND && n == count_of(&bound->names, STRING_SIZE);
}

static bool read_binding(struct ort_copy *copy, word at, struct binding *to)
{
	bool is_one;

	if (copy->trust_bindings < 0 || !at || at % 8)
		return false;
	if (copy->trust_bindings == TRUST) {
		memcpy(to, (const void *)at, sizeof *to);
		return is_bound(&to->inputs) && is_bound(&to->outputs);
	}
	is_one = peek_read(at, to, sizeof *to) && is_bound(&to->inputs) && is_bound(&to->outputs);
	copy->trust_bindings = is_one ? copy->trust_bindings + 1 : -1;
	return is_one;
}

size_t ort_binding_values(struct ort_copy *copy, uintptr_t at, bool of_outputs, uintptr_t values[ORT_BOUND])
{
	struct binding binding;
	const struct vector *found = of_outputs ? &binding.outputs.values : &binding.inputs.values;
	size_t n;

	if (!read_binding(copy, at, &binding))
		return 0;
	n = count_of(found, VALUE_SIZE);
	n = n < ORT_BOUND ? n : ORT_BOUND;
	for (size_t i = 0; i < n; i++)
		values[i] = found->begin + i * VALUE_SIZE;
	return n;
}
