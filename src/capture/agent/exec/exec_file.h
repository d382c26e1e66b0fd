/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the agent may be preloaded into the program in a file that is about to be executed. Async-signal-safe, no
 * allocation; changes errno.
 */
#ifndef CAPTURE_AGENT_EXEC_FILE_H
#define CAPTURE_AGENT_EXEC_FILE_H

#include <stdbool.h>

/*
 * False: its loader would refuse the agent or end: musl, old glibc, another word size or processor. True also for what
 * cannot be read. Scripts count as their interpreter. path is relative to folder (AT_FDCWD); a path of "" is folder
 * itself.
 */
bool exec_file_suits(int folder, const char *path);

/* The same for a name that execvp looks up in PATH. */
bool exec_file_suits_search(const char *name);

#endif
