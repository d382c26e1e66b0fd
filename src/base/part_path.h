/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds our own other files. Order: the path in the environment variable; beside the program; in the build folder;
 * where `make install` puts them, relative to the program (so a moved installation works).
 */
#ifndef BASE_PART_PATH_H
#define BASE_PART_PATH_H

#include <stddef.h>

#include "base/err.h"

/* libinftrace-agent.so ($INFTRACE_AGENT). path: absolute, symlinks resolved. 0, or -errno and err. */
int agent_path(char *path, size_t size, struct err *err);
/* The same; an error, too, where the loader cannot preload from that path. */
int agent_preload_path(char *path, size_t size, struct err *err);
/* inftrace-run ($INFTRACE_RUN), in the same order. */
int runner_path(char *path, size_t size, struct err *err);

#endif
