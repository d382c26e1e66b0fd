/* SPDX-License-Identifier: Apache-2.0 */
/* Reports that a program has forbidden itself, by death, what recording all of it takes. */
#ifndef CAPTURE_SOURCE_AGENT_CONFINED_H
#define CAPTURE_SOURCE_AGENT_CONFINED_H

#include "capture/decode/recorded.h"

/* Writes a note if the program has confined itself, or further, since the last call. */
int confined_tell(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err);

/*
 * Looks, a few times a second, whether the kernel knows of more filters than the agent, and then says so to both: a
 * filter may be set by an instruction that no hook sees. Until then, a system call of the agent may end the program.
 */
int confined_look(struct recorded *process, const char *sysroot, struct sink *out, uint64_t now_ns, struct err *err);

#endif
