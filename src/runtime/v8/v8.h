/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what V8 8.4 and later keep in memory of JavaScript: frames of a stack, their functions, and the source
 * positions that they execute. Node.js exports where its objects have their parts, for debuggers that look at a dead
 * process (v8dbg_*); a V8 without those is left alone.
 *
 * Every byte comes through a function that the caller gives. It allocates nothing but the ends of lines, and calls
 * nothing of V8. What it looks at may change meanwhile: an object counts only if its map has the type that belongs
 * there, and each number only in its bounds. It does not walk a stack: who does asks for one frame at a time.
 */
#ifndef RUNTIME_V8_H
#define RUNTIME_V8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "runtime/find/dynamic.h"

/* Copies memory of the program. False: there is none at this address. */
struct v8_memory {
	bool (*read)(void *of, uint64_t from, void *to, size_t size);
	void *of;
};

/*
 * Numbers of V8's metadata: F(NAME, value where a version lacks it, its names without "v8dbg_"). They differ where a
 * field got another type. V8_MUST: a V8 without it cannot be read; V8_LATER: v8_open finds it by the others.
 */
#define V8_MUST INT32_MIN
#define V8_LATER (INT32_MIN + 1)
#define V8_FIELDS(F) \
	F(FP_FUNCTION, V8_MUST, "off_fp_function") \
	F(FP_CONTEXT, V8_MUST, "off_fp_context_or_frame_type", "off_fp_context") \
	F(FP_BYTECODE, V8_LATER, "off_fp_bytecode_array") \
	F(FP_OFFSET, V8_LATER, "off_fp_bytecode_offset") \
	F(TAGGED_SIZE, V8_MUST, "TaggedSize") \
	F(MAP_TYPE, V8_MUST, "class_Map__instance_type__uint16_t") \
	F(FUNCTION_SHARED, V8_MUST, "class_JSFunction__shared__SharedFunctionInfo") \
	F(SHARED_NAME, V8_MUST, "class_SharedFunctionInfo__name_or_scope_info__Object", \
	  "class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_", \
	  "class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_") \
	F(SHARED_SCRIPT, V8_MUST, "class_SharedFunctionInfo__script_or_debug_info__HeapObject", \
	  "class_SharedFunctionInfo__script__Tagged_HeapObject_", \
	  "class_SharedFunctionInfo__raw_script__Tagged_Object_") \
	F(SCRIPT_SOURCE, 8, "class_Script__source__Object") \
	F(SCRIPT_NAME, V8_MUST, "class_Script__name__Object") \
	F(SCRIPT_LINES, V8_MUST, "class_Script__line_ends__Object") \
	F(STRING_LENGTH, V8_MUST, "class_String__length__int32_t") \
	F(STRING_ONE_BYTE, V8_MUST, "class_SeqOneByteString__chars__char") \
	F(STRING_TWO_BYTE, V8_MUST, "class_SeqTwoByteString__chars__char") \
	F(STRING_FIRST, V8_MUST, "class_ConsString__first__String") \
	F(STRING_SECOND, V8_MUST, "class_ConsString__second__String") \
	F(STRING_PARENT, V8_MUST, "class_SlicedString__parent__String") \
	F(STRING_OFFSET, V8_MUST, "class_SlicedString__offset__SMI") \
	F(STRING_ACTUAL, V8_MUST, "class_ThinString__actual__String") \
	F(STRING_RESOURCE, V8_MUST, "class_ExternalString__resource__Object") \
	F(FIRST_NONSTRING, V8_MUST, "FirstNonstringType") \
	F(KIND_MASK, V8_MUST, "StringRepresentationMask") \
	F(KIND_SEQUENTIAL, V8_MUST, "SeqStringTag") \
	F(KIND_CONS, V8_MUST, "ConsStringTag") \
	F(KIND_EXTERNAL, V8_MUST, "ExternalStringTag") \
	F(KIND_SLICED, V8_MUST, "SlicedStringTag") \
	F(KIND_THIN, V8_MUST, "ThinStringTag") \
	F(ENCODING_MASK, V8_MUST, "StringEncodingMask") \
	F(ENCODING_ONE_BYTE, V8_MUST, "OneByteStringTag") \
	F(ARRAY_LENGTH, V8_MUST, "class_FixedArrayBase__length__SMI") \
	F(ARRAY_DATA, V8_MUST, "class_FixedArray__data__uintptr_t") \
	F(SCOPE_LOCALS, V8_MUST, "scopeinfo_idx_ncontextlocals") \
	F(SCOPE_FIRST, V8_MUST, "scopeinfo_idx_first_vars") \
	F(BYTECODE_DATA, 54, "class_BytecodeArray__data__uintptr_t") \
	F(BYTECODE_WRAPPER, -1, "class_BytecodeArray__wrapper__Tagged_BytecodeWrapper_") \
	F(CODE_STREAM, -1, "class_Code__instruction_stream__Tagged_InstructionStream_") \
	F(CODE_HEADER, -1, "class_Code__instruction_start__uintptr_t") \
	F(CODE_START, V8_LATER, "class_Code__instruction_start__Address") \
	F(CODE_SIZE, V8_LATER, "class_Code__instruction_size__int") \
	F(CODE_FLAGS, V8_LATER, "class_Code__flags__uint32_t") \
	F(KIND_FIELD, 15, "CodeKindFieldMask") \
	F(KIND_BASELINE, 11, "CodeKindBaseline") \
	F(DEOPT_LITERALS, 2, "DeoptimizationDataLiteralArrayIndex") \
	F(DEOPT_SHARED, 6, "DeoptimizationDataSharedFunctionInfoIndex", \
	  "DeoptimizationDataWrappedSharedFunctionInfoIndex") \
	F(DEOPT_INLINING, 7, "DeoptimizationDataInliningPositionsIndex") \
	F(TYPE_MAP, V8_MUST, "type_Map__MAP_TYPE") \
	F(TYPE_SHARED, V8_MUST, "type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE") \
	F(TYPE_SHARED_WRAPPER, -1, "type_SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE") \
	F(TYPE_SCRIPT, V8_MUST, "type_Script__SCRIPT_TYPE") \
	F(TYPE_ODDBALL, V8_MUST, "type_Oddball__ODDBALL_TYPE") \
	F(TYPE_DEBUG, -1, "type_DebugInfo__DEBUG_INFO_TYPE") \
	F(TYPE_SCOPE, V8_MUST, "type_ScopeInfo__SCOPE_INFO_TYPE") \
	F(TYPE_BYTECODE, V8_MUST, "type_BytecodeArray__BYTECODE_ARRAY_TYPE") \
	F(TYPE_CODE, V8_MUST, "type_Code__CODE_TYPE") \
	F(TYPE_STREAM, -1, "type_InstructionStream__INSTRUCTION_STREAM_TYPE") \
	F(TYPE_BYTES, V8_MUST, "type_ByteArray__BYTE_ARRAY_TYPE") \
	F(TYPE_TRUSTED_BYTES, -1, "type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE") \
	F(FRAME_BUILTIN, V8_MUST, "frametype_BuiltinFrame") \
	F(FRAME_STUB, V8_MUST, "frametype_StubFrame") \
	F(ARRAY_REGISTER, 12, "InterpreterBytecodeArrayRegister") \
	F(OFFSET_REGISTER, 9, "InterpreterBytecodeOffsetRegister")

