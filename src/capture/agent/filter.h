/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a seccomp filter answers: an interpreter of the kernel's filter programs, so that the agent knows before a
 * system call what would become of it.
 */
#ifndef CAPTURE_AGENT_FILTER_H
#define CAPTURE_AGENT_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether it has an answer other than to let a call pass or to refuse it with an error. */
bool filter_can_kill(const struct sock_filter *program, size_t n);

/* Its answer, SECCOMP_RET_*; SECCOMP_RET_KILL_PROCESS for a program that the kernel would not accept. */
uint32_t filter_answer(const struct sock_filter *program, size_t n, const struct seccomp_data *call);

/* Whether a call with this answer does no harm: it is made, or refused with an error. */
static inline bool filter_is_harmless(uint32_t answer)
{
	answer &= SECCOMP_RET_ACTION_FULL;
	return answer == SECCOMP_RET_ALLOW || answer == SECCOMP_RET_LOG || answer == SECCOMP_RET_ERRNO;
}

#endif
