// SPDX-License-Identifier: Apache-2.0
/*
 * Decodes functions linearly: compilers for Linux put no data between the instructions of a function. If data were
 * there, decoding would not end cleanly, and the function is rejected.
 */
#include "runtime/find/function.h"
#include "runtime/find/function_flow.h"
#include "runtime/find/x86_insn.h"

enum { MAX_INSN = 15, MAX_STEPS = 24, MAX_SITES = 16 };

struct call {
	uint64_t returns, site; /* site 0: none found */
};

/* Decodes the instruction at an address in a function. */
static bool decode(const struct image *image, uint64_t address, uint64_t end, struct x86_insn *insn)
{
	size_t room = end - address < MAX_INSN ? end - address : MAX_INSN;
	const uint8_t *code = image_at(image, address, room, IMAGE_X);

	return code && x86_insn_decode(insn, code, room);
}

/* Its first instruction that has an effect; until then stack and registers are unchanged. */
bool function_entry(const struct eh_frame *frames, uint64_t address, struct function_site *site)
{
	struct eh_function function;
	struct x86_insn insn;

	if (!eh_frame_function(frames, address, &function) || function.start != address)
		return false;
	for (;; address += insn.size) {
		if (address >= function.end || !decode(frames->image, address, function.end, &insn))
			return false;
		/* never probe a nop of five bytes: newer kernels turn it into a call, which writes below rsp */
		if (insn.kind == X86_ENDBR64 || insn.kind == X86_NOP_LONG)
			continue;
		*site = (struct function_site){ .address = address, .is_cheap = insn.is_emulated };
		return true;
	}
}

/* Most functions begin with a push, which is cheap. */
bool function_arguments(const struct eh_frame *frames, uint64_t address, struct function_site *site)
{
	return function_entry(frames, address, site);
}

/* The first emulated instruction from `address` on, before any that leaves the straight path; 0: none. */
static uint64_t find_emulated(const struct image *image, uint64_t address, uint64_t end)
{
	struct x86_insn insn;

	for (int steps = 0; steps < MAX_STEPS && address < end; steps++, address += insn.size) {
		if (!decode(image, address, end, &insn))
			return 0;
		if (insn.is_emulated)
			return address;
		if (insn.kind != X86_OTHER && insn.kind != X86_PUSH && insn.kind != X86_NOP_LONG &&
		    insn.kind != X86_ENDBR64)
			return 0;
	}
	return 0;
}

/* The calls through [register + displacement]; -1: the code cannot be decoded. */
static int find_calls(const struct image *image, const struct eh_function *function, int32_t displacement,
		      struct call *call)
{
	struct x86_insn insn;
	int n = 0;

	for (uint64_t at = function->start; at < function->end; at += insn.size) {
		if (!decode(image, at, function->end, &insn))
			return -1;
		if (insn.kind != X86_CALL_INDIRECT || !insn.is_memory || insn.displacement != displacement)
			continue;
		if (n == MAX_SITES)
			return -1;
		call[n].returns = at + insn.size;
		call[n].site = find_emulated(image, call[n].returns, function->end);
		n++;
	}
	return n;
}

int function_after_calls(const struct eh_frame *frames, const struct eh_function *function, int32_t displacement,
			 struct function_site *site, int max)
{
	struct call call[MAX_SITES];
	int n = find_calls(frames->image, function, displacement, call), n_sites = 0, n_cheap = 0;

	if (n < 0)
		return -1;
	for (int i = 0; i < n; i++)
		n_cheap += call[i].site != 0;
	for (int i = 0; i < n && n_sites < max; i++)
		if (call[i].site || !n_cheap)
			site[n_sites++] = (struct function_site){ .address = n_cheap ? call[i].site : call[i].returns,
								  .is_cheap = n_cheap > 0 };
	return n_sites;
}

bool function_early(const struct eh_frame *frames, uint64_t address, struct function_site *site)
{
	struct eh_function function;

	if (!eh_frame_function(frames, address, &function) || function.start != address)
		return false;
	*site =
	    (struct function_site){ .address = find_emulated(frames->image, address, function.end), .is_cheap = true };
	return site->address && !flow_jumps_into(frames->image, &function, site->address);
}

bool flow_at(const struct image *image, uint64_t address, uint64_t end, struct flow *flow)
{
	struct x86_insn insn;

	if (!decode(image, address, end, &insn))
		return false;
	flow->kind = insn.kind == X86_JUMP || insn.kind == X86_JUMP_IF ? FLOW_JUMP
		     : insn.kind == X86_CALL			       ? FLOW_CALL
								       : FLOW_ON;
	flow->next = address + insn.size;
	flow->target = flow->next + (uint64_t)insn.relative;
	return true;
}

/* Compiled functions begin with endbr64 or a push. */
bool flow_is_begin(const struct eh_frame *frames, const struct eh_function *function)
{
	struct x86_insn insn;

	return decode(frames->image, function->start, function->end, &insn) &&
	       (insn.kind == X86_ENDBR64 || insn.kind == X86_PUSH);
}
