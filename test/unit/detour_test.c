// SPDX-License-Identifier: Apache-2.0
/* Beginnings of functions that are moved and run elsewhere, and those that are refused. */
#include "capture/agent/replace/detour.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "cases.h"

#define CODE(...) \
	(const uint8_t[DETOUR_MOST_MOVED]) \
	{ \
		__VA_ARGS__ \
	}

static size_t moved_bytes(const uint8_t *code)
{
	uint8_t moved[DETOUR_MOST_MOVED];

	return detour_move(moved, code, 0x1000, 0x9000);
}

TEST(beginnings_of_compiled_functions_are_moved)
{
	/* push %rbp; mov %rsp,%rbp; push %r15 */
	assert_int_equal(moved_bytes(CODE(0x55, 0x48, 0x89, 0xe5, 0x41, 0x57, 0x41, 0x56)), 6);
	/* endbr64; push %r15 */
	assert_int_equal(moved_bytes(CODE(0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x57)), 6);
	/* push %r12; push %rbp; push %rbx; mov %rdi,%rbx */
	assert_int_equal(moved_bytes(CODE(0x41, 0x54, 0x55, 0x53, 0x48, 0x89, 0xfb)), 7);
	/* sub $0x118,%rsp */
	assert_int_equal(moved_bytes(CODE(0x48, 0x81, 0xec, 0x18, 0x01, 0, 0)), 7);
}

TEST(others_are_refused)
{
	assert_int_equal(moved_bytes(CODE(0xe9, 1, 2, 3, 4)), 0);		       /* jmp */
	assert_int_equal(moved_bytes(CODE(0x55, 0xe8, 1, 2, 3, 4)), 0);		       /* push %rbp; call */
	assert_int_equal(moved_bytes(CODE(0x55, 0x74, 1, 0x90, 0x90, 0x90)), 0);       /* push %rbp; je */
	assert_int_equal(moved_bytes(CODE(0x48, 0x8d, 0x3d, 1, 2, 3, 4)), 0);	       /* a part that begins with lea */
	assert_int_equal(moved_bytes(CODE(0x55, 0x48, 0x83, 0x3d, 1, 0, 0, 0, 0)), 0); /* cmpq $0, 1(%rip) */
}

TEST(a_relative_address_stays_the_same)
{
	uint8_t moved[DETOUR_MOST_MOVED];
	const uint8_t *code = CODE(0x55, 0x48, 0x8d, 0x15, 0x10, 0, 0, 0); /* push %rbp; lea 0x10(%rip),%rdx */
	int32_t distance;

	assert_int_equal(detour_move(moved, code, 0x9000, 0x1000), 8);
	memcpy(&distance, moved + 4, sizeof distance);
	assert_int_equal(0x1000 + 8 + distance, 0x9000 + 8 + 0x10);
	assert_int_equal(detour_move(moved, code, 0x1000, 0x7f0000001000), 0); /* out of its reach */
}

static int n_calls;

static int hook(int number)
{
	n_calls++;
	return number * 100;
}

TEST(calls_go_to_the_hook_and_from_there_to_the_function)
{
	/* push %rbp; mov %rsp,%rbp; push %r15; lea 1(%rdi),%eax; pop %r15; pop %rbp; ret */
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x41, 0x57, 0x8d, 0x47, 0x01, 0x41, 0x5f, 0x5d, 0xc3 };
	uint8_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *to_hook = page + 4096, *next = to_hook + DETOUR_MOST_JUMP, jump[DETOUR_MOST_JUMP];
	size_t moved, size;

	assert_ptr_not_equal(page, MAP_FAILED);
	memcpy(page, code, sizeof code);
	detour_far_jump(to_hook, (uint64_t)(uintptr_t)hook);
	moved = detour_move(next, page, (uint64_t)page, (uint64_t)next);
	assert_int_equal(moved, 6);
	detour_far_jump(next + moved, (uint64_t)page + moved);
	size = detour_near_jump(jump, (uint64_t)page, (uint64_t)to_hook);
	memcpy(page, jump, size);
	assert_int_equal(((int (*)(int))(uintptr_t)page)(7), 700);
	assert_int_equal(((int (*)(int))(uintptr_t)next)(7), 8);
	assert_int_equal(n_calls, 1);
	munmap(page, 8192);
}
