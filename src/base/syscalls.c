// SPDX-License-Identifier: Apache-2.0
/* The way to the kernel where nothing stands before it. */
#include "base/syscalls.h"

static long call(long number, const long args[6])
{
	return syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

long (*call_way)(long number, const long args[6]) = call;
void (*call_bracket)(bool begins);
