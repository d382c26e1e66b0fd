// SPDX-License-Identifier: Apache-2.0
/*
 * Each function is recognised by code that compilers write in few ways, its own or that of a neighbour in the table:
 *
 *   ISequentialPlannerContext  GetShape, IsParallelExecutionEnabled, GetExecutionOrder (returns a 32-bit field)
 *   ITensorAllocator           FinalizePlan, GetPreallocatedBuffer, GetMemPatterns (returns the address of a field),
 *                              Trace (does nothing in SimpleTensorAllocator)
 *   CopyingInputStream         two destructors, Read (sign-extends its third argument for read(2)), Skip (its second)
 *   IKernelTypeStrResolver     one function
 *   OpKernel                   UseSharedPrePackedBuffers' default stores false through its last argument
 *   IAllocator                 two destructors, Alloc, [IsStreamAware (returns false), AllocOnStream,] Free, Reserve.
 *                              The defaults of AllocOnStream and Reserve call Alloc through the object's own table
 *
 * ort.c compares the result with a table by version.
 */
#include "runtime/ort_borders.h"

#include <string.h>

#include "runtime/trivial_body.h"

enum { MAX_SLOTS = 16, CODE = 60, SHORT_CODE = 28 };

struct table {
	const struct image *image;
	uint64_t slots;
	int n;
};

/* The first table of the class, or of the first class derived from it. n 0: there is none. */
static struct table table_of(struct rtti *rtti, const char *class_name)
{
	struct table table = { .image = rtti->image };
	struct rtti_vtable *vtable;

	if (!rtti_derived(rtti, class_name, &vtable))
		return table;
	table.slots = vtable[0].slots;
	while (table.n < MAX_SLOTS &&
	       image_has(rtti->image, image_word(rtti->image, table.slots + 8 * (uint64_t)table.n), IMAGE_X))
		table.n++;
	return table;
}

static uint64_t function_of(const struct table *table, int slot)
{
	return slot < table->n ? image_word(table->image, table->slots + 8 * (uint64_t)slot) : 0;
}

/* Its first CODE bytes, behind endbr64; NULL: unreadable. */
static const uint8_t *code_of(const struct table *table, int slot)
{
	const uint8_t *at = image_at(table->image, function_of(table, slot), CODE + 4, IMAGE_X);

	return at && !memcmp(at, "\xf3\x0f\x1e\xfa", 4) ? at + 4 : at;
}

typedef bool is_like(const uint8_t *code);

/* mov eax, [rdi + d]; ret */
static bool returns_field(const uint8_t *code)
{
	return code[0] == 0x8b && code[1] == 0x47 && code[3] == 0xc3;
}

/* lea rax, [rdi + d]; ret */
static bool returns_address_of_field(const uint8_t *code)
{
	return !memcmp(code, "\x48\x8d\x47", 3) && code[4] == 0xc3;
}

static bool has(const uint8_t *code, const char *bytes, size_t n)
{
	for (size_t i = 0; i + n <= SHORT_CODE; i++)
		if (!memcmp(code + i, bytes, n))
			return true;
	return false;
}

/* movsxd r, edx */
static bool extends_third(const uint8_t *code)
{
	for (int i = 0; i + 3 <= CODE; i++)
		if ((code[i] == 0x48 || code[i] == 0x4c) && code[i + 1] == 0x63 && (code[i + 2] & 0xc7) == 0xc2)
			return true;
	return false;
}

/* mov byte [r8], 0; or, with an argument more: mov r, [rsp + 8]; mov byte [r], 0 */
static bool stores_false(const uint8_t *code)
{
	return has(code, "\x41\xc6\x00\x00", 4) ||
	       (has(code, "\x48\x8b\x54\x24\x08", 5) && has(code, "\xc6\x02\x00", 3)) ||
	       (has(code, "\x48\x8b\x44\x24\x08", 5) && has(code, "\xc6\x00\x00", 3));
}

/* The one slot from `from` up to `to` whose code is like that. */
static int find(const struct table *table, int from, int to, is_like *like)
{
	int found = BORDER_UNKNOWN;

	for (int slot = from; slot < to && slot < table->n; slot++) {
		const uint8_t *code = code_of(table, slot);
		if (!code || !like(code))
			continue;
		if (found >= 0)
			return BORDER_UNKNOWN;
		found = slot;
	}
	return found;
}

