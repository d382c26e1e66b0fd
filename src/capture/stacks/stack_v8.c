// SPDX-License-Identifier: Apache-2.0
/* Tables are overwritten where two entries meet: they are caches. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "capture/stacks/stack_language.h"
#include "capture/stacks/stack_thread.h"
#include "event/callstack.h"

enum { FUNCTIONS = 1024, FRAMES = 4096, CODES = 1024, SCRIPTS = 512, MAX_TEXT = 512, SEARCHED = 6 };
enum { MOST_ENDS = 8 << 20 };		/* of all lines that are known */
#define MOST_FRAME (UINT64_C(64) << 20) /* bytes */
#define NONE_NS UINT64_C(1000000000)	/* how long no code is there where none was found */

struct known_function {
	struct v8_function is; /* shared 0: free */
	uint32_t function, file;
};

struct known_frame {
	struct v8_function of;
	int32_t position;
	uint32_t frame; /* 0: free */
};

struct known_code {
	uint64_t pc; /* 0: free */
	struct v8_code is;
	uint64_t none_ns; /* when none was found; 0: it was */
	bool is_others;	  /* then: its name is one that V8 gives to no code of its own */
};

struct known_script {
	uint64_t script, source;
	uint32_t length;
	struct array ends; /* uint32_t */
};

struct stack_v8_tables {
	struct known_function function[FUNCTIONS];
	struct known_frame frame[FRAMES];
	struct known_code code[CODES];
	struct known_script script[SCRIPTS];
	size_t n_ends; /* of all scripts */
};

static size_t place_of(uint64_t value, size_t n)
{
	return (size_t)((value * 0x9e3779b97f4a7c15u) >> 40) & (n - 1);
}

static bool read_memory(void *of, uint64_t from, void *to, size_t size)
{
	const struct stack_v8 *v8 = of;

	return stack_unwind_read(v8->unwind, from, to, size);
}

void stack_v8_open(struct stack_v8 *v8, const struct v8_place *place, struct stack_memory *memory)
{
	const struct v8_memory from = { stack_memory_read, memory };
	const char *why = v8_open(&v8->v8, place, &from);

	v8->v8.memory = (struct v8_memory){ read_memory, v8 };
	v8->is_there = true;
	snprintf(v8->why, sizeof v8->why, "%s", why ? why : "");
	if (!why && !v8->tables && !(v8->tables = calloc(1, sizeof *v8->tables)))
		v8->is_there = false;
}

static bool is_same(const struct v8_function *a, const struct v8_function *b)
{
	return a->shared == b->shared && a->named == b->named && a->name == b->name && a->script == b->script &&
	       a->source == b->source && a->file == b->file && a->start == b->start && a->end == b->end;
}

/* "file:///srv/a%20b.mjs": the path. */
static void take_path(char *text)
{
	char *to = text, *from = text + strlen("file://");

	if (strncmp(text, "file:///", strlen("file:///")))
		return;
	for (; *from; from++) {
		unsigned byte = 0;

		if (*from == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2]) &&
		    sscanf(from + 1, "%2x", &byte) == 1 && byte) {
			*to++ = (char)byte;
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*to = 0;
}

/* 0: it cannot be read. otherwise: what V8 has no name for. */
static uint32_t take_text(const struct stack_v8 *v8, struct names *names, uint64_t string, const char *otherwise)
{
	char text[MAX_TEXT];

	if (!string)
		return names_of(names, otherwise);
	if (v8_text(&v8->v8, string, text, sizeof text) <= 0)
		return 0;
	take_path(text);
	err_disarm(text);
	return names_of(names, text);
}

/* The name of a function of WebAssembly is its number in the module: V8's own traces name it as here. */
static uint32_t take_name(const struct stack_v8 *v8, struct names *names, const struct v8_function *is, uint32_t file)
{
	uint32_t name = take_text(v8, names, is->name, "(anonymous)");
	const char *text = name ? names_text(names, name) : "";
	char numbered[48];

	if (!file || strncmp(names_text(names, file), "wasm://", strlen("wasm://")) || !*text || strlen(text) > 16 ||
	    text[strspn(text, "0123456789")])
		return name;
	snprintf(numbered, sizeof numbered, "wasm-function[%s]", text);
	return names_of(names, numbered);
}

/* NULL: it is no function now, or the memory of its names has been used for something else meanwhile. */
static const struct known_function *find_function(struct stack_v8 *v8, struct names *names, uint64_t shared)
{
	struct known_function *known = &v8->tables->function[place_of(shared, FUNCTIONS)];
	struct v8_function is;
	uint32_t function, file;

	if (!v8_read_function(&v8->v8, shared, &is))
		return NULL;
	if (is_same(&known->is, &is))
		return known;
	known->is.shared = 0;
	file = is.script ? take_text(v8, names, is.file, "<anonymous>") : 0;
	function = take_name(v8, names, &is, file);
	if (!function || (is.script && !file))
		return NULL;
	*known = (struct known_function){ is, function, file };
	return known;
}

