// SPDX-License-Identifier: Apache-2.0
/*
 * Compares instructions with what compilers write for aarch64. `this` is in x0, arguments follow in x1 and so on; what
 * returns a class has its address in x8, so that arguments have the same registers in all functions.
 */
#include "runtime/find/arm64_insn.h"
#include "runtime/ort/ort_machine.h"

enum { CODE = ORT_MACHINE_CODE / 4, SHORT_CODE = 7, GET_API = 16 };

bool ort_machine_is_pad(const uint8_t *code)
{
	return arm64_is_pad(arm64_insn(code, 0));
}

/* ldr w0, [x0, #d]; ret */
bool ort_machine_returns_field(const uint8_t *code)
{
	return (arm64_insn(code, 0) & 0xffc003ff) == 0xb9400000 && arm64_is_return(arm64_insn(code, 1));
}

/* add x0, x0, #d; ret */
bool ort_machine_returns_address_of_field(const uint8_t *code)
{
	return (arm64_insn(code, 0) & 0xffc003ff) == 0x91000000 && arm64_is_return(arm64_insn(code, 1));
}

/* sxtw x, w2 */
bool ort_machine_extends_third(const uint8_t *code)
{
	for (int i = 0; i < CODE; i++)
		if ((arm64_insn(code, i) & 0xffffffe0) == 0x93407c40)
			return true;
	return false;
}

/* The function has strb wzr, [x<base>] among its first instructions. */
static bool stores_zero(const uint8_t *code, int base)
{
	for (int i = 0; i < SHORT_CODE && !arm64_is_return(arm64_insn(code, i)); i++)
		if (arm64_insn(code, i) == (0x39000000 | (uint32_t)base << 5 | ARM64_ZERO))
			return true;
	return false;
}

/* The fourth argument, or, with two arguments more, the sixth. */
bool ort_machine_stores_false(const uint8_t *code)
{
	return stores_zero(code, 3) || stores_zero(code, 5);
}

/* ldr xn, [x0]; then ldr xm, [xn, #16] */
bool ort_machine_calls_third(const uint8_t *code)
{
	uint32_t table = arm64_insn(code, 0), load;

	if ((table & 0xffffffe0) != 0xf9400000)
		return false;
	for (int i = 1; i < SHORT_CODE && !arm64_is_return(load = arm64_insn(code, i)); i++)
		if ((load & 0xffffffe0) == (0xf9400800 | (uint32_t)arm64_target(table) << 5))
			return true;
	return false;
}

bool ort_machine_stores_not_packed(const struct image *image, uint64_t function)
{
	const uint8_t *at = image_at(image, function, 4 * SHORT_CODE, IMAGE_X);

	return at && stores_zero(at, 4);
}

/* [pad] adrp x0; add x0, x0, #d; ret */
uint64_t ort_machine_returned_address(const struct image *image, uint64_t function)
{
	const uint8_t *at = image_at(image, function, 16, IMAGE_X);
	int pad = at && ort_machine_is_pad(at);

	if (!at || (function & 3) || arm64_target(arm64_insn(at, pad)) != 0 ||
	    !arm64_is_return(arm64_insn(at, pad + 2)))
		return 0;
	return arm64_address(at, pad, function + 4 * (uint64_t)pad);
}

/* cmp w, #minor - 1 */
static bool compares_with(uint32_t insn, int minor)
{
	int number = (int)(insn >> 10 & 0xfff);

	return (insn & 0xffc0001f) == 0x7100001f && (number == minor - 1 || number == minor);
}

/* The address is taken by adrp and add. */
uint64_t ort_machine_table_of(const struct image *image, uint64_t function, int minor)
{
	const uint8_t *at = image_at(image, function, 4 * GET_API + 4, IMAGE_X);
	bool compared = false;

	for (int i = 0; at && !(function & 3) && i < GET_API; i++) {
		uint64_t table;
		compared |= compares_with(arm64_insn(at, i), minor);
		if (!compared || !(table = arm64_address(at, i, function + 4 * (uint64_t)i)))
			continue;
		return (table & 7) || !image_at(image, table, 8, IMAGE_W) ? 0 : table;
	}
	return 0;
}

bool ort_machine_is_get_api(const struct image *image, uint64_t function, int minor)
{
	const uint8_t *at = image_at(image, function, 4 * SHORT_CODE, IMAGE_X);

	for (int i = 0; at && !(function & 3) && i < SHORT_CODE; i++)
		if (compares_with(arm64_insn(at, i), minor))
			return true;
	return false;
}