#define V8_FIELD_ENUM(name, ...) V8_##name,
enum v8_field { V8_FIELDS(V8_FIELD_ENUM) N_V8_FIELDS };

/* Where a V8 has them: addresses in the program, 0: its module does not name it. */
struct v8_place {
	uint64_t field[N_V8_FIELDS]; /* int32_t each */
	uint64_t major, minor;	     /* int32_t each: its version */
	uint64_t bytecode_sizes;     /* uint8_t [3][n_bytecodes] */
	uint32_t n_bytecodes;
};

/* A V8 that can be read. */
struct v8 {
	struct v8_memory memory;
	int32_t at[N_V8_FIELDS];
	int32_t major, minor;
	int32_t code_deopt, code_positions, bytecode_positions; /* offsets; of baseline code: bytecode, its offsets */
	uint32_t n_bytecodes;
	uint8_t bytecode_size[3][256];
	bool is_unread;		  /* its metadata could not be read: it may be later */
	bool has_flagged_offsets; /* in tables of positions */
	uint64_t code_map;	  /* of objects that contain machine code, once one was seen */
};

/* Whether the module is a V8, and where its metadata is, if it has any. bias: as for cpython_find. */
bool v8_find(struct v8_place *place, const struct dynamic *module, uint64_t bias);
/* A table that some versions do not export: how long byte codes are. Without it baseline code has no positions. */
#define V8_BYTECODE_SIZES "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE"
void v8_place_sizes(struct v8_place *place, uint64_t at, uint64_t size);
/* NULL, or why this V8 cannot be read: one line, for people. v8->is_unread: another time it may be. */
const char *v8_open(struct v8 *v8, const struct v8_place *place, const struct v8_memory *memory);

