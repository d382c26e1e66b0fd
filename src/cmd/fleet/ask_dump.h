/* SPDX-License-Identifier: Apache-2.0 */
/* `inftrace watch --dump`: asks a watcher that runs for a dump of what it keeps. Watches nothing itself. */
#ifndef CMD_FLEET_ASK_DUMP_H
#define CMD_FLEET_ASK_DUMP_H

#include "base/err.h"

/*
 * Of the watcher with this PID; NULL: of the only one. Waits until the file is complete, and prints its name. 0, or
 * -errno and err.
 */
int ask_dump(const char *pid, struct err *err);

#endif
