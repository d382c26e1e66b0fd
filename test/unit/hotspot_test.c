// SPDX-License-Identifier: Apache-2.0
/* HotSpot's objects, made in this test's own memory: tables, methods, lines, code, and what is inlined there. */
#include "runtime/hotspot/hotspot.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cases.h"

enum { SEGMENT_SHIFT = 7, FIRST = 2, SEGMENTS = 16, INNER_SCOPE = 1, CALLER_SCOPE = 4, LATER_SCOPE = 7 };

/* Objects of a version, with the parts that are read. */
struct method {
	uint64_t table, constant;
};
struct constant {
	uint64_t pool;
	uint32_t flags;
	uint16_t code_size, name;
	uint8_t codes[32];
};
struct pool {
	uint64_t holder;
	int32_t length;
	uint16_t source;
	uint64_t symbol[8];
};
struct symbol {
	uint16_t length;
	char body[30];
};
struct blob {
	uint64_t name, begin, method, scopes;
	int32_t size, complete, frame, id, pcs, pcs_end, metadata;
};

/* What a program has, at addresses of its own. */
struct heap {
	struct hotspot hotspot;
	struct method methods[2];
	struct constant constants[2];
	struct pool pool;
	uint64_t klass[2]; /* name, pool */
	struct symbol symbols[4];
	uint64_t array[2], first_heap; /* length, data; of that array */
	uint64_t heap_pointer;
	uint64_t code_heap[8]; /* spaces of memory and of segments: low, high; how far a segment is shifted */
	uint8_t segments[SEGMENTS];
	uint64_t stack[32];
	uint64_t outer, inner, begin, pc, codes;
	struct {
		uint8_t before[FIRST << SEGMENT_SHIFT];
		uint64_t used[2];
		struct blob blob;
		uint8_t instructions[512];
		int32_t pcs[4][4];
		uint64_t metadata[2];
		uint8_t scopes[16];
	} memory __attribute__((aligned(128)));
};

static void set_parts(struct hotspot *hotspot, const struct heap *heap)
{
	static const struct {
		enum hotspot_part part;
		uint8_t offset, width;
	} parts[] = {
		{ HOTSPOT_ARRAY_LENGTH, 0, 4 },
		{ HOTSPOT_ARRAY_DATA, 8, 8 },
		{ HOTSPOT_HEAP_MEMORY, 0, 8 },
		{ HOTSPOT_HEAP_SEGMENTS, 16, 8 },
		{ HOTSPOT_HEAP_SEGMENT_SHIFT, 32, 4 },
		{ HOTSPOT_SPACE_LOW, 0, 8 },
		{ HOTSPOT_SPACE_HIGH, 8, 8 },
		{ HOTSPOT_BLOCK_USED, 8, 1 },
		{ HOTSPOT_BLOB_NAME, offsetof(struct blob, name), 8 },
		{ HOTSPOT_BLOB_SIZE, offsetof(struct blob, size), 4 },
		{ HOTSPOT_BLOB_COMPLETE, offsetof(struct blob, complete), 4 },
		{ HOTSPOT_BLOB_FRAME, offsetof(struct blob, frame), 4 },
		{ HOTSPOT_BLOB_CODE, offsetof(struct blob, begin), 8 },
		{ HOTSPOT_COMPILED_METHOD, offsetof(struct blob, method), 8 },
		{ HOTSPOT_COMPILED_ID, offsetof(struct blob, id), 4 },
		{ HOTSPOT_COMPILED_PCS, offsetof(struct blob, pcs), 4 },
		{ HOTSPOT_COMPILED_PCS_END, offsetof(struct blob, pcs_end), 4 },
		{ HOTSPOT_COMPILED_SCOPES, offsetof(struct blob, scopes), 8 },
		{ HOTSPOT_COMPILED_METADATA, offsetof(struct blob, metadata), 4 },
		{ HOTSPOT_METHOD_CONST, offsetof(struct method, constant), 8 },
		{ HOTSPOT_CONST_POOL, offsetof(struct constant, pool), 8 },
		{ HOTSPOT_CONST_FLAGS, offsetof(struct constant, flags), 4 },
		{ HOTSPOT_CONST_CODE_SIZE, offsetof(struct constant, code_size), 2 },
		{ HOTSPOT_CONST_NAME, offsetof(struct constant, name), 2 },
		{ HOTSPOT_POOL_HOLDER, offsetof(struct pool, holder), 8 },
		{ HOTSPOT_POOL_LENGTH, offsetof(struct pool, length), 4 },
		{ HOTSPOT_POOL_SOURCE, offsetof(struct pool, source), 2 },
		{ HOTSPOT_KLASS_NAME, 0, 8 },
		{ HOTSPOT_KLASS_POOL, 8, 8 },
		{ HOTSPOT_SYMBOL_LENGTH, offsetof(struct symbol, length), 2 },
		{ HOTSPOT_SYMBOL_BODY, offsetof(struct symbol, body), 8 },
		{ HOTSPOT_PC_OFFSET, 0, 4 },
		{ HOTSPOT_PC_SCOPE, 4, 4 },
	};

	for (int i = 0; i < N_HOTSPOT_PARTS; i++)
		hotspot->at[i] = -1;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		hotspot->at[parts[i].part] = parts[i].offset;
		hotspot->width[parts[i].part] = parts[i].width;
	}
	hotspot->at[HOTSPOT_HEAPS] = (int64_t)&heap->heap_pointer; /* a static one */
	hotspot->width[HOTSPOT_HEAPS] = 8;
	hotspot->size[HOTSPOT_BLOCK] = sizeof heap->memory.used;
	hotspot->size[HOTSPOT_CONST] = offsetof(struct constant, codes);
	hotspot->size[HOTSPOT_POOL] = offsetof(struct pool, symbol);
	hotspot->size[HOTSPOT_PC] = sizeof *heap->memory.pcs;
	hotspot->has_lines = 1;
	hotspot->major = 17;
}

