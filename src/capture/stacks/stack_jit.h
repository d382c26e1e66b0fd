/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of code that a program makes while it runs, by the file that its runtime keeps for profilers:
 * /tmp/perf-PID.map, as Node.js writes it with --perf-basic-prof, Java by `jcmd PID Compiler.perfmap`, .NET with
 * DOTNET_PerfMapEnabled. Only reads; without the file there are no names.
 */
#ifndef CAPTURE_STACKS_STACK_JIT_H
#define CAPTURE_STACKS_STACK_JIT_H

#include <sys/types.h>

#include "base/array.h"
#include "capture/code/code_reader.h"

/* Of one process. Zeroed: not read. */
struct stack_jit {
	pid_t pid;
	int inner_pid;	   /* as its namespace counts it; 0: not known yet */
	int64_t taken;	   /* bytes of the file */
	uint64_t tried_ns; /* when it was opened, */
	unsigned n_failed; /* and how often it was not there */
	struct array map;  /* private */
	struct array text;
};

/* The function at an address of the process; false: not known. Reads what the file has more than before. */
bool stack_jit_find(struct stack_jit *jit, uint64_t address, struct code_place *place);
void stack_jit_done(struct stack_jit *jit);

#endif
