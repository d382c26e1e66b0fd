/* SPDX-License-Identifier: Apache-2.0 */
/* A child that reads untrusted bytes, and so has no right that those could use. */
#ifndef CAPTURE_PROC_BARE_CHILD_H
#define CAPTURE_PROC_BARE_CHILD_H

/*
 * Call it in a child. Two descriptors are left, as 0 and 1; all others are closed. No capabilities, another user if
 * possible, no_new_privs, limits on memory and CPU time, killed with its parent. Ends the child if that fails.
 */
void bare_child_become(int first, int second, unsigned cpu_seconds);

#endif