static void forget_scripts(struct stack_v8_tables *tables)
{
	for (size_t i = 0; i < SCRIPTS; i++) {
		array_done(&tables->script[i].ends, sizeof(uint32_t));
		tables->script[i] = (struct known_script){ 0 };
	}
	tables->n_ends = 0;
}

static const struct known_script *find_script(struct stack_v8 *v8, const struct v8_function *function)
{
	struct stack_v8_tables *tables = v8->tables;
	struct known_script *known = &tables->script[place_of(function->script, SCRIPTS)];
	uint32_t length;

	if (!v8_string_length(&v8->v8, function->source, &length))
		return NULL;
	if (known->script == function->script && known->source == function->source && known->length == length)
		return known;
	tables->n_ends -= known->ends.n;
	if (tables->n_ends > MOST_ENDS)
		forget_scripts(tables);
	known->script = 0;
	if (!v8_line_ends(&v8->v8, function->source, &known->ends)) {
		known->ends.n = 0;
		return NULL;
	}
	tables->n_ends += known->ends.n;
	known->script = function->script;
	known->source = function->source;
	known->length = length;
	return known;
}

/* From 1; 0: not known. A script may begin in the middle of a file. */
static uint32_t line_of(struct stack_v8 *v8, const struct v8_function *function, int32_t position)
{
	const struct known_script *script;
	const uint32_t *end;
	size_t low = 0, high;
	uint64_t word;
	int32_t first = 0;

	if (position < 0 || !function->script || !(script = find_script(v8, function)))
		return 0;
	end = script->ends.data;
	high = script->ends.n;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (end[middle] < (uint32_t)position)
			low = middle + 1;
		else
			high = middle;
	}
	if (!v8_part(&v8->v8, function->script, v8->v8.at[V8_SCRIPT_NAME] + 8, &word) || !v8_integer(word, &first) ||
	    first < 0)
		first = 0;
	return (uint32_t)low + 1 + (uint32_t)first;
}

/* NULL: torn. */
static const struct known_frame *find_frame(struct stack_v8 *v8, uint64_t shared, int32_t position)
{
	struct names *names = v8->unwind->names;
	const struct known_function *function = find_function(v8, names, shared);
	struct known_frame *known = &v8->tables->frame[place_of(shared ^ (uint64_t)(uint32_t)position << 32, FRAMES)];
	struct frame frame = { .kind = FRAME_JAVASCRIPT };

	if (!function)
		return NULL;
	if (position >= 0 && function->is.start >= 0 && (position < function->is.start || position > function->is.end))
		position = -1; /* of another function */
	if (known->frame && known->position == position && is_same(&known->of, &function->is))
		return known;
	frame.function = function->function;
	frame.file = function->file;
	frame.line = line_of(v8, &function->is, position == -1 ? function->is.start : position);
	*known = (struct known_frame){ function->is, position, callstacks_frame(names_callstacks(names), &frame) };
	return known->frame ? known : NULL;
}

static const struct stack_map *map_of(const struct stack_unwind *unwind, uint64_t address)
{
	return address > 4096
		   ? stack_maps_find(unwind->maps, address, unwind->images, unwind->names, unwind->memory->pid)
		   : NULL;
}

/* Functions of WebAssembly are no objects of V8's heap; builtins, which may lie there as well, are V8's own. */
static bool is_of_others(const struct stack_v8 *v8, uint64_t pc)
{
	static const char *const own[] = { "Builtin:", "BytecodeHandler:", "Handler:", "Stub:" };
	const struct stack_map *map = map_of(v8->unwind, pc);
	const struct stack_image *image = map ? stack_image_at(v8->unwind->images, map->image) : NULL;
	struct code_place place;

	if (!image || !image->jit || !stack_jit_find(image->jit, pc, &place))
		return false;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!strncmp(place.at[0].function, own[i], strlen(own[i])))
			return false;
	return true;
}

static const struct v8_code *find_code(struct stack_v8 *v8, uint64_t pc)
{
	struct known_code *known = &v8->tables->code[place_of(pc, CODES)];

	if (known->pc == pc && known->none_ns && clock_ns() - known->none_ns < NONE_NS)
		return NULL;
	if (known->pc == pc && !known->none_ns && v8_is_same_code(&v8->v8, &known->is))
		return &known->is;
	known->pc = pc;
	known->none_ns = v8_find_code(&v8->v8, pc, &known->is) ? 0 : clock_ns();
	known->is_others = known->none_ns && is_of_others(v8, pc);
	return known->none_ns ? NULL : &known->is;
}

/* Of code that find_code has just not found. */
static bool has_others(const struct stack_v8 *v8, uint64_t pc)
{
	return v8->tables->code[place_of(pc, CODES)].is_others;
}

