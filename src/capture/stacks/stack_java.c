// SPDX-License-Identifier: Apache-2.0
/*
 * Compiled code has no frame pointer, but a frame of a known size. Where its frame is not yet made or is gone already,
 * the address to return to is next to the stack pointer. Frames of the interpreter have a frame pointer, which machine
 * code between it and a thread that is blocked may not have kept: then they are searched for. Tables are overwritten
 * where two entries meet: they are caches.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "capture/stacks/stack_language.h"
#include "capture/stacks/stack_thread.h"
#include "event/callstack.h"

enum { FRAMES = 4096, CODES = 2048, MOST_TEXT = 512, SEARCHED = 160, WORD = 8 };
#define MOST_FRAME (UINT64_C(64) << 20) /* bytes */

#if defined(__x86_64__)
enum { BYTE_CODE_REGISTER = 13 };
#else
enum { BYTE_CODE_REGISTER = 22 };
#endif

struct known_frame {
	struct hotspot_method of;
	int32_t bci;
	uint32_t function, file;
	uint32_t frame; /* 0: free */
};

struct known_code {
	uint64_t pc; /* 0: free */
	bool is_exact;
	struct hotspot_code is;
	struct hotspot_frame frame;
};

struct stack_java_tables {
	struct known_frame frame[FRAMES];
	struct known_code code[CODES];
};

static size_t place_of(uint64_t value, size_t n)
{
	return (size_t)((value * 0x9e3779b97f4a7c15u) >> 40) & (n - 1);
}

static bool read_memory(void *of, uint64_t from, void *to, size_t size)
{
	const struct stack_java *java = of;

	return stack_unwind_read(java->unwind, from, to, size);
}

void stack_java_open(struct stack_java *java, const struct hotspot_place *place, struct stack_memory *memory)
{
	const struct hotspot_memory from = { stack_memory_read, memory };
	const char *why = hotspot_open(&java->hotspot, place, &from);

	java->hotspot.memory = (struct hotspot_memory){ read_memory, java };
	java->is_there = true;
	snprintf(java->why, sizeof java->why, "%s", why ? why : "");
	if (!why && !java->tables && !(java->tables = calloc(1, sizeof *java->tables)))
		java->is_there = false;
}

static bool is_same(const struct hotspot_method *a, const struct hotspot_method *b)
{
	return a->method == b->method && a->constant == b->constant && a->pool == b->pool && a->klass == b->klass &&
	       a->name == b->name && a->code_size == b->code_size && a->flags == b->flags;
}

/*
 * 0: torn. The names are read each time: where a class is unloaded, the next one of the same shape often has its place.
 */
static uint32_t frame_of(struct stack_java *java, uint64_t method, int32_t bci)
{
	struct known_frame *known = &java->tables->frame[place_of(method ^ (uint64_t)(uint32_t)bci << 32, FRAMES)];
	struct names *names = java->unwind->names;
	struct frame frame = { .kind = FRAME_JAVA };
	char name[2 * MOST_TEXT], file[MOST_TEXT];
	struct hotspot_method is;

	if (!hotspot_read_method(&java->hotspot, method, &is) ||
	    !hotspot_names(&java->hotspot, &is, name, sizeof name, file, sizeof file))
		return 0;
	err_disarm(name);
	err_disarm(file);
	frame.function = names_of(names, name);
	frame.file = *file ? names_of(names, file) : 0;
	if (known->frame && known->bci == bci && known->function == frame.function && known->file == frame.file &&
	    is_same(&known->of, &is))
		return known->frame;
	frame.line = hotspot_line(&java->hotspot, &is, bci);
	*known = (struct known_frame){ is, bci, frame.function, frame.file,
				       callstacks_frame(names_callstacks(names), &frame) };
	return known->frame;
}

