// SPDX-License-Identifier: Apache-2.0
/*
 * Recognises trivial functions by what they do. Follows a straight line of a few aarch64 instructions with three kinds
 * of values: a constant, the address of a returned class (x8), unknown. Anything else ends the attempt.
 */
#include "runtime/find/arm64_insn.h"
#include "runtime/find/trivial_body.h"

enum { MAX_INSTRUCTIONS = 12, RESULT = 8 };

enum kind { UNKNOWN, CONSTANT, ADDRESS };

struct value {
	enum kind kind;
	uint32_t number;
};

struct machine {
	struct value reg[32]; /* the last one is always 0 */
	bool stores_null;     /* a null word where the class is returned */
	bool sets_result;
};

static void set(struct machine *machine, int reg, struct value value)
{
	if (reg != ARM64_ZERO)
		machine->reg[reg] = value;
	machine->sets_result |= reg == 0;
}

/* One instruction; false: not one of those. */
static bool step(struct machine *machine, uint32_t insn)
{
	const struct value *stored = &machine->reg[arm64_target(insn)];

	if (arm64_is_hint(insn))
		return true;
	if ((insn & 0x7fe00000) == 0x52800000) { /* mov register, #constant */
		set(machine, arm64_target(insn), (struct value){ CONSTANT, insn >> 5 & 0xffff });
		return true;
	}
	if ((insn & 0x7fe0ffe0) == 0x2a0003e0) { /* mov register, register */
		set(machine, arm64_target(insn), machine->reg[arm64_second(insn)]);
		return true;
	}
	if ((insn & 0xfffffc00) == 0xf9000000 && machine->reg[arm64_first(insn)].kind == ADDRESS &&
	    stored->kind == CONSTANT && !stored->number) { /* str register, [register] */
		machine->stores_null = true;
		return true;
	}
	return false;
}

/* The caller knows where the class is: whether x0 says it as well is the compiler's choice. */
static char letter(const struct machine *machine)
{
	const struct value *result = &machine->reg[0];

	if (machine->stores_null)
		return !machine->sets_result || result->kind == ADDRESS ? 'S' : '.';
	if (!machine->sets_result)
		return 'V';
	if (result->kind == CONSTANT && result->number <= 1)
		return (char)('0' + result->number);
	return '.';
}

char trivial_body(const struct image *image, uint64_t function)
{
	struct machine machine = { .reg = { [RESULT] = { ADDRESS, 0 }, [ARM64_ZERO] = { CONSTANT, 0 } } };
	const uint8_t *at = image_at(image, function, 4, IMAGE_X);

	if (!at || (function & 3))
		return 'P';
	for (int i = 0; i < MAX_INSTRUCTIONS && (at = image_at(image, function + 4 * (uint64_t)i, 4, IMAGE_X)); i++) {
		uint32_t insn = arm64_insn(at, 0);
		if (arm64_is_return(insn))
			return letter(&machine);
		if (!step(&machine, insn))
			break;
	}
	return '.';
}
