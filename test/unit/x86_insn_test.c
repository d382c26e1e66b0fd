// SPDX-License-Identifier: Apache-2.0
/* Hand-made cases; test_sites.py compares millions of instructions of real libraries with objdump. */
#include "runtime/find/x86_insn.h"

#include <string.h>

#include "cases.h"

struct given {
	const char *bytes;
	int n;
	uint8_t kind;
	bool is_emulated;
};

#define I(bytes, kind, is_emulated) { bytes, sizeof bytes - 1, kind, is_emulated }

static const struct given lengths[] = {
	I("\x53", X86_PUSH, true),
	I("\x41\x57", X86_PUSH, true),
	I("\x48\x53", X86_PUSH, false), /* the kernel supports only REX.B */
	I("\x66\x53", X86_PUSH, false),
	I("\x90", X86_NOP, true),
	I("\x66\x90", X86_NOP, false),
	I("\x41\x90", X86_OTHER, false), /* xchg r8, rax */
	I("\x0f\x1f\x44\x00\x00", X86_NOP_LONG, false),
	I("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", X86_NOP_LONG, false),
	I("\xf3\x0f\x1e\xfa", X86_ENDBR64, false),
	I("\xe8\x01\x02\x03\x04", X86_CALL, true),
	I("\xe9\x01\x02\x03\x04", X86_JUMP, true),
	I("\xeb\xfe", X86_JUMP, true),
	I("\x74\x10", X86_JUMP_IF, true),
	I("\x0f\x85\x01\x02\x03\x04", X86_JUMP_IF, true),
	I("\xf2\xe9\x01\x02\x03\x04", X86_JUMP, false),
	I("\xe3\x10", X86_JUMP_IF, false), /* jrcxz */
	I("\xc3", X86_RETURN, false),
	I("\xf3\xc3", X86_RETURN, false),
	I("\xc2\x08\x00", X86_RETURN, false),
	I("\xff\xe0", X86_JUMP_INDIRECT, false),
	I("\xff\x50\x10", X86_CALL_INDIRECT, false),
	I("\x0f\x0b", X86_TRAP, false),
	I("\x48\x89\xe5", X86_OTHER, false),
	I("\x48\x8d\x05\x01\x02\x03\x04", X86_OTHER, false),
	I("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", X86_OTHER, false),
	I("\xb8\x01\x02\x03\x04", X86_OTHER, false),
	I("\x66\xb8\x01\x02", X86_OTHER, false),
	I("\xf7\xc0\x01\x02\x03\x04", X86_OTHER, false), /* test eax, immediate */
	I("\xf7\xd8", X86_OTHER, false),		 /* neg eax */
	I("\xf6\x04\x25\x01\x02\x03\x04\x05", X86_OTHER, false),
	I("\x66\x81\x04\xc8\x01\x02", X86_OTHER, false),
	I("\x48\xc7\x84\x24\x01\x02\x03\x04\x05\x06\x07\x08", X86_OTHER, false),
	I("\x48\xa1\x01\x02\x03\x04\x05\x06\x07\x08", X86_OTHER, false),
	I("\x67\xa1\x01\x02\x03\x04", X86_OTHER, false),
	I("\xc8\x10\x00\x00", X86_OTHER, false),
	I("\x0f\xba\xe0\x07", X86_OTHER, false),
	I("\x66\x0f\x3a\x0f\xc1\x08", X86_OTHER, false),
	I("\x66\x0f\x38\x00\xc1", X86_OTHER, false),
	I("\xc5\xf8\x77", X86_OTHER, false),			 /* vzeroupper */
	I("\xc5\xf1\xc6\xc2\x01", X86_OTHER, false),		 /* vshufpd */
	I("\xc4\xe3\x7d\x19\xc1\x01", X86_OTHER, false),	 /* vextractf128 */
	I("\xc4\xe2\x71\xb8\xc2", X86_OTHER, false),		 /* vfmadd231ps */
	I("\x62\xf1\x7c\x48\x10\x44\x24\x01", X86_OTHER, false), /* vmovups zmm */
	I("\x62\xf3\x75\x48\x25\xc2\xff", X86_OTHER, false),	 /* vpternlogd */
};

TEST(instructions_have_the_lengths_and_kinds_of_the_manual)
{
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		const struct given *given = &lengths[i];
		uint8_t code[15];
		struct x86_insn insn;
		memset(code, 0xcc, sizeof code);
		memcpy(code, given->bytes, (size_t)given->n);
		if (!x86_insn_decode(&insn, code, sizeof code) || insn.size != given->n || insn.kind != given->kind ||
		    insn.is_emulated != given->is_emulated)
			fail_msg("instruction %zu: %d bytes, kind %d, emulated %d", i, insn.size, insn.kind,
				 insn.is_emulated);
	}
}

TEST(an_instruction_that_is_cut_off_is_none)
{
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct x86_insn insn;
		for (int size = 0; size < lengths[i].n; size++)
			if (x86_insn_decode(&insn, (const uint8_t *)lengths[i].bytes, (size_t)size))
				fail_msg("instruction %zu: %d bytes of %d", i, insn.size, size);
	}
}

TEST(what_64_bit_mode_lacks_is_refused)
{
	static const char *const none[] = {
		"\x06",		"\x27",	       "\x60",	   "\x82\xc0\x01",     "\x9a\x01\x02\x03\x04",
		"\xd6",		"\xea",	       "\x0f\x04", "\x0f\x0f\xc0\x9e", "\x8f\xe8\x78\xc2",
		"\x48\x48\x90", "\x48\x66\x90"
	};
	struct x86_insn insn;

	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		uint8_t code[15] = { 0 };
		memcpy(code, none[i], strlen(none[i]));
		if (x86_insn_decode(&insn, code, sizeof code))
			fail_msg("%zu was taken for %d bytes", i, insn.size);
	}
}

static struct x86_insn decoded(const char *code, size_t size)
{
	struct x86_insn insn;

	assert_true(x86_insn_decode(&insn, (const uint8_t *)code, size));
	return insn;
}

TEST(jumps_say_where_to)
{
	assert_int_equal(decoded("\xeb\xfe", 2).relative, -2);
	assert_int_equal(decoded("\xe8\xff\xff\xff\xff", 5).relative, -1);
	assert_int_equal(decoded("\x0f\x84\x00\x01\x00\x00", 6).relative, 256);
}

TEST(calls_of_a_slot_say_which)
{
	assert_true(decoded("\xff\x50\x10", 3).is_memory);
	assert_int_equal(decoded("\xff\x50\x10", 3).displacement, 0x10);
	assert_int_equal(decoded("\x41\xff\x94\x24\x00\x01\x00\x00", 8).displacement, 256); /* [r12 + 256] */
	assert_true(decoded("\x41\xff\x54\x24\x10", 5).is_memory);
	assert_false(decoded("\xff\xd0", 2).is_memory);			/* by register */
	assert_false(decoded("\xff\x15\x10\x00\x00\x00", 6).is_memory); /* by rip */
	assert_false(decoded("\xff\x54\xc8\x10", 4).is_memory);		/* with an index */
}
