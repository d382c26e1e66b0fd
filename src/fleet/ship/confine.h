/* SPDX-License-Identifier: Apache-2.0 */
/* What the child of a door may do: nothing but the system calls that sending and writing need. */
#ifndef FLEET_SHIP_CONFINE_H
#define FLEET_SHIP_CONFINE_H

#include <stdbool.h>

#include "base/err.h"

/*
 * For good: no capability, no new rights, and a filter of system calls, under which others fail with EPERM.
 * becomes_nobody: where this process is root's, it also becomes nobody's. 0, or -errno and err.
 */
int confine(bool becomes_nobody, struct err *err);

#endif
