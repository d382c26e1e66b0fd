// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of a program that runs Java, from 0x100000 on: any bytes. Its first words are a method, a frame pointer, and
 * an address in compiled code. Objects have their parts where test/unit/hotspot_test.c has them.
 */
#include "runtime/hotspot/hotspot.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { METHOD, FRAME, PC, N_ROOTS, BASE = 0x100000, TEXT = 24 };

static const struct {
	uint8_t offset, width;
} parts[N_HOTSPOT_PARTS] = {
	[HOTSPOT_HEAPS] = { 0x20, 8 },		[HOTSPOT_ARRAY_LENGTH] = { 0, 4 },
	[HOTSPOT_ARRAY_DATA] = { 8, 8 },	[HOTSPOT_HEAP_MEMORY] = { 0, 8 },
	[HOTSPOT_HEAP_SEGMENTS] = { 16, 8 },	[HOTSPOT_HEAP_SEGMENT_SHIFT] = { 32, 4 },
	[HOTSPOT_SPACE_LOW] = { 0, 8 },		[HOTSPOT_SPACE_HIGH] = { 8, 8 },
	[HOTSPOT_BLOCK_USED] = { 8, 1 },	[HOTSPOT_BLOB_NAME] = { 0, 8 },
	[HOTSPOT_BLOB_CODE] = { 8, 8 },		[HOTSPOT_COMPILED_METHOD] = { 16, 8 },
	[HOTSPOT_COMPILED_SCOPES] = { 24, 8 },	[HOTSPOT_BLOB_SIZE] = { 32, 4 },
	[HOTSPOT_BLOB_COMPLETE] = { 36, 4 },	[HOTSPOT_BLOB_FRAME] = { 40, 4 },
	[HOTSPOT_COMPILED_ID] = { 44, 4 },	[HOTSPOT_COMPILED_PCS] = { 48, 4 },
	[HOTSPOT_COMPILED_PCS_END] = { 52, 4 }, [HOTSPOT_COMPILED_METADATA] = { 56, 4 },
	[HOTSPOT_METHOD_CONST] = { 8, 8 },	[HOTSPOT_CONST_POOL] = { 0, 8 },
	[HOTSPOT_CONST_FLAGS] = { 8, 4 },	[HOTSPOT_CONST_CODE_SIZE] = { 12, 2 },
	[HOTSPOT_CONST_NAME] = { 14, 2 },	[HOTSPOT_POOL_HOLDER] = { 0, 8 },
	[HOTSPOT_POOL_LENGTH] = { 8, 4 },	[HOTSPOT_POOL_SOURCE] = { 12, 2 },
	[HOTSPOT_KLASS_NAME] = { 0, 8 },	[HOTSPOT_KLASS_POOL] = { 8, 8 },
	[HOTSPOT_SYMBOL_LENGTH] = { 0, 2 },	[HOTSPOT_SYMBOL_BODY] = { 2, 8 },
	[HOTSPOT_PC_OFFSET] = { 0, 4 },		[HOTSPOT_PC_SCOPE] = { 4, 4 },
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

static void check_method(const struct hotspot *hotspot, uint64_t method, int32_t bci)
{
	struct hotspot_method is;
	char name[TEXT], file[TEXT];

	if (!hotspot_read_method(hotspot, method, &is))
		return;
	hotspot_line(hotspot, &is, bci);
	if (hotspot_names(hotspot, &is, name, sizeof name, file, sizeof file) &&
	    (strlen(name) >= TEXT || strlen(file) >= TEXT || !strchr(name, '.')))
		abort();
}

static void check_frame(const struct hotspot *hotspot, const struct hotspot_frame *frame)
{
	if (!frame->n || frame->n > HOTSPOT_MOST_INLINED)
		abort();
	for (uint32_t i = 0; i < frame->n; i++)
		check_method(hotspot, frame->at[i].method, frame->at[i].bci);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory = { data, size };
	struct hotspot hotspot = { .memory = { read_memory, &memory },
				   .size = { 16, 16, 16, 16 },
				   .has_lines = 1,
				   .major = size & 1 ? 21 : 17,
				   .low = BASE + 0x400,
				   .high = BASE + 0x4000 };
	struct hotspot_frame frame;
	struct hotspot_code code;
	uint64_t root[N_ROOTS];

	if (size < sizeof root)
		return 0;
	memcpy(root, data, sizeof root);
	for (int i = 0; i < N_HOTSPOT_PARTS; i++) {
		hotspot.at[i] = parts[i].width ? parts[i].offset : -1;
		hotspot.width[i] = parts[i].width;
	}
	hotspot.at[HOTSPOT_HEAPS] += BASE; /* a static one */
	check_method(&hotspot, root[METHOD], 3);
	if (hotspot_interpreted(&hotspot, root[FRAME], 0, &frame))
		check_frame(&hotspot, &frame);
	hotspot_find_code(&hotspot, root[PC], &code);
	if (code.kind == HOTSPOT_COMPILED) {
		if (root[PC] < code.object || root[PC] >= code.end || !hotspot_is_same_code(&hotspot, &code))
			abort();
		for (int is_exact = 0; is_exact < 2; is_exact++) {
			hotspot_compiled(&hotspot, &code, root[PC], is_exact, &frame);
			check_frame(&hotspot, &frame);
		}
	}
	return 0;
}
