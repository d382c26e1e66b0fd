// SPDX-License-Identifier: Apache-2.0
/*
 * Where probes may be put into code for aarch64. The instructions are those of released builds of ONNX Runtime;
 * test_sites.py covers the builds themselves.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "runtime/find/arm64_decode.h"
#include "runtime/find/function.h"
#include "runtime/find/text_anchor.h"

enum { CODE = 0x10000, WORDS = 64, DATA = 0x20000, HEADER = DATA, FDES = DATA + 0x100, TEXT = DATA + 0x800 };
enum {
	BTI_C = 0xd503245f,
	PACIASP = 0xd503233f,
	NOP = 0xd503201f,
	RET = 0xd65f03c0,
	STP_FRAME = 0xa9ba7bfd,	 /* stp x29, x30, [sp, #-96]! */
	SUB_SP = 0xd10103ff,	 /* sub sp, sp, #64 */
	ADD_SP = 0x910103ff,	 /* add sp, sp, #64 */
	MOV_X29_SP = 0x910003fd, /* mov x29, sp */
	MOV_X19_X0 = 0xaa0003f3, /* mov x19, x0 */
	MOV_X0_X19 = 0xaa1303e0, /* mov x0, x19 */
	MOV_X8_SP = 0x910003e8,	 /* mov x8, sp */
	LDR_TABLE = 0xf9400002,	 /* ldr x2, [x0] */
	LDR_SLOT = 0xf9400842,	 /* ldr x2, [x2, #16] */
	LDR_OTHER = 0xf9400c42,	 /* ldr x2, [x2, #24] */
	BLR_X2 = 0xd63f0040,	 /* blr x2 */
	ADRP_X20 = 0x90000094,	 /* adrp x20, CODE + 0x10000 */
	LDAXR = 0x885ffc41,	 /* ldaxr w1, [x2] */
	CBNZ_X0_2 = 0xb5000040,	 /* cbnz x0, . + 8 */
	B_BACK_1 = 0x17ffffff,	 /* b . - 4 */
};

static uint32_t code[WORDS];
static uint8_t data[0x1000];
static struct image image;
static struct eh_frame frames;

/* A function, and of which the first instruction of its call frame information is this. */
static void add_function(unsigned number, uint32_t start, uint32_t size, uint8_t first)
{
	int32_t row[2] = { (int32_t)(CODE + start - HEADER), (int32_t)(FDES + 64 * number - HEADER) };
	uint32_t at = FDES + 64 * number, cie = FDES - 64;
	uint32_t fde[4] = { 60, at + 4 - cie, CODE + start - (at + 8), size };
	uint8_t *to = data + (at - DATA);

	memcpy(data + 12 + 8 * number, row, 8);
	memcpy(to, fde, 16);
	to[16] = 0; /* nothing comes before the instructions */
	to[17] = first;
	memcpy(data + (cie - DATA) + 8, "\1zR", 4);
	frames.n = number + 1;
}

enum { ADVANCE = 0x41, DEF_CFA_OFFSET = 0x0e };

/* One function with these instructions. */
static void made_of(const uint32_t *insns, size_t n)
{
	memset(code, 0, sizeof code);
	memset(data, 0, sizeof data);
	memcpy(code, insns, n * sizeof *insns);
	image = (struct image){ .path = "made",
				.n_segments = 2,
				.segment = { { CODE, CODE + sizeof code, IMAGE_R | IMAGE_X, (const uint8_t *)code },
					     { DATA, DATA + sizeof data, IMAGE_R, data } } };
	frames = (struct eh_frame){ .image = &image, .header = HEADER, .table = data + 12 };
	add_function(0, 0, (uint32_t)n * 4, ADVANCE);
}

#define MADE_OF(...) made_of((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static struct arm64_decoded decoded(uint32_t insn)
{
	struct arm64_decoded to;

	assert_true(arm64_decode(&to, insn));
	return to;
}

TEST(branches_and_addresses_are_emulated)
{
	static const uint32_t emulated[] = { 0x14000001, 0x94000001, 0x54000041, CBNZ_X0_2, 0x36000041,
					     0x10000001, ADRP_X20,   0xd61f0200, BLR_X2,    RET };
	static const uint32_t stepped[] = { STP_FRAME, SUB_SP, NOP, BTI_C, PACIASP, MOV_X19_X0, LDR_TABLE, 0x4e080c20 };
	/* ldaxr; ldr x0, literal; svc; retaa; autiasp; msr */
	static const uint32_t rejected[] = { LDAXR, 0x58000040, 0xd4000001, 0xd65f0bff, 0xd50323bf, 0xd51bd040 };

	for (size_t i = 0; i < sizeof emulated / 4; i++)
		assert_true(decoded(emulated[i]).is_emulated && !decoded(emulated[i]).is_rejected);
	for (size_t i = 0; i < sizeof stepped / 4; i++)
		assert_false(decoded(stepped[i]).is_emulated || decoded(stepped[i]).is_rejected);
	for (size_t i = 0; i < sizeof rejected / 4; i++)
		assert_true(decoded(rejected[i]).is_rejected && !decoded(rejected[i]).is_emulated);
}

