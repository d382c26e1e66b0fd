// SPDX-License-Identifier: Apache-2.0
/*
 * HotSpot's code: where a piece of it begins, by the map of segments of its heaps (heap.cpp), and which methods an
 * address of compiled code executes, by the scopes that it keeps for its own walks (scopeDesc.cpp, pcDesc.hpp).
 */
#include <string.h>

#include "runtime/hotspot/hotspot.h"

enum { MOST_HEAPS = 4, MOST_HOPS = 1 << 16, MOST_SHIFT = 16, FREE = 0xff, WORD = 8, MOST_FRAME = 1 << 20 };
enum { MOST_CODE = 64 << 20, MOST_PCS = 1 << 20, MOST_BASES = 3 };
/* Words of the interpreter's frames, below the frame pointer; the same for both processors (frame_x86.hpp). */
enum { METHOD_WORD = 3, BCP_WORD = 8 };

struct heap {
	uint64_t low, segments, segments_end;
	unsigned shift;
};

static uint64_t space_part(const struct hotspot *hotspot, uint64_t heap, enum hotspot_part space,
			   enum hotspot_part part)
{
	return hotspot_part(hotspot, heap + (uint64_t)hotspot->at[space], part);
}

static bool find_heap(const struct hotspot *hotspot, uint64_t pc, struct heap *to)
{
	uint64_t heaps = hotspot_part(hotspot, 0, HOTSPOT_HEAPS);
	uint64_t n = hotspot_part(hotspot, heaps, HOTSPOT_ARRAY_LENGTH);
	uint64_t data = hotspot_part(hotspot, heaps, HOTSPOT_ARRAY_DATA), heap;

	for (uint64_t i = 0; i < n && i < MOST_HEAPS && hotspot_word(hotspot, data + i * WORD, &heap); i++) {
		to->low = space_part(hotspot, heap, HOTSPOT_HEAP_MEMORY, HOTSPOT_SPACE_LOW);
		if (pc < to->low || pc >= space_part(hotspot, heap, HOTSPOT_HEAP_MEMORY, HOTSPOT_SPACE_HIGH))
			continue;
		to->segments = space_part(hotspot, heap, HOTSPOT_HEAP_SEGMENTS, HOTSPOT_SPACE_LOW);
		to->segments_end = space_part(hotspot, heap, HOTSPOT_HEAP_SEGMENTS, HOTSPOT_SPACE_HIGH);
		to->shift = (unsigned)hotspot_part(hotspot, heap, HOTSPOT_HEAP_SEGMENT_SHIFT);
		return to->segments && to->shift && to->shift < MOST_SHIFT;
	}
	return false;
}

/* The object that contains an address; 0: none. Each segment says how far away the first one is. */
static uint64_t find_object(const struct hotspot *hotspot, uint64_t pc)
{
	struct heap heap;
	uint64_t segment, block;
	uint8_t hop = 0;

	if (!find_heap(hotspot, pc, &heap))
		return 0;
	segment = (pc - heap.low) >> heap.shift;
	for (int i = 0; i < MOST_HOPS; i++) {
		if (heap.segments + segment >= heap.segments_end ||
		    !hotspot_read(hotspot, heap.segments + segment, &hop, 1) || hop == FREE || hop > segment)
			return 0;
		if (!hop)
			break;
		segment -= hop;
	}
	block = heap.low + (segment << heap.shift);
	return !hop && hotspot_part(hotspot, block, HOTSPOT_BLOCK_USED) & 1 ? block + hotspot->size[HOTSPOT_BLOCK] : 0;
}

static int32_t signed_part(const struct hotspot *hotspot, uint64_t object, enum hotspot_part part)
{
	uint64_t value = hotspot_part(hotspot, object, part);

	return hotspot->width[part] == 2 ? (int16_t)value : (int32_t)value;
}