static bool read_own(void *of, uint64_t from, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)from, size };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Method outer calls inner in line 12; what is compiled of outer contains it. */
static void make_methods(struct heap *heap)
{
	static const char *const texts[] = { "com/example/App", "outer", "inner", "App.java" };
	/* { 0, 10 }, { 3, 12 }, { 5, 9 } */
	static const uint8_t lines[] = { 0xff, 0, 20, 3 << 3 | 2, 0xff, 4, 5, 0 };

	for (int i = 0; i < 4; i++) {
		heap->symbols[i].length = (uint16_t)strlen(texts[i]);
		memcpy(heap->symbols[i].body, texts[i], strlen(texts[i]));
		heap->pool.symbol[1 + i] = (uint64_t)&heap->symbols[i];
	}
	heap->pool.holder = (uint64_t)heap->klass;
	heap->pool.length = 5;
	heap->pool.source = 4;
	heap->klass[0] = (uint64_t)&heap->symbols[0];
	heap->klass[1] = (uint64_t)&heap->pool;
	for (int i = 0; i < 2; i++) {
		heap->methods[i].constant = (uint64_t)&heap->constants[i];
		heap->constants[i] =
		    (struct constant){ .pool = (uint64_t)&heap->pool, .flags = 1, .code_size = 8, .name = 2 + i };
		memcpy(heap->constants[i].codes + 8, lines, sizeof lines);
	}
	heap->outer = (uint64_t)&heap->methods[0];
	heap->inner = (uint64_t)&heap->methods[1];
	heap->codes = (uint64_t)heap->constants[0].codes;
}

static void make_code(struct heap *heap)
{
	static const int32_t pcs[4][4] = { { -1 }, { 40, INNER_SCOPE }, { 100, LATER_SCOPE }, { INT32_MAX } };
	static const uint8_t scopes[] = { 0, CALLER_SCOPE, 2, 2, 0, 1, 4, 0, 1, 6 };
	uint64_t blob = (uint64_t)&heap->memory.blob;

	memcpy(heap->memory.pcs, pcs, sizeof pcs);
	memcpy(heap->memory.scopes, scopes, sizeof scopes);
	heap->memory.metadata[0] = heap->outer;
	heap->memory.metadata[1] = heap->inner;
	heap->memory.used[1] = 1;
	heap->begin = (uint64_t)heap->memory.instructions;
	heap->pc = heap->begin + 40;
	heap->memory.blob = (struct blob){ .name = (uint64_t)"nmethod",
					   .begin = heap->begin,
					   .method = heap->outer,
					   .scopes = (uint64_t)heap->memory.scopes,
					   .size = (int32_t)((uint64_t)(&heap->memory + 1) - blob),
					   .complete = 12,
					   .frame = 6,
					   .id = 3,
					   .pcs = (int32_t)((uint64_t)heap->memory.pcs - blob),
					   .pcs_end = (int32_t)((uint64_t)(heap->memory.pcs + 4) - blob),
					   .metadata = (int32_t)((uint64_t)heap->memory.metadata - blob) };
	memset(heap->segments, 0xff, sizeof heap->segments);
	for (uint8_t i = FIRST; i < SEGMENTS; i++)
		heap->segments[i] = i - FIRST;
}

