// SPDX-License-Identifier: Apache-2.0
/*
 * Knows the instructions that the kernel accepts in a seccomp filter (seccomp_check_filter in kernel/seccomp.c) and no
 * others. The kernel has checked the program, or will refuse it: bounds are checked here all the same.
 */
#include "capture/agent/filter.h"

#include <string.h>

#ifndef SECCOMP_RET_KILL_PROCESS
#error "the kernel's headers are older than 4.14"
#endif

struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
	const struct seccomp_data *call;
};

bool filter_can_kill(const struct sock_filter *program, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (BPF_CLASS(program[i].code) == BPF_RET &&
		    (BPF_RVAL(program[i].code) != BPF_K || !filter_is_harmless(program[i].k)))
			return true;
	return false;
}

static bool load_word(const struct machine *machine, uint32_t offset, uint32_t *to)
{
	if (offset > sizeof *machine->call - sizeof *to || offset % sizeof *to)
		return false;
	memcpy(to, (const char *)machine->call + offset, sizeof *to);
	return true;
}

/* BPF_LD and BPF_LDX, into *to. False: no such instruction. */
static bool load(struct machine *machine, const struct sock_filter *at, uint32_t *to)
{
	switch (BPF_MODE(at->code)) {
	case BPF_IMM:
		*to = at->k;
		return true;
	case BPF_LEN:
		*to = sizeof *machine->call;
		return true;
	case BPF_MEM:
		if (at->k >= BPF_MEMWORDS)
			return false;
		*to = machine->memory[at->k];
		return true;
	case BPF_ABS:
		return to == &machine->a && load_word(machine, at->k, to);
	default:
		return false;
	}
}

/* False: no such instruction, or a division by 0, at which the kernel kills. */
static bool compute(struct machine *machine, const struct sock_filter *at)
{
	uint32_t with = BPF_SRC(at->code) == BPF_X ? machine->x : at->k, *a = &machine->a;

	switch (BPF_OP(at->code)) {
	case BPF_ADD:
		*a += with;
		return true;
	case BPF_SUB:
		*a -= with;
		return true;
	case BPF_MUL:
		*a *= with;
		return true;
	case BPF_DIV:
		*a = with ? *a / with : 0;
		return with != 0;
	case BPF_AND:
		*a &= with;
		return true;
	case BPF_OR:
		*a |= with;
		return true;
	case BPF_XOR:
		*a ^= with;
		return true;
	case BPF_LSH:
		*a <<= with & 31;
		return true;
	case BPF_RSH:
		*a >>= with & 31;
		return true;
	case BPF_NEG:
		*a = 0 - *a;
		return true;
	default:
		return false;
	}
}

/* How many instructions it skips; SIZE_MAX: no such instruction. */
static size_t jump(const struct machine *machine, const struct sock_filter *at)
{
	uint32_t with = BPF_SRC(at->code) == BPF_X ? machine->x : at->k;

	switch (BPF_OP(at->code)) {
	case BPF_JA:
		return at->k;
	case BPF_JEQ:
		return machine->a == with ? at->jt : at->jf;
	case BPF_JGT:
		return machine->a > with ? at->jt : at->jf;
	case BPF_JGE:
		return machine->a >= with ? at->jt : at->jf;
	case BPF_JSET:
		return machine->a & with ? at->jt : at->jf;
	default:
		return SIZE_MAX;
	}
}

static bool store(struct machine *machine, const struct sock_filter *at)
{
	if (at->k >= BPF_MEMWORDS)
		return false;
	machine->memory[at->k] = BPF_CLASS(at->code) == BPF_ST ? machine->a : machine->x;
	return true;
}

/* All instructions but jumps and returns. */
static bool step(struct machine *machine, const struct sock_filter *at)
{
	switch (BPF_CLASS(at->code)) {
	case BPF_LD:
		return load(machine, at, &machine->a);
	case BPF_LDX:
		return load(machine, at, &machine->x);
	case BPF_ST:
	case BPF_STX:
		return store(machine, at);
	case BPF_ALU:
		return compute(machine, at);
	case BPF_MISC:
		if (BPF_MISCOP(at->code) == BPF_TAX)
			machine->x = machine->a;
		else
			machine->a = machine->x;
		return true;
	default:
		return false;
	}
}

uint32_t filter_answer(const struct sock_filter *program, size_t n, const struct seccomp_data *call)
{
	struct machine machine = { .call = call };

	for (size_t i = 0; i < n; i++) {
		const struct sock_filter *at = &program[i];
		size_t skipped;

		if (BPF_CLASS(at->code) == BPF_RET)
			return BPF_RVAL(at->code) == BPF_A ? machine.a : at->k;
		if (BPF_CLASS(at->code) == BPF_JMP) {
			skipped = jump(&machine, at);
			if (skipped >= n - i)
				break;
			i += skipped;
		} else if (!step(&machine, at)) {
			break;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}
