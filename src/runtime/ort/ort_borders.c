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
#include "runtime/ort/ort_borders.h"

#include "runtime/find/trivial_body.h"
#include "runtime/ort/ort_machine.h"

enum { MAX_SLOTS = 16 };

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
	for (uint64_t at; table.n < MAX_SLOTS; table.n++) {
		at = image_word(rtti->image, table.slots + 8 * (uint64_t)table.n);
		if (!at || !image_has(rtti->image, at, IMAGE_X)) /* in a file, code may begin at 0 */
			break;
	}
	return table;
}

static uint64_t function_of(const struct table *table, int slot)
{
	return slot < table->n ? image_word(table->image, table->slots + 8 * (uint64_t)slot) : 0;
}

/* Its first bytes, behind the landing pad; NULL: unreadable. */
static const uint8_t *code_of(const struct table *table, int slot)
{
	const uint8_t *at =
	    image_at(table->image, function_of(table, slot), ORT_MACHINE_CODE + ORT_MACHINE_PAD, IMAGE_X);

	return at && ort_machine_is_pad(at) ? at + ORT_MACHINE_PAD : at;
}

typedef bool is_like(const uint8_t *code);

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
	int order = find(&table, 0, 4, ort_machine_returns_field);

	if (!table.n)
		return;
	slot[BORDER_PLAN] = order;
	slot[BORDER_PLAN_VALUE] = order < 2 ? BORDER_UNKNOWN : order - 2;
}

static void find_allocator(struct rtti *rtti, int slot[N_BORDERS])
{
	struct table table = table_of(rtti, "N11onnxruntime21SimpleTensorAllocatorE");
	int patterns = find(&table, 0, 4, ort_machine_returns_address_of_field);

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
	slot[BORDER_READ] =
	    find(&table, 2, 4, ort_machine_extends_third); /* the code behind a short destructor may be Read's */
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
	slot[BORDER_SHARE] = find(&table, 5, 11, ort_machine_stores_false);
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
	if (!code || !stream || !ort_machine_calls_third(code) || !ort_machine_calls_third(stream) ||
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