TEST(what_an_instruction_writes_is_known)
{
	static const struct {
		uint32_t insn, writes;
		int32_t stack;
	} given[] = {
		{ STP_FRAME, 1u << ARM64_SP, -96 },
		{ SUB_SP, 1u << ARM64_SP, -64 },
		{ ADD_SP, 1u << ARM64_SP, 64 },
		{ 0xd14007ff, 1u << ARM64_SP, -4096 },	       /* sub sp, sp, #1, lsl #12 */
		{ 0xcb3063ff, 1u << ARM64_SP, 0 },	       /* sub sp, sp, x16 */
		{ 0x927cec1f, 1u << ARM64_SP, 0 },	       /* and sp, x0, #~15 */
		{ 0xa8c67bfd, 3u << 29 | 1u << ARM64_SP, 96 }, /* ldp x29, x30, [sp], #96 */
		{ MOV_X29_SP, 1u << 29, 0 },
		{ MOV_X19_X0, 1u << 19, 0 },
		{ LDR_TABLE, 1u << 2, 0 },
		{ 0xf9000002, 0, 0 },		      /* str x2, [x0] */
		{ 0xf8408402, 1u << 2 | 1u << 0, 0 }, /* ldr x2, [x0], #8 */
		{ 0x3dc00000, 0, 0 },		      /* ldr q0, [x0] */
		{ 0x6d3f7be0, 0, 0 },		      /* stp d0, d30, [sp, #-16] */
		{ 0x9e660001, 1u << 1, 0 },	      /* fmov x1, d0 */
		{ 0x1e602821, 0, 0 },		      /* fadd d1, d1, d0 */
		{ 0x4e083c01, 1u << 1, 0 },	      /* mov x1, v0.d[0] */
		{ 0xeb01001f, 0, 0 },		      /* cmp x0, x1 */
		{ 0xfa410000, 0, 0 },		      /* ccmp x0, x1, #0, eq */
		{ 0xd53bd041, 1u << 1, 0 },	      /* mrs x1, tpidr_el0 */
		{ 0x94000001, 0xffffffff, 0 },	      /* bl */
		{ 0xf8e10002, 0xffffffff, 0 },	      /* ldaddal x1, x2, [x0] */
		{ 0x04e00000, 0xffffffff, 0 },	      /* SVE */
	};
	struct arm64_decoded to;

	for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
		to = decoded(given[i].insn);
		if (to.writes != given[i].writes || to.stack != given[i].stack)
			fail_msg("%08x writes %08x, sp %d", given[i].insn, to.writes, to.stack);
	}
	assert_false(arm64_decode(&to, 0));
	assert_int_equal(decoded(0xd4200000).kind, ARM64_TRAP); /* brk */
	assert_int_equal(decoded(B_BACK_1).relative, -4);
	assert_int_equal(decoded(0x97fffffe).relative, -8);
	assert_int_equal(decoded(0x3607ffe1).relative, -4); /* tbz */
}

TEST(an_entry_is_the_first_instruction_also_where_it_signs_the_return_address)
{
	struct function_site site;

	MADE_OF(PACIASP, STP_FRAME, ADRP_X20, RET);
	assert_true(function_entry(&frames, CODE, &site));
	assert_int_equal(site.address, CODE);
	assert_int_equal(site.depth, 0);
	assert_false(site.is_cheap);
	assert_false(function_entry(&frames, CODE + 4, &site));
	MADE_OF(LDAXR, RET);
	assert_false(function_entry(&frames, CODE, &site));
}

TEST(arguments_are_read_at_a_cheap_place_while_they_are_there)
{
	struct function_site site;

	MADE_OF(BTI_C, STP_FRAME, MOV_X29_SP, SUB_SP, MOV_X19_X0, ADRP_X20, RET);
	assert_true(function_arguments(&frames, CODE, &site));
	assert_int_equal(site.address, CODE + 20);
	assert_int_equal(site.depth, 96 + 64);
	assert_true(site.is_cheap);
	/* x0 is another by then */
	MADE_OF(STP_FRAME, MOV_X19_X0, MOV_X0_X19, ADRP_X20, RET);
	assert_true(function_arguments(&frames, CODE, &site));
	assert_int_equal(site.address, CODE);
	assert_false(site.is_cheap);
	/* the stack pointer moves by an unknown amount */
	MADE_OF(STP_FRAME, 0xcb3063ff, ADRP_X20, RET);
	assert_true(function_arguments(&frames, CODE, &site));
	assert_int_equal(site.address, CODE);
	/* a loop comes by it more than once: adrp; cbnz; b to the adrp */
	MADE_OF(STP_FRAME, ADRP_X20, CBNZ_X0_2, 0x17fffffe, RET);
	assert_true(function_arguments(&frames, CODE, &site));
	assert_int_equal(site.address, CODE);
	MADE_OF(STP_FRAME, LDAXR, ADRP_X20, RET);
	assert_true(function_arguments(&frames, CODE, &site));
	assert_int_equal(site.address, CODE);
	/* whoever reads nothing may come later */
	MADE_OF(STP_FRAME, MOV_X19_X0, MOV_X0_X19, ADRP_X20, RET);
	assert_true(function_early(&frames, CODE, &site));
	assert_int_equal(site.address, CODE + 12);
	assert_true(site.is_cheap);
}