static enum stack_java_kind put(struct stack_java *java, const struct hotspot_frame *from, uint32_t *frame, size_t *n)
{
	for (*n = 0; *n < from->n; ++*n) {
		frame[*n] = frame_of(java, from->at[*n].method, from->at[*n].bci);
		if (!frame[*n])
			return STACK_JAVA_TORN;
	}
	return STACK_JAVA_FRAMES;
}

static bool word(const struct stack_java *java, uint64_t at, uint64_t *to)
{
	return !(at & (WORD - 1)) && stack_unwind_read(java->unwind, at, to, sizeof *to);
}

static bool is_code_of(const struct stack_java *java, uint64_t address)
{
	return address >= java->hotspot.low && address < java->hotspot.high;
}

/* The frame pointer of the caller is right below the address to return to. */
static bool return_by(const struct stack_java *java, struct stack_registers *registers, uint64_t at)
{
	struct stack_registers caller = { 0 };
	uint64_t pointer;

	if (!word(java, at, &caller.pc) || !word(java, at - WORD, &pointer))
		return false;
	stack_register_set(&caller, STACK_SP, at + WORD);
	stack_register_set(&caller, STACK_FP, pointer);
	*registers = caller;
	return true;
}

/* A function that has no frame, or just the frame pointer of its caller. */
static bool return_without_frame(const struct stack_java *java, struct stack_registers *registers)
{
	uint64_t sp = registers->value[STACK_SP], fp, back;

	if (STACK_HAS_LINK) {
		if (!stack_register(registers, STACK_LINK, &back) || !is_code_of(java, back))
			return false;
	} else if (!word(java, sp, &back)) {
		return false;
	} else if (!is_code_of(java, back)) {
		return word(java, sp + WORD, &back) && is_code_of(java, back) && return_by(java, registers, sp + WORD);
	} else {
		sp += WORD;
	}
	if (!stack_register(registers, STACK_FP, &fp))
		return false;
	*registers = (struct stack_registers){ .pc = back };
	stack_register_set(registers, STACK_SP, sp);
	stack_register_set(registers, STACK_FP, fp);
	return true;
}

#if defined(__x86_64__)
/* Whether an instruction is one behind the end of a frame: pop rbp, ret, or the look for a safepoint before that. */
static bool is_at_end(const struct stack_java *java, uint64_t pc)
{
	uint8_t code[4];

	if (!stack_unwind_read(java->unwind, pc, code, sizeof code))
		return false;
	return code[0] == 0x5d || code[0] == 0xc3 || (code[0] == 0x0f && code[1] == 0x87) || /* ja */
	       (code[0] == 0x49 && code[1] == 0x3b && (code[2] & 0x3f) == 0x27);	     /* cmp rsp, [r15 + ] */
}
#else
static bool is_at_end(const struct stack_java *java, uint64_t pc)
{
	uint32_t code;

	return stack_unwind_read(java->unwind, pc, &code, sizeof code) && code == 0xd65f03c0; /* ret */
}
#endif

static void return_from(const struct stack_java *java, struct stack_registers *registers,
			const struct hotspot_code *code, bool is_exact)
{
	bool has_none = is_exact && (registers->pc - code->begin < code->complete || is_at_end(java, registers->pc));

	if (has_none && return_without_frame(java, registers))
		return;
	if (!return_by(java, registers, registers->value[STACK_SP] + code->frame - WORD))
		registers->pc = 0;
}

static enum stack_java_kind compiled(struct stack_java *java, struct known_code *known,
				     struct stack_registers *registers, bool is_exact, uint32_t *frame, size_t *n)
{
	enum stack_java_kind kind = put(java, &known->frame, frame, n);

	if (kind == STACK_JAVA_FRAMES)
		return_from(java, registers, &known->is, is_exact);
	return kind;
}

