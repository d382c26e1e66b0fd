// SPDX-License-Identifier: Apache-2.0
/*
 * Instead of files that are right in the recorder, a program of its own, and wrong in a guest.
 *
 * capture/decode/segment_guard.c sets a handler of SIGBUS. The library sets none: it reads only what its own process
 * has written, which nobody else truncates. base/privilege.c changes the capabilities of the process, and ends it when
 * that fails. The library leaves them alone, and reads nothing of other processes.
 */
#include "base/privilege.h"
#include "capture/decode/segment_guard.h"

void segment_guard_add(struct segment_map *map)
{
}

void segment_guard_remove(struct segment_map *map)
{
}

bool privilege_reach(void)
{
	return false;
}

bool privilege_use(bool is_on)
{
	return false;
}
