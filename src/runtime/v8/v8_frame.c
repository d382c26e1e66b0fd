// SPDX-License-Identifier: Apache-2.0
/*
 * A frame by its frame pointer. V8's own frames have a number where those of functions have their context:
 *
 *	fp + 8	the address behind the call
 *	fp	the caller's frame
 *	fp - 8	the context; of V8's own: twice the kind of the frame
 *	fp - 16	the function
 *		and in an interpreted one the byte code, and the offset in it
 *
 * Code that V8 has optimized has a table from addresses to positions, and the call into which each is inlined.
 */
#include "runtime/v8/v8.h"

enum { POSITION_BYTES = 16, UNNAMED_MAJOR = 9, MOST_ENTRIES = 1 << 24 };

/* Which byte code an interpreter executes: by its registers, else by what the last call has left. Below 0: none. */
static int32_t interpreted_offset(const struct v8 *v8, const struct v8_where *where, uint64_t *bytecode)
{
	uint64_t array, word;
	int32_t offset, length, header = v8->at[V8_BYTECODE_DATA] - 1;

	if (!v8_word(v8, where->fp + (uint64_t)(int64_t)v8->at[V8_FP_BYTECODE], &array) ||
	    !v8_word(v8, where->fp + (uint64_t)(int64_t)v8->at[V8_FP_OFFSET], &word) ||
	    v8_type(v8, array) != v8->at[V8_TYPE_BYTECODE] || !v8_integer(word, &offset) ||
	    !v8_part(v8, array, v8->at[V8_ARRAY_LENGTH], &word) || !v8_integer(word, &length) || offset < header ||
	    offset - header >= length)
		return -1;
	*bytecode = array;
	if (where->is_innermost && where->array == array && where->offset >= (uint64_t)header &&
	    where->offset - (uint64_t)header < (uint64_t)length)
		offset = (int32_t)where->offset;
	return offset - header;
}

static int32_t position_in(const struct v8 *v8, uint64_t bytecode, int32_t offset)
{
	uint64_t table, position;

	if (offset < 0 || !v8_part(v8, bytecode, v8->bytecode_positions, &table) ||
	    !v8_position_of(v8, table, offset, &position))
		return -1;
	return v8_position_in_script(position);
}

/* A word of a list; 0: none. */
static uint64_t entry_of(const struct v8 *v8, uint64_t list, int32_t i)
{
	uint64_t word, entry;
	int32_t length;

	if (!v8_part(v8, list, v8->at[V8_ARRAY_LENGTH], &word) || !v8_integer(word, &length) || i < 0 || i >= length ||
	    i >= MOST_ENTRIES || !v8_part(v8, list, v8->at[V8_ARRAY_DATA] + 8 * i, &entry))
		return 0;
	return entry;
}

static uint64_t shared_of(const struct v8 *v8, uint64_t object)
{
	if ((object & 3) == 3)
		object &= ~UINT64_C(2); /* a weak reference */
	if (v8_type(v8, object) == v8->at[V8_TYPE_SHARED_WRAPPER] && !v8_part(v8, object, 8, &object))
		return 0;
	return v8_type(v8, object) == v8->at[V8_TYPE_SHARED] ? object : 0;
}

/* The call into which a function is inlined: { position, number of the function in the literals }. */
static bool read_inlining(const struct v8 *v8, const struct v8_code *code, int32_t i, uint64_t *position,
			  uint64_t *shared)
{
	uint64_t table = entry_of(v8, code->deopt, v8->at[V8_DEOPT_INLINING]), word;
	uint64_t literals = entry_of(v8, code->deopt, v8->at[V8_DEOPT_LITERALS]);
	int type = v8_type(v8, table);
	int32_t length, number;

	if (type < 0 || (type != v8->at[V8_TYPE_BYTES] && type != v8->at[V8_TYPE_TRUSTED_BYTES]) ||
	    !v8_part(v8, table, v8->at[V8_ARRAY_LENGTH], &word) || !v8_integer(word, &length) ||
	    i >= length / POSITION_BYTES || !v8_part(v8, table, v8->at[V8_ARRAY_DATA] + i * POSITION_BYTES, position) ||
	    !v8_part(v8, table, v8->at[V8_ARRAY_DATA] + i * POSITION_BYTES + 8, &word))
		return false;
	number = (int32_t)(uint32_t)word;
	*shared = number < 0 ? 0 : shared_of(v8, entry_of(v8, literals, number));
	return *shared;
}

/*
 * From the inlined function outwards; what cannot be read leaves the function of the frame. A function that has just
 * begun, or is about to end, has no frame: then the frame is that of its caller. It looks the same if the code has been
 * replaced by another function's since the registers were taken.
 */
