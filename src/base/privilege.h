/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capabilities that the executable's file grants (setcap) to a user who has none. They are used around the calls
 * that need them, and for nothing that the user names: files, programs and libraries are opened with the rights of the
 * user. Where the rights are the user's own (root, ambient capabilities), all of this does nothing.
 */
#ifndef BASE_PRIVILEGE_H
#define BASE_PRIVILEGE_H

#include <stdbool.h>

#include "base/err.h"

/*
 * At the start of the program. is_needed: keep the capabilities for privilege_use, which is off now; else drop them for
 * good. Of a file that everybody may execute, CAP_BPF and CAP_PERFMON alone are kept: no access to programs of others.
 * -EPERM: the file is setuid or setgid, which grants more than can be kept apart.
 */
int privilege_begin(bool is_needed, struct err *err);

/* Turns the kept capabilities on or off; returns whether they were on, for turning them back. */
bool privilege_use(bool is_on);

/*
 * Before a file of another process is opened: turns the capabilities off if everybody may execute the file, because
 * CAP_PERFMON alone opens /proc/PID/maps on some kernels. Returns whether they were on, for privilege_use.
 */
bool privilege_reach(void);

/* Drops every capability for good, inheritable and ambient ones too: before code of others runs in this process. */
void privilege_drop(void);

/* Whether the file grants capabilities and everybody may execute it. */
bool privilege_is_for_everybody(void);

#endif
