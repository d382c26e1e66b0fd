// SPDX-License-Identifier: Apache-2.0
/* What a seccomp filter answers: the agent's interpreter and the kernel agree. */
#include <errno.h>
#include <linux/audit.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/agent/filter.h"
#include "cases.h"

#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define REFUSE (SECCOMP_RET_ERRNO | 77)

static const struct seccomp_data call = { .nr = SYS_getpgid, .arch = ARCH, .args = { 0, 7, 0x123456789, 5, 1, ~0ull } };

TEST(each_answer_is_known_for_what_it_does)
{
	assert_true(filter_is_harmless(SECCOMP_RET_ALLOW));
	assert_true(filter_is_harmless(SECCOMP_RET_LOG));
	assert_true(filter_is_harmless(REFUSE));
	assert_false(filter_is_harmless(SECCOMP_RET_KILL_PROCESS));
	assert_false(filter_is_harmless(SECCOMP_RET_KILL_THREAD));
	assert_false(filter_is_harmless(SECCOMP_RET_TRAP | 3));
	assert_false(filter_is_harmless(SECCOMP_RET_TRACE | 3));
	assert_false(filter_is_harmless(SECCOMP_RET_USER_NOTIF));
}

TEST(a_filter_can_kill_if_any_of_its_answers_may)
{
	const struct sock_filter refuses[] = { BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
					       BPF_STMT(BPF_RET | BPF_K, REFUSE),
					       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	const struct sock_filter kills[] = { BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
					     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
					     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	const struct sock_filter unknown[] = { BPF_STMT(BPF_RET | BPF_A, 0) };

	assert_false(filter_can_kill(refuses, COUNT(refuses)));
	assert_true(filter_can_kill(kills, COUNT(kills)));
	assert_true(filter_can_kill(unknown, COUNT(unknown)));
}

TEST(a_program_that_the_kernel_would_not_take_kills)
{
	const struct sock_filter programs[][2] = {
		{ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sizeof call), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
		{ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
		{ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ~3u), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
		{ BPF_STMT(BPF_ST, BPF_MEMWORDS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
		{ BPF_STMT(BPF_LD | BPF_MEM, BPF_MEMWORDS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
		{ BPF_STMT(BPF_JMP | BPF_JA, ~0u), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
		{ BPF_STMT(BPF_JMP | BPF_JA, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
		{ BPF_STMT(BPF_LD | BPF_W | BPF_IND, 0), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
		{ BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, 3), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
		{ BPF_STMT(BPF_LD | BPF_IMM, 0), BPF_STMT(BPF_LD | BPF_IMM, 0) },
	};

	for (size_t i = 0; i < COUNT(programs); i++)
		assert_int_equal(filter_answer(programs[i], 2, &call), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(filter_answer(programs[0], 0, &call), SECCOMP_RET_KILL_PROCESS);
}

enum { LENGTH = 24, PREFIX = 3, N_PROGRAMS = 400 };

static uint32_t pick(const uint32_t *from, size_t n)
{
	return from[(size_t)rand() % n];
}

/* An instruction at `at` that the kernel takes, whatever comes before it, but for words of memory not written yet. */
static struct sock_filter made_up(unsigned at)
{
	static const uint32_t words[] = { 0, 4, 16, 20, 24, 28, 32, 36, 40, 56, 60 },
			      numbers[] = { 0, 1, 5, 31, 0x80000000, ~0u },
			      operations[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_AND, BPF_OR,
					       BPF_XOR, BPF_LSH, BPF_RSH, BPF_DIV, BPF_NEG },
			      jumps[] = { BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET }, sources[] = { BPF_K, BPF_X };
	unsigned rest = LENGTH - at - 2;
	uint16_t operation = (uint16_t)pick(operations, COUNT(operations)), source = (uint16_t)pick(sources, 2);
	uint32_t number = pick(numbers, COUNT(numbers));

	switch (rand() % 9) {
	case 0:
		return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, pick(words, COUNT(words)));
	case 1:
		return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0);
	case 2:
		return (struct sock_filter)BPF_STMT(BPF_LDX | BPF_IMM, number);
	case 3:
		return (struct sock_filter)BPF_STMT(rand() % 2 ? BPF_ST : BPF_STX, (uint32_t)rand() % BPF_MEMWORDS);
	case 4:
		return (struct sock_filter)BPF_STMT((rand() % 2 ? BPF_LD : BPF_LDX) | BPF_MEM,
						    (uint32_t)rand() % BPF_MEMWORDS);
	case 5:
		return (struct sock_filter)BPF_STMT(BPF_MISC | (rand() % 2 ? BPF_TAX : BPF_TXA), 0);
	case 6:
		return (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | pick(jumps, COUNT(jumps)) | source), number,
						    (uint8_t)((unsigned)rand() % (rest + 1)),
						    (uint8_t)((unsigned)rand() % (rest + 1)));
	default:
		return (struct sock_filter)BPF_STMT((uint16_t)(BPF_ALU | operation | source),
						    operation == BPF_LSH || operation == BPF_RSH ? number & 31
						    : operation == BPF_DIV && !number		 ? 3
												 : number);
	}
}

/* All calls but one pass; that one's fate is made up. */
static void make_up(struct sock_filter *program)
{
	static const uint32_t answers[] = { SECCOMP_RET_ALLOW, REFUSE, SECCOMP_RET_KILL_PROCESS };

	program[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	program[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 1, 0);
	program[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	for (unsigned at = PREFIX; at < LENGTH - 1; at++)
		program[at] =
		    rand() % 8 ? made_up(at) : (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, pick(answers, 3));
	program[LENGTH - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, pick(answers, 3));
}

enum fate { PASSES, REFUSED, KILLED, NOT_TAKEN };

static enum fate fate_in_kernel(struct sock_filter *program)
{
	struct sock_fprog whole = { LENGTH, program };
	pid_t child = fork();
	int status;

	if (!child) {
		prctl(PR_SET_DUMPABLE, 0);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole))
			_exit(NOT_TAKEN);
		syscall(SYS_getpgid, call.args[0], call.args[1], call.args[2], call.args[3], call.args[4],
			call.args[5]);
		_exit(errno == 77 ? REFUSED : PASSES);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? (enum fate)WEXITSTATUS(status) : KILLED;
}

TEST(made_up_filters_have_the_fate_that_the_kernel_gives_them)
{
	struct sock_filter program[LENGTH];
	unsigned n[4] = { 0 };

	srand(1);
	for (int i = 0; i < N_PROGRAMS; i++) {
		enum fate fate;
		uint32_t answer;

		make_up(program);
		errno = 0;
		fate = fate_in_kernel(program);
		answer = filter_answer(program, LENGTH, &call);
		n[fate]++;
		if (fate != NOT_TAKEN)
			assert_int_equal(fate, !filter_is_harmless(answer) ? KILLED
					       : answer == REFUSE	   ? REFUSED
									   : PASSES);
	}
	assert_true(n[PASSES] > 20 && n[REFUSED] > 20 && n[KILLED] > 20);
}
