/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what HotSpot, the Java virtual machine of OpenJDK 11 and later, keeps in memory of Java: its code, what is
 * inlined there, methods, and lines. libjvm.so exports where its objects have their parts, for a debugger that looks at
 * a dead process (gHotSpotVMStructs; HotSpot's vmStructs.cpp); what it does not export is of the sources of HotSpot,
 * and the same in all these versions unless this file says so.
 *
 * Every byte comes through a function that the caller gives. It allocates nothing, and calls nothing of the machine.
 * What it looks at may change meanwhile: a method counts only if it and its class name each other, and each number only
 * in its bounds. It does not walk a stack: who does asks for one address at a time.
 */
#ifndef RUNTIME_HOTSPOT_H
#define RUNTIME_HOTSPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/find/dynamic.h"

/* Copies memory of the program. False: there is none at this address. */
struct hotspot_memory {
	bool (*read)(void *of, uint64_t from, void *to, size_t size);
	void *of;
};

/*
 * Parts of objects: F(NAME, whether it must be there, class, its part; older names of both). Of a static part the
 * address is known, of others the offset.
 */
#define HOTSPOT_PARTS(F) \
	F(HEAPS, true, "CodeCache", "_heaps") \
	F(LOW, true, "CodeCache", "_low_bound") \
	F(HIGH, true, "CodeCache", "_high_bound") \
	F(INTERPRETER, true, "AbstractInterpreter", "_code") \
	F(MAJOR, true, "Abstract_VM_Version", "_vm_major_version") \
	F(ARRAY_LENGTH, true, "GrowableArrayBase", "_len", "GenericGrowableArray", "_len") \
	F(ARRAY_DATA, true, "GrowableArray<int>", "_data") \
	F(HEAP_MEMORY, true, "CodeHeap", "_memory") \
	F(HEAP_SEGMENTS, true, "CodeHeap", "_segmap") \
	F(HEAP_SEGMENT_SHIFT, true, "CodeHeap", "_log2_segment_size") \
	F(SPACE_LOW, true, "VirtualSpace", "_low") \
	F(SPACE_HIGH, true, "VirtualSpace", "_high") \
	F(BLOCK_USED, true, "HeapBlock::Header", "_used") \
	F(QUEUE_BUFFER, true, "StubQueue", "_stub_buffer") \
	F(QUEUE_LIMIT, true, "StubQueue", "_buffer_limit") \
	F(BLOB_NAME, true, "CodeBlob", "_name") \
	F(BLOB_SIZE, true, "CodeBlob", "_size") \
	F(BLOB_COMPLETE, true, "CodeBlob", "_frame_complete_offset") \
	F(BLOB_FRAME, true, "CodeBlob", "_frame_size") \
	F(BLOB_CODE, false, "CodeBlob", "_code_begin") \
	F(BLOB_CODE_OFFSET, false, "CodeBlob", "_code_offset") \
	F(BLOB_DATA_OFFSET, false, "CodeBlob", "_data_offset") \
	F(BLOB_MUTABLE, false, "CodeBlob", "_mutable_data") \
	F(BLOB_RELOCATIONS, false, "CodeBlob", "_relocation_size") \
	F(COMPILED_METHOD, true, "nmethod", "_method", "CompiledMethod", "_method") \
	F(COMPILED_ID, true, "nmethod", "_compile_id") \
	F(COMPILED_PCS, true, "nmethod", "_scopes_pcs_offset") \
	F(COMPILED_PCS_END, false, "nmethod", "_dependencies_offset") \
	F(COMPILED_SCOPES, false, "CompiledMethod", "_scopes_data_begin") \
	F(COMPILED_SCOPES_OFFSET, false, "nmethod", "_scopes_data_offset") \
	F(COMPILED_IMMUTABLE, false, "nmethod", "_immutable_data") \
	F(COMPILED_METADATA, false, "nmethod", "_metadata_offset") \
	F(METHOD_CONST, true, "Method", "_constMethod") \
	F(CONST_POOL, true, "ConstMethod", "_constants") \
	F(CONST_FLAGS, true, "ConstMethod", "_flags", "ConstMethod", "_flags._flags") \
	F(CONST_CODE_SIZE, true, "ConstMethod", "_code_size") \
	F(CONST_NAME, true, "ConstMethod", "_name_index") \
	F(POOL_HOLDER, true, "ConstantPool", "_pool_holder") \
	F(POOL_LENGTH, true, "ConstantPool", "_length") \
	F(POOL_SOURCE, false, "ConstantPool", "_source_file_name_index") \
	F(KLASS_SOURCE, false, "InstanceKlass", "_source_file_name_index") \
	F(KLASS_NAME, true, "Klass", "_name") \
	F(KLASS_POOL, true, "InstanceKlass", "_constants") \
	F(SYMBOL_LENGTH, true, "Symbol", "_length") \
	F(SYMBOL_BODY, true, "Symbol", "_body") \
	F(PC_OFFSET, true, "PcDesc", "_pc_offset") \
	F(PC_SCOPE, true, "PcDesc", "_scope_decode_offset")

#define HOTSPOT_PART_ENUM(name, ...) HOTSPOT_##name,
enum hotspot_part { HOTSPOT_PARTS(HOTSPOT_PART_ENUM) N_HOTSPOT_PARTS };

/* Sizes of classes. */
enum hotspot_size { HOTSPOT_BLOCK, HOTSPOT_CONST, HOTSPOT_POOL, HOTSPOT_PC, N_HOTSPOT_SIZES };

/* Where a module has its tables: addresses in the program of numbers of 8 bytes each, which are addresses and sizes. */
enum hotspot_number {
	HOTSPOT_STRUCTS,
	HOTSPOT_STRUCT_STRIDE,
	HOTSPOT_STRUCT_TYPE,
	HOTSPOT_STRUCT_FIELD,
	HOTSPOT_STRUCT_TEXT,
	HOTSPOT_STRUCT_STATIC,
	HOTSPOT_STRUCT_OFFSET,
	HOTSPOT_STRUCT_ADDRESS,
	HOTSPOT_TYPES,
	HOTSPOT_TYPE_STRIDE,
	HOTSPOT_TYPE_NAME,
	HOTSPOT_TYPE_SIZE,
	HOTSPOT_INTS,
	HOTSPOT_INT_STRIDE,
	HOTSPOT_INT_NAME,
	HOTSPOT_INT_VALUE,
	N_HOTSPOT_NUMBERS
};
struct hotspot_place {
	uint64_t number[N_HOTSPOT_NUMBERS];
};

/* A machine that can be read. */
struct hotspot {
	struct hotspot_memory memory;
	int64_t at[N_HOTSPOT_PARTS]; /* an offset, or an address; -1: it has none */
	uint8_t width[N_HOTSPOT_PARTS];
	uint32_t size[N_HOTSPOT_SIZES];
	uint32_t has_lines; /* of a method's flags */
	uint32_t major;
	uint64_t low, high; /* all of its code, */
	uint64_t interpreter, interpreter_end;
	bool is_unread; /* not there yet: it may be later */
};

/* Whether the module is HotSpot, and where its tables are. bias: to be added to addresses. */
bool hotspot_find(struct hotspot_place *place, const struct dynamic *module, uint64_t bias);
/* NULL, or why it cannot be read: one line, for people. hotspot->is_unread: another time it may be. Costs some 5 ms. */
const char *hotspot_open(struct hotspot *hotspot, const struct hotspot_place *place,
			 const struct hotspot_memory *memory);

enum hotspot_kind {
	HOTSPOT_NONE,	     /* no code of HotSpot */
	HOTSPOT_INTERPRETED, /* its interpreter's */
	HOTSPOT_COMPILED,    /* a method that it has compiled, or the way into a native one */
	HOTSPOT_STUB,	     /* what it needs itself */
};
struct hotspot_code {
	enum hotspot_kind kind;
	uint64_t object, begin, end; /* begin: of its instructions */
	uint64_t method;	     /* compiled: its Method */
	uint32_t frame;		     /* bytes on the stack, with the address to return to; 0: it has no fixed frame */
	uint32_t complete;	     /* behind `begin`: until there the frame is not yet made */
	int32_t id;		     /* compiled: another number, other code */
};
void hotspot_find_code(const struct hotspot *hotspot, uint64_t pc, struct hotspot_code *code);
/* Whether a compiled method that was found is there still. */
bool hotspot_is_same_code(const struct hotspot *hotspot, const struct hotspot_code *code);

/* Methods of one frame, innermost first: those that were inlined, and the one that was compiled. */
enum { HOTSPOT_MOST_INLINED = 16, HOTSPOT_NO_BCI = -2 };
struct hotspot_frame {
	uint32_t n;
	struct {
		uint64_t method;
		int32_t bci; /* index of the byte code; -1: the method begins; HOTSPOT_NO_BCI: not known */
	} at[HOTSPOT_MOST_INLINED];
};
/* is_exact: pc is the instruction that runs next, not behind a call. */
void hotspot_compiled(const struct hotspot *hotspot, const struct hotspot_code *code, uint64_t pc, bool is_exact,
		      struct hotspot_frame *frame);
/*
 * The method that the interpreter's frame at fp executes. bcp: what the register has that points at the byte code of
 * the innermost frame, 0: not known. False: no such frame is there.
 */
bool hotspot_interpreted(const struct hotspot *hotspot, uint64_t fp, uint64_t bcp, struct hotspot_frame *frame);

/* A method's parts; it is the same as before if all of them are. */
struct hotspot_method {
	uint64_t method, constant, pool, klass;
	uint32_t name, code_size, flags;
};
/* False: it is none. */
bool hotspot_read_method(const struct hotspot *hotspot, uint64_t method, struct hotspot_method *to);
/* "com.example.App.resize", as stack traces of Java have it, and "App.java", "": not known. False: they cannot be read.
 */
bool hotspot_names(const struct hotspot *hotspot, const struct hotspot_method *method, char *name, size_t name_size,
		   char *file, size_t file_size);
/* 0: not known. */
uint32_t hotspot_line(const struct hotspot *hotspot, const struct hotspot_method *method, int32_t bci);

/* For files of this family. */
static inline bool hotspot_read(const struct hotspot *hotspot, uint64_t from, void *to, size_t size)
{
	return from > 4096 && hotspot->memory.read(hotspot->memory.of, from, to, size);
}
static inline bool hotspot_word(const struct hotspot *hotspot, uint64_t from, uint64_t *to)
{
	return !(from & 7) && hotspot_read(hotspot, from, to, sizeof *to);
}
/* A part of an object, or a static one with object 0: 0 if it is not there. Not extended by its sign. */
uint64_t hotspot_part(const struct hotspot *hotspot, uint64_t object, enum hotspot_part part);
/*
 * A number in HotSpot's variable length (unsigned5.hpp: five bytes at most; since 20 no byte is 0). *at is moved behind
 * it; false: it is not there.
 */
bool hotspot_unsigned(const struct hotspot *hotspot, uint64_t *at, uint32_t *value);

#endif