/* Machine code that V8 has made; `end` 0: none. */
struct v8_code {
	uint64_t object, stream; /* tagged; the same until V8 24 of Node.js; stream: where the instructions are */
	uint64_t begin, end;
	uint64_t deopt, positions; /* of baseline code: its bytecode, and the table of their offsets */
	bool is_baseline;
};
/* The code that contains an address. Reads backwards from there: costs up to 0.2 ms. False: none is found. */
bool v8_find_code(struct v8 *v8, uint64_t pc, struct v8_code *code);
/* Whether a code that was found is there still. */
bool v8_is_same_code(const struct v8 *v8, const struct v8_code *code);

enum { V8_MOST_INLINED = 16, V8_NO_POSITION = -2 };
enum v8_kind {
	V8_OTHER,    /* no frame of V8 */
	V8_ENTRY,    /* of V8's own, on the way into JavaScript or out of it */
	V8_BUILTIN,  /* of V8's own, which does something */
	V8_STUB,     /* of V8's own: what a byte code or an operator does */
	V8_FUNCTION, /* functions of a program */
};
struct v8_frame {
	enum v8_kind kind;
	bool is_frameless; /* the function has just begun or is about to end: the frame is that of its caller */
	uint8_t n;	   /* innermost first: a function, and those into which V8 has inlined it */
	struct {
		uint64_t shared;  /* its SharedFunctionInfo */
		int32_t position; /* in its script, in characters; -1: V8 has none; V8_NO_POSITION: not known */
	} at[V8_MOST_INLINED];
};
/* What a frame is read from. */
struct v8_where {
	uint64_t fp, pc;	    /* pc: the address behind a call, or of the instruction that runs next */
	bool is_innermost;	    /* the latter; then these registers may say which byte code runs: */
	uint64_t array, offset;	    /* by V8_ARRAY_REGISTER, V8_OFFSET_REGISTER */
	const struct v8_code *code; /* that contains pc; NULL: it is none that V8 has made */
};
void v8_read_frame(const struct v8 *v8, const struct v8_where *where, struct v8_frame *frame);
/*
 * Whether an address to return to is in the function that has the frame at fp. code: that contains the address; NULL:
 * it is V8's own, as where V8 interprets the function.
 */
bool v8_is_in_function(const struct v8 *v8, uint64_t fp, const struct v8_code *code);

/* What a function has; addresses may be 0. It is the same function as before if all of them are. */
struct v8_function {
	uint64_t shared, named;	       /* named: what its name comes from */
	uint64_t name;		       /* a string; 0: it has none */
	uint64_t script, source, file; /* file: a string; 0: its code has no name, as that of eval() */
	int32_t start, end;	       /* where it lies in the source; start -1: not known */
};
/* False: it is none, or has changed meanwhile. */
bool v8_read_function(const struct v8 *v8, uint64_t shared, struct v8_function *function);

/* Copies a string as UTF-8, ended by NUL, cut behind a whole character: its length; below 0: it is none. size > 3. */
int v8_text(const struct v8 *v8, uint64_t string, char *to, size_t size);
/* Where each line of a source ends: positions in characters, uint32_t. False: it cannot be read, or is too long. */
bool v8_line_ends(const struct v8 *v8, uint64_t source, struct array *ends);

/* For files of this family. An object is tagged: its address and 1. */
static inline bool v8_word(const struct v8 *v8, uint64_t at, uint64_t *word)
{
	return v8->memory.read(v8->memory.of, at, word, sizeof *word);
}
static inline bool v8_part(const struct v8 *v8, uint64_t object, int32_t offset, uint64_t *part)
{
	return (object & 3) == 1 && v8_word(v8, object - 1 + (uint64_t)(int64_t)offset, part);
}
/* The type in the object's map; -1: it is no object. */
int v8_type(const struct v8 *v8, uint64_t object);
/* False: it is no small integer. */
static inline bool v8_integer(uint64_t value, int32_t *to)
{
	*to = (int32_t)(value >> 32);
	return !(uint32_t)value;
}
/* The position of the newest entry up to an offset, as V8 has it: with the inlined function. False: none. */
bool v8_position_of(const struct v8 *v8, uint64_t table, int32_t offset, uint64_t *position);
static inline int32_t v8_position_in_script(uint64_t position)
{
	return position & 1 ? -1 : (int32_t)(position >> 1 & 0x3fffffff) - 1;
}
static inline int32_t v8_position_inlined(uint64_t position) /* -1: not inlined */
{
	return (int32_t)(position >> 31 & 0xffff) - 1;
}
/* The offset of the byte code that baseline code executes at an address; -1: none yet; V8_NO_POSITION: not known. */
int32_t v8_baseline_offset(const struct v8 *v8, const struct v8_code *code, uint64_t pc);
/* Whether it is a string, and how long. */
bool v8_string_length(const struct v8 *v8, uint64_t string, uint32_t *length);

#endif
