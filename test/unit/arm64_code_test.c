// SPDX-License-Identifier: Apache-2.0
/* What the agent recognises in ONNX Runtime's code for aarch64; the bytes are those of released builds. */
#include <stdint.h>
#include <string.h>

#include "cases.h"
#include "runtime/find/trivial_body.h"
#include "runtime/ort/ort_machine.h"

enum { CODE = 0x10000, TABLE = 0x20000, WORDS = 32 };
enum {
	BTI_C = 0xd503245f,
	PACIASP = 0xd503233f,
	RET = 0xd65f03c0,
	MOV_X0_X8 = 0xaa0803e0,
	STR_XZR_X8 = 0xf900011f,
	STR_XZR_X0 = 0xf900001f,
	MOV_W0_0 = 0x52800000,
	MOV_W0_1 = 0x52800020,
};

static uint32_t code[WORDS];
static uint64_t table[8];

static const struct image *image_of(const uint32_t *insns, size_t n)
{
	static struct image image;

	memset(code, 0, sizeof code);
	memcpy(code, insns, n * sizeof *insns);
	image =
	    (struct image){ .n_segments = 2,
			    .segment = { { CODE, CODE + sizeof code, IMAGE_R | IMAGE_X, (const uint8_t *)code },
					 { TABLE, TABLE + sizeof table, IMAGE_R | IMAGE_W, (const uint8_t *)table } } };
	return &image;
}

#define INSNS(...) ((const uint32_t[]){ __VA_ARGS__ }), sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4
#define LETTER(...) trivial_body(image_of(INSNS(__VA_ARGS__)), CODE)
#define BYTES(...) ((const uint8_t *)image_of(INSNS(__VA_ARGS__))->segment[0].data)

TEST(a_status_is_ok_however_it_is_stored)
{
	assert_int_equal(LETTER(MOV_X0_X8, STR_XZR_X8, RET), 'S');
	assert_int_equal(LETTER(STR_XZR_X8, MOV_X0_X8, RET), 'S');
	assert_int_equal(LETTER(BTI_C, STR_XZR_X8, RET), 'S');
	assert_int_equal(LETTER(MOV_X0_X8, STR_XZR_X0, RET), 'S');
	assert_int_equal(LETTER(STR_XZR_X0, RET), '.'); /* through `this` */
}

TEST(constants_and_nothing_are_recognised)
{
	assert_int_equal(LETTER(MOV_W0_0, RET), '0');
	assert_int_equal(LETTER(PACIASP, MOV_W0_1, RET), '1');
	assert_int_equal(LETTER(MOV_W0_0 | 2 << 5, RET), '.');
	assert_int_equal(LETTER(0x2a1f03e0, RET), '0'); /* mov w0, wzr */
	assert_int_equal(LETTER(RET), 'V');
	assert_int_equal(trivial_body(image_of(INSNS(RET)), CODE + 2), 'P');
	assert_int_equal(trivial_body(image_of(INSNS(RET)), 8), 'P');
	assert_int_equal(LETTER(0xf9400000, RET), '.'); /* ldr x0, [x0] */
}

TEST(a_flag_is_sought_in_its_own_function_only)
{
	const struct image *image = image_of(INSNS(0x3900009f, MOV_X0_X8, STR_XZR_X8, RET)); /* strb wzr, [x4] */

	assert_true(ort_machine_stores_not_packed(image, CODE));
	image = image_of(INSNS(MOV_W0_0, RET, 0x3900009f, RET));
	assert_false(ort_machine_stores_not_packed(image, CODE));
}

TEST(neighbours_of_unknown_functions_are_recognised)
{
	assert_true(ort_machine_returns_field(BYTES(0xb9401800, RET)));			 /* ldr w0, [x0, #24] */
	assert_false(ort_machine_returns_field(BYTES(0xf9401800, RET)));		 /* ldr x0, ... */
	assert_true(ort_machine_returns_address_of_field(BYTES(0x91004000, RET)));	 /* add x0, x0, #16 */
	assert_true(ort_machine_extends_third(BYTES(0xa9bf7bfd, 0x93407c42)));		 /* stp ...; sxtw x2, w2 */
	assert_false(ort_machine_extends_third(BYTES(0xa9bf7bfd, 0x93407c21)));		 /* sxtw x1, w1 */
	assert_true(ort_machine_calls_third(BYTES(0xf9400002, 0xf9400850, 0xd61f0200))); /* ldr, ldr #16, br */
	assert_false(ort_machine_calls_third(BYTES(0xf9400002, 0xf9400450, 0xd61f0200)));
}

/* adrp x0, CODE + 0x10000; add x0, x0, #8 */
TEST(addresses_are_those_of_adrp_and_add)
{
	const struct image *image = image_of(INSNS(BTI_C, 0x90000080, 0x91002000, RET));

	assert_int_equal(ort_machine_returned_address(image, CODE), TABLE + 8);
	image = image_of(INSNS(0x90000080, 0x91002000, 0xd503201f));
	assert_int_equal(ort_machine_returned_address(image, CODE), 0);
	image = image_of(INSNS(0x90ffffe0, 0x91002000, RET)); /* a page before */
	assert_int_equal(ort_machine_returned_address(image, CODE), CODE - 0x4000 + 8);
}

TEST(the_table_is_that_behind_the_comparison)
{
	const struct image *image = image_of(INSNS(0x51000401, 0x7100543f, 0x54000068, 0x90000080, 0x91002000, RET));

	assert_int_equal(ort_machine_table_of(image, CODE, 22), TABLE + 8); /* sub; cmp w1, #21 */
	assert_true(ort_machine_is_get_api(image, CODE, 22));
	assert_int_equal(ort_machine_table_of(image, CODE, 25), 0);
	assert_false(ort_machine_is_get_api(image, CODE, 25));
}
