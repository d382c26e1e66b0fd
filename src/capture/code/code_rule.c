// SPDX-License-Identifier: Apache-2.0
/*
 * Rules of .eh_frame, or of .debug_frame, for one address: of the registers that a function keeps for its caller. Rules
 * that are programs of their own are known in the few forms that compilers make: a stack that was aligned, a signal's
 * frame, a linkage table.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "capture/code/code_file.h"

enum { MOST_ROWS = 8 };

#if defined(__x86_64__)
enum { STACK_POINTER = 7, ENTRY_OFFSET = 8 };
static const uint8_t kept[] = { 3, 6, 12, 13, 14, 15 };
#else
enum { STACK_POINTER = 31, ENTRY_OFFSET = 0 };
static const uint8_t kept[] = { 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 };
#endif

/* register + offset */
static bool is_sum(const Dwarf_Op *op, uint8_t *base, int32_t *offset)
{
	int64_t sum;
	uint64_t number;

	if (op->atom == DW_OP_bregx) {
		number = op->number;
		sum = (int64_t)op->number2;
	} else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		number = op->atom - DW_OP_breg0;
		sum = (int64_t)op->number;
	} else {
		return false;
	}
	if (number >= CODE_REGISTERS || sum < INT32_MIN || sum > INT32_MAX)
		return false;
	*base = (uint8_t)number;
	*offset = (int32_t)sum;
	return true;
}

static void put_cfa(struct code_rule *rule, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t n;

	rule->cfa = CODE_CFA_UNKNOWN;
	if (dwarf_frame_cfa(frame, &ops, &n) || !n || !is_sum(&ops[0], &rule->cfa_base, &rule->cfa_offset))
		return;
	if (n == 1)
		rule->cfa = CODE_CFA_SUM;
	else if (n == 2 && ops[1].atom == DW_OP_deref)
		rule->cfa = CODE_CFA_DEREF;
	else if (n > 4 && rule->cfa_base == STACK_POINTER && ops[n - 1].atom == DW_OP_plus)
		rule->cfa = CODE_CFA_PLT;
}

static struct code_saved saved_of(Dwarf_Frame *frame, int number)
{
	struct code_saved saved = { .number = (uint8_t)number, .kind = CODE_LOST };
	Dwarf_Op room[3], *ops = NULL;
	size_t n = 0;

	if (dwarf_frame_register(frame, number, room, &ops, &n))
		return saved;
	if (!n) {
		saved.kind = ops ? CODE_LOST : CODE_SAME;
	} else if (ops[0].atom == DW_OP_call_frame_cfa && (n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst))) {
		saved.kind = CODE_AT;
		saved.base = CODE_CFA_BASE;
		saved.offset = n == 2 ? (int32_t)(int64_t)ops[1].number : 0;
	} else if (n == 1 && is_sum(&ops[0], &saved.base, &saved.offset)) {
		saved.kind = CODE_AT;
	}
	return saved;
}

static Dwarf_Frame *frame_at(struct code_file *file, uint64_t address)
{
	Dwarf_Frame *frame = NULL;

	if (!file->has_frames) {
		file->has_frames = true;
		file->frames = dwarf_getcfi_elf(file->elf);
	}
	if (file->frames && !dwarf_cfi_addrframe(file->frames, address, &frame))
		return frame;
	if (!file->has_dwarf) {
		file->has_dwarf = true;
		file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
		file->debug_frames = file->dwarf ? dwarf_getcfi(file->dwarf) : NULL;
	}
	if (file->debug_frames && !dwarf_cfi_addrframe(file->debug_frames, address, &frame))
		return frame;
	return NULL;
}

/* Where the function begins: back over the rows of its prologue to the one that is there at its entry. */
static uint64_t begin_of(struct code_file *file, uint64_t address)
{
	for (int i = 0; i < MOST_ROWS; i++) {
		Dwarf_Frame *frame = frame_at(file, address);
		struct code_rule rule = { 0 };
		Dwarf_Addr begin, end;
		bool is_signal;

		if (!frame)
			return 0;
		put_cfa(&rule, frame);
		if (dwarf_frame_info(frame, &begin, &end, &is_signal) < 0)
			begin = 0;
		free(frame);
		if (!begin ||
		    (rule.cfa == CODE_CFA_SUM && rule.cfa_base == STACK_POINTER && rule.cfa_offset == ENTRY_OFFSET))
			return begin;
		address = begin - 1;
	}
	return 0;
}

bool code_file_rule(struct code_file *file, uint64_t offset, struct code_rule *rule)
{
	uint64_t address, begin;
	Dwarf_Frame *frame;
	int number;

	if (!code_file_address(file, offset, &address) || !(frame = frame_at(file, address)))
		return false;
	put_cfa(rule, frame);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		rule->saved[rule->n_saved++] = saved_of(frame, kept[i]);
	number = dwarf_frame_info(frame, NULL, NULL, &rule->is_signal);
	rule->address = saved_of(frame, number < 0 || number >= CODE_REGISTERS ? 0 : number);
	rule->is_end = number < 0 || rule->address.kind == CODE_LOST;
	free(frame);
	if (rule->cfa == CODE_CFA_SUM && rule->cfa_base != STACK_POINTER && (begin = begin_of(file, address)))
		code_file_offset(file, begin, &rule->function);
	return true;
}