static bool is_made(const struct stack_unwind *unwind, uint64_t address)
{
	const struct stack_map *map = map_of(unwind, address);
	const struct stack_image *image = map ? stack_image_at(unwind->images, map->image) : NULL;

	return image && image->jit;
}

static bool is_own(const struct stack_unwind *unwind, uint64_t address)
{
	const struct stack_map *map = map_of(unwind, address);

	return map && map->image && map->image == unwind->v8_image;
}

/* A builtin that has no frame of its own was called from here: the address behind the call lies near. */
static void find_call(struct stack_v8 *v8, uint64_t sp, struct v8_where *where)
{
	for (uint64_t at = sp; at < where->fp && at < sp + SEARCHED * sizeof at; at += sizeof at) {
		const struct v8_code *code;
		uint64_t back;

		if (!v8_word(&v8->v8, at, &back) || !is_made(v8->unwind, back - 1) || !(code = find_code(v8, back - 1)))
			continue;
		where->pc = back;
		where->code = code;
		where->is_innermost = false;
		return;
	}
}

/* Where the function returns to that has no frame yet, or none any more; 0: not known. */
static uint64_t return_of(const struct stack_v8 *v8, const struct stack_registers *registers, uint64_t fp)
{
	uint64_t sp = registers->value[STACK_SP], back = 0;

	if (STACK_HAS_LINK)
		return stack_register(registers, STACK_LINK, &back) ? back : 0;
	if (!v8_word(&v8->v8, sp, &back) || (back == fp && !v8_word(&v8->v8, sp + sizeof back, &back)))
		return 0;
	return back;
}

/*
 * The callers of a function without a frame. The stack is as it was when the registers were taken; the code may be
 * another function's by now, which the caller never called.
 */
static bool add_caller(struct stack_v8 *v8, const struct stack_registers *registers, uint64_t fp,
		       struct v8_frame *frame)
{
	struct v8_where where = { .fp = fp, .pc = return_of(v8, registers, fp) };
	struct v8_frame caller;

	if (!is_made(v8->unwind, where.pc - 1) && !is_own(v8->unwind, where.pc - 1))
		return false;
	where.code = find_code(v8, where.pc - 1);
	if (!v8_is_in_function(&v8->v8, fp, where.code))
		return false;
	v8_read_frame(&v8->v8, &where, &caller);
	for (size_t i = 0; i < caller.n && frame->n < V8_MOST_INLINED; i++)
		frame->at[frame->n++] = caller.at[i];
	return true;
}

static enum stack_v8_kind push(struct stack_v8 *v8, const struct v8_frame *frame, struct stack_v8_found *to)
{
	for (size_t i = 0; i < frame->n; i++) {
		const struct known_frame *known = find_frame(v8, frame->at[i].shared, frame->at[i].position);

		if (!known)
			return STACK_V8_TORN;
		if (known->of.name || known->of.script) /* else it is V8's own, for its own purpose */
			to->frame[to->n++] = known->frame;
	}
	return to->n ? STACK_V8_FRAMES : STACK_V8_GLUE;
}

enum stack_v8_kind stack_v8_frames(struct stack_v8 *v8, const struct stack_unwind *unwind,
				   const struct stack_registers *registers, bool is_made, bool is_exact,
				   struct stack_v8_found *to)
{
	uint64_t sp = registers->value[STACK_SP];
	struct v8_where where = { .pc = registers->pc, .is_innermost = is_exact };
	struct v8_frame frame;

	to->n = 0;
	if (!stack_register(registers, STACK_FP, &where.fp) || where.fp < sp || where.fp - sp > MOST_FRAME)
		return STACK_V8_NONE;
	v8->unwind = unwind;
	if (is_exact &&
	    (!stack_register(registers, (unsigned)v8->v8.at[V8_ARRAY_REGISTER] % CODE_REGISTERS, &where.array) ||
	     !stack_register(registers, (unsigned)v8->v8.at[V8_OFFSET_REGISTER] % CODE_REGISTERS, &where.offset)))
		where.array = 0;
	if (is_made)
		where.code = find_code(v8, where.pc - !is_exact);
	else if (is_exact)
		find_call(v8, sp, &where);
	if (is_made && !where.code && has_others(v8, where.pc - !is_exact))
		return STACK_V8_OTHERS;
	v8_read_frame(&v8->v8, &where, &frame);
	switch (frame.kind) {
	case V8_ENTRY:
	case V8_STUB:
		return STACK_V8_GLUE;
	case V8_FUNCTION:
		if (frame.is_frameless && !add_caller(v8, registers, where.fp, &frame))
			return STACK_V8_TORN;
		return push(v8, &frame, to);
	case V8_BUILTIN:
	case V8_OTHER:
		break;
	}
	return is_made && !where.code ? STACK_V8_GLUE : STACK_V8_NONE;
}

void stack_v8_done(struct stack_v8 *v8)
{
	if (v8->tables)
		forget_scripts(v8->tables);
	free(v8->tables);
	*v8 = (struct stack_v8){ 0 };
}
