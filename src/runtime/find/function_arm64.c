// SPDX-License-Identifier: Apache-2.0
/*
 * Decodes functions linearly. All instructions have 4 bytes. What the kernel emulates are branches and addresses (adr,
 * adrp); it steps all others out of line. So an entry, which mostly stores registers, is dear, and a place behind it is
 * sought.
 */
#include "runtime/find/arm64_decode.h"
#include "runtime/find/arm64_insn.h"
#include "runtime/find/function.h"
#include "runtime/find/function_flow.h"

enum { INSN = 4, MAX_STEPS = 64, MAX_BACK = 32, MAX_SITES = 16, RESULT = 8, ARGUMENTS = 3 /* x0 and x1 */ };

static bool decode(const struct image *image, uint64_t address, struct arm64_decoded *insn)
{
	const uint8_t *code = address & (INSN - 1) ? NULL : image_at(image, address, INSN, IMAGE_X);

	return code && arm64_decode(insn, arm64_insn(code, 0));
}

bool function_entry(const struct eh_frame *frames, uint64_t address, struct function_site *site)
{
	struct eh_function function;
	struct arm64_decoded insn;

	if (!eh_frame_function(frames, address, &function) || function.start != address ||
	    !decode(frames->image, address, &insn) || insn.is_rejected)
		return false;
	/* also at paciasp: a return probe changes the return address, which is then signed as any other */
	*site = (struct function_site){ .address = address, .is_cheap = insn.is_emulated };
	return true;
}

/*
 * The first emulated instruction on the straight path from `address`, before any that writes one of these registers or
 * moves the stack pointer by an unknown amount, and not among exclusive ones. False: there is none.
 */
static bool find_emulated(const struct image *image, uint64_t address, uint64_t end, uint32_t kept,
			  struct function_site *site)
{
	struct arm64_decoded insn;

	*site = (struct function_site){ .is_cheap = true };
	for (int steps = 0; steps < MAX_STEPS && address < end; steps++, address += INSN) {
		if (!decode(image, address, &insn))
			return false;
		if (insn.is_emulated) {
			site->address = address;
			return true;
		}
		if (insn.kind != ARM64_OTHER || insn.is_exclusive || (insn.writes & kept))
			return false;
		if (!(insn.writes >> ARM64_SP))
			continue;
		if (insn.stack >= 0)
			return false;
		site->depth += (uint32_t)-insn.stack;
	}
	return false;
}

/* The same, or the entry where there is no such place. */
static bool find_early(const struct eh_frame *frames, uint64_t address, uint32_t kept, struct function_site *site)
{
	struct function_site entry;
	struct eh_function function;

	if (!function_entry(frames, address, &entry) || !eh_frame_function(frames, address, &function))
		return false;
	if (!find_emulated(frames->image, address, function.end, kept, site) ||
	    flow_jumps_into(frames->image, &function, site->address))
		*site = entry;
	return true;
}

bool function_arguments(const struct eh_frame *frames, uint64_t address, struct function_site *site)
{
	return find_early(frames, address, ARGUMENTS, site);
}

bool function_early(const struct eh_frame *frames, uint64_t address, struct function_site *site)
{
	return find_early(frames, address, 0, site);
}

/* ldr x<reg>, [x<base>, #displacement]: the base, -1: something else. */
static int base_of_load(uint32_t insn, int reg, int32_t displacement)
{
	if ((insn & 0xffc00000) != 0xf9400000 || arm64_target(insn) != reg ||
	    (int32_t)(insn >> 10 & 0xfff) * 8 != displacement)
		return -1;
	return arm64_first(insn);
}

/* The instruction before `at` that has last written the register, or a call, which may; 0: not known. */
static uint64_t written_at(const struct image *image, uint64_t at, uint64_t start, int reg)
{
	struct arm64_decoded insn;

	for (int i = 0; i < MAX_BACK && at > start; i++) {
		at -= INSN;
		if (!decode(image, at, &insn))
			return 0;
		if (insn.writes >> reg & 1)
			return at;
	}
	return 0;
}

/* Whether something but a call has written x8: it is where a class is returned. exception::what() has no such. */
static bool returns_class(const struct image *image, const struct eh_function *function, uint64_t at)
{
	uint64_t written = written_at(image, at, function->start, RESULT);
	struct arm64_decoded insn;

	return written && decode(image, written, &insn) && insn.kind == ARM64_OTHER;
}

/* Whether the call at `at` goes through the word at `displacement` of the table that an object's first word names. */
static bool is_call_through(const struct image *image, const struct eh_function *function, uint64_t at, int reg,
			    int32_t displacement)
{
	uint64_t load = written_at(image, at, function->start, reg), table;
	const uint8_t *code = load ? image_at(image, load, INSN, IMAGE_X) : NULL;
	int base = code ? base_of_load(arm64_insn(code, 0), reg, displacement) : -1;

	table = base >= 0 && base != ARM64_SP ? written_at(image, load, function->start, base) : 0;
	code = table ? image_at(image, table, INSN, IMAGE_X) : NULL;
	return code && base_of_load(arm64_insn(code, 0), base, 0) >= 0 && returns_class(image, function, at);
}

int function_after_calls(const struct eh_frame *frames, const struct eh_function *function, int32_t displacement,
			 struct function_site *site, int max)
{
	struct arm64_decoded insn;
	int n = 0;

	for (uint64_t at = function->start; at < function->end; at += INSN) {
		if (!decode(frames->image, at, &insn))
			return -1;
		if (insn.kind != ARM64_CALL_INDIRECT ||
		    !is_call_through(frames->image, function, at, insn.address, displacement))
			continue;
		if (n == MAX_SITES)
			return -1;
		if (n < max && find_emulated(frames->image, at + INSN, function->end, 1u << ARM64_SP, &site[n]))
			n++;
	}
	return n;
}

bool flow_at(const struct image *image, uint64_t address, uint64_t end, struct flow *flow)
{
	struct arm64_decoded insn;

	if (end - address < INSN || !decode(image, address, &insn))
		return false;
	flow->kind = insn.kind == ARM64_JUMP || insn.kind == ARM64_JUMP_IF ? FLOW_JUMP
		     : insn.kind == ARM64_CALL				   ? FLOW_CALL
									   : FLOW_ON;
	flow->next = address + INSN;
	flow->target = address + (uint64_t)insn.relative;
	return true;
}

bool flow_is_begin(const struct eh_frame *frames, const struct eh_function *function)
{
	return !eh_frame_is_part(frames, function);
}