static void begin(struct heap *heap)
{
	uint64_t low = (uint64_t)&heap->memory, high = (uint64_t)(&heap->memory + 1);
	uint64_t segments = (uint64_t)heap->segments;

	*heap = (struct heap){ .hotspot = { .memory = { .read = read_own }, .low = low, .high = high } };
	set_parts(&heap->hotspot, heap);
	make_methods(heap);
	make_code(heap);
	heap->hotspot.interpreter = low;
	heap->hotspot.interpreter_end = low + 64;
	heap->array[0] = 1;
	heap->array[1] = (uint64_t)&heap->first_heap;
	heap->first_heap = (uint64_t)heap->code_heap;
	heap->heap_pointer = (uint64_t)heap->array;
	memcpy(heap->code_heap, (uint64_t[]){ low, high, segments, segments + SEGMENTS, SEGMENT_SHIFT },
	       5 * sizeof *heap->code_heap);
}

static const char *name_of(const struct heap *heap, uint64_t method)
{
	static char text[160];
	char name[64], file[64];
	struct hotspot_method is;

	if (!hotspot_read_method(&heap->hotspot, method, &is) ||
	    !hotspot_names(&heap->hotspot, &is, name, sizeof name, file, sizeof file))
		return NULL;
	snprintf(text, sizeof text, "%s (%s)", name, file);
	return text;
}

TEST(a_method_has_the_name_of_a_stack_trace)
{
	static struct heap heap;

	begin(&heap);
	assert_string_equal(name_of(&heap, heap.outer), "com.example.App.outer (App.java)");
	assert_string_equal(name_of(&heap, heap.inner), "com.example.App.inner (App.java)");
	assert_null(name_of(&heap, heap.outer + 8));
	assert_null(name_of(&heap, 0));
	heap.pool.holder = (uint64_t)heap.stack; /* a class that does not name the pool */
	assert_null(name_of(&heap, heap.outer));
}

/* A method that runs while its class is defined anew keeps its pool, which names the class. */
TEST(a_method_of_an_earlier_definition_has_its_name)
{
	static struct heap heap;
	static struct pool later;

	begin(&heap);
	later = (struct pool){ .holder = (uint64_t)heap.klass };
	heap.klass[1] = (uint64_t)&later;
	assert_string_equal(name_of(&heap, heap.outer), "com.example.App.outer (App.java)");
	later.holder = (uint64_t)heap.stack; /* no pool of the class */
	assert_null(name_of(&heap, heap.outer));
	heap.klass[1] = 0;
	assert_null(name_of(&heap, heap.outer));
}

static uint32_t line_of(const struct heap *heap, uint64_t method, int32_t bci)
{
	struct hotspot_method is;

	assert_true(hotspot_read_method(&heap->hotspot, method, &is));
	return hotspot_line(&heap->hotspot, &is, bci);
}

TEST(a_byte_code_has_the_line_before_it)
{
	static struct heap heap;

	begin(&heap);
	assert_int_equal(line_of(&heap, heap.outer, -1), 10);
	assert_int_equal(line_of(&heap, heap.outer, 0), 10);
	assert_int_equal(line_of(&heap, heap.outer, 2), 10);
	assert_int_equal(line_of(&heap, heap.outer, 3), 12);
	assert_int_equal(line_of(&heap, heap.outer, 5), 9); /* backwards, as a loop has it */
	assert_int_equal(line_of(&heap, heap.outer, HOTSPOT_NO_BCI), 0);
	heap.hotspot.has_lines = 2;
	assert_int_equal(line_of(&heap, heap.outer, 3), 0);
}

TEST(numbers_are_those_of_each_version)
{
	static struct heap heap;
	static const uint8_t old[] = { 191, 192, 0, 255, 255, 255, 255, 255 }, new[] = { 191, 192, 2, 192, 0 };
	uint64_t at = (uint64_t)old;
	uint32_t value;

	begin(&heap);
	heap.hotspot.major = 17;
	assert_true(hotspot_unsigned(&heap.hotspot, &at, &value) && value == 191);
	assert_true(hotspot_unsigned(&heap.hotspot, &at, &value) && value == 192);
	assert_true(hotspot_unsigned(&heap.hotspot, &at, &value) && at == (uint64_t)old + sizeof old);
	heap.hotspot.major = 21;
	at = (uint64_t)new;
	assert_true(hotspot_unsigned(&heap.hotspot, &at, &value) && value == 190);
	assert_true(hotspot_unsigned(&heap.hotspot, &at, &value) && value == 255);
	assert_false(hotspot_unsigned(&heap.hotspot, &at, &value));
}