static int ends(struct function_site *site)
{
	struct eh_function function;

	assert_true(eh_frame_function(&frames, CODE, &function));
	return function_after_calls(&frames, &function, 16, site, 4);
}

TEST(an_end_lies_behind_a_virtual_call_that_returns_a_class)
{
	struct function_site site[4];

	MADE_OF(STP_FRAME, MOV_X8_SP, LDR_TABLE, LDR_SLOT, BLR_X2, MOV_X0_X19, CBNZ_X0_2, NOP, RET);
	assert_int_equal(ends(site), 1);
	assert_int_equal(site[0].address, CODE + 24);
	assert_true(site[0].is_cheap);
	/* another slot; a result that is no class (exception::what); a pointer that is no table's */
	MADE_OF(STP_FRAME, MOV_X8_SP, LDR_TABLE, LDR_OTHER, BLR_X2, CBNZ_X0_2, NOP, RET);
	assert_int_equal(ends(site), 0);
	MADE_OF(STP_FRAME, MOV_X8_SP, 0x94000010, LDR_TABLE, LDR_SLOT, BLR_X2, CBNZ_X0_2, NOP, RET);
	assert_int_equal(ends(site), 0);
	MADE_OF(STP_FRAME, MOV_X8_SP, 0xf9400402, LDR_SLOT, BLR_X2, CBNZ_X0_2, NOP, RET);
	assert_int_equal(ends(site), 0);
	/* the frame is gone before the next branch, by which it is known whose end it is */
	MADE_OF(STP_FRAME, MOV_X8_SP, LDR_TABLE, LDR_SLOT, BLR_X2, 0xa8c67bfd, RET);
	assert_int_equal(ends(site), 0);
	/* no instruction */
	MADE_OF(STP_FRAME, MOV_X8_SP, LDR_TABLE, LDR_SLOT, BLR_X2, CBNZ_X0_2, 0, RET);
	assert_int_equal(ends(site), -1);
}

TEST(a_cold_part_belongs_to_the_function_into_which_it_jumps)
{
	struct eh_function part, whole;

	/* the function, then its cold part, which goes back behind the function's begin */
	MADE_OF(STP_FRAME, MOV_X19_X0, NOP, RET);
	code[4] = MOV_X0_X19, code[5] = 0x17fffffc; /* b to the second instruction */
	add_function(1, 16, 8, DEF_CFA_OFFSET);
	assert_true(eh_frame_function(&frames, CODE + 16, &part));
	assert_true(eh_frame_is_part(&frames, &part));
	assert_true(function_whole(&frames, &part, &whole));
	assert_int_equal(whole.start, CODE);
	/* itself, if it makes its own frame; then what it jumps into would be its part, and is not */
	add_function(1, 16, 8, ADVANCE);
	assert_false(eh_frame_is_part(&frames, &part));
	assert_false(function_whole(&frames, &part, &whole));
	code[5] = RET;
	assert_true(function_whole(&frames, &part, &whole));
	assert_int_equal(whole.start, CODE + 16);
}

TEST(a_call_names_its_function)
{
	struct eh_function function;

	MADE_OF(STP_FRAME, 0x94000010, RET);
	assert_true(eh_frame_function(&frames, CODE, &function));
	assert_true(function_calls(&frames, &function, CODE + 4 + 0x40));
	assert_false(function_calls(&frames, &function, CODE + 0x40));
}

/* adrp x0, TEXT's page; [something]; add x1, x0, #low; ... */
TEST(a_text_belongs_to_the_function_that_makes_its_address)
{
	struct text_anchor anchor = { .text = "Running with tag: " };
	uint32_t adrp_x0 = 0x90000080, add_x1 = 0x91000001 | (TEXT & 0xfff) << 10,
		 add_x0 = 0x91000000 | (TEXT & 0xfff) << 10;

	MADE_OF(STP_FRAME, adrp_x0, NOP, NOP, add_x1, RET);
	strcpy((char *)data + (TEXT - DATA), anchor.text);
	text_anchor_find(&anchor, 1, &frames);
	assert_int_equal(anchor.n_functions, 1);
	assert_int_equal(anchor.function[0].start, CODE);
	/* too far; another register; the register is used up by another address */
	MADE_OF(STP_FRAME, adrp_x0, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, add_x1, RET);
	strcpy((char *)data + (TEXT - DATA), anchor.text);
	text_anchor_find(&anchor, 1, &frames);
	assert_int_equal(anchor.n_functions, 0);
	MADE_OF(STP_FRAME, adrp_x0, add_x1 | 3 << 5, 0x91000400, add_x0, RET);
	strcpy((char *)data + (TEXT - DATA), anchor.text);
	text_anchor_find(&anchor, 1, &frames);
	assert_int_equal(anchor.n_functions, 0);
}
