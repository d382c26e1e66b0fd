// SPDX-License-Identifier: Apache-2.0
/*
 * Recognises trivial functions by what they do, not by their bytes: compilers and levels of optimisation write the same
 * body in different ways ("mov eax, 1", "mov al, 1", "push 1; pop rax"). Follows a straight line of a few x86-64
 * instructions with three kinds of values: a constant, the first argument, unknown. Anything else ends the attempt.
 */
#include <string.h>

#include "runtime/find/trivial_body.h"

enum { WINDOW = 48, MAX_INSTRUCTIONS = 12, MAX_STACK = 4, RAX = 0, RSP = 4, RBP = 5, RDI = 7 };

enum kind { UNKNOWN, CONSTANT, ARGUMENT };

struct value {
	enum kind kind;
	int32_t number;
};

struct machine {
	struct value reg[16];
	struct value stack[MAX_STACK];
	int n_stack;
	bool stores_null; /* a null word through the first argument */
	bool sets_rax;
};

static void set(struct machine *machine, int reg, struct value value)
{
	machine->reg[reg] = value;
	machine->sets_rax |= reg == RAX;
}

static int32_t read32(const uint8_t *at)
{
	int32_t number;

	memcpy(&number, at, 4);
	return number;
}

static bool is_null(struct value value)
{
	return value.kind == CONSTANT && !value.number;
}

/* xor reg, reg; mov reg, reg; mov [reg], reg. Returns the length, 0 for any other. */
static int with_registers(struct machine *machine, const uint8_t *at, uint8_t rex)
{
	uint8_t op = at[0], mod = at[1] >> 6;
	int reg = (at[1] >> 3 & 7) | (rex & 4) << 1, rm = (at[1] & 7) | (rex & 1) << 3;

	if ((op == 0x31 || op == 0x33 || op == 0x29 || op == 0x2b) && mod == 3 && reg == rm) {
		set(machine, reg, (struct value){ CONSTANT, 0 });
		return 2;
	}
	if ((op == 0x89 || op == 0x8b) && mod == 3 && (rex & 8)) {
		set(machine, op == 0x89 ? rm : reg, machine->reg[op == 0x89 ? reg : rm]);
		return 2;
	}
	if (op == 0x89 && !mod && (rex & 8) && rm != RSP && rm != RBP && machine->reg[rm].kind == ARGUMENT &&
	    is_null(machine->reg[reg])) {
		machine->stores_null = true;
		return 2;
	}
	return 0;
}

/* mov reg, constant; mov [reg], 0; and [reg], 0. */
static int with_constant(struct machine *machine, const uint8_t *at, uint8_t rex)
{
	int low = (at[0] & 7) | (rex & 1) << 3, rm = (at[1] & 7) | (rex & 1) << 3;

	if (at[0] >= 0xb8 && at[0] <= 0xbf && !(rex & 8)) {
		set(machine, low, (struct value){ CONSTANT, read32(at + 1) });
		return 5;
	}
	if (at[0] == 0xb0 && !rex) { /* the rest of rax does not count: the function returns a bool */
		set(machine, RAX, (struct value){ CONSTANT, at[1] });
		return 2;
	}
	if (at[0] == 0xc7 && at[1] >> 3 == 0x18) {
		set(machine, rm, (struct value){ CONSTANT, read32(at + 2) });
		return 6;
	}
	if ((at[1] & 7) == RSP || (at[1] & 7) == RBP || machine->reg[rm].kind != ARGUMENT || !(rex & 8))
		return 0;
	if ((at[0] == 0xc7 && at[1] >> 3 == 0 && !read32(at + 2)) || (at[0] == 0x83 && at[1] >> 3 == 4 && !at[2])) {
		machine->stores_null = true;
		return at[0] == 0xc7 ? 6 : 3;
	}
	return 0;
}

/* push constant or register; pop. */
static int with_stack(struct machine *machine, const uint8_t *at, uint8_t rex)
{
	int reg = (at[0] & 7) | (rex & 1) << 3;
	bool pushes = at[0] == 0x6a || (at[0] >= 0x50 && at[0] <= 0x57);

	if (pushes && machine->n_stack < MAX_STACK) {
		machine->stack[machine->n_stack++] =
		    at[0] == 0x6a ? (struct value){ CONSTANT, (int8_t)at[1] } : machine->reg[reg];
		return at[0] == 0x6a ? 2 : 1;
	}
	if (at[0] >= 0x58 && at[0] <= 0x5f && machine->n_stack) {
		set(machine, reg, machine->stack[--machine->n_stack]);
		return 1;
	}
	return 0;
}

/* One instruction; its length, 0: not one of those. */
static int step(struct machine *machine, const uint8_t *at)
{
	uint8_t rex = (at[0] & 0xf0) == 0x40 ? *at : 0;
	int prefix = rex != 0, len;

	if (!memcmp(at, "\xf3\x0f\x1e\xfa", 4))
		return 4;
	if (*at == 0x90)
		return 1;
	at += prefix;
	len = with_registers(machine, at, rex);
	if (!len)
		len = with_constant(machine, at, rex);
	if (!len)
		len = with_stack(machine, at, rex);
	return len ? prefix + len : 0;
}

static char letter(const struct machine *machine)
{
	const struct value *rax = &machine->reg[RAX];

	if (machine->n_stack)
		return '.';
	if (machine->stores_null)
		return rax->kind == ARGUMENT ? 'S' : '.';
	if (!machine->sets_rax)
		return 'V';
	if (rax->kind == CONSTANT && (rax->number == 0 || rax->number == 1))
		return (char)('0' + rax->number);
	return '.';
}

char trivial_body(const struct image *image, uint64_t function)
{
	struct machine machine = { .reg = { [RDI] = { ARGUMENT, 0 } } };
	const uint8_t *code = image_at(image, function, 1, IMAGE_X), *at;
	uint8_t window[WINDOW + 16] = { 0 };
	size_t room = WINDOW;

	if (!code)
		return 'P';
	while (room > 1 && !image_at(image, function, room, IMAGE_X))
		room--;
	memcpy(window, code, room);
	at = window;
	for (int i = 0, len; i < MAX_INSTRUCTIONS && at < window + room; i++, at += len) {
		if (*at == 0xc3 || (at[0] == 0xf3 && at[1] == 0xc3))
			return letter(&machine);
		if (!(len = step(&machine, at)))
			break;
	}
	return '.';
}
