/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variables that bring the agent into the next program, put back into an environment from which a launcher took
 * them (env -i, an LD_PRELOAD of its own). Async-signal-safe, no allocation, safe in a child of vfork: the caller gives
 * the memory. A program that runs under another recorder, or with INFTRACE_DISABLE, is left alone.
 */
#ifndef CAPTURE_AGENT_EXEC_ENV_H
#define CAPTURE_AGENT_EXEC_ENV_H

#include <stdbool.h>
#include <stddef.h>

/* Keeps the variables that this process was started with; own: the path of the agent. Called once. */
void exec_env_keep(const char *own);

/* How many seccomp filters apply to this process that the agent in the next program need not fear. */
void exec_env_filters(unsigned n);

/*
 * Bytes that the changed environment takes; 0: envp is right as it is. suits: the agent may be preloaded into the
 * program; else it is taken out of LD_PRELOAD.
 */
size_t exec_env_size(char *const *envp, bool suits);

/* Writes it to place, which has exec_env_size bytes and is aligned for pointers. */
char **exec_env_make(void *place, char *const *envp, bool suits);

/*
 * Whether the agent may be preloaded into the program in a file that is about to be executed. Async-signal-safe, no
 * allocation; changes errno.
 */

/*
 * False: its loader would refuse the agent or end: musl, old glibc, another word size or processor. True also for what
 * cannot be read. Scripts count as their interpreter. path is relative to folder (AT_FDCWD); a path of "" is folder
 * itself.
 */
bool exec_file_suits(int folder, const char *path);

/* The same for a name that execvp looks up in PATH. */
bool exec_file_suits_search(const char *name);

#endif