static void find_planner(struct rtti *rtti, int slot[N_BORDERS])
{
	struct table table = table_of(rtti, "N11onnxruntime25ISequentialPlannerContextE");
	int order = find(&table, 0, 4, returns_field);

	if (!table.n)
		return;
	slot[BORDER_PLAN] = order;
	slot[BORDER_PLAN_VALUE] = order < 2 ? BORDER_UNKNOWN : order - 2;
}

static void find_allocator(struct rtti *rtti, int slot[N_BORDERS])
{
	struct table table = table_of(rtti, "N11onnxruntime21SimpleTensorAllocatorE");
	int patterns = find(&table, 0, 4, returns_address_of_field);

	if (!table.n)
		return;
	if (patterns < 2 || trivial_body(table.image, function_of(&table, patterns + 1)) != 'S')
		patterns = BORDER_UNKNOWN;
	slot[BORDER_WEIGHTS] = patterns < 0 ? BORDER_UNKNOWN : patterns - 2;
	slot[BORDER_WEIGHT] = patterns < 0 ? BORDER_UNKNOWN : patterns - 1;
}

static void find_stream(struct rtti *rtti, int slot[N_BORDERS])
{
	struct table table = table_of(rtti, "N6google8protobuf2io15FileInputStream22CopyingFileInputStreamE");

	if (!table.n)
		return;
	slot[BORDER_READ] = find(&table, 2, 4, extends_third); /* the code behind a short destructor may be Read's */
}

static void find_resolver(struct rtti *rtti, int slot[N_BORDERS])
{
	struct table table = table_of(rtti, "N11onnxruntime29OpSchemaKernelTypeStrResolverE");

	if (!table.n)
		return;
	slot[BORDER_KERNEL_TYPES] =
	    table.n == 1 && trivial_body(table.image, function_of(&table, 0)) == '.' ? 0 : BORDER_UNKNOWN;
}

/* It stands behind PrePack, which stores false through r9. */
static void find_kernel(struct rtti *rtti, int slot[N_BORDERS])
{
	struct table table = table_of(rtti, "N11onnxruntime9TransposeE");

	if (!table.n)
		return;
	slot[BORDER_SHARE] = find(&table, 5, 11, stores_false);
}

/* mov rax, [rdi]; then jmp [rax + 16], or mov rax, [rax + 16] where the compiler guessed which function that is */
static bool calls_third(const uint8_t *code)
{
	return !memcmp(code, "\x48\x8b\x07", 3) && (has(code, "\xff\x60\x10", 3) || has(code, "\x48\x8b\x40\x10", 4));
}

static void find_memory(struct rtti *rtti, int slot[N_BORDERS])
{
	static const enum ort_border borders[] = { BORDER_DELETE, BORDER_ALLOC, BORDER_STREAM, BORDER_FREE,
						   BORDER_RESERVE };
	struct table table = table_of(rtti, "N11onnxruntime12CPUAllocatorE");
	bool has_streams = table.n > 4 && trivial_body(table.image, function_of(&table, 3)) == '0';
	int reserve = has_streams ? 6 : 4;
	const uint8_t *code = code_of(&table, reserve), *stream = code_of(&table, 4);

	if (!table.n)
		return;
	for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
		slot[borders[i]] = BORDER_UNKNOWN;
	if (!has_streams)
		slot[BORDER_STREAM] = BORDER_NO_CLASS;
	if (!code || !stream || !calls_third(code) || !calls_third(stream) ||
	    trivial_body(table.image, function_of(&table, 2)) != '.')
		return;
	slot[BORDER_DELETE] = 1;
	slot[BORDER_ALLOC] = 2;
	slot[BORDER_FREE] = reserve - 1;
	slot[BORDER_RESERVE] = reserve;
	if (has_streams)
		slot[BORDER_STREAM] = 4;
}

void ort_borders_find(struct rtti *rtti, int slot[N_BORDERS])
{
	for (int i = 0; i < N_BORDERS; i++)
		slot[i] = BORDER_NO_CLASS;
	find_planner(rtti, slot);
	find_allocator(rtti, slot);
	find_stream(rtti, slot);
	find_resolver(rtti, slot);
	find_kernel(rtti, slot);
	find_memory(rtti, slot);
}
