// SPDX-License-Identifier: Apache-2.0
/*
 * Which version a library is, and where ggml's tensors keep their fields: the library's own small functions, called
 * with a block of memory of the agent's, show it. They only read or add to its address. A version that has moved a
 * field is noticed before its first operator.
 */
#include <stdio.h>
#include <string.h>

#include "capture/agent/llama/llama_in.h"

enum { TYPE = 0, DIMS = 16, OP = 80, PARAMETERS = 84, BEHIND_SOURCES = 24, BLOCK = 1024, FEWEST_NAME = 232 };

static void *function_of(const struct llama_names *names, const char *name)
{
	return names->look_up(names, name);
}

static void put(uint8_t *block, unsigned at, uint64_t value, size_t size)
{
	memcpy(block + at, &value, size);
}

static bool has_dims(uint8_t *block, const struct llama_names *names)
{
	int64_t (*count)(const void *) = (int64_t (*)(const void *))function_of(names, "ggml_nelements");
	static const unsigned dims[LLAMA_DIMS] = { 2, 3, 5, 7 };

	for (unsigned i = 0; i < LLAMA_DIMS; i++)
		put(block, DIMS + 8 * i, dims[i], 8);
	return count && count(block) == 2 * 3 * 5 * 7;
}

static bool has_type(uint8_t *block, const struct llama_names *names)
{
	size_t (*size)(const void *) = (size_t (*)(const void *))function_of(names, "ggml_element_size");
	enum { FLOAT32 = 0, FLOAT16 = 1 };
	size_t whole, half;

	if (!size)
		return false;
	put(block, TYPE, FLOAT32, 4);
	whole = size(block);
	put(block, TYPE, FLOAT16, 4);
	half = size(block);
	return whole == 4 && half == 2;
}

/* Two operators without kinds. */
static bool has_op(const struct llama_layout *layout, uint8_t *block)
{
	const char *text[2];

	for (unsigned i = 0; i < 2; i++) {
		put(block, OP, i + 1, 4);
		text[i] = layout->op_text(block);
		if (!text[i] || text[i] != layout->op_name((int)i + 1))
			return false;
	}
	return text[0] != text[1];
}

bool llama_layout_find(struct llama_layout *layout, const struct llama_names *names)
{
	const char *(*name)(const void *) = (const char *(*)(const void *))function_of(names, "ggml_get_name");
	_Alignas(16) uint8_t block[BLOCK] = { 0 };
	uint64_t at = name ? (uint64_t)(name(block) - (const char *)block) : 0;

	*layout = (struct llama_layout){
		.type = TYPE,
		.dims = DIMS,
		.op = OP,
		.parameters = PARAMETERS,
		.op_name = (const char *(*)(int))function_of(names, "ggml_op_name"),
		.op_text = (const char *(*)(const void *))function_of(names, "ggml_op_desc"),
		.type_name = (const char *(*)(int))function_of(names, "ggml_type_name"),
	};
	if (at < FEWEST_NAME || at > BLOCK - LLAMA_NAME || at % 8 || !layout->op_name || !layout->op_text ||
	    !layout->type_name || !has_op(layout, block) || !has_dims(block, names) || !has_type(block, names))
		return false;
	layout->name = (uint16_t)at;
	/* then come what it is a view of, where in that, and its data */
	layout->sources = (uint16_t)(at - BEHIND_SOURCES - 8 * LLAMA_SOURCES);
	return true;
}

void llama_version_of(struct copy *copy, const struct llama_names *names)
{
	/* older ones only tell that of ggml, which counts in another way */
	static const struct {
		const char *name, *form;
	} functions[] = { { "llama_version", "%s" }, { "ggml_version", "(ggml %s)" } };
	static char versions[MAX_COPIES][32];
	char *version = versions[copy->number];

	*version = 0;
	for (unsigned i = 0; i < 2 && !*version; i++) {
		const char *(*text)(void) = (const char *(*)(void))names->look_up(names, functions[i].name);
		if (text)
			snprintf(version, sizeof versions[0], functions[i].form, text());
	}
	copy->found.version = version;
}