TEST(code_is_found_by_any_of_its_addresses)
{
	static struct heap heap;
	struct hotspot_code code, again;

	begin(&heap);
	hotspot_find_code(&heap.hotspot, heap.pc, &code);
	assert_int_equal(code.kind, HOTSPOT_COMPILED);
	assert_true(code.method == heap.outer && code.begin == heap.begin);
	assert_int_equal(code.frame, 48);
	assert_int_equal(code.complete, 12);
	assert_true(hotspot_is_same_code(&heap.hotspot, &code));
	hotspot_find_code(&heap.hotspot, heap.begin + 300, &again);
	assert_true(again.object == code.object);
	hotspot_find_code(&heap.hotspot, heap.hotspot.interpreter + 4, &again);
	assert_int_equal(again.kind, HOTSPOT_INTERPRETED);
	hotspot_find_code(&heap.hotspot, heap.hotspot.high, &again);
	assert_int_equal(again.kind, HOTSPOT_NONE);
	heap.memory.blob.name = (uint64_t)"StubRoutines (1)";
	hotspot_find_code(&heap.hotspot, heap.pc, &again);
	assert_int_equal(again.kind, HOTSPOT_STUB);
	assert_false(hotspot_is_same_code(&heap.hotspot, &code));
	memset(heap.segments, 0xff, sizeof heap.segments); /* free */
	hotspot_find_code(&heap.hotspot, heap.pc, &again);
	assert_int_equal(again.kind, HOTSPOT_NONE);
}

TEST(compiled_code_has_the_methods_that_are_inlined_there)
{
	static struct heap heap;
	struct hotspot_code code;
	struct hotspot_frame frame;

	begin(&heap);
	hotspot_find_code(&heap.hotspot, heap.pc, &code);
	hotspot_compiled(&heap.hotspot, &code, heap.begin + 40, false, &frame);
	assert_int_equal(frame.n, 2);
	assert_true(frame.at[0].method == heap.inner && frame.at[1].method == heap.outer);
	assert_int_equal(frame.at[0].bci, 1);
	assert_int_equal(frame.at[1].bci, 3);
	hotspot_compiled(&heap.hotspot, &code, heap.begin + 40, true, &frame); /* the next one is behind the call */
	assert_int_equal(frame.n, 1);
	assert_int_equal(frame.at[0].bci, 5);
	hotspot_compiled(&heap.hotspot, &code, heap.begin + 4000, false, &frame);
	assert_int_equal(frame.n, 1);
	assert_true(frame.at[0].method == heap.outer);
	assert_int_equal(frame.at[0].bci, HOTSPOT_NO_BCI);
	heap.memory.metadata[1] = 8; /* no method: what is left is the method that was compiled */
	hotspot_compiled(&heap.hotspot, &code, heap.begin + 40, false, &frame);
	assert_int_equal(frame.n, 1);
	assert_int_equal(frame.at[0].bci, HOTSPOT_NO_BCI);
}

TEST(an_interpreted_frame_names_its_byte_code)
{
	static struct heap heap;
	struct hotspot_frame frame;
	uint64_t fp, *stack = heap.stack;

	begin(&heap);
	fp = (uint64_t)(stack + 16);
	stack[16 - 3] = heap.outer;
	stack[16 - 8] = heap.codes + 3;
	assert_true(hotspot_interpreted(&heap.hotspot, fp, 0, &frame));
	assert_true(frame.at[0].method == heap.outer);
	assert_int_equal(frame.at[0].bci, 3);
	assert_true(hotspot_interpreted(&heap.hotspot, fp, heap.codes + 5, &frame)); /* the register knows better */
	assert_int_equal(frame.at[0].bci, 5);
	stack[16 - 8] = 0;
	assert_true(hotspot_interpreted(&heap.hotspot, fp, 0, &frame));
	assert_int_equal(frame.at[0].bci, HOTSPOT_NO_BCI);
	stack[16 - 3] = heap.outer + 8;
	assert_false(hotspot_interpreted(&heap.hotspot, fp, 0, &frame));
}
