// SPDX-License-Identifier: Apache-2.0
/* The same trivial functions as compilers write them at -O0, -O2 and -Os. */
#include "runtime/find/trivial_body.h"

#include <string.h>

#include "cases.h"

enum { CODE = 0x1000 };

/* The letter of a function at the end of a module's code. */
static char letter(const char *code, size_t len)
{
	struct image image = { .n_segments = 1,
			       .segment = { { CODE, CODE + len, IMAGE_R | IMAGE_X, (const uint8_t *)code } } };

	return trivial_body(&image, CODE);
}
#define LETTER(code) letter(code, sizeof(code) - 1)

TEST(a_status_is_ok_however_it_is_stored)
{
	assert_int_equal(LETTER("\xf3\x0f\x1e\xfa\x48\xc7\x07\0\0\0\0\x48\x89\xf8\xc3"), 'S');
	assert_int_equal(LETTER("\x48\x89\xf8\x48\xc7\x07\0\0\0\0\xc3"), 'S');
	/* xor edx, edx; mov rax, rdi; mov [rdi], rdx; ret */
	assert_int_equal(LETTER("\x31\xd2\x48\x89\xf8\x48\x89\x17\xc3"), 'S');
	/* mov rax, rdi; and qword [rax], 0; ret */
	assert_int_equal(LETTER("\x48\x89\xf8\x48\x83\x20\x00\xc3"), 'S');
	/* push rbp; mov rbp, rsp; ...; pop rbp; ret */
	assert_int_equal(LETTER("\x55\x48\x89\xe5\x48\x89\xf8\x48\xc7\x00\0\0\0\0\x5d\xc3"), 'S');
}

TEST(a_status_that_is_not_ok_is_something_else)
{
	assert_int_equal(LETTER("\x48\xc7\x07\x01\0\0\0\x48\x89\xf8\xc3"), '.');
	assert_int_equal(LETTER("\x48\xc7\x07\0\0\0\0\x48\x89\xf0\xc3"), '.'); /* returns rsi */
	assert_int_equal(LETTER("\xc7\x07\0\0\0\0\x48\x89\xf8\xc3"), '.');     /* half of the word */
	assert_int_equal(LETTER("\x48\xc7\x06\0\0\0\0\x48\x89\xf8\xc3"), '.'); /* through rsi */
}

TEST(a_constant_is_found_however_it_is_loaded)
{
	assert_int_equal(LETTER("\x31\xc0\xc3"), '0');
	assert_int_equal(LETTER("\xb8\0\0\0\0\xc3"), '0');
	assert_int_equal(LETTER("\xb8\x01\0\0\0\xc3"), '1');
	assert_int_equal(LETTER("\xb0\x01\xc3"), '1');
	assert_int_equal(LETTER("\x6a\x01\x58\xc3"), '1');
	assert_int_equal(LETTER("\xb8\x02\0\0\0\xc3"), '.');
	assert_int_equal(LETTER("\x6a\x01\xc3"), '.'); /* the stack is not as it was */
}

TEST(a_function_that_does_nothing_returns_nothing)
{
	assert_int_equal(LETTER("\xc3"), 'V');
	assert_int_equal(LETTER("\xf3\x0f\x1e\xfa\xf3\xc3"), 'V');
}

TEST(what_ends_before_its_return_or_lies_elsewhere_is_no_function)
{
	struct image none = { .n_segments = 0 };

	assert_int_equal(LETTER("\x31\xc0"), '.');
	assert_int_equal(LETTER("\xb8\x01"), '.');
	assert_int_equal(LETTER("\x48"), '.');
	assert_int_equal(trivial_body(&none, CODE), 'P');
}