static bool is_compiled(const struct hotspot *hotspot, uint64_t object)
{
	char name[16] = "";

	if (!hotspot_read(hotspot, hotspot_part(hotspot, object, HOTSPOT_BLOB_NAME), name, sizeof name - 1))
		return false;
	return !strcmp(name, "nmethod") || !strcmp(name, "native nmethod");
}

void hotspot_find_code(const struct hotspot *hotspot, uint64_t pc, struct hotspot_code *code)
{
	uint64_t object, size;
	int32_t frame, complete;

	*code = (struct hotspot_code){ .kind = HOTSPOT_NONE };
	if (pc < hotspot->low || pc >= hotspot->high)
		return;
	if (pc >= hotspot->interpreter && pc < hotspot->interpreter_end) {
		code->kind = HOTSPOT_INTERPRETED;
		return;
	}
	object = find_object(hotspot, pc);
	size = object ? hotspot_part(hotspot, object, HOTSPOT_BLOB_SIZE) : 0;
	if (size > MOST_CODE || pc - object >= size)
		return;
	frame = signed_part(hotspot, object, HOTSPOT_BLOB_FRAME);
	complete = signed_part(hotspot, object, HOTSPOT_BLOB_COMPLETE);
	code->kind = is_compiled(hotspot, object) ? HOTSPOT_COMPILED : HOTSPOT_STUB;
	code->object = object;
	code->begin = hotspot->at[HOTSPOT_BLOB_CODE] >= 0
			  ? hotspot_part(hotspot, object, HOTSPOT_BLOB_CODE)
			  : object + hotspot_part(hotspot, object, HOTSPOT_BLOB_CODE_OFFSET);
	code->end = object + size;
	code->frame = frame > 0 && frame < MOST_FRAME / WORD ? (uint32_t)frame * WORD : 0;
	code->complete = complete > 0 ? (uint32_t)complete : 0;
	if (code->kind == HOTSPOT_STUB)
		return;
	code->method = hotspot_part(hotspot, object, HOTSPOT_COMPILED_METHOD);
	code->id = (int32_t)hotspot_part(hotspot, object, HOTSPOT_COMPILED_ID);
}

bool hotspot_is_same_code(const struct hotspot *hotspot, const struct hotspot_code *code)
{
	return code->kind == HOTSPOT_COMPILED &&
	       hotspot_part(hotspot, code->object, HOTSPOT_COMPILED_METHOD) == code->method &&
	       (int32_t)hotspot_part(hotspot, code->object, HOTSPOT_COMPILED_ID) == code->id &&
	       is_compiled(hotspot, code->object);
}

/* Where compiled code has what it knows of its addresses. */
struct scopes {
	uint64_t pcs, pcs_end, scopes;
	uint64_t metadata[MOST_BASES]; /* one of them: which one depends on the version */
	int n;
};

static void find_metadata(const struct hotspot *hotspot, uint64_t object, struct scopes *to)
{
	uint64_t offset = hotspot_part(hotspot, object, HOTSPOT_COMPILED_METADATA);

	if (hotspot->at[HOTSPOT_COMPILED_METADATA] >= 0) {
		to->metadata[to->n++] = object + offset;
		to->metadata[to->n++] =
		    object + offset + hotspot_part(hotspot, object, HOTSPOT_BLOB_DATA_OFFSET); /* 23, 24 */
	}
	if (hotspot->at[HOTSPOT_BLOB_MUTABLE] >= 0)
		to->metadata[to->n++] = hotspot_part(hotspot, object, HOTSPOT_BLOB_MUTABLE) +
					hotspot_part(hotspot, object, HOTSPOT_BLOB_RELOCATIONS);
}

