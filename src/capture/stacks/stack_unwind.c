// SPDX-License-Identifier: Apache-2.0
/*
 * A frame pointer of a blocked thread that no function has saved is searched for: it is where the stack has a return
 * address behind a call of just the function that needs it. Functions that wait have arrays of 12 KiB (libuv), in which
 * older calls have left theirs, and may be called twice: then it is the one as far away as the function made room.
 * Anything less sure ends the stack.
 */
#include <string.h>

#include "capture/stacks/stack_thread.h"

enum { SEARCHED = 4096 /* words */, CALL = 5, JUMP = 6, PROLOGUE = 96, SAVED = 48 /* bytes */ };

static bool read_word(const struct stack_unwind *unwind, uint64_t from, uint64_t *to)
{
	return !(from & 7) && stack_unwind_read(unwind, from, to, sizeof *to);
}

static const struct stack_map *map_of(const struct stack_unwind *unwind, uint64_t address)
{
	return stack_maps_find(unwind->maps, address, unwind->images, unwind->names, unwind->memory->pid);
}

#if defined(__x86_64__)
/* Whether the bytes before an address call a function, directly or by a linkage table. */
static bool is_call_of(const struct stack_unwind *unwind, uint64_t back, uint64_t function)
{
	uint8_t call[CALL], jump[16];
	uint64_t target, slot, entry;
	int32_t distance;
	size_t skip;

	if (!stack_unwind_read(unwind, back - CALL, call, sizeof call) || call[0] != 0xe8)
		return false;
	memcpy(&distance, call + 1, sizeof distance);
	target = back + (uint64_t)(int64_t)distance;
	if (target == function)
		return true;
	if (!stack_unwind_read(unwind, target, jump, sizeof jump))
		return false;
	skip = !memcmp(jump, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0; /* endbr64, bnd */
	skip += jump[skip] == 0xf2;
	if (jump[skip] != 0xff || jump[skip + 1] != 0x25)
		return false;
	memcpy(&distance, jump + skip + 2, sizeof distance);
	slot = target + skip + JUMP + (uint64_t)(int64_t)distance;
	return read_word(unwind, slot, &entry) && entry == function;
}

/* Whether a function begins with making room of such a size on the stack, beside some registers that it saves. */
static bool makes_room(const struct stack_unwind *unwind, uint64_t function, uint64_t size)
{
	uint8_t code[PROLOGUE];
	uint32_t by;

	if (!stack_unwind_read(unwind, function, code, sizeof code))
		return false;
	for (size_t i = 0; i + 7 <= sizeof code; i++) {
		if (code[i] != 0x48 || code[i + 2] != 0xec) /* sub rsp, */
			continue;
		memcpy(&by, code + i + 3, sizeof by);
		if (code[i + 1] == 0x83)
			by = code[i + 3];
		if ((code[i + 1] == 0x81 || code[i + 1] == 0x83) && size >= by && size - by <= SAVED &&
		    (size - by) % 8 == 0)
			return true;
	}
	return false;
}

static bool find_frame_pointer(const struct stack_unwind *unwind, struct stack_registers *registers, uint64_t function)
{
	uint64_t sp = registers->value[STACK_SP], at = sp, first = 0, fit = 0, back;
	int n = 0, n_fit = 0;

	for (int i = 0; function && i < SEARCHED && read_word(unwind, at + sizeof back, &back);
	     i++, at += sizeof back) {
		if (back < 4096 || !map_of(unwind, back) || !is_call_of(unwind, back, function))
			continue;
		if (!n++)
			first = at;
		if (makes_room(unwind, function, at - sp) && !n_fit++)
			fit = at;
	}
	if (!n || (n > 1 && n_fit != 1))
		return false;
	stack_register_set(registers, STACK_FP, n > 1 ? fit : first);
	return true;
}
#else
/* Functions save the frame pointer before they call. */
static bool find_frame_pointer(const struct stack_unwind *unwind, struct stack_registers *registers, uint64_t function)
{
	return false;
}
#endif

static bool find_cfa(const struct stack_unwind *unwind, struct stack_registers *registers, const struct code_rule *rule,
		     uint64_t function, uint64_t *cfa)
{
	uint64_t base;

	if (rule->cfa == CODE_CFA_UNKNOWN)
		return false;
	if (!stack_register(registers, rule->cfa_base, &base)) {
		if (rule->cfa_base != STACK_FP || !find_frame_pointer(unwind, registers, function))
			return false;
		base = registers->value[STACK_FP];
	}
	*cfa = base + (uint64_t)(int64_t)rule->cfa_offset;
	if (rule->cfa == CODE_CFA_PLT)
		*cfa = base + ((registers->pc & 15) >= 11 ? 16 : 8);
	return rule->cfa != CODE_CFA_DEREF || read_word(unwind, *cfa, cfa);
}

static bool find_saved(const struct stack_unwind *unwind, const struct stack_registers *registers,
		       const struct code_saved *saved, uint64_t cfa, uint64_t *value)
{
	uint64_t base = cfa;

	switch ((enum code_saved_kind)saved->kind) {
	case CODE_SAME:
		return stack_register(registers, saved->number, value);
	case CODE_AT:
		return (saved->base == CODE_CFA_BASE || stack_register(registers, saved->base, &base)) &&
		       read_word(unwind, base + (uint64_t)(int64_t)saved->offset, value);
	case CODE_LOST:
		break;
	}
	return false;
}

static uint64_t plain_address(uint64_t address)
{
	return STACK_HAS_LINK ? address & UINT64_C(0xffffffffffff) : address; /* without its signature */
}

static bool step_by_rule(const struct stack_unwind *unwind, struct stack_registers *registers,
			 const struct code_rule *rule, uint64_t function)
{
	struct stack_registers caller = { 0 };
	uint64_t cfa, value;

	if (!find_cfa(unwind, registers, rule, function, &cfa) || cfa < registers->value[STACK_SP] ||
	    !find_saved(unwind, registers, &rule->address, cfa, &caller.pc))
		return false;
	for (int i = 0; i < rule->n_saved; i++)
		if (find_saved(unwind, registers, &rule->saved[i], cfa, &value))
			stack_register_set(&caller, rule->saved[i].number, value);
	stack_register_set(&caller, STACK_SP, cfa);
	caller.pc = plain_address(caller.pc);
	*registers = caller;
	return true;
}

static bool step_by_frame_pointer(const struct stack_unwind *unwind, struct stack_registers *registers)
{
	struct stack_registers caller = { 0 };
	uint64_t at, pointer;

	if (!stack_register(registers, STACK_FP, &at) || at < registers->value[STACK_SP] ||
	    !read_word(unwind, at, &pointer) || !read_word(unwind, at + sizeof at, &caller.pc))
		return false;
	caller.pc = plain_address(caller.pc);
	stack_register_set(&caller, STACK_SP, at + 2 * sizeof at);
	stack_register_set(&caller, STACK_FP, pointer);
	*registers = caller;
	return true;
}

/* Frames instead of the last one of `to`, which has n and stands for all of them; how many there are then. */
static size_t put_frames(struct stack_address *to, size_t n, size_t max, const uint32_t *frame, size_t n_frames)
{
	struct stack_address at = to[n - 1];

	for (size_t i = 0; i < n_frames && n - 1 + i < max; i++) {
		to[n - 1 + i] = at;
		to[n - 1 + i].frame = frame[i];
	}
	n += n_frames - 1;
	return n < max ? n : max;
}

/* Those of JavaScript. */
static size_t put_script(struct stack_unwind *unwind, const struct stack_registers *registers, bool is_exact,
			 struct stack_address *to, size_t n, size_t max)
{
	const struct stack_image *image = stack_image_at(unwind->images, to[n - 1].image);
	struct stack_address at = to[n - 1];
	struct stack_v8_found found;

	if (!unwind->v8 || !image || (!image->jit && at.image != unwind->v8_image))
		return n;
	switch (stack_v8_frames(unwind->v8, unwind, registers, image->jit, is_exact, &found)) {
	case STACK_V8_NONE:
		return n;
	case STACK_V8_OTHERS:
		to[n - 1].is_shown = true;
		return n;
	case STACK_V8_TORN:
		unwind->is_torn = true;
		return n;
	case STACK_V8_GLUE:
		to[n - 1].is_glue = true;
		return n;
	case STACK_V8_FRAMES:
		break;
	}
	return put_frames(to, n, max, found.frame, found.n);
}

/* The same for Java, and the registers of its caller. False: it is none of Java's. */
static bool step_by_java(struct stack_unwind *unwind, struct stack_registers *registers, bool is_exact,
			 struct stack_address *to, size_t *n, size_t max)
{
	uint32_t frame[HOTSPOT_MOST_INLINED];
	size_t n_frames = 0;

	if (!unwind->java)
		return false;
	switch (stack_java_frames(unwind->java, unwind, registers, is_exact, frame, &n_frames)) {
	case STACK_JAVA_NONE:
		return false;
	case STACK_JAVA_TORN:
		unwind->is_torn = true;
		return true;
	case STACK_JAVA_GLUE:
		to[*n - 1].is_glue = true;
		return true;
	case STACK_JAVA_FRAMES:
		*n = put_frames(to, *n, max, frame, n_frames);
		break;
	}
	return true;
}

size_t stack_unwind(struct stack_unwind *unwind, const struct stack_registers *from, struct stack_address *to,
		    size_t max)
{
	struct stack_registers registers = *from;
	bool is_exact = true; /* else the address is behind a call, which may be another function's */
	size_t n = 0;

	while (n < max) {
		uint64_t pc = registers.pc - !is_exact, before = registers.value[STACK_SP], function = 0;
		const struct stack_map *map = registers.pc > 4096 ? map_of(unwind, pc) : NULL;
		const struct code_rule *rule;

		if (!map) {
			unwind->is_cut = n > 0 && registers.pc;
			return n;
		}
		unwind->end = before;
		to[n] = (struct stack_address){ .image = map->image,
						.offset = map->image ? pc - map->start + map->offset : pc };
		if (map->image && map->image == unwind->stop)
			return n;
		n++;
		rule = map->image ? stack_image_rule(unwind->images, map->image, to[n - 1].offset) : NULL;
		if (rule && rule->is_end)
			return n;
		if (!rule && step_by_java(unwind, &registers, is_exact, to, &n, max)) {
			unwind->is_cut = !registers.pc || (registers.value[STACK_SP] <= before && !is_exact);
			if (unwind->is_torn || unwind->is_cut)
				return n;
			is_exact = false;
			continue;
		}
		if (!rule)
			n = put_script(unwind, &registers, is_exact, to, n, max);
		if (rule && rule->function)
			function = rule->function - map->offset + map->start;
		is_exact = rule && rule->is_signal;
		if (!(rule ? step_by_rule(unwind, &registers, rule, function)
			   : step_by_frame_pointer(unwind, &registers)) ||
		    (registers.value[STACK_SP] <= before && n > 1 && !is_exact)) {
			unwind->is_cut = true;
			return n;
		}
	}
	unwind->is_cut = true;
	return n;
}