/* The interpreter's innermost frame, from the stack pointer on; 0: none. */
static uint64_t find_frame(const struct stack_java *java, uint64_t sp)
{
	struct hotspot_frame frame;
	uint64_t pointer, back;

	for (uint64_t at = sp + WORD; at < sp + (uint64_t)SEARCHED * WORD; at += WORD)
		if (word(java, at, &pointer) && pointer > at && pointer - at < MOST_FRAME &&
		    word(java, at + WORD, &back) && is_code_of(java, back) &&
		    hotspot_interpreted(&java->hotspot, at, 0, &frame))
			return at;
	return 0;
}

/* Below the frame pointer it has where the stack of its caller ended before there were arguments. */
static void return_from_interpreted(const struct stack_java *java, struct stack_registers *registers, uint64_t fp)
{
	uint64_t sp;

	if (!return_by(java, registers, fp + WORD)) {
		registers->pc = 0;
		return;
	}
	if (word(java, fp - WORD, &sp) && sp > fp && sp - fp < MOST_FRAME)
		stack_register_set(registers, STACK_SP, sp);
}

static enum stack_java_kind interpreted(struct stack_java *java, struct stack_registers *registers, bool is_exact,
					uint32_t *frame, size_t *n)
{
	uint64_t sp = registers->value[STACK_SP], fp, bcp = 0;
	struct hotspot_frame found;
	enum stack_java_kind kind;

	if (!stack_register(registers, STACK_FP, &fp) || fp < sp || fp - sp > MOST_FRAME)
		fp = is_exact ? 0 : find_frame(java, sp);
	if (is_exact)
		stack_register(registers, BYTE_CODE_REGISTER, &bcp);
	if (!fp || !hotspot_interpreted(&java->hotspot, fp, bcp, &found))
		return STACK_JAVA_TORN;
	kind = put(java, &found, frame, n);
	if (kind == STACK_JAVA_FRAMES)
		return_from_interpreted(java, registers, fp);
	return kind;
}

/* What HotSpot needs itself has a frame of a known size, a frame pointer, or none. */
static enum stack_java_kind stub(struct stack_java *java, const struct hotspot_code *code,
				 struct stack_registers *registers, bool is_exact)
{
	uint64_t fp;

	if (is_exact && return_without_frame(java, registers))
		return STACK_JAVA_GLUE;
	if (code->frame)
		return_from(java, registers, code, false);
	else if (!stack_register(registers, STACK_FP, &fp) || fp < registers->value[STACK_SP] ||
		 !return_by(java, registers, fp + WORD))
		registers->pc = 0;
	return STACK_JAVA_GLUE;
}

enum stack_java_kind stack_java_frames(struct stack_java *java, const struct stack_unwind *unwind,
				       struct stack_registers *registers, bool is_exact, uint32_t *frame, size_t *n)
{
	const uint64_t pc = registers->pc;
	struct known_code *known = &java->tables->code[place_of(pc, CODES)];

	*n = 0;
	if (!is_code_of(java, pc - !is_exact))
		return STACK_JAVA_NONE;
	java->unwind = unwind;
	if (known->pc != pc || known->is_exact != is_exact || !hotspot_is_same_code(&java->hotspot, &known->is)) {
		*known = (struct known_code){ .pc = pc, .is_exact = is_exact };
		hotspot_find_code(&java->hotspot, pc - !is_exact, &known->is);
		if (known->is.kind == HOTSPOT_COMPILED)
			hotspot_compiled(&java->hotspot, &known->is, pc, is_exact, &known->frame);
	}
	switch (known->is.kind) {
	case HOTSPOT_NONE:
		break;
	case HOTSPOT_INTERPRETED:
		return interpreted(java, registers, is_exact, frame, n);
	case HOTSPOT_COMPILED:
		return compiled(java, known, registers, is_exact, frame, n);
	case HOTSPOT_STUB:
		return stub(java, &known->is, registers, is_exact);
	}
	return STACK_JAVA_TORN;
}

void stack_java_done(struct stack_java *java)
{
	free(java->tables);
	*java = (struct stack_java){ 0 };
}
