// SPDX-License-Identifier: Apache-2.0
/* Compares bytes with what compilers write for x86-64. Decodes no instruction. */
#include <string.h>

#include "runtime/ort/ort_machine.h"

enum { SHORT_CODE = 28, GET_API = 100, SHORT_GET_API = 20 };

/* endbr64 */
bool ort_machine_is_pad(const uint8_t *code)
{
	return !memcmp(code, "\xf3\x0f\x1e\xfa", 4);
}

/* mov byte [r9], 0 */
bool ort_machine_stores_not_packed(const struct image *image, uint64_t function)
{
	const uint8_t *at = image_at(image, function, 48, IMAGE_X);

	for (int i = 0; at && i < 28; i++)
		if (!memcmp(at + i, "\x41\xc6\x01\0", 4))
			return true;
	return false;
}

/* mov eax, [rdi + d]; ret */
bool ort_machine_returns_field(const uint8_t *code)
{
	return code[0] == 0x8b && code[1] == 0x47 && code[3] == 0xc3;
}

/* lea rax, [rdi + d]; ret */
bool ort_machine_returns_address_of_field(const uint8_t *code)
{
	return !memcmp(code, "\x48\x8d\x47", 3) && code[4] == 0xc3;
}

static bool has(const uint8_t *code, const char *bytes, size_t n)
{
	for (size_t i = 0; i + n <= SHORT_CODE; i++)
		if (!memcmp(code + i, bytes, n))
			return true;
	return false;
}

/* movsxd r, edx */
bool ort_machine_extends_third(const uint8_t *code)
{
	for (int i = 0; i + 3 <= ORT_MACHINE_CODE; i++)
		if ((code[i] == 0x48 || code[i] == 0x4c) && code[i + 1] == 0x63 && (code[i + 2] & 0xc7) == 0xc2)
			return true;
	return false;
}

/* mov byte [r8], 0; or, with an argument more: mov r, [rsp + 8]; mov byte [r], 0 */
bool ort_machine_stores_false(const uint8_t *code)
{
	return has(code, "\x41\xc6\x00\x00", 4) ||
	       (has(code, "\x48\x8b\x54\x24\x08", 5) && has(code, "\xc6\x02\x00", 3)) ||
	       (has(code, "\x48\x8b\x44\x24\x08", 5) && has(code, "\xc6\x00\x00", 3));
}

/* mov rax, [rdi]; then jmp [rax + 16], or mov rax, [rax + 16] where the compiler guessed which function that is */
bool ort_machine_calls_third(const uint8_t *code)
{
	return !memcmp(code, "\x48\x8b\x07", 3) && (has(code, "\xff\x60\x10", 3) || has(code, "\x48\x8b\x40\x10", 4));
}

/* Matches [endbr64] lea rax, [rip + d]; ret. Returns rax, or 0 for any other code. */
uint64_t ort_machine_returned_address(const struct image *image, uint64_t function)
{
	const uint8_t *at = image_at(image, function, 16, IMAGE_X);
	uint64_t start = function;
	int32_t d;

	if (!at)
		return 0;
	if (!memcmp(at, "\xf3\x0f\x1e\xfa", 4))
		at += 4, start += 4;
	if (memcmp(at, "\x48\x8d\x05", 3) || at[7] != 0xc3)
		return 0;
	memcpy(&d, at + 3, 4);
	return start + 7 + (uint64_t)(int64_t)d;
}

static bool compares_with(const uint8_t *at, int minor)
{
	return at[0] == 0x83 && (at[1] & 0xf8) == 0xf8 && (at[2] == minor - 1 || at[2] == minor);
}

/* GetApi(v) compares v - 1 with minor - 1, then loads the table's address: returns that address. */
uint64_t ort_machine_table_of(const struct image *image, uint64_t function, int minor)
{
	const uint8_t *at = image_at(image, function, GET_API + 16, IMAGE_X);
	bool compared = false;

	for (int i = 0; at && i < GET_API; i++) {
		int32_t d;
		uint64_t table;
		compared |= compares_with(at + i, minor);
		if (!compared || memcmp(at + i, "\x48\x8d\x05", 3))
			continue;
		memcpy(&d, at + i + 3, 4);
		table = function + (uint64_t)i + 7 + (uint64_t)(int64_t)d;
		return (table & 7) || !image_at(image, table, 8, IMAGE_W) ? 0 : table;
	}
	return 0;
}

/* Whether it compares like a GetApi. Up to 1.7 some load the table's address first, and their table is not used. */
bool ort_machine_is_get_api(const struct image *image, uint64_t function, int minor)
{
	const uint8_t *at = image_at(image, function, SHORT_GET_API + 3, IMAGE_X);

	for (int i = 0; at && i < SHORT_GET_API; i++)
		if (compares_with(at + i, minor))
			return true;
	return false;
}