static void read_optimized(const struct v8 *v8, const struct v8_where *where, struct v8_frame *frame)
{
	uint64_t position, outer, shared, caller = frame->at[0].shared;
	uint64_t own = shared_of(v8, entry_of(v8, where->code->deopt, v8->at[V8_DEOPT_SHARED]));
	int32_t offset = (int32_t)(where->pc - where->code->begin) - !where->is_innermost, inlined;

	if (!own || (own != caller && !where->is_innermost))
		return;
	frame->n = 1;
	frame->at[0].shared = own;
	if (own != caller) {
		frame->is_frameless = true;
		return;
	}
	if (!v8_position_of(v8, where->code->positions, offset, &position))
		return;
	frame->n = 0;
	while ((inlined = v8_position_inlined(position)) >= 0 && frame->n + 1 < V8_MOST_INLINED &&
	       read_inlining(v8, where->code, inlined, &outer, &shared)) {
		frame->at[frame->n].shared = shared;
		frame->at[frame->n++].position = v8_position_in_script(position);
		position = outer;
	}
	frame->at[frame->n].shared = own;
	frame->at[frame->n++].position = inlined < 0 ? v8_position_in_script(position) : -1;
}

/* The byte code of a frame of baseline code is where an interpreter has it, too; V8 9's code does not name it. */
static bool is_baseline_of(const struct v8 *v8, const struct v8_where *where, struct v8_code *code)
{
	uint64_t bytecode;

	if (!v8_word(v8, where->fp + (uint64_t)(int64_t)v8->at[V8_FP_BYTECODE], &bytecode) ||
	    v8_type(v8, bytecode) != v8->at[V8_TYPE_BYTECODE])
		return false;
	*code = *where->code;
	if (v8->major == UNNAMED_MAJOR)
		code->deopt = bytecode;
	return bytecode == code->deopt;
}

static void read_position(const struct v8 *v8, const struct v8_where *where, struct v8_frame *frame)
{
	struct v8_code code;
	uint64_t bytecode = 0;
	int32_t offset;

	if (!where->code) {
		offset = interpreted_offset(v8, where, &bytecode);
		frame->at[0].position = position_in(v8, bytecode, offset);
	} else if (!where->code->is_baseline) {
		read_optimized(v8, where, frame);
	} else if (is_baseline_of(v8, where, &code)) {
		offset = v8_baseline_offset(v8, &code, where->pc - !where->is_innermost);
		frame->at[0].position = offset == V8_NO_POSITION ? V8_NO_POSITION : position_in(v8, code.deopt, offset);
	}
}

/* 0: the frame has none. */
static uint64_t function_of(const struct v8 *v8, uint64_t fp)
{
	uint64_t function, shared;

	return v8_word(v8, fp + (uint64_t)(int64_t)v8->at[V8_FP_FUNCTION], &function) &&
		       v8_part(v8, function, v8->at[V8_FUNCTION_SHARED], &shared) &&
		       v8_type(v8, shared) == v8->at[V8_TYPE_SHARED]
		   ? shared
		   : 0;
}

static bool is_builtin(const struct v8 *v8, uint64_t shared)
{
	struct v8_function function;

	return v8_read_function(v8, shared, &function) && !function.script;
}

bool v8_is_in_function(const struct v8 *v8, uint64_t fp, const struct v8_code *code)
{
	struct v8_where where = { .fp = fp, .code = code };
	struct v8_code ignored;
	uint64_t shared = function_of(v8, fp), bytecode;

	if (!shared)
		return false;
	if (!code)
		return interpreted_offset(v8, &where, &bytecode) >= 0 || is_builtin(v8, shared);
	return code->is_baseline ? is_baseline_of(v8, &where, &ignored)
				 : shared_of(v8, entry_of(v8, code->deopt, v8->at[V8_DEOPT_SHARED])) == shared;
}

void v8_read_frame(const struct v8 *v8, const struct v8_where *where, struct v8_frame *frame)
{
	uint64_t context, shared, kind;

	*frame = (struct v8_frame){ .kind = V8_OTHER };
	if (where->fp & 7 || !v8_word(v8, where->fp + (uint64_t)(int64_t)v8->at[V8_FP_CONTEXT], &context))
		return;
	if (!(context & 1)) {
		kind = context >> 1;
		frame->kind = kind == (uint64_t)v8->at[V8_FRAME_BUILTIN] ? V8_BUILTIN
			      : kind == (uint64_t)v8->at[V8_FRAME_STUB]	 ? V8_STUB
									 : V8_ENTRY;
		return;
	}
	shared = function_of(v8, where->fp);
	if (!shared)
		return;
	frame->kind = V8_FUNCTION;
	frame->n = 1;
	frame->at[0].shared = shared;
	frame->at[0].position = -1;
	read_position(v8, where, frame);
}
