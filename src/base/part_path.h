/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where our own other files are: what the environment says if it does, else beside the program, else where the build
 * folder has them, else where `make install` puts them, seen from the program (so that a moved installation works).
 */
#ifndef BASE_PART_PATH_H
#define BASE_PART_PATH_H

#include <stddef.h>

#include "base/err.h"

/* libinftrace-agent.so ($INFTRACE_AGENT). path: absolute, without links. 0, or -errno and err: not found, or at a path
 * that the loader cannot preload from. */
int agent_path(char *path, size_t size, struct err *err);
/* inftrace-run ($INFTRACE_RUN), likewise. */
int runner_path(char *path, size_t size, struct err *err);

#endif
