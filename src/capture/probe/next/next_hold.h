/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds one thread of somebody's process for a moment, by ptrace in the way that nobody notices: its parent is told
 * nothing, its signals and job control stay as they are, and when we die the kernel lets it go. Calls from one thread,
 * which waits for the threads that it holds (waitpid with __WALL).
 */
#ifndef CAPTURE_PROBE_NEXT_HOLD_H
#define CAPTURE_PROBE_NEXT_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* The name of the thread that holds others, by which another inftrace knows that they will be let go. */
#define NEXT_HOLD_NAME "inftrace-next"

/*
 * Asks it to stop; waitpid tells when it has. 0, or -errno and err: EBUSY another inftrace holds it for a moment; EPERM
 * a debugger has it; ESRCH it is gone.
 */
int next_hold_begin(pid_t tid, struct err *err);
/*
 * It has stopped: was that before it could come to anything that it has just mapped? True inside the call that maps.
 * False: it is, if it has stopped in the loader: *address is where (0: not known).
 */
bool next_hold_is_early(pid_t tid, uint64_t *address);
/* Whether the address lies in the code of a dynamic loader. May wait for the process's memory: next_reader.h. */
bool next_hold_is_in_loader(pid_t pid, uint64_t address);
/* It goes on. status: what waitpid told when it stopped. */
void next_hold_end(pid_t tid, int status);

#endif