static bool find_scopes(const struct hotspot *hotspot, uint64_t object, struct scopes *to)
{
	uint64_t base = hotspot->at[HOTSPOT_COMPILED_IMMUTABLE] >= 0
			    ? hotspot_part(hotspot, object, HOTSPOT_COMPILED_IMMUTABLE)
			    : object;

	*to = (struct scopes){ .pcs = base + hotspot_part(hotspot, object, HOTSPOT_COMPILED_PCS) };
	to->scopes = hotspot->at[HOTSPOT_COMPILED_SCOPES] >= 0
			 ? hotspot_part(hotspot, object, HOTSPOT_COMPILED_SCOPES)
			 : base + hotspot_part(hotspot, object, HOTSPOT_COMPILED_SCOPES_OFFSET);
	to->pcs_end = base == object ? object + hotspot_part(hotspot, object, HOTSPOT_COMPILED_PCS_END) : to->scopes;
	find_metadata(hotspot, object, to);
	return base && to->pcs_end > to->pcs && to->pcs_end - to->pcs <= (uint64_t)MOST_PCS * hotspot->size[HOTSPOT_PC];
}

/* The scope of the first entry at an offset of the code or behind it; 0: none. */
static uint32_t scope_of(const struct hotspot *hotspot, const struct scopes *scopes, int64_t offset)
{
	const uint64_t size = hotspot->size[HOTSPOT_PC];
	uint64_t low = 0, high = (scopes->pcs_end - scopes->pcs) / size, n = high;

	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (signed_part(hotspot, scopes->pcs + middle * size, HOTSPOT_PC_OFFSET) < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n ? (uint32_t)hotspot_part(hotspot, scopes->pcs + low * size, HOTSPOT_PC_SCOPE) : 0;
}

/* { scope of the caller, number of the method, byte code + 1 }, from the innermost method to the one that is compiled.
 */
static bool read_scopes(const struct hotspot *hotspot, const struct hotspot_code *code, const struct scopes *scopes,
			uint64_t metadata, uint32_t scope, struct hotspot_frame *frame)
{
	uint32_t caller, number, bci;

	for (frame->n = 0; scope && frame->n < HOTSPOT_MOST_INLINED; scope = caller) {
		struct hotspot_method method;
		uint64_t at = scopes->scopes + scope;

		if (!hotspot_unsigned(hotspot, &at, &caller) || !hotspot_unsigned(hotspot, &at, &number) ||
		    !hotspot_unsigned(hotspot, &at, &bci) || !number ||
		    !hotspot_word(hotspot, metadata + (uint64_t)(number - 1) * WORD, &frame->at[frame->n].method) ||
		    !hotspot_read_method(hotspot, frame->at[frame->n].method, &method) || bci > method.code_size)
			return false;
		frame->at[frame->n++].bci = (int32_t)bci - 1;
	}
	return frame->n && (scope || frame->at[frame->n - 1].method == code->method);
}

void hotspot_compiled(const struct hotspot *hotspot, const struct hotspot_code *code, uint64_t pc, bool is_exact,
		      struct hotspot_frame *frame)
{
	struct scopes scopes;
	uint32_t scope;

	if (find_scopes(hotspot, code->object, &scopes)) {
		scope = scope_of(hotspot, &scopes, (int64_t)(pc - code->begin) + is_exact);
		for (int i = 0; i < scopes.n && scope; i++)
			if (read_scopes(hotspot, code, &scopes, scopes.metadata[i], scope, frame))
				return;
	}
	frame->n = 1;
	frame->at[0].method = code->method;
	frame->at[0].bci = HOTSPOT_NO_BCI;
}

bool hotspot_interpreted(const struct hotspot *hotspot, uint64_t fp, uint64_t bcp, struct hotspot_frame *frame)
{
	struct hotspot_method method;
	uint64_t begin;

	if (!hotspot_word(hotspot, fp - METHOD_WORD * WORD, &frame->at[0].method) ||
	    !hotspot_read_method(hotspot, frame->at[0].method, &method))
		return false;
	begin = method.constant + hotspot->size[HOTSPOT_CONST];
	if (bcp - begin >= method.code_size && !hotspot_word(hotspot, fp - BCP_WORD * WORD, &bcp))
		bcp = 0;
	frame->n = 1;
	frame->at[0].bci = bcp - begin < method.code_size ? (int32_t)(bcp - begin) : HOTSPOT_NO_BCI;
	return true;
}
