/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where libinftrace-agent.so is: $INFTRACE_AGENT if set, else beside the program, else where the build folder has it,
 * else where `make install` puts it, seen from the program (so that a moved installation works).
 */
#ifndef CMD_AGENT_PATH_H
#define CMD_AGENT_PATH_H

#include "base/err.h"

#include <stddef.h>

/* path: absolute, without links. 0, or -errno and err: not found, or at a path that the loader cannot preload from. */
int agent_path(char *path, size_t size, struct err *err);

#endif
