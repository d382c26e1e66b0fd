// SPDX-License-Identifier: Apache-2.0
/*
 * Machine code lies in an object of V8's heap, behind its header. Until V8 11 that object is the Code; since then it is
 * an InstructionStream that names its Code. Objects begin at multiples of 16, and none of V8's indices from addresses
 * to them is exported: the header is looked for from the address backwards.
 */
#include "runtime/v8/v8.h"

enum { STEP = 16, CHUNK = 4096, MOST_BACK = 256 << 10, STREAM_CODE = 8, MOST_HEADER = 256 };
enum { MOST_TRIED = 128 }; /* words of one search that look like a header's: code of 30 KiB names 40 objects */

static bool is_code_map(const struct v8 *v8, uint64_t map)
{
	uint16_t type;
	bool is_apart = v8->at[V8_TYPE_STREAM] > 0;

	return v8_type(v8, map) == v8->at[V8_TYPE_MAP] &&
	       v8->memory.read(v8->memory.of, map - 1 + (uint64_t)v8->at[V8_MAP_TYPE], &type, sizeof type) &&
	       type == v8->at[is_apart ? V8_TYPE_STREAM : V8_TYPE_CODE];
}

static bool read_part(const struct v8 *v8, uint64_t object, int32_t offset, uint32_t *to)
{
	return v8->memory.read(v8->memory.of, object - 1 + (uint64_t)(int64_t)offset, to, sizeof *to);
}

/* The code whose machine code is in the object at this address. */
static bool read_code(const struct v8 *v8, uint64_t stream, struct v8_code *code)
{
	bool is_apart = v8->at[V8_TYPE_STREAM] > 0;
	uint64_t back;
	uint32_t size, flags;

	*code = (struct v8_code){ .object = stream, .stream = stream };
	if (is_apart) {
		if (!v8_part(v8, stream, STREAM_CODE, &code->object) ||
		    v8_type(v8, code->object) != v8->at[V8_TYPE_CODE] ||
		    !v8_part(v8, code->object, v8->at[V8_CODE_STREAM], &back) || back != stream ||
		    !v8_part(v8, code->object, v8->at[V8_CODE_START], &code->begin) ||
		    code->begin - stream > MOST_HEADER)
			return false;
	} else {
		code->begin = stream - 1 + (uint64_t)v8->at[V8_CODE_HEADER];
	}
	if (!read_part(v8, code->object, v8->at[V8_CODE_SIZE], &size) ||
	    !read_part(v8, code->object, v8->at[V8_CODE_FLAGS], &flags) ||
	    !v8_part(v8, code->object, v8->code_deopt, &code->deopt) ||
	    !v8_part(v8, code->object, v8->code_positions, &code->positions))
		return false;
	code->is_baseline = (int32_t)(flags & (uint32_t)v8->at[V8_KIND_FIELD]) == v8->at[V8_KIND_BASELINE];
	code->end = code->begin + size;
	return true;
}

bool v8_is_same_code(const struct v8 *v8, const struct v8_code *code)
{
	struct v8_code now;
	uint64_t map;

	return v8_part(v8, code->stream, 0, &map) && map == v8->code_map && read_code(v8, code->stream, &now) &&
	       now.object == code->object && now.begin == code->begin && now.end == code->end &&
	       now.deopt == code->deopt && now.positions == code->positions;
}

static bool may_be_object(uint64_t word)
{
	return (word & 3) == 1 && word > 4096 && word < UINT64_C(1) << 47;
}

bool v8_find_code(struct v8 *v8, uint64_t pc, struct v8_code *code)
{
	uint64_t chunk[CHUNK / sizeof(uint64_t)], first = pc & ~(uint64_t)(CHUNK - 1), at, none = 0;
	int n_tried = 0;

	for (uint64_t from = first; first - from < MOST_BACK; from -= CHUNK) {
		if (!v8->memory.read(v8->memory.of, from, chunk, sizeof chunk))
			return false;
		for (at = from + CHUNK - STEP; at >= from; at -= STEP) {
			uint64_t map = chunk[(at - from) / sizeof *chunk];

			if (at > pc || map == none || !may_be_object(map))
				continue;
			if (n_tried++ == MOST_TRIED)
				return false;
			if (map != v8->code_map && !is_code_map(v8, map)) {
				none = map;
				continue;
			}
			if (!read_code(v8, at + 1, code))
				continue;
			v8->code_map = map;
			return pc >= code->begin && pc < code->end;
		}
	}
	return false;
}
