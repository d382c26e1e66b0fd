// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of a program that runs JavaScript, from 0x100000 on: any bytes. Its first words are a string, a function, a
 * frame pointer, a table of positions, and an address in machine code. Objects have their parts where
 * test/unit/v8_test.c has them.
 */
#include "runtime/v8/v8.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { STRING, SHARED, FRAME, TABLE, PC, N_ROOTS, BASE = 0x100000, TEXT = 40, N_BYTECODES = 200, N_SIZES = 9 };

static const int32_t fields[N_V8_FIELDS] = {
	[V8_FP_FUNCTION] = -16,	      [V8_FP_CONTEXT] = -8,
	[V8_FP_BYTECODE] = -32,	      [V8_FP_OFFSET] = -40,
	[V8_MAP_TYPE] = 12,	      [V8_FUNCTION_SHARED] = 24,
	[V8_SHARED_NAME] = 16,	      [V8_SHARED_SCRIPT] = 32,
	[V8_SCRIPT_SOURCE] = 8,	      [V8_SCRIPT_NAME] = 16,
	[V8_STRING_LENGTH] = 12,      [V8_STRING_ONE_BYTE] = 16,
	[V8_STRING_TWO_BYTE] = 16,    [V8_STRING_FIRST] = 16,
	[V8_STRING_PARENT] = 16,      [V8_STRING_ACTUAL] = 16,
	[V8_STRING_RESOURCE] = 16,    [V8_STRING_SECOND] = 24,
	[V8_STRING_OFFSET] = 24,      [V8_FIRST_NONSTRING] = 128,
	[V8_KIND_MASK] = 7,	      [V8_KIND_CONS] = 1,
	[V8_KIND_EXTERNAL] = 2,	      [V8_KIND_SLICED] = 3,
	[V8_KIND_THIN] = 5,	      [V8_ENCODING_MASK] = 8,
	[V8_ENCODING_ONE_BYTE] = 8,   [V8_ARRAY_LENGTH] = 8,
	[V8_ARRAY_DATA] = 16,	      [V8_SCOPE_LOCALS] = 2,
	[V8_SCOPE_FIRST] = 3,	      [V8_BYTECODE_DATA] = 54,
	[V8_TYPE_MAP] = 250,	      [V8_TYPE_SHARED] = 251,
	[V8_TYPE_SCRIPT] = 252,	      [V8_TYPE_SCOPE] = 253,
	[V8_TYPE_BYTECODE] = 254,     [V8_TYPE_CODE] = 255,
	[V8_TYPE_BYTES] = 256,	      [V8_TYPE_ODDBALL] = 257,
	[V8_TYPE_STREAM] = -1,	      [V8_TYPE_DEBUG] = -1,
	[V8_TYPE_TRUSTED_BYTES] = -1, [V8_TYPE_SHARED_WRAPPER] = -1,
	[V8_FRAME_BUILTIN] = 24,      [V8_FRAME_STUB] = 17,
	[V8_CODE_HEADER] = 64,	      [V8_CODE_SIZE] = 40,
	[V8_CODE_FLAGS] = 44,	      [V8_KIND_FIELD] = 15,
	[V8_KIND_BASELINE] = 11,      [V8_DEOPT_LITERALS] = 2,
	[V8_DEOPT_SHARED] = 6,	      [V8_DEOPT_INLINING] = 7,
};

struct memory {
	const uint8_t *data;
	size_t size;
};

static bool read_memory(void *of, uint64_t from, void *to, size_t size)
{
	const struct memory *memory = of;

	if (from < BASE || from - BASE > memory->size || size > memory->size - (from - BASE))
		return false;
	memcpy(to, memory->data + (from - BASE), size);
	return true;
}

static void check_text(const struct v8 *v8, uint64_t string)
{
	char text[TEXT];
	int len = v8_text(v8, string, text, sizeof text);

	if (len >= 0 && (len >= TEXT || strlen(text) > (size_t)len))
		abort();
}

static void check_function(const struct v8 *v8, uint64_t shared)
{
	struct v8_function function;

	if (!v8_read_function(v8, shared, &function))
		return;
	if (function.name)
		check_text(v8, function.name);
	if (function.file)
		check_text(v8, function.file);
}

static void check_frame(struct v8 *v8, const uint64_t *root)
{
	struct v8_code code;
	bool is_code = v8_find_code(v8, root[PC], &code);
	struct v8_where where = { .fp = root[FRAME], .pc = root[PC], .code = is_code ? &code : NULL };
	struct v8_frame frame;

	if (is_code)
		v8_baseline_offset(v8, &code, root[PC]);
	v8_read_frame(v8, &where, &frame);
	if (frame.n > V8_MOST_INLINED)
		abort();
	for (int i = 0; frame.kind == V8_FUNCTION && i < frame.n; i++)
		check_function(v8, frame.at[i].shared);
	if (is_code && (root[PC] < code.begin || root[PC] >= code.end || !v8_is_same_code(v8, &code)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory = { data, size };
	struct v8 v8 = { .memory = { read_memory, &memory }, .major = 11, .bytecode_positions = 32, .code_deopt = 24 };
	struct array ends = { 0 };
	uint64_t root[N_ROOTS], position;

	if (size < sizeof root)
		return 0;
	memcpy(root, data, sizeof root);
	memcpy(v8.at, fields, sizeof fields);
	v8.code_positions = 32;
	v8.has_flagged_offsets = size & 1;
	v8.n_bytecodes = N_BYTECODES;
	for (int i = 0; i < 3 * N_BYTECODES; i++)
		v8.bytecode_size[i / N_BYTECODES][i % N_BYTECODES] = (uint8_t)(i % N_SIZES);
	check_text(&v8, root[STRING]);
	if (v8_line_ends(&v8, root[STRING], &ends) && ends.n > size)
		abort();
	array_done(&ends, sizeof(uint32_t));
	v8_position_of(&v8, root[TABLE], (int32_t)root[PC], &position);
	check_function(&v8, root[SHARED]);
	check_frame(&v8, root);
	return 0;
}
